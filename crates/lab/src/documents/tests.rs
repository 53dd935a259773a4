use super::*;

#[test]
fn the_id_of_the_source_and_the_address_both_stay() {
    let entry = read(r#"{"id":"d7","url":"https://example.org/a","title":"T","text":"Some text"}"#)
        .unwrap();
    assert_eq!(entry.id.as_deref(), Some("d7"));
    assert_eq!(entry.document.url, "https://example.org/a");
    assert_eq!((&*entry.document.title, &*entry.document.text), ("T", "Some text"));
    let plain = normal::parse("https://example.org/a").unwrap().id;
    assert_eq!(entry.document.url_id, plain, "a crawl of that page replaces it");
}

#[test]
fn a_document_without_an_address_gets_one_from_its_id() {
    for (line, id) in
        [(r#"{"_id":"CACM-0001","title":"x"}"#, "CACM-0001"), (r#"{"id":7,"text":"x"}"#, "7")]
    {
        let entry = read(line).unwrap();
        assert_eq!((entry.id.as_deref(), entry.document.url), (Some(id), format!("id:{id}")));
    }
    let other = read(r#"{"url":"https://example.org/","text":"x"}"#).unwrap();
    assert_eq!(other.id, None);
}

#[test]
fn everything_a_collection_tells_is_kept() {
    let entry = read(
        r#"{"_id":"1","title":"T","text":"x","lang":"es-MX","description":"D","author":"A. Author",
            "bib":"J. Aero. 1958","keywords":["k1","k2"],"date":"1958","links":["2"]}"#,
    )
    .unwrap();
    let document = &entry.document;
    assert_eq!(document.keywords, "k1, k2; A. Author; J. Aero. 1958");
    assert_eq!(document.description, "D");
    assert_eq!(document.languages, [LangShare { lang: Lang::ES, share: 1.0 }]);
}

#[test]
fn what_an_export_says_of_the_making_of_a_page_is_kept() {
    let entry = read(
        r#"{"url":"https://example.org/a","text":"x","byline":"Ana","headings":"One\nTwo",
            "published":"2024-05-01T00:00:00.000Z","modified":"never"}"#,
    )
    .unwrap();
    let document = &entry.document;
    assert_eq!((&*document.byline, &*document.headings), ("Ana", "One\nTwo"));
    assert_eq!(document.published.map(|at| at.0), Some(1_714_521_600_000));
    assert_eq!(document.modified, None);
}

#[test]
fn a_title_tells_the_language_where_there_is_no_text() {
    let line =
        r#"{"_id":"1","title":"Extraction of roots by repeated subtractions for computers"}"#;
    assert_eq!(read(line).unwrap().document.main_language(), Some(Lang::EN));
    let line = r#"{"_id":"1","title":"El cálculo de las raíces con restas sucesivas","text":null}"#;
    let entry = read(line).unwrap();
    assert_eq!((entry.document.main_language(), &*entry.document.text), (Some(Lang::ES), ""));
}

#[test]
fn a_title_too_short_to_tell_is_in_the_language_of_the_collection() {
    let short = r#"{"_id":"1","title":"Gamma Function [S14]"}"#;
    assert_eq!(read(short).unwrap().document.main_language(), None, "by itself");
    let english = r#"{"_id":"2","title":"Some notes on the roots of what was asked for"}"#;
    let spanish = r#"{"_id":"3","title":"El cálculo de las raíces con restas sucesivas"}"#;
    let settled = |lines: &[&str]| {
        let mut entries: Vec<Entry> = lines.iter().map(|line| read(line).unwrap()).collect();
        Majority::default().settle(&mut entries);
        entries.iter().map(|entry| entry.document.main_language()).collect::<Vec<_>>()
    };
    let (en, es) = (Some(Lang::EN), Some(Lang::ES));
    assert_eq!(settled(&[short, english]), [en, en]);
    assert_eq!(settled(&[spanish, short, spanish, english]), [es, es, es, en]);
    assert_eq!(settled(&[english, short, spanish]), [en, None, es], "no language is that of most");
}

#[test]
fn a_text_is_text_whatever_it_begins_with() {
    for text in ["ID3 is a kind of tag", "%PDF- is how it begins", "RIFF raff", "a\\u0001b"] {
        let entry = read(&format!(r#"{{"id":"1","text":"{text}"}}"#)).unwrap();
        let begin = entry.document.text.split(' ').next().unwrap_or_default();
        assert!(text.starts_with(begin) && !begin.is_empty(), "{text}: {:?}", entry.document.text);
    }
}

#[test]
fn what_is_no_document_is_said_in_words() {
    let long = "x".repeat(MAX_ID + 1);
    for (line, part) in [
        ("[]", "not a JSON object"),
        ("wolf", "not a JSON object"),
        ("{", "EOF"),
        (r#"{"title":"x"}"#, "neither id nor url"),
        (r#"{"id":"  ","text":"x"}"#, "neither id nor url"),
        (r#"{"id":"1","lang":"klingon"}"#, "`klingon` is no language"),
        (r#"{"id":"1","title":{"en":"x"}}"#, "text, a number or a list"),
        (&format!(r#"{{"id":"{long}"}}"#), "the id is longer"),
    ] {
        let error = read(line).unwrap_err();
        assert!(error.contains(part), "{line}: {error}");
    }
}
