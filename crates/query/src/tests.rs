use super::*;
use lycosa_model::message::{Entry, QueryMessage, QueryReply};
use lycosa_model::{
    Document, Explain, Lang, LangShare, SearchRequest, SearchResponse, Tick, UrlId,
};
use lycosa_runtime::{Registry, mailbox, spawn_pool};
use lycosa_segments::{CommitNote, Segments, Writer, WriterSettings};
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;

mod also_at;
mod facets;
mod meaning;
mod preferences;
mod ranking;
mod standing;

/// A page: path, language, title, text.
type Sketch<'a> = (&'a str, &'a str, &'a str, &'a str);

fn entry((path, lang, title, text): Sketch<'_>) -> Entry {
    let url = format!("http://{path}");
    let share = |code: &str| Lang::parse(code).map(|lang| LangShare { lang, share: 0.5 });
    Entry {
        document: Document {
            title: title.into(),
            text: text.into(),
            languages: lang.split('+').filter_map(share).collect(),
            // Far apart for different pages: these tests are not about simhash itself.
            simhash: u64::from_le_bytes(UrlId::of(&url).0[..8].try_into().unwrap()),
            ..Document::empty(UrlId::of(&url), url)
        },
        agent: "bot-1".into(),
        fetched: Tick(1),
        id: None,
    }
}

fn writer(data: &Path) -> Writer {
    let segments = Segments::create_or_open(data).unwrap();
    segments.writer(WriterSettings::default()).unwrap()
}

fn commit(writer: &mut Writer) {
    writer.commit(&CommitNote::new(BTreeMap::new())).unwrap();
}

fn index(pages: &[Sketch<'_>]) -> (TempDir, Searcher) {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    for page in pages {
        writer.put(entry(*page)).unwrap();
    }
    commit(&mut writer);
    let searcher = Searcher::open(data.path()).unwrap();
    (data, searcher)
}

fn request(query: &str) -> SearchRequest {
    SearchRequest { query: query.into(), limit: 10, ..SearchRequest::default() }
}

fn search(searcher: &Searcher, query: &str) -> SearchResponse {
    searcher.search(&request(query)).unwrap()
}

/// Paths of the results, in order.
fn paths(response: &SearchResponse) -> Vec<&str> {
    let urls = response.results.iter().map(|hit| hit.url.as_str());
    urls.map(|url| url.trim_start_matches("http://")).collect()
}

/// Paths of the results, sorted.
fn found(searcher: &Searcher, query: &str) -> Vec<String> {
    let response = search(searcher, query);
    let mut paths: Vec<String> = paths(&response).iter().map(|p| (*p).to_owned()).collect();
    paths.sort();
    paths
}

const WEB: [Sketch<'_>; 8] = [
    ("a.test/wolf", "en", "Wolf spiders", "The wolf spider hunts at night. It carries its young."),
    ("a.test/orb", "en", "Orb weavers", "An orb weaver spins a web and waits for flies."),
    ("en.b.test/silk", "en", "Silk", "Spider silk is strong. A spider spins it for the web."),
    ("b.test/lobo", "es", "La araña lobo", "La araña lobo caza de noche. Lleva sus crías."),
    ("b.test/seda", "es", "Seda", "La seda de las arañas es muy fuerte y elástica."),
    ("b.test/mix", "es+en", "Mezcla", "El camión rojo. The red truck."),
    ("c.test/krieg", "de", "Krieg", "Es war ein Haus, und es war im Krieg."),
    ("c.test/war", "en", "War", "A war is a fight. The world war was a war."),
];

#[test]
fn a_query_without_accents_finds_what_one_with_accents_finds() {
    let (_data, searcher) = index(&WEB);
    for (with, without) in [
        ("araña lobo", "arana lobo"),
        ("crías", "CRIAS"),
        ("camión", "camion"),
        ("\"seda de las arañas\"", "\"seda de las aranas\""),
    ] {
        let (a, b) = (search(&searcher, with), search(&searcher, without));
        assert!(!a.results.is_empty(), "{with}");
        assert_eq!(paths(&a), paths(&b));
        let scores = |r: &SearchResponse| r.results.iter().map(|h| h.score).collect::<Vec<_>>();
        assert_eq!(scores(&a), scores(&b));
        assert_eq!(a.results[0].snippet, b.results[0].snippet);
    }
}

#[test]
fn inflections_of_each_language_are_found() {
    let (_data, searcher) = index(&WEB);
    assert_eq!(found(&searcher, "hunting"), ["a.test/wolf"]);
    assert_eq!(found(&searcher, "arañas"), ["b.test/lobo", "b.test/seda"]);
    assert_eq!(found(&searcher, "spiders"), ["a.test/wolf", "en.b.test/silk"]);
}

