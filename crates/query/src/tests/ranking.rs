//! Which pages come first, how many of a site, and how they divide.

use super::*;

#[test]
fn pages_with_every_word_come_first_and_alone_when_there_are_enough() {
    let web = |count: usize| {
        let mut pages: Vec<(String, &str)> = Vec::new();
        for n in 0..count {
            pages.push((format!("both-{n}.test/"), "red and blue paint on walls"));
            pages.push((format!("one-{n}.test/"), "red red red"));
        }
        let sketches: Vec<Sketch<'_>> =
            pages.iter().map(|(path, text)| (path.as_str(), "en", "", *text)).collect();
        index(&sketches)
    };
    let (_data, few) = web(12);
    let both = search(&few, "red blue");
    assert_eq!((both.total, both.complete), (24, 12));
    assert!(paths(&both).iter().all(|path| path.starts_with("both")));
    let none = search(&few, "red blue green");
    assert_eq!((none.total, none.complete), (24, 0), "no page has all three");
    let (_data, many) = web(120);
    let both = search(&many, "red blue");
    assert_eq!((both.total, both.complete), (120, 120));
}

#[test]
fn paging_shows_every_page_once() {
    let pages: Vec<String> = (0..35).map(|n| format!("p.test/{n}")).collect();
    let sketches: Vec<Sketch<'_>> =
        pages.iter().map(|path| (path.as_str(), "en", "", "the same text everywhere")).collect();
    let (_data, searcher) = index(&sketches);
    let mut seen = Vec::new();
    for offset in (0..40).step_by(10) {
        let mut asked = request("text");
        asked.offset = offset;
        let response = searcher.search(&asked).unwrap();
        assert_eq!(response.total, 35);
        seen.extend(response.results.iter().map(|hit| (hit.rank, hit.url.clone())));
    }
    assert!(seen.iter().map(|(rank, _)| *rank).eq(1..=35));
    let mut urls: Vec<&String> = seen.iter().map(|(_, url)| url).collect();
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), 35);
}

#[test]
fn a_site_has_two_results_before_others_had_theirs() {
    let pages: Vec<String> = (0..9)
        .map(|n| format!("big.test/{n}"))
        .chain((0..3).map(|n| format!("small.test/{n}")))
        .collect();
    let text = |path: &str| if path.starts_with("big") { "spider" } else { "spider and more" };
    let sketches: Vec<Sketch<'_>> =
        pages.iter().map(|path| (path.as_str(), "en", "", text(path))).collect();
    let (_data, searcher) = index(&sketches);
    let response = search(&searcher, "spider");
    assert_eq!(response.total, 12);
    let sites: Vec<&str> = response.results.iter().map(|hit| hit.site.as_str()).collect();
    assert_eq!(sites[..4], ["big.test", "big.test", "small.test", "small.test"]);
    let more: Vec<usize> = response.results.iter().map(|hit| hit.more_from_site).collect();
    assert_eq!(more, [0, 7, 0, 1, 0, 0, 0, 0, 0, 0]);
    // The others follow when nothing else is left, and paging shows each once.
    let mut asked = request("spider");
    asked.offset = 10;
    let mut all = paths(&response).into_iter().map(str::to_owned).collect::<Vec<_>>();
    all.extend(paths(&searcher.search(&asked).unwrap()).into_iter().map(str::to_owned));
    all.sort();
    assert_eq!(all, pages);
    // Whoever asks for a site wants its pages.
    let of_site = search(&searcher, "spider site:big.test");
    assert!(of_site.results.iter().all(|hit| hit.more_from_site == 0) && of_site.total == 9);
}

#[test]
fn a_third_page_of_a_site_is_shown_when_the_question_is_its_title() {
    let mut pages: Vec<(String, &str)> = Vec::new();
    for n in 0..5 {
        pages.push((format!("big.test/report-{n}"), "Annual report"));
        pages.push((format!("big.test/other-{n}"), "Annual report and more of it"));
        pages.push((format!("small-{n}.test/"), "A report that comes out annually"));
    }
    let sketches: Vec<Sketch<'_>> =
        pages.iter().map(|(path, title)| (path.as_str(), "en", *title, "some text")).collect();
    let (_data, searcher) = index(&sketches);
    let of_big = |query: &str| -> Vec<(usize, bool, usize)> {
        let response = search(&searcher, query);
        let hits = response.results.iter().filter(|hit| hit.site == "big.test");
        hits.map(|hit| (hit.rank, hit.title == "Annual report", hit.more_from_site)).collect()
    };
    let by_title = of_big("annual report");
    assert_eq!(by_title[..3], [(1, true, 0), (2, true, 0), (3, true, 7)]);
    assert!(by_title[3..].iter().all(|(rank, ..)| *rank > 8), "then others had theirs");
    let by_words = of_big("report annual");
    assert!(by_words[2..].iter().all(|(rank, ..)| *rank > 7), "two of what only has the words");
    let mut asked = request("annual report");
    asked.limit = 2;
    let mut paged = Vec::new();
    for offset in (0..16).step_by(2) {
        asked.offset = offset;
        paged.extend(searcher.search(&asked).unwrap().results.into_iter().map(|hit| hit.url));
    }
    asked.limit = 100;
    asked.offset = 0;
    let whole = searcher.search(&asked).unwrap().results;
    assert_eq!(paged, whole.into_iter().map(|hit| hit.url).collect::<Vec<_>>());
}

