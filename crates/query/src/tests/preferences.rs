//! Sites that somebody wants more of, less of, or not at all.

use super::*;
use lycosa_knowledge::embedding::Embedding;
use lycosa_model::{FacetRow, Hit, Preference, Preferences, QueryNote};
use std::collections::HashMap;
use std::sync::Arc;

const SPIDERS: [Sketch<'static>; 6] = [
    ("a.test/1", "en", "Web", "A spider spins a spider web."),
    ("b.test/1", "en", "House", "One spider in the house, and a ladder beside it."),
    ("www.b.test/2", "en", "Garden", "A spider and a gate in a garden with many other things."),
    ("c.test/1", "es", "Casa", "La casa y una spider."),
    ("b.test.d.test/1", "en", "Below", "A spider somewhere else, and quite another thing."),
    ("e.test:8080/1", "en", "Port", "A spider in the port, where ships are."),
];

fn preferring(wanted: &[(&str, Preference)]) -> Preferences {
    let mut preferences = Preferences::default();
    for (site, preference) in wanted {
        assert!(preferences.set(site, *preference));
    }
    preferences
}

fn ask(searcher: &Searcher, query: &str, wanted: &[(&str, Preference)]) -> SearchResponse {
    let preferences = preferring(wanted);
    let asked = SearchRequest { preferences, explain: true, facets: true, ..request(query) };
    searcher.search(&asked).unwrap()
}

fn score(response: &SearchResponse, path: &str) -> f32 {
    let found = response.results.iter().find(|hit| hit.url.ends_with(path));
    found.unwrap_or_else(|| panic!("{path} in {:?}", paths(response))).score
}

#[test]
fn a_raised_site_counts_more_a_lowered_one_less_and_each_says_so() {
    let (_data, searcher) = index(&SPIDERS);
    let plain = ask(&searcher, "spider", &[]);
    let both = [("b.test", Preference::Raise), ("a.test", Preference::Lower)];
    let wanted = ask(&searcher, "spider", &both);
    assert_eq!((plain.total, wanted.total, wanted.blocked), (6, 6, 0));
    for (path, factor, why) in [
        ("//b.test/1", 2.0, Some("the site is raised")),
        ("www.b.test/2", 2.0, Some("the site is raised")),
        ("a.test/1", 0.5, Some("the site is lowered")),
        ("b.test.d.test/1", 1.0, None),
        ("c.test/1", 1.0, None),
    ] {
        let (before, after) = (score(&plain, path), score(&wanted, path));
        assert!((after - factor * before).abs() < 1e-4, "{path}: {before} and {after}");
        let hit = wanted.results.iter().find(|hit| hit.url.ends_with(path)).unwrap();
        let explain = hit.explain.as_ref().unwrap();
        let said = explain.parts.iter().filter(|part| part.what.starts_with("the site is"));
        assert_eq!(said.map(|part| part.what.as_str()).next(), why, "{path}");
        let sum: f32 = explain.parts.iter().map(|part| part.value).sum();
        assert!((sum - hit.score).abs() < 1e-4, "{explain:?}");
    }
    assert_eq!(paths(&plain)[0], "a.test/1");
    assert_eq!(paths(&wanted)[0], "b.test/1");
}

