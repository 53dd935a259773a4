//! Which pages does a crawl bring, and does it matter where it is cut?

use crate::blake2s;
use crate::host::Refusal;
use crate::mock::{Answer, Site};
use crate::record::Kind;
use crate::{Crawllet, Outcome, Take, Visit};

struct Whole;

impl Crawllet for Whole {
    fn take(&mut self, visit: &Visit<'_>) -> Take {
        match visit.meta.status {
            404 | 410 => Take::Gone,
            _ => Take::Whole,
        }
    }
}

/// Pages that link to each other as dice fall; the links of each.
fn web(pages: usize, mut dice: u32) -> (Site, Vec<Vec<usize>>) {
    let mut site = Site::new();
    let mut web = Vec::new();
    for page in 0..pages {
        let mut links = Vec::new();
        for _ in 0..2 {
            dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            links.push((dice >> 16) as usize % pages);
        }
        let html: String =
            links.iter().map(|link| format!("<a href=/{link}?p>{link}</a>")).collect();
        site = site.with(&format!("/{page}?p"), Answer::html(html));
        web.push(links);
    }
    (site.with_seeds(&["/0?p"]), web)
}

fn reachable(web: &[Vec<usize>]) -> Vec<String> {
    let mut met = vec![0];
    let mut at = 0;
    while at < met.len() {
        for link in &web[met[at]] {
            if !met.contains(link) {
                met.push(*link);
            }
        }
        at += 1;
    }
    let mut paths: Vec<String> = met.iter().map(|page| format!("/{page}?p")).collect();
    paths.sort_unstable();
    paths
}

#[test]
fn exactly_what_can_be_reached_is_brought_and_each_page_once() {
    for seed in 0..30 {
        let (site, web) = web(40, seed);
        let run = site.crawl(&mut Whole);
        assert_eq!(run.outcome, Outcome::Done);
        assert_eq!(run.paths(), reachable(&web), "dice {seed}");
        assert_eq!(run.fetched.len(), run.records.len());
    }
}

#[test]
fn a_cut_anywhere_changes_nothing() {
    for seed in 0..5 {
        let (site, _) = web(30, seed);
        let whole = site.crawl(&mut Whole);
        for cut in 1..=whole.fetched.len() {
            let parts = site.crawl_in_parts(&mut Whole, cut);
            assert_eq!(parts.outcome, Outcome::Done);
            assert_eq!(parts.told(), whole.told(), "dice {seed}, {cut} pages in a run");
            assert_eq!(parts.fetched.len(), whole.fetched.len());
        }
    }
}

#[test]
fn a_crawl_stops_before_the_output_runs_out_and_goes_on_later() {
    let page = |next: &str| Answer::html(format!("{}<a href={next}>", "x".repeat(1_000)));
    let site = Site::new().with("/", page("/1")).with("/1", page("/2")).with("/2", page("/3"));
    let mut site = site.with("/3", page("/big")).with("/big", Answer::html("y".repeat(9_000)));
    site.out_bytes = 4_000;
    let mut brought = Vec::new();
    let mut runs = 0;
    loop {
        let run = site.crawl(&mut Whole);
        brought.extend(run.records.iter().map(|record| record.path.clone()));
        runs += 1;
        match run.state {
            Some(state) => site.job.resume = state,
            None => break,
        }
    }
    // The page that is larger than any grant is left to the engine.
    assert_eq!((brought.join(" "), runs), ("/ /1 /2 /3".to_owned(), 3));
}

#[test]
fn links_out_of_the_site_or_the_grant_are_named_and_not_followed() {
    let html = "<a href=/in/a>a</a><a href=/out>o</a><a href=/in/no/b>b</a><a href=//other.example/?x>x</a>\
        <a href=http://example.org/in/a>plain http</a><a href=/in/n rel='x NoFollow'>n</a>\
        <a href=/in/n>what was said first counts</a>";
    let mut site = Site::new().with("/in/", Answer::html(html)).with("/in/a", Answer::html(html));
    site.job.scope = vec!["/in/".to_owned()];
    site.job.deny = vec!["/in/no/".to_owned()];
    let run = site.crawl(&mut Whole);
    assert_eq!(run.paths(), ["/in/", "/in/a"]);
    let names = |links: &[(String, String)]| -> Vec<String> {
        links.iter().map(|(target, _)| target.clone()).collect()
    };
    assert_eq!(names(&run.records[0].in_links), ["/in/a"]);
    let out = [
        "https://example.org/out",
        "https://example.org/in/no/b",
        "https://other.example/?x",
        "http://example.org/in/a",
    ];
    assert_eq!(names(&run.records[0].out_links), out);
    // A page that comes whole names only what no record before it named.
    assert!(run.records[1].in_links.is_empty() && run.records[1].out_links.is_empty());
}

