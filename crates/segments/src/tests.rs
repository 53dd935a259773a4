use super::*;
use crate::site::site_terms;
use lycosa_model::message::Entry;
use lycosa_model::{Document, Lang, LangShare, Tick, UrlId};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use tantivy::collector::Count;
use tantivy::postings::Postings;
use tantivy::query::{PhraseQuery, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Searcher, TERMINATED, Term};

fn entry(url: &str, lang: &str, title: &str, text: &str) -> Entry {
    let languages = Lang::parse(lang).map(|lang| LangShare { lang, share: 1.0 });
    Entry {
        document: Document {
            title: title.into(),
            keywords: "some, keywords".into(),
            text: text.into(),
            languages: languages.into_iter().collect(),
            simhash: 7,
            ..Document::empty(UrlId::of(url), url)
        },
        agent: "bot-1".into(),
        fetched: Tick(42),
        id: None,
    }
}

fn note(file: &str, end: u64) -> CommitNote {
    CommitNote::new(BTreeMap::from([(file.to_owned(), end)]))
}

fn writer(data: &Path) -> Writer {
    let segments = Segments::create_or_open(data).unwrap();
    segments.writer(WriterSettings::default()).unwrap()
}

fn searcher(data: &Path) -> (Segments, Searcher) {
    let segments = Segments::open(data).unwrap();
    let searcher = segments.reader().unwrap().searcher();
    (segments, searcher)
}

fn count(searcher: &Searcher, field: Field, term: &str) -> usize {
    let term = Term::from_field_text(field, term);
    let query = TermQuery::new(term, IndexRecordOption::Basic);
    searcher.search(&query, &Count).unwrap()
}

#[test]
fn a_document_comes_out_as_it_went_in() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    let mut page = entry("http://a.test/ñ", "es", "El título", "Una línea\nOtra línea");
    page.id = Some("doc 7/ñ".into());
    writer.put(page.clone()).unwrap();
    assert_eq!(writer.commit(&note("x.warc.gz", 9)).unwrap(), 1);
    let (segments, searcher) = searcher(data.path());
    let found = segments.document_by_id(&searcher, page.document.url_id).unwrap().unwrap();
    assert_eq!(found.text, page.document.text);
    assert_eq!(found.title, "El título");
    assert_eq!(found.keywords, "some, keywords");
    assert_eq!(found.languages, page.document.languages);
    assert_eq!((found.lang, found.fetched), (Some(Lang::ES), Tick(42)));
    assert_eq!(found.agent, "bot-1");
    assert_eq!((found.url.as_str(), found.id.as_deref()), ("http://a.test/ñ", Some("doc 7/ñ")));
    let other = segments.document_by_id(&searcher, UrlId::of("http://other.test/"));
    assert_eq!(other.unwrap(), None);
}

#[test]
fn the_main_text_comes_back_whether_it_is_lines_of_the_text_or_not() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    let text = "menu\nspider\n\nsilk\nfooter";
    let mains = ["", "spider\n\nsilk", "menu", "spider silk", text];
    for (number, main) in mains.iter().enumerate() {
        let mut page = entry(&format!("http://a.test/{number}"), "en", "", text);
        page.document.main = (*main).to_owned();
        writer.put(page).unwrap();
    }
    writer.commit(&note("x", 1)).unwrap();
    let mut found = Vec::new();
    let visit = |document: StoredDocument| {
        assert_eq!(document.text, text);
        found.push(document.main);
        ControlFlow::Continue(())
    };
    for_each_document(data.path(), visit).unwrap();
    assert_eq!(found, ["", "spider\n\nsilk", "menu", "spider silk", ""], "the same is empty");
}

#[test]
fn changes_keep_their_order_whatever_batch_they_are_in() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    let url = |number: usize| format!("http://a.test/{number}");
    // Every URL is put twice, in one batch or far apart; every third is taken out between or behind.
    for (round, count) in [("first", 1), ("near", 1), ("first", 100), ("far", 100)] {
        for number in 0..count {
            let put = entry(&url(number), "en", round, "text");
            if round == "first" || number % 3 > 0 {
                writer.put(put).unwrap();
            } else if number % 2 > 0 {
                writer.remove(UrlId::of(&url(number))).unwrap();
            } else {
                writer.remove(UrlId::of(&url(number))).unwrap();
                writer.put(put).unwrap();
            }
        }
    }
    let removed = (0..100).filter(|number| number % 3 == 0 && number % 2 > 0).count();
    assert_eq!(writer.commit(&note("x", 1)).unwrap(), 100 - removed as u64);
    let (segments, searcher) = searcher(data.path());
    for number in 0..100 {
        let found = segments.document_by_id(&searcher, UrlId::of(&url(number))).unwrap();
        let expected = (number % 3 > 0 || number % 2 == 0).then_some("far");
        assert_eq!(found.as_ref().map(|page| page.title.as_str()), expected, "{number}");
    }
}

