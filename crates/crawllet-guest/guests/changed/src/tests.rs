use super::Changed;
use crawllet_sdk::mock::{Answer, Site};
use crawllet_sdk::record::Kind;

/// A site of which the engine knows four pages; two are as they were, one changed and one went.
fn site() -> Site {
    Site::new()
        .with("/", Answer::html("<a href=/new>new</a><a href=/same>same</a>").with_etag("\"1\""))
        .with("/same", Answer::html("as ever<a href=/deep>deep</a>"))
        .with("/other", Answer::html("now").with_etag("\"3\""))
        .with("/new", Answer::html("new"))
        .with("/deep", Answer::html("deep"))
        .knows("/", "", "\"1\"")
        .knows("/same", "as ever<a href=/deep>deep</a>", "")
        .knows("/other", "then", "\"2\"")
        .knows("/gone", "once", "")
}

#[test]
fn only_what_is_new_or_changed_comes_whole() {
    let run = site().crawl(&mut Changed);
    let mut told: Vec<_> =
        run.records.iter().map(|r| (r.path.as_str(), r.kind, r.body.len())).collect();
    told.sort_by_key(|(path, ..)| *path);
    let expected = [
        ("/", Kind::Unchanged as u64, 0),
        ("/deep", Kind::Page as u64, 4),
        ("/gone", Kind::Gone as u64, 0),
        ("/new", Kind::Page as u64, 3),
        ("/other", Kind::Page as u64, 3),
        ("/same", Kind::Unchanged as u64, 0),
    ];
    // `/` answers 304 and so has no links; `/new` would not be found but for a seed.
    let without_new: Vec<_> =
        expected.iter().filter(|(path, ..)| *path != "/new").cloned().collect();
    assert_eq!(told, without_new);
    let run = site().with_seeds(&["/new"]).crawl(&mut Changed);
    assert_eq!(run.paths(), expected.map(|(path, ..)| path));
}

#[test]
fn the_digest_of_what_was_not_sent_is_the_known_one() {
    let run = site().crawl(&mut Changed);
    let root = run.records.iter().find(|record| record.path == "/");
    assert_eq!(root.map(|root| (root.status, root.sha256 == [0; 32])), Some((304, true)));
    let site = Site::new().with("/a", Answer::html("x").with_etag("e")).knows("/a", "x", "e");
    let run = site.crawl(&mut Changed);
    assert_eq!(run.records[0].sha256, crawllet_sdk::sha256::sha256(b"x"));
}

#[test]
fn a_cut_anywhere_changes_nothing() {
    let whole = site().with_seeds(&["/new"]).crawl(&mut Changed);
    for cut in 1..=whole.fetched.len() {
        let parts = site().with_seeds(&["/new"]).crawl_in_parts(&mut Changed, cut);
        assert_eq!(parts.told(), whole.told(), "cut after {cut}");
    }
}
