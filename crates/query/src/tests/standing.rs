//! What other pages say of a page: ranks and anchors.

use super::*;
use lycosa_segments::Standing;

fn tie(path: &str) -> u64 {
    let id = UrlId::of(&format!("http://{path}"));
    u64::from_be_bytes(id.0[..8].try_into().unwrap())
}

/// Pages with their ranks and with what they are called elsewhere.
fn put(data: &Path, pages: &[(&str, u8, &[&str])]) {
    let mut pages: Vec<(u64, u8, &[&str])> =
        pages.iter().map(|(path, rank, anchors)| (tie(path), *rank, *anchors)).collect();
    pages.sort_unstable();
    let mut anchors: BTreeMap<String, Vec<(u32, u8)>> = BTreeMap::new();
    for (place, (_, _, words)) in pages.iter().enumerate() {
        for word in *words {
            anchors.entry((*word).to_owned()).or_default().push((place as u32, 2));
        }
    }
    let standing = Standing {
        commit: 0,
        pages: pages.len() as u64,
        ties: pages.iter().map(|page| page.0).collect(),
        page_ranks: pages.iter().map(|page| page.1).collect(),
        site_ranks: vec![0; pages.len()],
        inlinks: vec![1; pages.len()],
        anchor_lengths: pages.iter().map(|page| page.2.len() as u16).collect(),
        anchors: anchors.into_iter().collect(),
    };
    Segments::open(data).unwrap().put_standing(&standing).unwrap();
}

#[test]
fn a_page_is_found_by_what_links_call_it_and_ranks_decide_among_equals() {
    let (data, searcher) = index(&[
        ("a.test/1", "en", "Spider", "A spider in the house."),
        ("b.test/1", "en", "Spider", "A spider in the house."),
        ("c.test/logo", "en", "Home", "Welcome to our home."),
    ]);
    assert_eq!(search(&searcher, "tarantula").total, 0);
    let (first, second) =
        (search(&searcher, "spider"), paths(&search(&searcher, "spider"))[0].to_owned());
    assert_eq!(first.results[0].score, first.results[1].score, "nothing tells them apart");
    let other = if second == "a.test/1" { "b.test/1" } else { "a.test/1" };
    put(data.path(), &[(other, 200, &[]), ("c.test/logo", 0, &["tarantula"])]);
    searcher.reload().unwrap();
    assert_eq!(paths(&search(&searcher, "spider"))[0], other, "the one that is linked to");
    let found = search(&searcher, "tarantula");
    assert_eq!(paths(&found), ["c.test/logo"]);
    assert_eq!(paths(&search(&searcher, "tarantula home")), ["c.test/logo"]);
    let mut asked = request("tarantula");
    asked.explain = true;
    let explain = searcher.search(&asked).unwrap().results[0].explain.clone().unwrap();
    assert!(
        explain.parts[0].parts.iter().any(|part| part.what == "tarantula in links to the page")
    );
    let sum: f32 = explain.parts.iter().map(|part| part.value).sum();
    assert!((sum - explain.value).abs() < 1e-4, "{explain:?}");
}

#[test]
fn of_very_many_pages_with_an_anchor_those_of_the_highest_rank_are_found() {
    let paths: Vec<String> = (0..20_100).map(|n| format!("site-{}.test/{n}", n % 97)).collect();
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    for (n, path) in paths.iter().enumerate() {
        writer.put(entry((path, "en", "", "text"))).unwrap();
        if n % 7_000 == 0 {
            commit(&mut writer);
        }
    }
    commit(&mut writer);
    // The first two hundred have no rank; a page that the index has not takes no place.
    let words: &[&str] = &["tarantula"];
    let pages =
        paths.iter().enumerate().map(|(n, path)| (path.as_str(), u8::from(n >= 200), words));
    let pages: Vec<(&str, u8, &[&str])> = pages.chain([("missing.test/", 255, words)]).collect();
    put(data.path(), &pages);
    let searcher = Searcher::open(data.path()).unwrap();
    let found = |query: &str| search(&searcher, query).total;
    assert_eq!(found("tarantula"), 20_000);
    let named = |n: usize| format!("tarantula inurl:{n} site:site-{}.test", n % 97);
    assert!((200..20_100).step_by(995).all(|n| found(&named(n)) == 1), "all that have a rank");
}

#[test]
fn ranks_and_anchors_follow_pages_into_new_segments() {
    let (data, searcher) = index(&[("a.test/1", "en", "Old", "old text")]);
    put(data.path(), &[("a.test/1", 255, &["tarantula"]), ("b.test/2", 0, &["tarantula"])]);
    searcher.reload().unwrap();
    assert_eq!(found(&searcher, "tarantula"), ["a.test/1"], "of the other there is no page yet");
    let mut writer = writer(data.path());
    writer.put(entry(("b.test/2", "en", "New", "new text"))).unwrap();
    writer.put(entry(("a.test/1", "en", "Newer", "newer text"))).unwrap();
    commit(&mut writer);
    searcher.reload().unwrap();
    assert_eq!(found(&searcher, "tarantula"), ["a.test/1", "b.test/2"]);
    assert_eq!(paths(&search(&searcher, "tarantula"))[0], "a.test/1");
    std::fs::write(data.path().join("index/standing.bin"), "torn").unwrap();
    searcher.reload().unwrap();
    assert_eq!(search(&searcher, "tarantula").total, 0, "what cannot be read says nothing");
}

#[test]
fn ranks_that_were_estimated_while_pages_went_in_count_until_the_exact_ones_are_known() {
    let (data, searcher) = index(&[
        ("a.test/1", "en", "Spider", "A spider in the house."),
        ("b.test/1", "en", "Spider", "A spider in the house."),
    ]);
    let last = paths(&search(&searcher, "spider"))[1].to_owned();
    let mut writer = writer(data.path());
    for number in 0..5 {
        let page = format!("c{number}.test/");
        let mut page = entry((&page, "en", "Links", "Where to go."));
        page.document.links.push(lycosa_model::Link {
            url: format!("http://{last}"),
            anchor: String::new(),
            context: String::new(),
            tag_path: String::new(),
            rel: String::new(),
            kind: lycosa_model::LinkKind::Anchor,
        });
        writer.put(page).unwrap();
    }
    commit(&mut writer);
    drop(writer);
    searcher.reload().unwrap();
    let response = search(&searcher, "spider");
    assert_eq!(paths(&response)[0], last, "the one that is linked to");
    let more = response.results[0].score - response.results[1].score;
    assert!((more - 1.5).abs() < 1e-3, "the highest rank of a page and of a site: {more}");
    // Somebody had all links looked at, and they say otherwise.
    let other = if last == "a.test/1" { "b.test/1" } else { "a.test/1" };
    let most = ["c0.test/", "c1.test/", "c2.test/"].map(|page| (page, 0, &[] as &[&str]));
    put(data.path(), &[&[(other, 255, &[] as &[&str])], &most[..]].concat());
    searcher.reload().unwrap();
    assert_eq!(paths(&search(&searcher, "spider"))[0], other);
}
