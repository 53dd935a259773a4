use super::*;
use std::fs;

/// A folder with these three files.
fn folder(corpus: &str, queries: &str, qrels: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("corpus.jsonl"), corpus).unwrap();
    fs::write(dir.path().join("queries.tsv"), queries).unwrap();
    fs::write(dir.path().join("qrels.tsv"), qrels).unwrap();
    dir
}

const CORPUS: &str = "{\"_id\":\"a\",\"text\":\"wolf spiders\"}\n{\"_id\":\"b\",\"lang\":\"es\"}\n";

#[test]
fn a_collection_is_read_with_what_is_odd_about_it() {
    let corpus = format!("{CORPUS}\n{{\"_id\":\"b\",\"title\":\"otra\",\"lang\":\"es\"}}\n");
    let queries = "1\twolf\n2\tla otra\n3\tnobody judged this\r\n";
    let qrels = "1\ta\t1\n1\ta\t2\n1\tz\t1\n2\tb\t0.5\n4\ta\t1\n5\ta\t0\n";
    let dir = folder(&corpus, queries, qrels);
    let collection = Collection::read(dir.path()).unwrap();
    assert_eq!(collection.documents.len(), 2);
    assert_eq!(collection.documents[1].document.title, "otra");
    assert_eq!(collection.queries["3"], "nobody judged this");
    let judged: Vec<(&str, &str)> = collection.judged().map(|(id, words, _)| (id, words)).collect();
    assert_eq!(judged, [("1", "wolf"), ("2", "la otra"), ("4", "")]);
    assert_eq!(collection.judgements["1"]["a"], 2.0);
    assert_eq!(
        collection.warnings,
        [
            "1 documents with the id of another one (the last one counts)",
            "1 documents judged twice for a query (the last one counts)",
            "1 judgements of documents that the corpus does not have",
            "2 judged queries that queries.tsv does not have (count 0)",
            "1 queries without a relevant document (left out)",
        ]
    );
}

#[test]
fn a_packed_corpus_is_read_before_a_plain_one() {
    let dir = folder("no json", "1\tx\n", "1\ta\t1\n");
    let file = fs::File::create(dir.path().join("corpus.jsonl.gz")).unwrap();
    let mut packer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::Write::write_all(&mut packer, CORPUS.as_bytes()).unwrap();
    packer.finish().unwrap();
    assert_eq!(Collection::read(dir.path()).unwrap().documents.len(), 2);
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_a_hint() {
    let said = |corpus: &str, queries: &str, qrels: &str| {
        let dir = folder(corpus, queries, qrels);
        let error = Collection::read(dir.path()).unwrap_err();
        assert!(!error.hint().is_empty());
        error.to_string().rsplit('/').next().unwrap_or_default().to_owned()
    };
    let (queries, qrels) = ("1\tx\n", "1\ta\t1\n");
    let line = said(&format!("{CORPUS}{{\"_id\":\n"), queries, qrels);
    assert!(line.starts_with("corpus.jsonl:3: "), "{line}");
    assert_eq!(said("{\"text\":\"x\"}", queries, qrels), "corpus.jsonl:1: neither id nor url");
    assert_eq!(said(CORPUS, "1 x\n", qrels), "queries.tsv:1: no tab");
    let twice = said(CORPUS, "1\tx\n\n1\ty\n", qrels);
    assert_eq!(twice, "queries.tsv:3: the query 1 stands here twice");
    assert_eq!(said(CORPUS, queries, "1\ta\n"), "qrels.tsv:1: fewer than three columns");
    assert_eq!(said(CORPUS, queries, "1\ta\tNaN\n"), "qrels.tsv:1: `NaN` is no gain");
    assert!(said(CORPUS, queries, "1\ta\t0\n").ends_with("no query has a relevant document"));
}

#[test]
fn a_missing_file_is_named() {
    let dir = folder(CORPUS, "1\tx\n", "1\ta\t1\n");
    for file in ["qrels.tsv", "queries.tsv", "corpus.jsonl"] {
        fs::remove_file(dir.path().join(file)).unwrap();
        let error = Collection::read(dir.path()).unwrap_err().to_string();
        assert!(error.contains(file), "{error}");
    }
}