#[test]
fn a_page_is_found_by_its_title_though_its_language_is_seldom() {
    let mut pages: Vec<(String, &str)> = Vec::new();
    for (n, lang) in ["en", "es", "de", "fr", "it", "pt", "nl", "sv"].into_iter().enumerate() {
        pages.extend([(format!("a.test/{n}"), lang), (format!("b.test/{n}"), lang)]);
    }
    let mut sketches: Vec<Sketch<'_>> =
        pages.iter().map(|(path, lang)| (path.as_str(), *lang, "", "some other text")).collect();
    sketches.push(("c.test/kody", "ru", "Языковые коды", "Двухбуквенные и трехбуквенные."));
    let (_data, searcher) = index(&sketches);
    assert_eq!(found(&searcher, "языковые коды"), ["c.test/kody"]);
    assert_eq!(search(&searcher, "языковые коды").complete, 1);
    assert_eq!(found(&searcher, "языковые коды site:c.test"), ["c.test/kody"]);
    assert_eq!(found(&searcher, "языковые коды site:a.test"), Vec::<String>::new());
}

#[test]
fn kinds_of_file_go_by_what_was_read_and_by_the_address() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    for (path, media_type) in [
        ("a.test/download?id=7", "application/pdf"),
        ("a.test/File:spider.pdf", "text/html"),
        ("a.test/index.php", "text/html"),
        ("a.test/notes.md", "text/plain"),
    ] {
        let mut page = entry((path, "en", "", "spider"));
        page.document.media_type = media_type.into();
        writer.put(page).unwrap();
    }
    commit(&mut writer);
    let searcher = Searcher::open(data.path()).unwrap();
    assert_eq!(found(&searcher, "spider filetype:pdf"), ["a.test/download?id=7"]);
    assert_eq!(found(&searcher, "filetype:application/pdf"), ["a.test/download?id=7"]);
    let pages = ["a.test/File:spider.pdf", "a.test/index.php"];
    assert_eq!(found(&searcher, "filetype:HTML"), pages);
    assert_eq!(found(&searcher, "filetype:.php"), ["a.test/index.php"]);
    assert_eq!(found(&searcher, "filetype:md"), ["a.test/notes.md"]);
    assert_eq!(found(&searcher, "filetype:txt -filetype:pdf"), ["a.test/notes.md"]);
}