#[test]
fn each_page_is_analysed_in_its_own_language() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    writer.put(entry("http://a.test/1", "en", "Connections", "the connected world")).unwrap();
    writer.put(entry("http://a.test/2", "es", "", "las canciones del camión")).unwrap();
    writer.put(entry("http://a.test/3", "", "", "the Canciones")).unwrap();
    writer.commit(&note("x", 1)).unwrap();
    let (segments, searcher) = searcher(data.path());
    let fields = segments.fields();
    assert_eq!(count(&searcher, fields.title, "connect"), 1);
    assert_eq!(count(&searcher, fields.body, "connect"), 1);
    assert_eq!(count(&searcher, fields.body, "camion"), 1);
    assert_eq!(count(&searcher, fields.body, "the"), 1, "only where no language is known");
    assert_eq!(count(&searcher, fields.words, "the"), 2);
    assert_eq!(count(&searcher, fields.words, "canciones"), 2);
    assert_eq!(count(&searcher, fields.main_lang, UNKNOWN_LANGUAGE), 1);
    let gap = |offset| {
        let term = |form| Term::from_field_text(fields.body, form);
        let phrase =
            PhraseQuery::new_with_offset(vec![(0, term("cancion")), (offset, term("camion"))]);
        searcher.search(&phrase, &Count).unwrap()
    };
    assert_eq!((gap(1), gap(2)), (0, 1), "a stop word leaves a gap");
}

#[test]
fn keywords_are_found_and_are_not_in_the_lexicon() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    let mut page = entry("http://a.test/", "en", "", "menu\nspider silk");
    writer.put(page.clone()).unwrap();
    page = entry("http://b.test/", "en", "", "menu\nspider silk");
    page.document.main = "spider silk".into();
    writer.put(page.clone()).unwrap();
    writer.commit(&note("x", 1)).unwrap();
    let (segments, searcher) = searcher(data.path());
    let fields = segments.fields();
    assert_eq!(count(&searcher, fields.body, "keyword"), 2);
    assert_eq!(count(&searcher, fields.words, "keywords"), 0);
}

#[test]
fn the_lexicon_counts_what_is_seen_however_the_main_text_is_cut() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    let text = "herons\nmenu\nherons\nsilk web\nherons";
    for (path, main) in [("1", ""), ("2", text), ("3", "herons\nherons"), ("4", "web silk\nherons")]
    {
        let mut page = entry(&format!("http://a.test/{path}"), "en", "", text);
        page.document.main = main.into();
        writer.put(page).unwrap();
    }
    writer.commit(&note("x", 1)).unwrap();
    let (segments, searcher) = searcher(data.path());
    let frequencies = |field, word: &str| -> Vec<u32> {
        let term = Term::from_field_text(field, word);
        let inverted = searcher.segment_reader(0).inverted_index(field).unwrap();
        let postings = inverted.read_postings(&term, IndexRecordOption::WithFreqs).unwrap();
        let mut postings = postings.unwrap();
        let mut found = Vec::new();
        while postings.doc() != TERMINATED {
            found.push(postings.term_freq());
            postings.advance();
        }
        found
    };
    let fields = segments.fields();
    for (word, count) in [("herons", 3), ("menu", 1), ("silk", 1), ("web", 1)] {
        assert_eq!(frequencies(fields.words, word), [count; 4], "{word}");
    }
    assert_eq!(frequencies(fields.body, "heron"), [3, 3, 2, 1], "a line of the main text once");
    assert_eq!(
        frequencies(fields.body, "silk"),
        [1, 1, 1, 2],
        "as the main text has it, and as is seen"
    );
}

#[test]
fn a_line_of_the_main_text_counts_once() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    let mut page = entry("http://a.test/", "en", "", "menu\nspider silk\nfooter");
    page.document.main = "spider silk".into();
    page.document.keywords.clear();
    writer.put(page.clone()).unwrap();
    writer.commit(&note("x", 1)).unwrap();
    let (segments, searcher) = searcher(data.path());
    let body = segments.fields().body;
    let segment = &searcher.segment_readers()[0];
    let inverted = segment.inverted_index(body).unwrap();
    assert_eq!(inverted.total_num_tokens(), 4);
    assert_eq!(count(&searcher, body, "menu"), 1);
}

