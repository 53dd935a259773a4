//! Does the study of crawllets measure what it says, on sites that are small enough for a test?

use crate::support::outside::crawllet_host;
use crate::support::*;

#[test]
fn a_study_without_a_host_says_how_to_build_one() {
    let study = ["lab", "run", "crawllets", "--host-binary", "/nowhere/crawllet-host"];
    let said = run(study).exits(2).stderr;
    assert!(said.contains("no crawllet-host at /nowhere/crawllet-host"), "{said}");
    assert!(said.contains("hint: build it with `cargo build"), "{said}");
}

#[test]
fn crawllets_and_conventional_crawlers_bring_the_same_pages_and_are_compared() {
    let Some(host) = crawllet_host() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let (site, out) = (dir.path().join("manual/html"), dir.path().join("out"));
    std::fs::create_dir_all(&site).expect("a folder");
    let links: String =
        (0..12).map(|page| format!("<a href=\"{page}.html\">{page}</a>\n")).collect();
    std::fs::write(site.join("index.html"), format!("<title>All</title>{links}")).expect("written");
    for page in 0..12 {
        let text = format!("<title>{page}</title><p>The page {page}.</p><a href=./>all</a>");
        std::fs::write(site.join(format!("{page}.html")), text).expect("written");
    }
    let told = run([
        "lab",
        "run",
        "crawllets",
        "--pages-percent",
        "1",
        "--delay",
        "0",
        "--delay",
        "5",
        "--site",
        text(&site),
        "--host-binary",
        text(&host),
        "--out",
        text(&out),
        "--json",
    ]);
    let told = told.exits(0).json();
    let figure = |name: &str| {
        let figure = &told["figures"][name];
        figure.as_f64().unwrap_or_else(|| panic!("{name}: {figure}"))
    };
    assert_eq!(told["figures"]["claims.same_pages"], true);
    assert_eq!(figure("sites"), 4.0);
    // The front page and its files; it has two addresses only if a link says so.
    assert_eq!(figure("manual.pages"), 13.0);
    assert_eq!(figure("engineering.pages"), 18.0);
    for method in
        ["per_page", "keep_alive_6", "http2_gzip_6", "crawllet_http", "crawllet_files_packed"]
    {
        assert!(figure(&format!("manual.5ms.{method}.seconds")) > 0.0);
    }
    // Two round trips for each page at least.
    assert!(figure("engineering.5ms.per_page.seconds") >= 18.0 * 0.01);
    let bytes = |method: &str| figure(&format!("engineering.5ms.{method}.bytes_down"));
    assert!(bytes("crawllet_http_packed") < bytes("crawllet_http"));
    assert!(bytes("http2_gzip_6") < bytes("keep_alive_1"));
    let files = told["files"].as_array().expect("a list");
    let names: Vec<&str> = files.iter().filter_map(|file| file.as_str()).collect();
    for ending in ["crawllets.md", "crawllets.csv", "crawllets-time.svg", "crawllets-bytes.png"] {
        assert!(names.iter().any(|name| name.ends_with(ending)), "{ending}: {names:?}");
    }
    let report = std::fs::read_to_string(out.join("crawllets.md")).expect("a report");
    assert!(report.contains("## Claims") && report.contains("same SHA-256: holds"), "{report}");
}
