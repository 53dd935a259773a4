//! What does tantivy do alone? The reference of the studies: one flat field with its own tokenizer,
//! folding, stop words and stemmer, BM25 (k1 1.2, b 0.75), and the OR of the analysed words of a query.

use lycosa_model::Lang;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TantivyDocument, TextFieldIndexing,
    TextOptions, Value,
};
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer,
    StopWordFilter, TextAnalyzer,
};
use tantivy::{Index, IndexWriter, Searcher, TantivyError, Term};

/// Memory of its writer in bytes.
const MEMORY: usize = 64 << 20;
/// Words of more bytes than this are left out, as in tantivy's own analysers.
const MAX_WORD: usize = 40;
/// Name of the analyser in the schema.
const ANALYSER: &str = "reference";

/// An index of tantivy alone.
pub struct Reference {
    id: Field,
    text: Field,
    analyser: TextAnalyzer,
    searcher: Searcher,
}

/// Words cut, without stop words, stemmed and folded, by tantivy's own means; only cut and folded in a
/// language that it does not know. In this order its figures are those that are known of it (with folding
/// first it does better on Spanish: its stop words and stems have accents).
pub fn analyser(lang: Option<Lang>) -> TextAnalyzer {
    let builder = TextAnalyzer::builder(SimpleTokenizer::default())
        .filter_dynamic(RemoveLongFilter::limit(MAX_WORD))
        .filter_dynamic(LowerCaser);
    let Some(language) = lang.and_then(language) else {
        return builder.filter_dynamic(AsciiFoldingFilter).build();
    };
    let builder = match StopWordFilter::new(language) {
        Some(stop) => builder.filter_dynamic(stop),
        None => builder,
    };
    builder.filter_dynamic(Stemmer::new(language)).filter_dynamic(AsciiFoldingFilter).build()
}

/// What tantivy calls a language.
fn language(lang: Lang) -> Option<Language> {
    Some(match lang.as_str() {
        "ar" => Language::Arabic,
        "da" => Language::Danish,
        "de" => Language::German,
        "el" => Language::Greek,
        "en" => Language::English,
        "es" => Language::Spanish,
        "fi" => Language::Finnish,
        "fr" => Language::French,
        "hu" => Language::Hungarian,
        "it" => Language::Italian,
        "nb" | "nn" | "no" => Language::Norwegian,
        "nl" => Language::Dutch,
        "pt" => Language::Portuguese,
        "ro" => Language::Romanian,
        "ru" => Language::Russian,
        "sv" => Language::Swedish,
        "ta" => Language::Tamil,
        "tr" => Language::Turkish,
        _ => return None,
    })
}

impl Reference {
    /// Indexes texts in memory, each with the name it is known by.
    pub fn build<'a>(
        lang: Option<Lang>,
        texts: impl Iterator<Item = (&'a str, String)>,
    ) -> Result<Reference, TantivyError> {
        let mut schema = Schema::builder();
        let id = schema.add_text_field("id", STRING | STORED);
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(ANALYSER)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let options = TextOptions::default().set_indexing_options(indexing);
        let text = schema.add_text_field("text", options);
        let index = Index::create_in_ram(schema.build());
        let analyser = analyser(lang);
        index.tokenizers().register(ANALYSER, analyser.clone());
        let mut writer: IndexWriter = index.writer_with_num_threads(1, MEMORY)?;
        for (name, words) in texts {
            let mut document = TantivyDocument::default();
            document.add_text(id, name);
            document.add_text(text, words);
            writer.add_document(document)?;
        }
        writer.commit()?;
        Ok(Reference { id, text, analyser, searcher: index.reader()?.searcher() })
    }

    /// The first `depth` documents that have any word of the query, with their scores.
    pub fn rank(&self, query: &str, depth: usize) -> Result<Vec<(String, f32)>, TantivyError> {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut analyser = self.analyser.clone();
        analyser.token_stream(query).process(&mut |token| {
            let term = Term::from_field_text(self.text, &token.text);
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            clauses.push((Occur::Should, Box::new(query)));
        });
        if clauses.is_empty() || depth == 0 {
            return Ok(Vec::new());
        }
        let top = TopDocs::with_limit(depth).order_by_score();
        let found = self.searcher.search(&BooleanQuery::new(clauses), &top)?;
        let named = found.into_iter().map(|(score, place)| {
            let document: TantivyDocument = self.searcher.doc(place)?;
            let name = document.get_first(self.id).and_then(|value| value.as_str());
            Ok((name.unwrap_or_default().to_owned(), score))
        });
        named.collect()
    }
}
