//! Do documents of other collections keep their names, from the import to the run file?

use crate::support::outside::python_with;
use crate::support::*;
use std::collections::BTreeSet;

#[test]
fn a_run_names_documents_as_their_collection_does() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_str().expect("a plain name").to_owned();
    let (data, rows, queries, run_file) =
        (path("data"), path("rows.jsonl"), path("queries.tsv"), path("run"));
    let lines = [
        r#"{"id":"w 1","url":"http://spiders.test/wolf","title":"Wolf spiders","text":"They hunt."}"#,
        r#"{"_id":"CACM-0002","title":"A wolf in a program","author":"Perlis","lang":"en"}"#,
        r#"{"url":"http://spiders.test/orb","title":"Orb weavers","text":"No wolf here but this."}"#,
    ];
    std::fs::write(&rows, lines.join("\n")).expect("written");
    std::fs::write(&queries, "q1\twolf\nq2\tnothing at all like it\n").expect("written");
    let told = run(["import", "jsonl", &rows, "--data", &data, "--json"]).exits(0).json();
    assert_eq!((&told["imported"], &told["documents"]), (&3.into(), &3.into()));
    run(["search", "--batch", &queries, "--run", &run_file, "--data", &data]).exits(0);
    let run_text = std::fs::read_to_string(&run_file).expect("a run");
    let rows: Vec<Vec<&str>> =
        run_text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(rows.iter().all(|row| row.len() == 6 && row[1] == "Q0" && row[5] == "lycosa"));
    let names: BTreeSet<&str> = rows.iter().filter(|r| r[0] == "q1").map(|row| row[2]).collect();
    assert_eq!(names, ["w_1", "CACM-0002", "http://spiders.test/orb"].into());

    // The address stays too, and another import of it replaces the document.
    let found = run(["search", "they hunt", "--json", "--data", &data]).exits(0).json();
    assert_eq!(found["results"][0]["url"], "http://spiders.test/wolf");
    let exported = exported("jsonl", dir.path().join("data").as_path());
    assert_eq!(exported["http://spiders.test/wolf"]["id"], "w 1");
    assert_eq!(exported["id:CACM-0002"]["keywords"], "Perlis");
}

#[test]
fn a_judged_collection_is_imported_whole_and_ranked_well() {
    let Some(folder) = shared("ir/cranfield") else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let (data, run_file) = (dir.path().join("data"), dir.path().join("run"));
    let corpus = folder.join("corpus.jsonl.gz");
    let told = run(["import", "jsonl", text(&corpus), "--data", text(&data), "--json"]);
    assert_eq!(told.exits(0).json()["imported"], 1_400);
    let (queries, qrels) = (folder.join("queries.tsv"), folder.join("qrels.tsv"));
    run(["search", "--batch", text(&queries), "--run", text(&run_file), "--data", text(&data)])
        .exits(0);
    // The judge of the collection reads three columns.
    let columns = |line: &str| {
        let row: Vec<&str> = line.split(' ').collect();
        format!("{}\t{}\t{}\n", row[0], row[2], row[4])
    };
    let run_text = std::fs::read_to_string(&run_file).expect("a run");
    let judged = dir.path().join("run.tsv");
    std::fs::write(&judged, run_text.lines().map(columns).collect::<String>()).expect("written");
    let judge = folder.join("../eval.py");
    let Some(output) = python_with("json", &[text(&judge), text(&qrels), text(&judged)]) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let score = said.split("nDCG@10").nth(1).and_then(|rest| rest.split_whitespace().next());
    let score: f64 = score.and_then(|score| score.parse().ok()).expect("a score");
    assert!(score >= 0.49, "{said}");
}

/// A record of an archive.
fn record(kind: &str, uri: &str, fields: &str, block: &str) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{uri}>\r\nWARC-Target-URI: {uri}\r\n\
         WARC-Date: 2026-11-01T00:00:00Z\r\nContent-Type: application/http;msgtype=response\r\n{fields}\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

#[test]
fn pages_that_an_archive_has_under_another_address_are_named_with_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).to_str().expect("a plain name").to_owned();
    let (data, file) = (path("data"), path("mirror.warc"));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let page = format!("{head}<title>Wolf spiders</title><p>Wolf spiders hunt instead of waiting.");
    let (one, two) = ("http://spiders.test/wolf", "http://mirror.test/wolf");
    let refers = format!(
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n\
         WARC-Refers-To-Target-URI: {one}\r\n"
    );
    let records = [
        record("response", one, "", &page),
        record("revisit", two, &refers, head),
        // The same page, some time later.
        record("revisit", one, &refers, head),
    ];
    std::fs::write(&file, records.concat()).expect("written");
    run(["import", "warc", &file, "--data", &data]).exits(0);
    let found = run(["search", "wolf", "--json", "--data", &data]).exits(0).json();
    assert_eq!(found["total"], 1, "{found}");
    assert_eq!(found["results"][0]["also_at"], serde_json::json!([two]), "{found}");
}
