use super::*;
use crate::normal::parse;
use proptest::prelude::*;

/// The middle of 2025.
const NOW: Tick = Tick(1_750_000_000_000);

/// A rule and one site.
#[derive(Default)]
struct Desk {
    rule: TrapRule,
    counters: SiteCounters,
}

impl Desk {
    fn ask(&mut self, path: &str) -> Result<(), Trap> {
        let address = parse(&format!("http://a.test{path}")).expect("an address");
        self.rule.verdict(&address, &mut self.counters, NOW)
    }

    /// How many are admitted.
    fn admitted(&mut self, paths: impl IntoIterator<Item = String>) -> usize {
        paths.into_iter().filter(|path| self.ask(path).is_ok()).count()
    }
}

fn plain(url: &str) -> Option<String> {
    without_session(&parse(url).expect("an address")).map(|address| address.request)
}

#[test]
fn a_path_that_repeats_itself_is_refused() {
    let mut desk = Desk::default();
    for path in
        ["/a/a/a", "/x/a/b/a/b/a/b", "/a/b/c/d/a/b/c/d/a/b/c/d/", "/p/1/p/1/p/1", "/a//a//a"]
    {
        assert_eq!(desk.ask(path), Err(Trap::RepeatingPath), "{path}");
    }
    assert_eq!(
        desk.ask("/p/a/p/b/p/c/p/d/p"),
        Err(Trap::RepeatingPath),
        "also with others between"
    );
    for path in ["/a/a", "/a/b/a/b/c", "/org/x/org/y", "/book/1/1/1", "/0/0/0/tile.html", "/", "//"]
    {
        assert_eq!(desk.ask(path), Ok(()), "{path}");
    }
}

#[test]
fn deep_long_and_many_have_limits() {
    let mut desk = Desk::default();
    let path = |count: usize| (0..count).map(|n| format!("/s{n}")).collect::<String>();
    assert_eq!((desk.ask(&path(24)), desk.ask(&path(25))), (Ok(()), Err(Trap::DeepPath)));
    assert_eq!(desk.ask(&format!("/{}", "x".repeat(2100))), Err(Trap::LongAddress));
    let query = |count: usize| (0..count).map(|n| format!("k{n}=1&")).collect::<String>();
    assert_eq!(desk.ask(&format!("/?{}z", query(23))), Ok(()));
    assert_eq!(desk.ask(&format!("/?{}z", query(24))), Err(Trap::ManyParameters));
}

#[test]
fn a_calendar_ends_at_its_horizon() {
    let mut desk = Desk::default();
    let beyond = [
        "/cal/2028/01",
        "/cal/2028/1/31/",
        "/cal/2031-12",
        "/cal/month/2031-12-24/index.html",
        "/cal?date=2031-05-12",
        "/cal?date=12.05.2031",
        "/cal?month=5&year=2031",
        "/cal?d=05%2F2031",
        "/view.php?view=day&time=1999999999",
        "/cal/2031/12",
        "/cal?day=2050-01-01T00:00",
        "/week/2040-W11",
        "/cal/2090/05/day",
    ];
    for path in beyond {
        assert_eq!(desk.ask(path), Err(Trap::Calendar), "{path}");
    }
    let honest = [
        "/2027/12/",
        "/cal/2024-05-12",
        "/1945/05/08/end-of-the-war.html",
        "/2050/01/the-future",
        "/docs/2031/",
        "/gazette/1905-11-18.xml",
        "/?coverDate=08%2F31%2F1968",
        "/shard/4821/11/23.html",
        "/item/20510512",
        "/v/10.2040",
        "/?year=1950",
        "/id/1/2",
        "/?m=5&y=12",
        "/?date=tomorrow",
        "/cal/2024/13",
    ];
    for path in honest {
        assert_eq!(desk.ask(path), Ok(()), "{path}");
    }
}

#[test]
fn a_calendar_within_its_horizon_has_only_so_many_pages() {
    let days = || {
        (1971..2027).flat_map(|year| (1..=360).map(move |day| (year, day / 31 + 1, day % 31 + 1)))
    };
    type Calendar = fn((i32, i32, i32)) -> String;
    let calendars: [Calendar; 5] = [
        |(y, m, d)| format!("/calendar/{y}/{m:02}/{d:02}/"),
        |(y, m, d)| format!("/events/{y}-{m:02}-{d:02}"),
        |(y, m, d)| format!("/cal.php?view=day&date={y}{m:02}{d:02}"),
        |(y, m, d)| format!("/cal.php?year={y}&month={m}&day={d}"),
        |(y, m, d)| format!("/plan/{y}/{m}/{d}/book.html?room=3"),
    ];
    for calendar in calendars {
        let mut desk = Desk::default();
        assert_eq!(desk.admitted(days().map(calendar)), 400, "{}", calendar((2024, 5, 12)));
        assert_eq!(desk.ask("/news/"), Ok(()), "the rest of the site goes on");
    }
}