#[test]
fn a_title_counts_more_than_the_text() {
    let (_data, searcher) = index(&WEB);
    assert_eq!(paths(&search(&searcher, "spider")), ["a.test/wolf", "en.b.test/silk"]);
    assert_eq!(paths(&search(&searcher, "silk"))[0], "en.b.test/silk");
}

#[test]
fn phrases_exclusions_and_filters_hold() {
    let (_data, searcher) = index(&WEB);
    assert_eq!(found(&searcher, "\"spins a web\""), ["a.test/orb"]);
    assert_eq!(found(&searcher, "\"web spins\""), Vec::<String>::new());
    assert_eq!(found(&searcher, "spider -silk"), ["a.test/wolf"]);
    assert_eq!(found(&searcher, "spider -\"spider silk\""), ["a.test/wolf"]);
    assert_eq!(found(&searcher, "spider -hunting"), ["en.b.test/silk"]);
    assert_eq!(found(&searcher, "spider site:b.test"), ["en.b.test/silk"]);
    assert_eq!(found(&searcher, "site:en.b.test"), ["en.b.test/silk"]);
    assert_eq!(found(&searcher, "site:c.test -lang:de"), ["c.test/war"]);
    assert_eq!(found(&searcher, "red lang:en"), ["b.test/mix"]);
    assert_eq!(found(&searcher, "red lang:de"), Vec::<String>::new());
    let mut asked = request("spider");
    asked.site = Some("https://A.test/".into());
    assert_eq!(paths(&searcher.search(&asked).unwrap()), ["a.test/wolf"]);
    asked.site = Some("no site at all".into());
    assert_eq!(searcher.search(&asked).unwrap().total, 0);
    asked = request("red");
    asked.lang = Some(Lang::EN);
    assert_eq!(searcher.search(&asked).unwrap().total, 1);
}

#[test]
fn stop_words_neither_decide_nor_get_lost() {
    let (_data, searcher) = index(&WEB);
    // Stop words of one language are rare words of another; they must not win by that.
    assert_eq!(paths(&search(&searcher, "the spider of the night"))[0], "a.test/wolf");
    assert_eq!(found(&searcher, "the world war"), ["c.test/war"]);
    // A German stop word: German pages do not have it indexed, and are excused.
    assert_eq!(paths(&search(&searcher, "war"))[0], "c.test/war");
    assert_eq!(found(&searcher, "war krieg haus")[0], "c.test/krieg");
    // Nothing but stop words.
    assert_eq!(paths(&search(&searcher, "it at"))[0], "a.test/wolf");
}

#[test]
fn near_duplicates_are_folded_into_the_better_result() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    for (path, text, hash) in [
        ("a.test/1", "spider spider spider", 0b0000_u64),
        ("b.test/copy", "spider spider and some more", 0b0101),
        ("c.test/other", "spider among so many other words", u64::MAX),
        ("d.test/empty", "", 0),
    ] {
        let mut page = entry((path, "en", "spider", text));
        page.document.simhash = hash;
        writer.put(page).unwrap();
    }
    commit(&mut writer);
    let searcher = Searcher::open(data.path()).unwrap();
    let response = search(&searcher, "spider");
    assert_eq!(response.total, 4);
    assert_eq!(response.results.len(), 3, "{:?}", paths(&response));
    let first = response.results.iter().find(|hit| hit.url == "http://a.test/1").unwrap();
    assert_eq!(first.also_at, ["http://b.test/copy"]);
}

#[test]
fn the_parts_of_an_explanation_add_up_to_the_score() {
    fn check(explain: &Explain) {
        if !explain.parts.is_empty() {
            let sum: f32 = explain.parts.iter().map(|part| part.value).sum();
            assert!((sum - explain.value).abs() <= 1e-4 * sum.abs().max(1.0), "{explain:?}");
            explain.parts.iter().for_each(check);
        }
    }
    let (_data, searcher) = index(&WEB);
    for query in ["wolf spiders", "the war of spiders \"spins a web\"", "araña krieg", "it at"] {
        let mut asked = request(query);
        asked.explain = true;
        let response = searcher.search(&asked).unwrap();
        assert!(!response.results.is_empty(), "{query}");
        for hit in response.results {
            let explain = hit.explain.unwrap();
            assert_eq!(explain.value, hit.score);
            assert!(!explain.parts.is_empty());
            check(&explain);
        }
    }
    assert_eq!(search(&searcher, "wolf").results[0].explain, None);
}