#[test]
fn alternatives_groups_and_conditions_hold() {
    let (_data, searcher) = index(&WEB);
    assert_eq!(found(&searcher, "krieg OR seda"), ["b.test/seda", "c.test/krieg"]);
    assert_eq!(
        found(&searcher, "(wolf night) OR (silk strong)"),
        ["a.test/wolf", "en.b.test/silk"]
    );
    assert_eq!(found(&searcher, "spider -(wolf OR orb)"), ["en.b.test/silk"]);
    assert_eq!(found(&searcher, "web -site:a.test"), ["en.b.test/silk"]);
    assert_eq!(found(&searcher, "intitle:araña"), ["b.test/lobo"]);
    assert_eq!(found(&searcher, r#"intitle:"orb weavers""#), ["a.test/orb"]);
    assert_eq!(found(&searcher, "inurl:silk"), ["en.b.test/silk"]);
    assert_eq!(found(&searcher, "spider inurl:wolf"), ["a.test/wolf"]);
    assert_eq!(found(&searcher, "agent:bot-1").len(), WEB.len());
    assert_eq!(found(&searcher, "agent:bot-2").len(), 0);
    assert_eq!(found(&searcher, "filetype:html").len(), WEB.len());
    assert_eq!(found(&searcher, "filetype:pdf spider").len(), 0);
    assert_eq!(found(&searcher, "weav*"), ["a.test/orb"]);
    assert_eq!(found(&searcher, "el*"), ["b.test/mix", "b.test/seda"]);
    let said = ["a.test/wolf", "b.test/mix", "c.test/krieg", "c.test/war", "en.b.test/silk"];
    assert_eq!(found(&searcher, "the OR krieg"), said, "stop words in a group are words");
}

#[test]
fn dates_are_those_of_the_page_or_of_the_visit() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    let day = |year: u32| Tick(crate::date::year_begins(year) + 1);
    for (path, published, modified, fetched) in [
        ("a.test/old", Some(1999), Some(2020), 2026),
        ("a.test/new", None, Some(2020), 2026),
        ("a.test/bare", None, None, 2026),
    ] {
        let mut page = entry((path, "en", "", "spider"));
        page.document.published = published.map(day);
        page.document.modified = modified.map(day);
        page.fetched = day(fetched);
        writer.put(page).unwrap();
    }
    commit(&mut writer);
    let searcher = Searcher::open(data.path()).unwrap();
    assert_eq!(found(&searcher, "spider before:2010"), ["a.test/old"]);
    assert_eq!(found(&searcher, "after:2010-01-01 before:2024-12"), ["a.test/new"]);
    assert_eq!(found(&searcher, "spider after:2025"), ["a.test/bare"]);
    let mut asked = request("spider");
    asked.facets = true;
    let facets = searcher.search(&asked).unwrap().facets.unwrap();
    let years: Vec<(&str, usize)> =
        facets.years.iter().map(|row| (row.value.as_str(), row.pages)).collect();
    assert_eq!(years, [("2026", 1), ("2020", 1), ("1999", 1)]);
}

#[test]
fn pages_that_match_are_counted_by_site_and_language() {
    let (_data, searcher) = index(&WEB);
    let mut asked = request("spider OR araña");
    asked.facets = true;
    let facets = searcher.search(&asked).unwrap().facets.unwrap();
    let rows = |rows: &[lycosa_model::FacetRow]| -> Vec<(String, usize)> {
        rows.iter().map(|row| (row.value.clone(), row.pages)).collect()
    };
    assert_eq!(facets.counted, 4);
    assert_eq!(
        rows(&facets.sites),
        [("b.test", 3), ("a.test", 1), ("en.b.test", 1)].map(|(site, n)| (site.to_owned(), n))
    );
    assert_eq!(rows(&facets.languages), [("en", 2), ("es", 2)].map(|(l, n)| (l.to_owned(), n)));
    assert_eq!(search(&searcher, "spider").facets, None, "only when asked for");
}

#[test]
fn words_that_stand_together_count_more() {
    let (_data, searcher) = index(&[
        (
            "a.test/apart",
            "en",
            "",
            "A spider sat on the wall, and far away from it all slept a wolf.",
        ),
        (
            "b.test/near",
            "en",
            "",
            "A wolf spider sat on the wall, and far away from it all it slept.",
        ),
        (
            "c.test/turned",
            "en",
            "",
            "A spider wolf sat on the wall, and far away from it all it slept.",
        ),
    ]);
    assert_eq!(
        paths(&search(&searcher, "wolf spider")),
        ["b.test/near", "c.test/turned", "a.test/apart"]
    );
}

#[test]
fn equal_scores_come_in_the_same_order_however_the_index_was_built() {
    let pages: Vec<String> = (0..20).map(|n| format!("p.test/{n}")).collect();
    let order = |pages: Vec<&String>, group: usize| {
        let data = tempfile::tempdir().unwrap();
        let mut writer = writer(data.path());
        for (n, path) in pages.iter().enumerate() {
            writer.put(entry((path, "en", "", "equal text"))).unwrap();
            if n % group == 0 {
                commit(&mut writer);
            }
        }
        commit(&mut writer);
        let searcher = Searcher::open(data.path()).unwrap();
        let response = search(&searcher, "equal");
        response.results.into_iter().map(|hit| hit.url).collect::<Vec<_>>()
    };
    assert_eq!(order(pages.iter().collect(), 3), order(pages.iter().rev().collect(), 100));
}

#[test]
fn phrases_hold_where_languages_drop_different_words() {
    let (_data, searcher) = index(&[
        ("a.test/hamlet", "en", "Hamlet", "To be or not to be, that is the question."),
        ("a.test/film", "en", "Film", "Die Hard is a film."),
        ("a.test/rock", "en", "Rock", "A hard rock and a stone."),
        ("b.test/hart", "de", "Hart", "Die Probe war hard und lang."),
        ("c.test/x", "", "", "1234 5678"),
    ]);
    assert_eq!(found(&searcher, "\"to be or not to be\""), ["a.test/hamlet"]);
    assert_eq!(found(&searcher, "\"die hard\" site:a.test"), ["a.test/film"]);
    assert_eq!(found(&searcher, "hard -\"die hard\" site:a.test"), ["a.test/rock"]);
}

#[test]
fn what_is_not_wanted_is_no_part_of_the_question() {
    let (_data, searcher) = index(&WEB);
    assert_eq!(
        found(&searcher, "war xyzzy"),
        ["c.test/war"],
        "one of them, though German drops it"
    );
    assert_eq!(found(&searcher, "silk -silk"), Vec::<String>::new());
    assert_eq!(found(&searcher, "spider -wolf"), ["en.b.test/silk"]);
    assert_eq!(found(&searcher, "spins -orb"), ["en.b.test/silk"], "by its address, too");
    let score = |query: &str| search(&searcher, query).results[0].score;
    assert_eq!(score("wolf spider"), score("wolf -\"wolf cub\" spider") + whole_title(&searcher));
}

/// What it counts that the question is the whole title, in the test above.
fn whole_title(searcher: &Searcher) -> f32 {
    let mut asked = request("wolf spider");
    asked.explain = true;
    let explain = searcher.search(&asked).unwrap().results[0].explain.clone().unwrap();
    let parts = explain.parts.iter().flat_map(|part| &part.parts);
    parts.filter(|part| part.what == "it is the title of the page").map(|part| part.value).sum()
}

/// Pages of differing scores: some words often, some seldom.
fn many(count: usize) -> Vec<(String, String)> {
    let mut noise = Noise(7);
    let words = ["red", "blue", "green", "spider", "wolf", "silk", "moon"];
    (0..count)
        .map(|n| {
            let length = 1 + noise.next(30);
            let text: Vec<&str> = (0..length)
                .map(|_| words[noise.next(words.len()).min(noise.next(words.len()))])
                .collect();
            (format!("site-{}.test/{n}", n % 40), text.join(" "))
        })
        .collect()
}

#[test]
fn pages_that_are_passed_over_could_not_have_been_among_the_best() {
    let pages = many(900);
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    for (n, (path, text)) in pages.iter().enumerate() {
        writer.put(entry((path, "en", "", text))).unwrap();
        if n % 300 == 299 {
            commit(&mut writer);
        }
    }
    let searcher = Searcher::open(data.path()).unwrap();
    for query in ["red moon", "red blue silk moon", "wolf OR moon", "red blue -moon", "blue"] {
        let ranks = |depth: usize| -> Vec<(String, f32)> {
            // By their words alone, before nearness is looked at.
            let best = |ranker: &crate::rank::Ranker<'_>, matched: &crate::rank::Matched| {
                crate::best::best(ranker.plan, ranker.sight, &matched.bits, depth)
            };
            let ranked = searcher.ranked(&request(query), depth, best).unwrap();
            ranked.into_iter().map(|page| (page.url, page.score)).collect()
        };
        let all = ranks(2_000);
        assert!(all.len() > 40, "{query}: {}", all.len());
        for few in [1, 3, 10, 40] {
            assert_eq!(ranks(few), all[..few], "{query}");
        }
    }
}