#[test]
fn of_a_blocked_site_there_is_no_result_no_facet_and_no_count() {
    let (_data, searcher) = index(&SPIDERS);
    let wanted = ask(&searcher, "spider", &[("b.test", Preference::Block)]);
    assert_eq!((wanted.total, wanted.complete, wanted.blocked), (4, 4, 2));
    let mut left = paths(&wanted);
    left.sort_unstable();
    assert_eq!(left, ["a.test/1", "b.test.d.test/1", "c.test/1", "e.test:8080/1"]);
    let facets = wanted.facets.unwrap();
    assert_eq!(facets.counted, 4);
    assert!(facets.sites.iter().all(|row| row.value != "b.test" && row.value != "www.b.test"));
    let languages = [("en", 3), ("es", 1)];
    let languages = languages.map(|(value, pages)| FacetRow { value: value.into(), pages });
    assert_eq!(facets.languages, languages);
    // A block holds also where the site is asked for, or raised below.
    for (query, more) in [("site:b.test", Preference::Lower), ("spider", Preference::Raise)] {
        let wanted = [("b.test", Preference::Block), ("www.b.test", more)];
        let found = ask(&searcher, query, &wanted);
        assert_eq!(found.blocked, 2, "{query}");
        assert!(paths(&found).iter().all(|path| !path.contains("b.test/")), "{query}");
    }
    let all = ask(&searcher, "garden", &[("test", Preference::Block)]);
    assert_eq!((all.total, all.blocked, all.results.len()), (0, 1, 0));
    let port = ask(&searcher, "spider", &[("e.test:8080", Preference::Block)]);
    assert_eq!((port.total, port.blocked), (5, 1));
}

#[test]
fn the_nearest_site_decides_and_what_is_no_site_decides_nothing() {
    let (_data, searcher) = index(&SPIDERS);
    let plain = ask(&searcher, "spider", &[]);
    let nested = [("b.test", Preference::Raise), ("www.b.test", Preference::Lower)];
    let wanted = ask(&searcher, "spider", &nested);
    assert!(score(&wanted, "//b.test/1") > score(&plain, "//b.test/1"));
    assert!(score(&wanted, "www.b.test/2") < score(&plain, "www.b.test/2"));
    let odd = [
        ("no site", Preference::Block),
        ("<script>", Preference::Raise),
        ("\u{0}", Preference::Lower),
    ];
    let same = ask(&searcher, "spider", &odd);
    assert_eq!(same.notes, [QueryNote::SitesLeftOut]);
    let plain = SearchResponse { took_ms: same.took_ms, notes: same.notes.clone(), ..plain };
    assert_eq!(same, plain);
}

#[test]
fn a_copy_on_a_blocked_site_is_not_named() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    for path in ["a.test/1", "b.test/1", "c.test/1"] {
        let mut page = entry((path, "en", "Spider", "A spider in the house."));
        page.document.simhash = 7;
        writer.put(page).unwrap();
    }
    let of = UrlId::of("http://a.test/1");
    let url = "http://www.b.test/copy".to_owned();
    let copy = lycosa_model::message::CopyOf { url_id: UrlId::of(&url), url, of };
    writer.put_copy(&copy).unwrap();
    commit(&mut writer);
    let searcher = Searcher::open(data.path()).unwrap();
    let also = |wanted: &[(&str, Preference)]| {
        let mut found = ask(&searcher, "spider", wanted);
        let first: Hit = found.results.remove(0);
        (first.url, first.also_at.len())
    };
    assert_eq!(also(&[]).1, 3);
    let raised = also(&[("a.test", Preference::Raise)]);
    assert_eq!(raised, ("http://a.test/1".to_owned(), 3));
    let blocked = also(&[("a.test", Preference::Raise), ("b.test", Preference::Block)]);
    assert_eq!(blocked, ("http://a.test/1".to_owned(), 1));
}

