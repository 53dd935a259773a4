//! Pages are functions of the seed, in the language and encoding that they declare.

use super::*;
use crate::synthetic::words::{EN, ES, Edition, SUBJECTS_PER_SECTION, TOPICS};
use proptest::prelude::*;

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let (one, two) = (demo(), demo());
    for url in one.facts().pages {
        assert_eq!(get(&one, &url), get(&two, &url), "{url}");
    }
}

#[test]
fn another_seed_gives_other_articles_at_the_same_addresses() {
    let one = demo();
    let two = SyntheticWeb::new(8, Shape::demo(), Naming::plain());
    let articles = |url: &&String| url.rsplit('-').next().is_some_and(|n| n.parse::<u32>().is_ok());
    let (left, right) = (one.facts(), two.facts());
    assert_eq!(left, right);
    for url in left.pages.iter().filter(articles) {
        assert_ne!(get(&one, url).body, get(&two, url).body, "{url}");
    }
}

#[test]
fn no_two_pages_are_equal() {
    let web = demo();
    let facts = web.facts();
    let bodies: BTreeSet<_> = facts.pages.iter().map(|url| get(&web, url).body).collect();
    assert_eq!(bodies.len(), facts.pages.len());
}

#[test]
fn spanish_articles_decode_to_spanish_with_accents() {
    let web = demo();
    for url in web.facts().spanish {
        let html = text(&get(&web, &url));
        assert!(html.contains("<html lang=\"es\">"), "{url}");
        assert!(html.contains(['á', 'é', 'í', 'ó', 'ú', 'ñ']), "{url}");
        assert!(!html.contains('\u{fffd}') && !html.contains("Ã"), "{url}");
        for joint in [" de el ", " a el "] {
            assert!(!html.contains(joint), "{url} has `{joint}`");
        }
    }
}

#[test]
fn legacy_pages_say_where_their_encoding_is_declared() {
    let web = demo();
    let legacy = web.facts().legacy_charset;
    assert!(legacy.len() > 20);
    for (url, label) in legacy {
        let page = get(&web, &url);
        let header = page.headers.get("content-type").expect("a type");
        assert!(std::str::from_utf8(&page.body).is_err(), "{url} has accents");
        let in_page = page.body.windows(8).any(|at| at == b"charset=");
        assert_eq!(header.contains("ISO-8859-1"), label == "iso-8859-1");
        assert_eq!(in_page, label == "windows-1252", "{url}");
        assert_eq!(page.body.contains(&0x96), label == "windows-1252");
    }
}

#[test]
fn near_duplicates_differ_in_a_word_or_two_and_stand_on_two_sites() {
    let web = demo();
    let (one, two) = web.facts().near_duplicates.expect("a pair");
    assert_ne!(web.locate(&one).unwrap().0, web.locate(&two).unwrap().0);
    let words = |url: &str| -> Vec<String> {
        let html = text(&get(&web, url));
        let mut words = Vec::new();
        let mut inside = false;
        for part in html.split_inclusive(['<', '>']) {
            if !inside {
                words.extend(part.trim_end_matches('<').split_whitespace().map(str::to_owned));
            }
            inside = part.ends_with('<');
        }
        words
    };
    let (one, two) = (words(&one), words(&two));
    assert_eq!(one.len(), two.len());
    let changed = one.iter().zip(&two).filter(|(a, b)| a != b).count();
    assert!((1..=2).contains(&changed), "{changed} words changed");
}

#[test]
fn the_draft_asks_not_to_be_indexed_and_nobody_else_does() {
    let web = demo();
    let facts = web.facts();
    for url in &facts.pages {
        let asks = text(&get(&web, url)).contains("content=\"noindex\"");
        assert_eq!(asks, facts.noindex.contains(url), "{url}");
    }
}

#[test]
fn the_example_searches_have_pages_that_contain_all_their_words() {
    let web = demo();
    let facts = web.facts();
    let fold = |text: String| {
        let pairs = [('á', "a"), ('é', "e"), ('í', "i"), ('ó', "o"), ('ú', "u"), ('ñ', "n")];
        let lower = text.to_lowercase();
        pairs.iter().fold(lower, |text, (from, to)| text.replace(*from, to))
    };
    for (query, lang) in EXAMPLE_SEARCHES {
        let among = match lang {
            Some("es") => &facts.spanish,
            _ => &facts.english,
        };
        let hits = among
            .iter()
            .map(|url| fold(text(&get(&web, url))))
            .filter(|page| query.split(' ').all(|word| page.contains(word)))
            .count();
        assert!(hits >= 3, "`{query}` is on {hits} pages");
    }
}

#[test]
fn articles_are_written_in_whole_sentences_with_every_slot_filled() {
    let web = demo();
    for url in web.facts().pages {
        let html = text(&get(&web, &url));
        let main = html.split_once("<main>").map_or("", |(_, main)| main);
        assert!(!main.contains(['{', '}']), "{url}");
        assert!(!main.contains(" ."), "{url}");
    }
}

#[test]
fn every_pattern_uses_known_slots_and_every_list_is_long_enough() {
    const SLOTS: [&str; 13] = [
        "the",
        "name",
        "who",
        "friend",
        "place",
        "town",
        "elsewhere",
        "past",
        "month",
        "thing",
        "year",
        "n",
        "many",
    ];
    let check = |pattern: &str| {
        for part in pattern.split('{').skip(1) {
            let (slot, _) = part.split_once('}').expect("a closed slot");
            assert!(SLOTS.contains(&slot), "{{{slot}}} in {pattern}");
        }
    };
    let edition = |edition: &Edition| {
        assert!(edition.asides.len() >= 8 && edition.tips.len() >= 6 && edition.things.len() >= 6);
        let facts = edition.subjects.iter().flat_map(|subject| subject.facts);
        let lists = edition.asides.iter().chain(edition.tips).copied();
        facts.chain(lists).chain(edition.table.2).for_each(check);
        let slugs: BTreeSet<_> = edition.subjects.iter().map(|subject| subject.slug).collect();
        assert_eq!(slugs.len(), edition.subjects.len());
        let slugs = slugs.into_iter().chain(edition.sections.iter().map(|s| s.slug));
        for slug in slugs {
            assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{slug}");
        }
        assert!(edition.host.bytes().all(|b| b.is_ascii_lowercase()));
        assert_eq!(edition.subjects.len(), edition.sections.len() * SUBJECTS_PER_SECTION);
    };
    for topic in &TOPICS {
        edition(&topic.en);
        edition(&topic.es);
    }
    for frame in [&EN, &ES] {
        frame.remarks.iter().for_each(|pattern| check(pattern));
        for angle in &frame.angles {
            check(angle.title);
            angle.intros.iter().for_each(|pattern| check(pattern));
        }
    }
}

proptest! {
    #[test]
    fn any_site_and_path_gets_an_answer(site in "[a-z0-9-]{0,12}", path in ".{0,40}") {
        let status = demo().page(&site, &path).status;
        prop_assert!(status == 404 || status == 421 || status == 200);
    }

    #[test]
    fn any_path_that_looks_like_ours_is_one_page_or_none(
        section in "(deep-sky|instruments|watching)(-[0-9]{1,3})?",
        rest in "((black-holes|telescopes)-[0-9]{1,4})?",
    ) {
        let web = demo();
        let path = format!("/{section}/{rest}");
        let known = web.facts().pages.contains(&format!("http://stars.demo.test{path}"));
        prop_assert_eq!(web.page("stars", &path).status == 200, known);
    }
}
