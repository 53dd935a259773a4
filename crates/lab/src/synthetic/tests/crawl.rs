//! What a crawl finds is what the facts say.

use super::*;

fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    items.into_iter().collect()
}

#[test]
fn a_polite_crawl_finds_exactly_the_facts() {
    let web = demo();
    let facts = web.facts();
    let crawled = crawl(&web, &facts.fronts);
    assert_eq!(crawled.fetched, set(facts.pages.clone()));
    assert_eq!(crawled.disallowed, set(facts.disallowed));
    assert_eq!(crawled.missing, set(facts.missing));
    assert_eq!(crawled.failing, set(facts.failing));
    assert_eq!(crawled.nofollow, set(facts.nofollow));
    let (left, right) = facts.redirect_loop.expect("a loop");
    let mut redirects = set(facts.redirects);
    redirects.insert((left.clone(), right.clone()));
    redirects.insert((right, left));
    assert_eq!(crawled.redirects, redirects);
    assert_eq!(web.expected_pages(), facts.pages.len() as u64);
}

#[test]
fn the_first_front_page_leads_to_every_page() {
    let web = demo();
    let facts = web.facts();
    assert_eq!(crawl(&web, &facts.fronts[..1]).fetched, set(facts.pages));
}

#[test]
fn the_demo_is_a_dozen_sites_and_several_hundred_pages_in_two_languages() {
    let facts = demo().facts();
    assert_eq!(facts.fronts.len(), 12);
    assert!((400..600).contains(&facts.pages.len()), "{}", facts.pages.len());
    assert!(facts.spanish.len() > 200 && facts.english.len() > 200);
    assert_eq!(facts.spanish.len() + facts.english.len(), facts.pages.len());
}

#[test]
fn the_demo_has_each_fault() {
    let facts = demo().facts();
    assert_eq!(facts.disallowed.len(), 24);
    assert_eq!(facts.missing.len(), 12);
    assert_eq!(facts.redirects.len(), 12 + 2);
    assert_eq!(facts.failing.len(), 1);
    assert_eq!(facts.dead_ends.len(), 2);
    assert_eq!(facts.compressed.len(), 1);
    assert_eq!(facts.noindex.len(), 1);
    assert_eq!(facts.nofollow.len(), 1);
    assert_eq!(facts.tag_soup.len(), 1);
    assert!(facts.near_duplicates.is_some());
    assert!(facts.redirect_loop.is_some());
    let labels = set(facts.legacy_charset.iter().map(|(_, label)| *label));
    assert_eq!(labels, set(["iso-8859-1", "windows-1252"]));
}

#[test]
fn a_large_web_has_as_many_pages_as_expected() {
    for (sites, pages) in [(30, 150), (17, 9), (3, 2), (1, 1), (40, 1), (1, 700)] {
        let web = SyntheticWeb::new(3, Shape::large(sites, pages), Naming::plain());
        let found = crawl(&web, &web.fronts()[..1]).fetched;
        assert_eq!(found.len() as u64, web.expected_pages());
        assert_eq!(found, set(web.facts().pages));
        assert_eq!(found.len(), sites * pages);
    }
}

#[test]
fn faults_fit_into_webs_of_any_size() {
    for (sites, pages) in [(1, 1), (1, 2), (2, 8), (5, 40), (14, 5)] {
        let shape = Shape { faults: true, ..Shape::large(sites, pages) };
        let web = SyntheticWeb::new(3, shape, Naming::plain());
        let crawled = crawl(&web, &web.fronts()[..1]);
        let facts = web.facts();
        assert_eq!(crawled.fetched, set(facts.pages), "{sites} sites of {pages}");
        assert_eq!(crawled.disallowed, set(facts.disallowed));
        assert_eq!(crawled.fetched.len() as u64, web.expected_pages());
    }
}

#[test]
fn no_page_of_a_huge_web_names_more_than_a_bounded_number_of_others() {
    let web = SyntheticWeb::new(3, Shape::large(10_000, 10_000), Naming::plain());
    assert_eq!(web.expected_pages(), 100_000_000);
    let front = web.url(9_999, "/");
    let sections = links(&front, &text(&get(&web, &front)));
    assert!(sections.len() < 150, "{}", sections.len());
    let (section, _) = &sections[sections.len() / 2];
    let articles = links(section, &text(&get(&web, section)));
    assert!(articles.len() < 150, "{}", articles.len());
}

#[test]
fn a_dead_end_has_no_link() {
    let web = demo();
    for url in web.facts().dead_ends {
        assert_eq!(links(&url, &text(&get(&web, &url))), []);
    }
}

#[test]
fn every_robots_txt_forbids_the_private_folder() {
    let web = demo();
    for site in web.sites() {
        let robots = web.page(&site, "/robots.txt");
        assert_eq!(robots.status, 200);
        assert!(text(&robots).contains("Disallow: /private/\n"));
    }
}

#[test]
fn an_exported_archive_holds_every_answer_once() {
    use lycosa_store::archive::{Entry, Kind, Limits, Reader, check};
    let web = demo();
    let dir = tempfile::tempdir().expect("a folder");
    let files = web.export_warc(dir.path()).expect("an archive");
    let mut archived = BTreeSet::new();
    for file in files {
        assert!(check(&file).expect("readable").is_clean());
        for entry in Reader::open(&file, Limits::default()).expect("readable") {
            let Ok(Entry::Record(record)) = entry else {
                panic!("a fault in {}", file.display());
            };
            if record.kind == Kind::Response {
                let url = record.target_uri.clone().expect("a target");
                let answer = record.http().expect("a response");
                assert_eq!(answer.body, get(&web, &url).body);
                assert!(archived.insert(url));
            }
        }
    }
    let facts = web.facts();
    assert!(facts.pages.iter().all(|page| archived.contains(page)));
    assert!(archived.contains("http://stars.demo.test/robots.txt"));
    let rest = facts.missing.len() + facts.failing.len() + facts.disallowed.len();
    let moved = facts.redirects.len() + 2;
    assert_eq!(archived.len(), facts.pages.len() + 12 + rest + moved + facts.nofollow.len());
}