#[test]
fn the_lexicon_counts_pages_and_occurrences_of_living_pages() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    let often = format!("Araña ARANA the the {}", "sol ".repeat(1_000));
    for round in ["old araña", &often] {
        for path in ["a.test/1", "a.test/2"] {
            writer.put(entry((path, "es", "Título", round))).unwrap();
        }
        commit(&mut writer);
    }
    let searcher = Searcher::open(data.path()).unwrap();
    let words = ["araña", "old", "THE", "titulo", "?!", "sol"].map(String::from);
    let rows = searcher.lexicon(&words).unwrap();
    let rows: Vec<_> = rows.iter().map(|r| (&*r.folded, r.documents, r.occurrences)).collect();
    let (found, often) = ([("arana", 2, 4), ("old", 0, 0), ("the", 2, 4)], ("sol", 2, 2_000));
    assert_eq!(rows[..3], found);
    assert_eq!(rows[3..], [("titulo", 2, 2), ("?!", 0, 0), often]);
}

#[test]
fn a_misspelt_word_gets_a_suggestion_and_a_right_one_none() {
    let (_data, searcher) = index(&WEB);
    assert_eq!(search(&searcher, "wolf spuder").suggestion.as_deref(), Some("wolf spider"));
    assert_eq!(search(&searcher, "wolf spider").suggestion, None);
}

#[test]
fn limits_are_kept_whatever_is_asked() {
    let (_data, searcher) = index(&WEB);
    let mut asked = request("spider");
    asked.limit = usize::MAX;
    asked.offset = usize::MAX;
    assert!(searcher.search(&asked).unwrap().results.is_empty());
    asked.offset = 0;
    assert_eq!(searcher.search(&asked).unwrap().results.len(), 2);
    assert_eq!(searcher.rank(&asked, usize::MAX).unwrap().len(), 2);
    asked.limit = 0;
    let none = searcher.search(&asked).unwrap();
    assert_eq!((none.total, none.results.len()), (2, 0));
    assert_eq!(search(&searcher, "").total, 0);
}

#[test]
fn a_missing_index_is_told_from_an_empty_one() {
    let data = tempfile::tempdir().unwrap();
    let missing = Searcher::open(data.path()).err().unwrap();
    assert!(matches!(missing, SegmentsError::Missing(_)));
    drop(writer(data.path()));
    let searcher = Searcher::open(data.path()).unwrap();
    assert_eq!(search(&searcher, "a \"b c\" -d site:e lang:en").total, 0);
    assert_eq!(searcher.documents().unwrap(), 0);
}

#[test]
fn two_searchers_follow_a_writer_at_work() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    commit(&mut writer);
    let searchers = [0, 1].map(|_| Searcher::open(data.path()).unwrap());
    std::thread::scope(|scope| {
        for searcher in &searchers {
            scope.spawn(move || {
                let mut last = 0;
                while last < 40 {
                    searcher.reload().unwrap();
                    let total = search(searcher, "growing").total;
                    assert!(total >= last, "a snapshot never goes back: {total} after {last}");
                    assert_eq!(total % 4, 0, "a group appears as a whole");
                    last = total;
                }
            });
        }
        for n in 0..40 {
            let path = format!("a.test/{n}");
            writer.put(entry((&path, "en", "", "a growing web"))).unwrap();
            if n % 4 == 3 {
                commit(&mut writer);
            }
        }
    });
}

#[tokio::test]
async fn a_pool_of_agents_answers_before_and_after_the_index_exists() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_owned();
    let registry = Registry::default();
    let (mailbox, inbox) = mailbox(4);
    let build = move |_| Query::new(folder.clone());
    let agents = spawn_pool(&registry, "query", 2, (&mailbox, inbox), build);
    let ask = || mailbox.ask(QueryMessage::Search(request("spider")));
    let reply = ask().await.unwrap();
    assert!(matches!(&reply, QueryReply::Found(found) if found.total == 0), "{reply:?}");
    let size = || mailbox.ask(QueryMessage::Size);
    assert!(matches!(size().await.unwrap(), QueryReply::Size(0)));
    let reply = mailbox.ask(QueryMessage::Lexicon(vec!["Araña".into()])).await.unwrap();
    assert!(
        matches!(&reply, QueryReply::Lexicon(rows) if rows[0].folded == "arana" && rows[0].documents == 0)
    );
    let mut writer = writer(data.path());
    writer.put(entry(WEB[0])).unwrap();
    commit(&mut writer);
    for _ in 0..4 {
        let reply = ask().await.unwrap();
        assert!(matches!(&reply, QueryReply::Found(found) if found.total == 1), "{reply:?}");
    }
    let reply = mailbox.ask(QueryMessage::Lexicon(vec!["wolf".into()])).await.unwrap();
    assert!(matches!(&reply, QueryReply::Lexicon(rows) if rows[0].documents == 1));
    assert!(matches!(size().await.unwrap(), QueryReply::Size(1)));
    drop(mailbox);
    for agent in agents {
        agent.join().await;
    }
}