#[test]
fn an_archive_of_dated_articles_has_no_limit() {
    let mut desk = Desk::default();
    let articles = (0..30_000)
        .map(|n| format!("/{}/{:02}/{:02}/title-{n}", 1980 + n % 45, n % 12 + 1, n % 28 + 1));
    assert_eq!(desk.admitted(articles), 30_000);
}

#[test]
fn a_search_that_combines_its_filters_is_cut() {
    let mut desk = Desk::default();
    let filters = (0..40_000).map(|n| {
        let part = |key: &str, digit: u32| format!("{key}={}", n / 8_u32.pow(digit) % 8);
        let keys = ["colour", "size", "brand", "sort", "page"];
        let parts: Vec<_> = keys.iter().zip(0..).map(|(key, digit)| part(key, digit)).collect();
        format!("/shop/search?{}", parts.join("&"))
    });
    let admitted = desk.admitted(filters);
    assert!((200..900).contains(&admitted), "{admitted}");
    assert_eq!(desk.ask("/shop/search?colour=1&size=2"), Err(Trap::Facets), "fewer filters too");
    assert_eq!(desk.ask("/shop/other?colour=1&size=2"), Ok(()));
    assert_eq!(desk.ask("/shop/search?q=boots"), Ok(()));
}

#[test]
fn the_same_parameters_in_other_orders_are_cut() {
    let mut desk = Desk::default();
    let orders = (0..5040_usize).map(|mut n| {
        let mut left: Vec<char> = "abcdefg".chars().collect();
        let order = (1..=7).rev().map(|size| {
            let key = left.remove(n % size);
            n /= size;
            format!("{key}=1")
        });
        format!("/list?{}", order.collect::<Vec<_>>().join("&"))
    });
    let admitted = desk.admitted(orders);
    assert!((200..320).contains(&admitted), "{admitted}");
}

#[test]
fn forums_and_numbered_articles_are_no_facets() {
    let mut desk = Desk::default();
    let topics = (0..20_000).flat_map(|topic| {
        (0..3).map(move |page| {
            format!("/viewtopic.php?f={}&t={topic}&start={}", topic % 40, page * 15)
        })
    });
    assert_eq!(desk.admitted(topics), 60_000);
    let articles =
        (0..20_000).map(|n| format!("/index.php?option=com_content&view=article&id={n}&lang=en"));
    assert_eq!(desk.admitted(articles), 20_000);
}

#[test]
fn a_trap_is_noticed_among_many_honest_pages_and_memory_stays_small() {
    let mut desk = Desk::default();
    let mut caught = 0;
    for n in 0..50_000 {
        assert_eq!(desk.ask(&format!("/p{n}/x?a={n}&b=1")), Ok(()), "an honest page is never cut");
        assert_eq!(desk.ask(&format!("/2024/05/12/p{n}")), Ok(()));
        let day = format!("/cal/{}/{:02}/{:02}", 1971 + n % 56, n % 12 + 1, n % 28 + 1);
        caught += usize::from(desk.ask(&day).is_err());
    }
    assert!(caught > 48_000, "{caught}");
    let counters = &desk.counters;
    assert!(counters.dates.len() <= SLOTS && counters.queries.len() <= SLOTS);
}

#[test]
fn session_ids_are_taken_out() {
    let hex = "0123456789abcdef0123456789abcdef";
    let cases = [
        (format!("/a.jsp;jsessionid={hex}?x=1"), "/a.jsp?x=1"),
        (format!("/a.jsp;v=2;jsessionid={hex}.node1"), "/a.jsp;v=2"),
        (format!("/a.php?PHPSESSID={hex}"), "/a.php"),
        (format!("/t.php?t=5&sid={hex}&p=2"), "/t.php?t=5&p=2"),
        (format!("/shop?osCsid={hex}&id=3"), "/shop?id=3"),
        ("/a.cfm?CFID=123&CFTOKEN=456&p=1".into(), "/a.cfm?p=1"),
        ("/(S(abcdefghijklmnopqrstuvwx))/page.aspx".into(), "/page.aspx"),
        ("/x.asp?ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX".into(), "/x.asp"),
    ];
    for (with, without) in cases {
        let (with, without) = (format!("http://a.test{with}"), format!("http://a.test{without}"));
        assert_eq!(plain(&with).as_deref(), Some(without.as_str()), "{with}");
        assert_eq!(plain(&without), None);
    }
    let honest = [
        "/a?sid=5",
        "/a?session=winter-school",
        "/a?session=spring-concert-rehearsal",
        "/cf?cfid=1",
        "/(a)/b",
        "/a;b/c",
        "/a?sid=",
        "/talk?sid",
    ];
    for path in honest {
        assert_eq!(plain(&format!("http://a.test{path}")), None, "{path}");
    }
}

