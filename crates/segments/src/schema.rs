//! Which fields has the index?

use crate::tokens::{FORMS, WORDS};
use tantivy::schema::{
    BytesOptions, FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing,
    TextOptions,
};

/// Stands for the language of a page whose language is not known.
pub const UNKNOWN_LANGUAGE: &str = "--";

/// The fields by name. Indexed text and shown text are apart: the first carries its language (see
/// [`crate::tokens`]), the second is what the page says.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    /// Digest of the URL's normal form: a document is replaced by it.
    pub url_id: Field,
    /// The first 64 bits of `url_id`: orders pages of equal score, whatever segment they are in.
    pub tie: Field,
    /// The address; stored.
    pub url: Field,
    /// The name by which the source knows the document, where it has one; stored.
    pub id: Field,
    /// The host and each domain above it, so that a filter on a domain finds the hosts below it.
    pub site: Field,
    /// The site as a person reads it, in a column.
    pub host: Field,
    /// What kinds of file it is, as `html` or `pdf`: by its media type, and by the ending of its address.
    pub kind: Field,
    /// Forms of the title, with positions.
    pub title: Field,
    /// The whole title, as [`crate::title_key`] says it.
    pub whole_title: Field,
    /// Forms of the headings, which are also in the text.
    pub headings: Field,
    /// Forms of the description.
    pub description: Field,
    /// Forms of the words of the address.
    pub address: Field,
    /// Forms of the text and of the keywords, with positions.
    pub body: Field,
    /// Folded words of title and text with their counts (see [`crate::counters`]): the lexicon.
    pub words: Field,
    /// Each language that some of the page is in.
    pub lang: Field,
    /// The language whose analyser was used, or [`UNKNOWN_LANGUAGE`]; also in a column.
    pub main_lang: Field,
    /// Where the page leads to (see [`crate::outlinks`]); stored.
    pub links: Field,
    /// Languages and shares as JSON; stored.
    pub languages: Field,
    /// When it was fetched, in milliseconds.
    pub fetched: Field,
    /// The date that the page names, else when it was fetched, in milliseconds, in a column.
    pub date: Field,
    /// How deep the address lies in its site: parts of the path, and one for a query; in a column.
    pub depth: Field,
    /// When the page says that it was published, in milliseconds; stored.
    pub published: Field,
    /// When the page or its server says that it was changed, in milliseconds; stored.
    pub modified: Field,
    /// Who wrote it; stored.
    pub byline: Field,
    /// Simhash of the main text; absent when the page has no text.
    pub simhash: Field,
    /// Who fetched it; found by its name, and stored.
    pub agent: Field,
    /// The title; stored.
    pub show_title: Field,
    /// The description; stored.
    pub show_description: Field,
    /// The headings; stored.
    pub show_headings: Field,
    /// The keywords; stored.
    pub show_keywords: Field,
    /// All visible text; stored.
    pub show_text: Field,
    /// The main text where it is not made of lines of all visible text; stored.
    pub show_main: Field,
    /// The lines of all visible text that are the main text (see [`crate::excerpt`]); stored.
    pub main_lines: Field,
}

/// Raw terms for filters: no frequencies, no length.
fn raw() -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false),
    )
}

fn forms() -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(FORMS)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions)
            .set_fieldnorms(true),
    )
}

/// Forms without their positions, for texts that no phrase is looked for in.
fn counts() -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(FORMS)
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(true),
    )
}

fn words() -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(WORDS)
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(false),
    )
}

/// The schema and its fields.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let stored = || TextOptions::default().set_stored();
    let fields = Fields {
        url_id: builder
            .add_bytes_field("url_id", BytesOptions::default().set_indexed().set_stored()),
        tie: builder.add_u64_field("tie", FAST),
        url: builder.add_text_field("url", stored()),
        id: builder.add_text_field("id", stored()),
        site: builder.add_text_field("site", raw()),
        host: builder.add_text_field("host", TextOptions::default().set_fast("raw")),
        kind: builder.add_text_field("kind", raw()),
        title: builder.add_text_field("title", forms()),
        whole_title: builder.add_bytes_field("whole_title", BytesOptions::default().set_indexed()),
        headings: builder.add_text_field("headings", counts()),
        description: builder.add_text_field("description", counts()),
        address: builder.add_text_field("address", counts()),
        body: builder.add_text_field("body", forms()),
        words: builder.add_text_field("words", words()),
        lang: builder.add_text_field("lang", raw()),
        main_lang: builder.add_text_field("main_lang", raw().set_fast("raw")),
        links: builder.add_bytes_field("links", BytesOptions::default().set_stored()),
        languages: builder.add_text_field("languages", stored()),
        fetched: builder.add_u64_field("fetched", FAST | STORED | INDEXED),
        date: builder.add_u64_field("date", FAST),
        depth: builder.add_u64_field("depth", FAST),
        published: builder.add_u64_field("published", STORED),
        modified: builder.add_u64_field("modified", STORED),
        byline: builder.add_text_field("byline", stored()),
        simhash: builder.add_u64_field("simhash", FAST),
        agent: builder.add_text_field("agent", raw().set_stored()),
        show_title: builder.add_text_field("show_title", stored()),
        show_description: builder.add_text_field("show_description", stored()),
        show_headings: builder.add_text_field("show_headings", stored()),
        show_keywords: builder.add_text_field("show_keywords", stored()),
        show_text: builder.add_text_field("show_text", stored()),
        show_main: builder.add_text_field("show_main", stored()),
        main_lines: builder.add_text_field("main_lines", stored()),
    };
    (builder.build(), fields)
}
