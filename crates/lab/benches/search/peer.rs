//! What does tantivy do alone? An index with the same fields, analysed by its own means.

use lycosa_knowledge::analysis::words;
use lycosa_lab::studies::reference::analyser;
use lycosa_model::Lang;
use lycosa_model::message::Entry;
use std::collections::BTreeMap;
use std::path::Path;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, SchemaBuilder,
    TextFieldIndexing, TextOptions,
};
use tantivy::snippet::SnippetGenerator;
use tantivy::tokenizer::{AsciiFoldingFilter, LowerCaser, SimpleTokenizer, TextAnalyzer};
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument, TantivyError, Term};

/// Memory of the writer, as ours has by default.
const MEMORY: usize = 64 << 20;
/// Letters of a snippet, about what ours has.
const SNIPPET: usize = 300;
/// Name of the analyser of the lexicon.
const LEXICON: &str = "lexicon";
/// Results of a query.
const LIMIT: usize = 10;

/// The analysed fields of one language.
#[derive(Clone, Copy)]
struct Texts {
    title: Field,
    headings: Field,
    description: Field,
    address: Field,
    body: Field,
}

/// The fields by their names, and those of each language.
pub(crate) struct Peer {
    index: Index,
    texts: BTreeMap<Option<Lang>, Texts>,
    id: Field,
    url: Field,
    site: Field,
    lang: Field,
    fetched: Field,
    simhash: Field,
    shown: [Field; 4],
    words: Option<Field>,
}

fn indexed(analyser: &str, option: IndexRecordOption) -> TextOptions {
    let indexing = TextFieldIndexing::default().set_tokenizer(analyser).set_index_option(option);
    TextOptions::default().set_indexing_options(indexing)
}

/// The fields of a language; its analyser is called by its code.
fn texts(schema: &mut SchemaBuilder, code: &str) -> Texts {
    let mut field = |name: &str, option| {
        schema.add_text_field(&format!("{name}_{code}"), indexed(code, option))
    };
    let (positions, counts) =
        (IndexRecordOption::WithFreqsAndPositions, IndexRecordOption::WithFreqs);
    Texts {
        title: field("title", positions),
        headings: field("headings", counts),
        description: field("description", counts),
        address: field("address", counts),
        body: field("body", positions),
    }
}

impl Peer {
    /// An empty index in a folder, with a lexicon of folded words or without.
    pub(crate) fn create(
        folder: &Path,
        pages: &[Entry],
        has_lexicon: bool,
    ) -> Result<Peer, TantivyError> {
        let mut schema = Schema::builder();
        let mut languages = BTreeMap::new();
        for lang in pages.iter().map(|page| page.document.main_language()) {
            languages.entry(lang).or_insert_with(|| texts(&mut schema, &code(lang)));
        }
        let stored = || TextOptions::default().set_stored();
        let shown = ["show_title", "show_description", "show_keywords", "show_text"];
        let words = has_lexicon.then(|| {
            schema.add_text_field("words", indexed(LEXICON, IndexRecordOption::WithFreqs))
        });
        let (id, url) =
            (schema.add_text_field("id", STRING), schema.add_text_field("url", stored()));
        let (site, lang) =
            (schema.add_text_field("site", STRING), schema.add_text_field("lang", STRING));
        let fetched = schema.add_u64_field("fetched", FAST | STORED | INDEXED);
        let simhash = schema.add_u64_field("simhash", FAST);
        let shown = shown.map(|name| schema.add_text_field(name, stored()));
        let index = Index::create_in_dir(folder, schema.build())?;
        for lang in languages.keys() {
            index.tokenizers().register(&code(*lang), analyser(*lang));
        }
        let lexicon = TextAnalyzer::builder(SimpleTokenizer::default())
            .filter(LowerCaser)
            .filter(AsciiFoldingFilter)
            .build();
        index.tokenizers().register(LEXICON, lexicon);
        Ok(Peer { index, texts: languages, id, url, site, lang, fetched, simhash, shown, words })
    }

    /// Takes all pages in and commits.
    pub(crate) fn fill(&self, pages: &[Entry]) -> Result<(), TantivyError> {
        let mut writer: IndexWriter = self.index.writer_with_num_threads(1, MEMORY)?;
        for page in pages {
            let document = &page.document;
            let Some(texts) = self.texts.get(&document.main_language()) else { continue };
            let mut out = TantivyDocument::default();
            let id = document.url_id.to_string();
            // A page replaces an older one, as with us.
            writer.delete_term(Term::from_field_text(self.id, &id));
            out.add_text(self.id, id);
            out.add_text(self.url, &document.url);
            out.add_text(self.site, host(&document.url));
            for share in &document.languages {
                out.add_text(self.lang, share.lang.as_str());
            }
            out.add_u64(self.fetched, page.fetched.0);
            out.add_u64(self.simhash, document.simhash);
            out.add_text(texts.title, &document.title);
            out.add_text(texts.headings, &document.headings);
            out.add_text(texts.description, &document.description);
            out.add_text(texts.address, &document.url);
            out.add_text(texts.body, &document.text);
            out.add_text(texts.body, &document.keywords);
            if let Some(words) = self.words {
                out.add_text(words, &document.title);
                out.add_text(words, &document.text);
            }
            let shown =
                [&document.title, &document.description, &document.keywords, &document.text];
            for (field, text) in self.shown.iter().zip(shown) {
                out.add_text(*field, text);
            }
            writer.add_document(out)?;
        }
        writer.commit()?;
        Ok(())
    }

    pub(crate) fn searcher(&self) -> Result<Searcher, TantivyError> {
        Ok(self.index.reader()?.searcher())
    }

    /// Pages that have a word, by the lexicon.
    pub(crate) fn pages_with(&self, searcher: &Searcher, word: &str) -> Result<u64, TantivyError> {
        match self.words {
            Some(field) => searcher.doc_freq(&Term::from_field_text(field, word)),
            None => Ok(0),
        }
    }

    /// The ten best pages of a language with any of the words, counted, with snippets: how many match.
    pub(crate) fn ask(
        &self,
        searcher: &Searcher,
        query: &str,
        lang: Option<Lang>,
    ) -> Result<usize, TantivyError> {
        let Some(texts) = self.texts.get(&lang) else { return Ok(0) };
        let mut analyser = analyser(lang);
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for word in words(query) {
            analyser.token_stream(word).process(&mut |token| {
                for field in [texts.title, texts.body] {
                    let term = Term::from_field_text(field, &token.text);
                    let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                    clauses.push((Occur::Should, Box::new(query)));
                }
            });
        }
        let query = BooleanQuery::new(clauses);
        let top = TopDocs::with_limit(LIMIT).order_by_score();
        let (found, count) = searcher.search(&query, &(top, Count))?;
        let mut snippets = SnippetGenerator::create(searcher, &query, texts.body)?;
        snippets.set_max_num_chars(SNIPPET);
        for (_, place) in found {
            let document: TantivyDocument = searcher.doc(place)?;
            let text = document.get_first(self.shown[3]);
            let text = text.and_then(|value| tantivy::schema::Value::as_str(&value));
            std::hint::black_box(snippets.snippet(text.unwrap_or_default()).to_html());
        }
        Ok(count)
    }
}

fn code(lang: Option<Lang>) -> String {
    lang.map_or_else(|| "unknown".to_owned(), |lang| lang.to_string())
}

/// The host of an address, roughly.
fn host(url: &str) -> &str {
    url.split('/').nth(2).unwrap_or_default()
}