#[test]
fn a_site_is_found_by_its_host_and_by_the_domains_above() {
    let read = |url| lycosa_frontier::whatwg::read(None, None, url).unwrap();
    let terms = site_terms(&read("https://www.Example.org:8443/x"));
    assert_eq!(terms, ["www.example.org:8443", "www.example.org", "example.org", "org"]);
    assert_eq!(site_terms(&read("http://127.0.0.1/")), ["127.0.0.1"]);
    assert_eq!(site_terms(&read("http://xn--a.org/")), ["xn--a.org", "org"]);
    assert_eq!(site_filter("XN--a.org").as_deref(), Some("xn--a.org"));
    for written in ["Example.org", "*.example.org", "https://example.org/a?b", " example.org. "] {
        assert_eq!(site_filter(written).as_deref(), Some("example.org"), "{written}");
    }
    assert_eq!(site_filter("localhost:8080").as_deref(), Some("localhost:8080"));
    assert_eq!(site_filter("[::1]:81").as_deref(), Some("[::1]:81"));
    assert_eq!(site_filter("españa.es").as_deref(), Some("xn--espaa-rta.es"));
    assert_eq!(site_filter("a b"), None);
    assert_eq!(site_filter(""), None);
}

#[test]
fn a_folder_that_is_not_ours_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let open = || Segments::open(data.path()).err().unwrap();
    assert!(matches!(open(), SegmentsError::Missing(_)));
    let folder = data.path().join(INDEX_FOLDER);
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("notes.txt"), "mine").unwrap();
    let create = || Segments::create_or_open(data.path()).err().unwrap();
    assert!(matches!(create(), SegmentsError::Foreign(_)));
    std::fs::write(folder.join("lycosa-index.json"), r#"{"layout":999}"#).unwrap();
    assert!(matches!(create(), SegmentsError::OtherLayout { found: 999, .. }));
    assert!(matches!(open(), SegmentsError::OtherLayout { found: 999, .. }));
    assert_eq!(std::fs::read_to_string(folder.join("notes.txt")).unwrap(), "mine");
}

#[test]
fn a_second_writer_is_refused_until_the_first_is_gone() {
    let data = tempfile::tempdir().unwrap();
    let first = writer(data.path());
    let segments = Segments::open(data.path()).unwrap();
    let second = segments.writer(WriterSettings::default());
    assert!(matches!(second, Err(SegmentsError::Busy(_))));
    drop(first);
    assert!(segments.writer(WriterSettings::default()).is_ok());
}

/// The part of the next test that dies; it does nothing when it runs on its own.
#[test]
fn a_writer_that_is_killed_in_a_child() {
    if let Some(data) = std::env::var_os("LYCOSA_TEST_KILLED_WRITER") {
        let mut writer = writer(Path::new(&data));
        writer.put(entry("http://a.test/1", "en", "one", "committed")).unwrap();
        writer.commit(&note("x", 100)).unwrap();
        writer.put(entry("http://a.test/1", "en", "two", "lost")).unwrap();
        writer.put(entry("http://a.test/2", "en", "two", "lost")).unwrap();
        std::process::abort();
    }
}

#[test]
fn a_killed_process_leaves_the_last_commit_and_no_lock() {
    let data = tempfile::tempdir().unwrap();
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::a_writer_that_is_killed_in_a_child"])
        .env("LYCOSA_TEST_KILLED_WRITER", data.path())
        .output()
        .unwrap();
    assert!(!child.status.success(), "the child must die");
    let _writer = writer(data.path());
    let (segments, searcher) = searcher(data.path());
    assert_eq!(segments.note().unwrap(), note("x", 100));
    assert_eq!(searcher.num_docs(), 1);
    assert_eq!(count(&searcher, segments.fields().words, "committed"), 1);
    assert_eq!(count(&searcher, segments.fields().words, "lost"), 0);
}

#[test]
fn all_documents_are_visited_once_until_the_visitor_breaks() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    for round in 0..3 {
        for page in 0..5 {
            let url = format!("http://a.test/{page}");
            writer.put(entry(&url, "en", "t", &format!("round {round}"))).unwrap();
        }
        writer.commit(&note("x", round)).unwrap();
    }
    let mut seen = Vec::new();
    for_each_document(data.path(), |document| {
        assert_eq!(document.text, "round 2");
        seen.push(document.url);
        ControlFlow::Continue(())
    })
    .unwrap();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 5);
    let mut visits = 0;
    for_each_document(data.path(), |_| {
        visits += 1;
        ControlFlow::Break(())
    })
    .unwrap();
    assert_eq!(visits, 1);
}

#[test]
fn a_text_without_end_is_cut_at_a_letter() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    writer.put(entry("http://a.test/", "es", &"ñ ".repeat(9_999), &"ñu ".repeat(900_000))).unwrap();
    writer.commit(&note("x", 1)).unwrap();
    let mut length = 0;
    for_each_document(data.path(), |document| {
        length = document.text.len();
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!((2_000_000..=2 << 20).contains(&length), "{length}");
}
