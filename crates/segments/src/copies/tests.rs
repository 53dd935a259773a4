use super::*;
use crate::{CommitNote, WriterSettings};
use std::collections::BTreeMap;

fn copy(url: &str, of: &str) -> CopyOf {
    CopyOf { url_id: UrlId::of(url), url: url.to_owned(), of: UrlId::of(of) }
}

fn note() -> CommitNote {
    CommitNote::new(BTreeMap::new())
}

fn names(segments: &Segments, of: &str) -> Vec<String> {
    let Some(copies) = segments.copies().unwrap() else { return Vec::new() };
    copies.of(UrlId::of(of)).unwrap().into_iter().map(|(_, url)| url).collect()
}

#[test]
fn copies_are_named_from_the_commit_on_and_are_no_documents() {
    let data = tempfile::tempdir().unwrap();
    let segments = Segments::create_or_open(data.path()).unwrap();
    assert!(segments.copies().unwrap().is_none());
    let mut writer = segments.writer(WriterSettings::default()).unwrap();
    writer.put_copy(&copy("http://b.test/", "http://a.test/")).unwrap();
    writer.put_copy(&copy("http://c.test/", "http://a.test/")).unwrap();
    assert!(names(&segments, "http://a.test/").is_empty());
    assert_eq!(writer.commit(&note()).unwrap(), 0);
    assert_eq!(names(&segments, "http://a.test/"), ["http://b.test/", "http://c.test/"]);
    // Another page stands for it now, and one is gone.
    writer.put_copy(&copy("http://b.test/", "http://d.test/")).unwrap();
    writer.remove(UrlId::of("http://c.test/")).unwrap();
    writer.commit(&note()).unwrap();
    assert!(names(&segments, "http://a.test/").is_empty());
    assert_eq!(names(&segments, "http://d.test/"), ["http://b.test/"]);
}

#[test]
fn a_writer_goes_on_where_the_last_one_ended() {
    let data = tempfile::tempdir().unwrap();
    let segments = Segments::create_or_open(data.path()).unwrap();
    for url in ["http://b.test/", "http://c.test/"] {
        let mut writer = segments.writer(WriterSettings::default()).unwrap();
        writer.put_copy(&copy(url, "http://a.test/")).unwrap();
        writer.commit(&note()).unwrap();
        writer.put_copy(&copy("http://lost.test/", "http://a.test/")).unwrap();
    }
    assert_eq!(names(&segments, "http://a.test/"), ["http://b.test/", "http://c.test/"]);
    let folder = folder(&segments);
    fs::write(folder.join("meta.json"), "torn").unwrap();
    assert!(segments.copies().is_err());
    drop(segments.writer(WriterSettings::default()).unwrap());
    assert!(segments.copies().unwrap().is_none(), "begun anew");
    // A process that died before it had begun.
    fs::create_dir_all(&folder).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    assert!(segments.copies().unwrap().is_none());
    let mut writer = segments.writer(WriterSettings::default()).unwrap();
    writer.put_copy(&copy("http://b.test/", "http://a.test/")).unwrap();
    writer.commit(&note()).unwrap();
    assert_eq!(names(&segments, "http://a.test/"), ["http://b.test/"]);
}