#[test]
fn paging_goes_on_beyond_those_that_are_looked_at_again() {
    let pages = many(400);
    let sketches: Vec<Sketch<'_>> =
        pages.iter().map(|(path, text)| (path.as_str(), "en", "", text.as_str())).collect();
    let (_data, searcher) = index(&sketches);
    let mut seen: Vec<String> = Vec::new();
    let total = search(&searcher, "red blue").total;
    for offset in (0..total).step_by(25) {
        let mut asked = request("red blue");
        (asked.offset, asked.limit) = (offset, 25);
        let response = searcher.search(&asked).unwrap();
        seen.extend(response.results.iter().map(|hit| hit.url.clone()));
    }
    let folded = total - seen.len();
    assert!(folded * 20 < total, "{folded} of {total} are near-duplicates");
    let mut once = seen.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), seen.len(), "no page twice");
}

#[test]
fn a_language_in_letters_of_its_own_is_found_behind_many_others() {
    let others = ["en", "es", "de", "fr", "it", "pt", "nl", "sv", "da", "fi"];
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    for (number, lang) in others.iter().enumerate() {
        for copy in 0..3 {
            let path = format!("{lang}.test/{copy}");
            writer.put(entry((&path, lang, "Spider", &format!("spider number {number}")))).unwrap();
        }
    }
    writer.put(entry(("ru.test/1", "ru", "Пауки", "О пауках"))).unwrap();
    commit(&mut writer);
    let searcher = Searcher::open(data.path()).unwrap();
    // Another inflection than those of the page.
    assert_eq!(found(&searcher, "пауками"), ["ru.test/1"]);
    assert_eq!(search(&searcher, "spider -паука").total, 30);
}