#[test]
fn the_best_of_many_are_found_whatever_is_raised_and_lowered() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    let mut noise = Noise(0xfeed);
    for n in 0..600 {
        // The words never stand near each other: nearness is looked at for the first hundred alone.
        let filler = "and then there was something else to be told of this place ";
        let mut text = String::new();
        for word in ["spider", "moon", "rust"] {
            for _ in 0..noise.next(4) {
                text.push_str(word);
                text.push(' ');
                text.push_str(filler);
            }
        }
        text.push_str(&filler.repeat(noise.next(6)));
        let path = format!("s{}.test/{n}", noise.next(40));
        writer.put(entry((&path, "en", "", &text))).unwrap();
        if n % 200 == 199 {
            commit(&mut writer);
        }
    }
    let searcher = Searcher::open(data.path()).unwrap();
    let mut wanted: Vec<(String, Preference)> = Vec::new();
    for n in 0..40 {
        match noise.next(4) {
            0 => wanted.push((format!("s{n}.test"), Preference::Raise)),
            1 => wanted.push((format!("s{n}.test"), Preference::Lower)),
            2 if n % 3 == 0 => wanted.push((format!("s{n}.test"), Preference::Block)),
            _ => {}
        }
    }
    let pairs: Vec<(&str, Preference)> = wanted.iter().map(|(s, p)| (s.as_str(), *p)).collect();
    let preferences = preferring(&pairs);
    for query in ["spider", "spider moon", "moon rust spider", "spider OR rust"] {
        let all = searcher.rank(&request(query), 1_000).unwrap();
        let mut expected: HashMap<UrlId, f32> = HashMap::new();
        for page in &all {
            let site = page.url.trim_start_matches("http://").split('/').next().unwrap();
            let factor = match preferences.of(site) {
                Some(Preference::Raise) => 2.0,
                Some(Preference::Lower) => 0.5,
                Some(Preference::Block) => continue,
                None => 1.0,
            };
            expected.insert(page.url_id, page.score * factor);
        }
        let asked = SearchRequest { preferences: preferences.clone(), ..request(query) };
        let ranked = searcher.rank(&asked, 120).unwrap();
        let mut scores: Vec<f32> = expected.values().copied().collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(ranked.len(), scores.len().min(120), "{query}");
        assert!(expected.len() > 120, "{query}: {}", expected.len());
        for (page, best) in ranked.iter().zip(&scores) {
            let known = expected[&page.url_id];
            assert!((page.score - known).abs() < 1e-3, "{query}: {} is {known}", page.score);
            assert!((page.score - best).abs() < 1e-3, "{query}: {} before {best}", page.score);
        }
    }
}

#[test]
fn with_meaning_the_parts_still_add_up() {
    let (_data, searcher) = index(&SPIDERS);
    let vectors = "spider 1 0\nhouse 0.9 0.4\ngarden 0 1\n";
    let embedding = Arc::new(Embedding::from_words(vectors.as_bytes()).unwrap());
    let searcher = searcher.with_embedding(Some(embedding));
    let both = [("b.test", Preference::Raise), ("a.test", Preference::Lower)];
    for hit in ask(&searcher, "spider house", &both).results {
        let explain = hit.explain.unwrap();
        let sum: f32 = explain.parts.iter().map(|part| part.value).sum();
        assert!((sum - hit.score).abs() < 1e-4, "{explain:?}");
    }
}

#[test]
fn a_result_says_where_in_its_text_the_words_stand() {
    let filler = "nothing to see in this sentence at all. ".repeat(100);
    let text = format!("A spider. {filler} Two spiders, spider. {filler}");
    let long = format!("spider {} spider", "nothing to see here at all ".repeat(20_000));
    let (_data, searcher) = index(&[
        ("a.test/1", "en", "One", &text),
        ("b.test/1", "en", "Spider", "Nothing of it in the text."),
        ("c.test/1", "en", "Long", &long),
    ]);
    let found = search(&searcher, "spider");
    let of = |path: &str| {
        let hit = found.results.iter().find(|hit| hit.url.ends_with(path)).unwrap();
        hit.positions.clone()
    };
    let cells = of("a.test/1");
    assert_eq!(cells.len(), Hit::CELLS);
    assert_eq!((cells[0], cells[15] + cells[16]), (1, 2), "{cells:?}");
    assert_eq!(cells.iter().map(|count| u32::from(*count)).sum::<u32>(), 3);
    assert!(of("b.test/1").is_empty());
    let long = of("c.test/1");
    assert_eq!((long.len(), long[0]), (Hit::CELLS, 1), "however long the text is");
}