#[test]
fn robots_are_heard_in_pages_and_headers() {
    let page = |html: &str| Answer::html(format!("{html}<a href=/never>n</a>"));
    let site = Site::new()
        .with("/", Answer::html("<a href=/a></a><a href=/b></a><a href=/c></a>"))
        .with("/a", page("<meta name=robots content='index, nofollow'>"))
        .with("/b", page("").with_header("x-robots-tag", "otherbot: noindex, Lycosa: none"))
        .with("/c", page("").with_header("x-robots-tag", "otherbot: nofollow").with_status(500))
        .with("/never", page(""));
    assert_eq!(site.crawl(&mut Whole).paths(), ["/", "/a", "/b", "/c"]);
}

#[test]
fn redirects_headers_and_bases_lead_on() {
    let link = "</c>; rel=next, </d>; rel=preload, <e>; rel=\"x Prev\"; type=text/html, </f>;rel=up;anchor=x";
    let site = Site::new()
        .with("/", Answer::redirect("/a/b?x#y"))
        .with("/a/b?x", Answer::html("<base href=/z/><a href=q>").with_header("link", link))
        .with("/a/e", Answer::redirect("https://other.example/"))
        .with("/z/q", Answer::html("<a href=#top>t</a><a href=?>empty</a>"));
    let run = site.crawl(&mut Whole);
    assert_eq!(run.paths(), ["/", "/a/b?x", "/a/e", "/c", "/z/q"]);
    let kind_of =
        |path: &str| run.records.iter().find(|r| r.path == path).map(|r| (r.status, r.kind));
    assert_eq!(kind_of("/"), Some((301, Kind::Page as u64)));
    assert_eq!(kind_of("/c"), Some((404, Kind::Gone as u64)));
}

#[test]
fn what_the_engine_has_is_not_brought_again() {
    let (site, _) = web(10, 3);
    let all = site.crawl(&mut Whole);
    let mut site = site;
    for path in &all.fetched[1..] {
        site = site.knows(path, "", "");
    }
    assert_eq!(site.crawl(&mut Whole).fetched, ["/0?p"]);
}

#[test]
fn refusals_cost_one_page_and_silence_ends_the_run() {
    let html = "<a href=/a></a><a href=/b></a><a href=/c></a><a href=/d></a>";
    let site = Site::new()
        .with("/", Answer::html(html))
        .with("/d", Answer::html("d"))
        .refusing("/a", Refusal::Robots)
        .refusing("/b", Refusal::Private)
        .refusing("/c", Refusal::Upstream);
    let run = site.crawl(&mut Whole);
    assert_eq!((run.outcome, run.paths()), (Outcome::Done, vec!["/", "/d"]));

    let slow = Site::new().with("/", Answer::html(html)).refusing("/a", Refusal::Rate);
    let run = slow.crawl(&mut Whole);
    assert_eq!((run.outcome, run.state.is_some()), (Outcome::Suspended, true));
    let html: String = (0..50).map(|page| format!("<a href=/{page}>")).collect();
    let mut down = Site::new().with("/", Answer::html(html));
    for page in 0..50 {
        down = down.refusing(&format!("/{page}"), Refusal::Upstream);
    }
    let run = down.crawl(&mut Whole);
    assert_eq!((run.outcome, run.fetched.len()), (Outcome::Suspended, 17));
    // Nothing is lost: those that got no answer are asked again.
    down.job.resume = run.state.unwrap();
    let again = down.crawl(&mut Whole);
    assert_eq!(again.fetched[..3], ["/0", "/1", "/2"]);
}

#[test]
fn each_record_is_tied_to_the_one_before() {
    let (site, _) = web(10, 1);
    let run = site.crawl(&mut Whole);
    let mut tag = vec![0; blake2s::TAG];
    for (seq, record) in (0_u64..).zip(&run.records) {
        let mut message = tag;
        message.extend(seq.to_le_bytes());
        message.extend((record.path.len() as u32).to_le_bytes());
        message.extend(record.path.as_bytes());
        message.extend((record.status as u16).to_le_bytes());
        message.extend(record.sha256);
        tag = blake2s::tag(&[7; 32], &message).to_vec();
        assert_eq!((record.seq, &record.tag), (seq, &tag));
    }
}

#[test]
fn a_job_that_makes_no_sense_does_not_begin() {
    let mut site = Site::new();
    site.job.origin = "ftp://example.org".to_owned();
    assert_eq!(site.crawl(&mut Whole).outcome, Outcome::Failed(Refusal::BadArgument));
    let mut site = Site::new();
    site.job.resume = b"\xff".to_vec();
    assert_eq!(site.crawl(&mut Whole).outcome.code(), -7);
}

#[test]
fn addresses_that_say_the_same_are_one_page() {
    let html = "<a href=/%7eu/></a><a href=/~u/></a><a href=/x/../~u/#a></a><a href='/~u/?'></a>";
    let run = Site::new().with("/", Answer::html(html)).crawl(&mut Whole);
    assert_eq!(run.fetched, ["/", "/%7eu/"]);
}