#[test]
fn a_rule_that_is_off_refuses_nothing_but_the_budget_holds() {
    let rule = TrapRule { enabled: false, site_pages: Some(5), ..TrapRule::default() };
    let mut desk = Desk { rule, ..Desk::default() };
    assert_eq!(desk.ask("/a/a/a/a/2099/01"), Ok(()));
    assert_eq!((desk.rule.budget(4), desk.rule.budget(5)), (Ok(()), Err(Trap::SiteBudget)));
    assert_eq!(TrapRule::default().budget(u64::MAX), Ok(()));
}

#[test]
fn counters_are_the_same_after_they_were_written() {
    let mut desk = Desk::default();
    for n in 0..500 {
        let _ = desk.ask(&format!("/s?a={}&b={}", n % 7, n % 11));
        let _ = desk.ask(&format!("/cal/2024/{}", n % 12 + 1));
    }
    let text = serde_json::to_string(&desk.counters).expect("written");
    let mut again =
        Desk { counters: serde_json::from_str(&text).expect("read"), ..Desk::default() };
    for n in 0..500 {
        let path = format!("/s?a={}&b={}&c={}", n % 7, n % 11, n % 3);
        assert_eq!(again.ask(&path), desk.ask(&path));
    }
    assert_eq!(again.counters, desk.counters);
}

proptest! {
    #[test]
    fn any_address_gets_a_verdict(path in "(/[a-z0-9.;()=_-]{0,12}){0,30}", query in "[a-z0-9=&%/.:+-]{0,80}") {
        let mut desk = Desk::default();
        if let Ok(address) = parse(&format!("http://a.test{path}?{query}")) {
            let first = desk.rule.verdict(&address, &mut desk.counters, NOW);
            let mut other = Desk::default();
            prop_assert_eq!(other.rule.verdict(&address, &mut other.counters, NOW), first);
            if let Some(plain) = without_session(&address) {
                prop_assert!(plain.request.len() < address.request.len());
                prop_assert_eq!(without_session(&plain), None);
            }
        }
    }
}

#[test]
fn pages_that_only_lead_on_are_a_maze_and_one_that_leads_back_or_ends_shows_that_they_are_not() {
    let rule = TrapRule { maze_pages: 10, ..TrapRule::default() };
    let on = Onward { new: 3, known: 0 };
    let address = |path: &str| parse(&format!("http://a.test{path}")).expect("url");
    let refused = |counters: &SiteCounters, path| rule.still(&address(path), counters).is_err();
    let walk = |pages: usize, folder: &str, counters: &mut SiteCounters| {
        for page in 0..pages {
            rule.leads(&address(&format!("{folder}{page}")), counters, on);
        }
    };

    let mut counters = SiteCounters::default();
    walk(9, "/maze/", &mut counters);
    assert!(!refused(&counters, "/maze/x"));
    rule.leads(&address("/honest"), &mut counters, Onward { new: 3, known: 1 });
    walk(1, "/maze/", &mut counters);
    assert!(refused(&counters, "/maze/x") && refused(&counters, "/maze/deep/x"));
    assert!(!refused(&counters, "/honest") && !refused(&counters, "/mazes/x"));
    assert_eq!(rule.verdict(&address("/maze/x"), &mut counters, Tick(0)), Err(Trap::Maze));

    for end in [Onward { new: 9, known: 1 }, Onward { new: 1, known: 0 }, Onward::default()] {
        let mut counters = SiteCounters::default();
        for _ in 0..10 {
            walk(9, "/list/", &mut counters);
            rule.leads(&address("/list/end"), &mut counters, end);
        }
        assert!(!refused(&counters, "/list/x"), "{end:?}");
    }

    // Every folder is a new one.
    let mut counters = SiteCounters::default();
    for page in 0..400 {
        rule.leads(&address(&format!("/{page}/x")), &mut counters, on);
    }
    assert!(refused(&counters, "/other/x"));
    assert!(counters.mazes.len() <= SLOTS);

    let off = TrapRule { enabled: false, ..rule.clone() };
    assert!(off.still(&address("/other/x"), &counters).is_ok());
}
