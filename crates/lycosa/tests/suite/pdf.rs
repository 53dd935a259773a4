//! Is what a PDF says archived, indexed and found?

use crate::support::data::archive_files;
use crate::support::site::{Answer, Site};
use crate::support::*;
use serde_json::Value;
use std::path::Path;

/// A PDF of one page with this text, whose trailer says more.
fn pdf(title: &str, text: &str, trailer: &str) -> String {
    let content = format!("BT /F 12 Tf 72 720 Td ({text}) Tj ET");
    format!(
        "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n\
         2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n\
         3 0 obj << /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >>\n\
         /Annots [<< /Subtype /Link /A << /S /URI /URI (/behind.html) >> >>] >> endobj\n\
         4 0 obj << /Length {} >> stream\n{content}\nendstream endobj\n\
         5 0 obj << /Type /Font /Subtype /Type1 /Encoding /WinAnsiEncoding >> endobj\n\
         6 0 obj << /Title ({title}) /Author (Ana Ruiz) /CreationDate (D:20240501100000Z) >> endobj\n\
         trailer << /Root 1 0 R /Info 6 0 R {trailer} >>\n%%EOF\n",
        content.len()
    )
}

const SPANISH: &str = "Los ni\\361os del pueblo celebran cada verano la fiesta de las gaviotas en la \
                       plaza, y los pescadores vuelven con sus barcas.";

fn found(data: &Path, query: &str) -> Vec<Value> {
    let ran = run(["search", "--json", "--data", text(data), query]);
    ran.json()["results"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_pdf_is_crawled_archived_indexed_and_found() {
    let dir = tempfile::tempdir().expect("a folder");
    let site = Site::serve(|_, path| match path {
        "/" => Answer::html(
            "<title>Papers</title><p>Here are <a href=/gulls.pdf>a paper</a>, \
             <a href=/locked.pdf>a locked one</a> and <a href=/notes.txt>notes</a>.",
        ),
        "/gulls.pdf" => {
            Answer::html(pdf("Fiesta de gaviotas", SPANISH, "")).typed("application/pdf")
        }
        "/locked.pdf" => Answer::html(pdf("Locked", "nothing", "/Encrypt << /V 1 >>"))
            .typed("application/octet-stream"),
        "/notes.txt" => {
            Answer::html("The tides are written down here, line by line.\n").typed("text/plain")
        }
        "/behind.html" => Answer::html("<title>Behind</title><p>A page that only the paper names."),
        _ => Answer::missing(),
    });
    let data = dir.path().join("data");
    let asked = site.crawled_into(&data, &[], "");
    assert!(asked.contains("/behind.html"), "links of a PDF are followed: {asked:?}");
    let check = |data: &Path| {
        let gulls = found(data, "ninos gaviotas");
        assert_eq!(gulls.len(), 1, "{gulls:?}");
        assert!(gulls[0]["url"].as_str().is_some_and(|url| url.ends_with("/gulls.pdf")));
        assert_eq!(
            (&gulls[0]["title"], &gulls[0]["lang"]),
            (&"Fiesta de gaviotas".into(), &"es".into())
        );
        let kept = exported("jsonl", data);
        let gulls = kept.values().find(|row| row["title"] == "Fiesta de gaviotas").expect("kept");
        assert_eq!(gulls["byline"], "Ana Ruiz");
        assert_eq!(gulls["published"], "2024-05-01T10:00:00.000Z");
        assert_eq!(found(data, "tides").len(), 1, "and plain text as well");
        assert!(found(data, "locked.pdf").iter().all(|hit| hit["title"] != "Locked"));
    };
    check(&data);
    let archive = archive_files(&data, ".warc.gz");
    let again = dir.path().join("again");
    let mut command = lycosa(["import", "warc", "--data", text(&again), "-q"]);
    command.args(&archive);
    Running::start(command).finish().exits(0);
    check(&again);
}

#[test]
fn inspection_shows_what_a_pdf_says_or_why_it_is_not_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let (good, bad) = (dir.path().join("good.pdf"), dir.path().join("bad.pdf"));
    std::fs::write(&good, pdf("Fiesta", SPANISH, "")).expect("written");
    std::fs::write(&bad, pdf("Fiesta", SPANISH, "/Encrypt 9 0 R")).expect("written");
    let page = run(["inspect", "page", text(&good), "--json"]).json();
    assert_eq!((&page["title"], &page["byline"]), (&"Fiesta".into(), &"Ana Ruiz".into()));
    assert_eq!(page["published"], "2024-05-01T10:00:00.000Z");
    assert_eq!((&page["pages"], &page["paragraphs"][0]["lang"]), (&1.into(), &"es".into()));
    assert!(page["text"].as_str().is_some_and(|text| text.starts_with("Los niños del pueblo")));
    let page = run(["inspect", "page", text(&bad), "--json"]).json();
    assert_eq!(
        (&page["not_text"], &page["why"]),
        (&"application/pdf".into(), &"it is encrypted".into())
    );
}
