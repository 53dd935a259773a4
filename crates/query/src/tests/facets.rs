//! What is counted is what is found.

use super::*;
use lycosa_model::FacetRow;

const LANGUAGES: [&str; 11] = ["en", "es", "de", "fr", "it", "pt", "nl", "sv", "ru", "fi", "da"];
const HOSTS: [&str; 8] = [
    "a.test",
    "www.a.test",
    "b.www.a.test",
    "a.test:8080",
    "a.test:443",
    "127.0.0.1:81",
    "[::1]:81",
    "c.test",
];

/// Pages of many hosts, languages and years in several segments, some of them replaced.
fn mixed_web(data: &Path) -> Searcher {
    let mut noise = Noise(11);
    let mut writer = writer(data);
    let words = ["red", "blue", "spider", "running", "casas", "moon", "die", "the"];
    for n in 0..1_200 {
        // The first languages and hosts are the most frequent ones.
        let mut pick = |from: &[&str]| {
            let place = noise.next(from.len()).min(noise.next(from.len()));
            from[place].to_owned()
        };
        let (host, mut lang) = (pick(&HOSTS), pick(&LANGUAGES));
        if n % 3 == 0 {
            lang = format!("{lang}+{}", pick(&LANGUAGES));
        }
        let text: Vec<String> = (0..6).map(|_| pick(&words)).collect();
        let path = format!("{host}/{}", n % 1_000);
        let title = if n % 50 == 0 { "Red moon" } else { "" };
        let mut page = entry((&path, &lang, title, &text.join(" ")));
        let year = 2000 + (n as u32 * 7) % 14;
        page.document.published = Some(Tick(crate::date::year_begins(year) + n as u64));
        writer.put(page).unwrap();
        if n % 400 == 399 {
            commit(&mut writer);
        }
    }
    for n in 0..40 {
        // More sites than are ever shown.
        let path = format!("site-{n}.test/");
        writer.put(entry((&path, "en", "", "red spider moon"))).unwrap();
    }
    commit(&mut writer);
    Searcher::open(data).unwrap()
}

#[test]
fn a_filter_finds_exactly_what_its_facet_counts() {
    let data = tempfile::tempdir().unwrap();
    let searcher = mixed_web(data.path());
    let total = |asked: SearchRequest| searcher.search(&asked).unwrap().total;
    let mut rows = 0;
    for query in [
        "red",
        "red moon",
        "moon spider running",
        "red blue spider moon casas",
        "die moon",
        "the",
        "red OR casas",
        "moon -blue",
        "\"red red\"",
        "running lang:fi",
        "red moon xyzzy",
        "site:a.test",
        "red before:2008",
    ] {
        for (lang, site) in
            [(None, None), (Some("de"), None), (Some("da"), None), (None, Some("a.test"))]
        {
            let mut asked = request(query);
            asked.lang = lang.and_then(Lang::parse);
            asked.site = site.map(str::to_owned);
            asked.facets = true;
            let found = searcher.search(&asked).unwrap();
            let facets = found.facets.unwrap();
            assert_eq!(facets.counted, found.total, "{query}");
            asked.facets = false;
            let mut check = |row: &FacetRow, asked: SearchRequest| {
                rows += 1;
                assert_eq!(total(asked), row.pages, "{query} {lang:?} {site:?}: {row:?}");
            };
            for row in &facets.sites {
                check(row, SearchRequest { site: Some(row.value.clone()), ..asked.clone() });
            }
            for row in &facets.languages {
                check(row, SearchRequest { lang: Lang::parse(&row.value), ..asked.clone() });
            }
            for row in &facets.years {
                let year: u32 = row.value.parse().unwrap();
                let query = format!("after:{year} before:{} {query}", year + 1);
                check(row, SearchRequest { query, ..asked.clone() });
            }
            let is_sorted = |rows: &[FacetRow]| rows.is_sorted_by(|a, b| a.pages >= b.pages);
            assert!(is_sorted(&facets.sites) && is_sorted(&facets.languages));
        }
    }
    assert!(rows > 500, "{rows}");
}

#[test]
fn the_sites_with_most_pages_are_shown_however_they_lie_in_segments() {
    let data = tempfile::tempdir().unwrap();
    let mut writer = writer(data.path());
    // In each segment sixty sites have more pages than the one that has most of all.
    for segment in 0..4 {
        for n in 0..60 {
            for page in 0..3 {
                let path = format!("s{segment}-{n}.test/{page}");
                writer.put(entry((&path, "en", "", "spider"))).unwrap();
            }
        }
        for page in 0..2 {
            let path = format!("steady.test/{segment}-{page}");
            writer.put(entry((&path, "en", "", "spider"))).unwrap();
        }
        commit(&mut writer);
    }
    let searcher = Searcher::open(data.path()).unwrap();
    let mut asked = request("spider");
    asked.facets = true;
    let facets = searcher.search(&asked).unwrap().facets.unwrap();
    assert_eq!(facets.sites[0], FacetRow { value: "steady.test".into(), pages: 8 });
    assert_eq!(facets.sites.len(), 10);
}
