use super::Media;
use crawllet_sdk::cbor::Writer;
use crawllet_sdk::mock::{Answer, Run, Site};
use crawllet_sdk::record::Kind;
use crawllet_sdk::Outcome;

fn params(kinds: &[&str]) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.map(1).uint(1).array(kinds.len());
    kinds.iter().for_each(|kind| {
        writer.text(kind);
    });
    writer.finish()
}

fn crawl(kinds: &[&str]) -> Run {
    let page = "<img src=/a.PNG alt=A><a href=/b.pdf>b</a><a href=/c>c</a><img src=/pic?7>\
        <img srcset='/s.png 1x, /l.png 2x'><a href=/d.zip>d</a><script src=/e.js></script>";
    Site::new()
        .with("/", Answer::html(page))
        .with("/a.PNG", Answer::html("png").of_type("image/png"))
        .with("/s.png", Answer::html("s").of_type("image/png"))
        .with("/l.png", Answer::html("l").of_type("image/png"))
        .with("/pic?7", Answer::html("jpeg").of_type("image/jpeg"))
        .with("/b.pdf", Answer::html("%PDF").of_type("application/pdf"))
        .with("/d.zip", Answer::html("PK").of_type("application/zip"))
        .with("/c", Answer::html("<a href=/d.zip>d</a>"))
        .with_params(&params(kinds))
        .crawl(&mut Media::default())
}

fn whole(run: &Run) -> Vec<&str> {
    let whole = run.records.iter().filter(|record| record.kind == Kind::Page as u64);
    let mut paths: Vec<&str> = whole.map(|record| record.path.as_str()).collect();
    paths.sort_unstable();
    paths
}

#[test]
fn files_of_the_wanted_kinds_come_whole_and_pages_as_links() {
    let run = crawl(&["image/*"]);
    assert_eq!(whole(&run), ["/a.PNG", "/l.png", "/pic?7", "/s.png"]);
    let pages: Vec<_> = run.records.iter().filter(|r| r.kind == Kind::LinkOnly as u64).collect();
    assert_eq!(pages.iter().map(|r| r.path.as_str()).collect::<Vec<_>>(), ["/", "/c"]);
    assert!(pages[0].in_links.contains(&("/a.PNG".to_owned(), "A".to_owned())));
    assert!(pages.iter().all(|page| page.body.is_empty()));
}

#[test]
fn an_ending_is_a_kind_too() {
    assert_eq!(whole(&crawl(&[".ZIP"])), ["/d.zip"]);
    assert_eq!(
        whole(&crawl(&["application/pdf", ".png"])),
        ["/a.PNG", "/b.pdf", "/l.png", "/s.png"]
    );
}

#[test]
fn what_is_plainly_something_else_is_not_asked_for() {
    let run = crawl(&[".pdf"]);
    assert_eq!(run.fetched, ["/", "/b.pdf", "/c"]);
}

#[test]
fn without_kinds_nothing_begins() {
    assert!(matches!(crawl(&[]).outcome, Outcome::Failed(_)));
}