#[tokio::test]
async fn an_index_that_cannot_be_read_is_broken_and_not_empty() {
    let data = tempfile::tempdir().unwrap();
    drop(writer(data.path()));
    std::fs::write(data.path().join("index").join("meta.json"), "rubbish").unwrap();
    let mut agent = Query::new(data.path());
    for question in [QueryMessage::Size, QueryMessage::Search(request("spider"))] {
        let reply = lycosa_runtime::Agent::handle(&mut agent, question).await;
        assert!(matches!(reply, QueryReply::Broken(_)), "{reply:?}");
    }
}

#[test]
fn a_ranking_names_documents_as_their_source_does() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    let named = Entry { id: Some("CACM-0001".into()), ..entry(WEB[0]) };
    writer.put(named.clone()).unwrap();
    writer.put(entry(WEB[1])).unwrap();
    commit(&mut writer);
    let searcher = Searcher::open(data.path()).unwrap();
    let id = |entry: &Entry| {
        let stored = searcher.document_by_id(entry.document.url_id).unwrap().unwrap();
        assert_eq!(stored.url, entry.document.url);
        stored.id
    };
    assert_eq!((id(&named), id(&entry(WEB[1]))), (Some("CACM-0001".into()), None));
    let ranked = searcher.rank(&request("spider"), 10).unwrap();
    let first = ranked.iter().find(|page| page.url == named.document.url).unwrap();
    assert_eq!(first.id.as_deref(), Some("CACM-0001"));
}

#[test]
fn the_site_of_a_hit_finds_the_pages_of_its_site_again() {
    let (_data, searcher) = index(&[
        ("weaver.localhost:8420/a", "en", "A", "a wolf spider"),
        ("weaver.localhost:8420/b", "en", "B", "another spider"),
        ("hunter.localhost:8420/a", "en", "C", "a third spider"),
        ("weaver.localhost:9000/a", "en", "D", "a spider on another port"),
        ("weaver.localhost/a", "en", "E", "a spider on the usual port"),
        ("127.0.0.1:8420/a", "en", "F", "a numbered spider"),
        ("[::1]:8420/a", "en", "G", "a colonial spider"),
    ]);
    let sites = |query: &str, site: Option<&str>| {
        let request = SearchRequest { site: site.map(str::to_owned), ..request(query) };
        let found = searcher.search(&request).unwrap();
        found.results.into_iter().map(|hit| hit.site).collect::<Vec<_>>()
    };
    let all = sites("spider", None);
    assert_eq!(all.len(), 7);
    for site in &all {
        // A bare host holds every port of it; with a port it is exactly that one.
        let same = all.iter().filter(|other| {
            *other == site || (site == "weaver.localhost" && other.starts_with("weaver"))
        });
        let same = same.count();
        assert_eq!(sites("spider", Some(site)).len(), same, "{site}");
        assert_eq!(sites(&format!("spider site:{site}"), None).len(), same, "{site}");
    }
}

/// A small generator of our own: the loop must be the same in every run.
struct Noise(u64);

impl Noise {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }

    fn query(&mut self) -> String {
        const PIECES: [&str; 32] = [
            "spider", "the", "araña", "war", "\"", "“", "-", "+", " ", " ", "site:", "lang:", ":",
            "*", "(", ")", "AND", "OR", "^", "~2", "[a TO b]", "\\", "\0", "\u{301}", "中文", "🕷",
            "a.test", "es", "{}", "'", "\n", "/",
        ];
        let length = self.next(30);
        (0..length)
            .map(|_| match self.next(4) {
                0 => char::from_u32(self.next(0x11_0000) as u32).unwrap_or('?').to_string(),
                _ => PIECES[self.next(PIECES.len())].to_owned(),
            })
            .collect()
    }
}

#[test]
fn ten_thousand_hostile_queries_are_all_answered() {
    let (_data, searcher) = index(&WEB);
    let mut noise = Noise(0x5eed);
    for _ in 0..10_000 {
        let mut asked = request(&noise.query());
        asked.explain = noise.next(8) == 0;
        asked.site = (noise.next(8) == 0).then(|| noise.query());
        asked.lang = (noise.next(8) == 0).then_some(Lang::ES);
        for preference in lycosa_model::Preference::ALL {
            if noise.next(16) == 0 {
                asked.preferences.set(&noise.query(), preference);
            }
        }
        let response = searcher.search(&asked);
        let response = response.unwrap_or_else(|error| panic!("{:?}: {error}", asked.query));
        assert!(response.results.iter().all(|hit| hit.score.is_finite()), "{:?}", asked.query);
    }
    for long in ["a ".repeat(50_000), "\"".repeat(9_999), "-x ".repeat(9_999), "ñ".repeat(9_999)] {
        search(&searcher, &long);
    }
}
