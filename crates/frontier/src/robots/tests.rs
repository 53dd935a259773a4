use super::*;
use proptest::prelude::*;

fn allowed(robots: &str, agent: &str, url: &str) -> bool {
    Robots::parse(robots.as_bytes()).verdict(agent, url).allowed
}

#[test]
fn the_verdict_names_the_rule_and_its_line() {
    let robots =
        Robots::parse(b"# hello\r\nUser-agent: *\r\n\r\nDISALLOW : /private/ # keep out\r\n");
    assert_eq!(
        robots.verdict("lycosa", "https://a.org/private/x?y"),
        Verdict { allowed: false, rule: Some("Disallow: /private/".to_owned()), line: Some(4) }
    );
    let open = Verdict { allowed: true, rule: None, line: None };
    assert_eq!(robots.verdict("lycosa", "https://a.org/public"), open);
    assert_eq!(Robots::default().verdict("lycosa", "https://a.org/"), open);
}

#[test]
fn the_longest_rule_decides_and_allow_wins_a_tie() {
    let robots =
        "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /t\nDisallow: /t\n";
    assert!(!allowed(robots, "x", "/a"));
    assert!(allowed(robots, "x", "/a/b"));
    assert!(!allowed(robots, "x", "/a/b/c"));
    assert!(allowed(robots, "x", "/t"));
}

#[test]
fn an_agent_has_its_own_group_or_the_one_for_all() {
    let robots = "User-agent: Lycosa\nDisallow: /l\nUser-agent: *\nDisallow: /\nUser-agent: lycosa/2.0\nDisallow: /m\n";
    for agent in ["lycosa", "LYCOSA", "Lycosa/0.1 (+https://a.org/bot)"] {
        assert!(allowed(robots, agent, "/x"));
        assert!(!allowed(robots, agent, "/l"));
        assert!(!allowed(robots, agent, "/m"), "groups of one agent are one group");
    }
    assert!(!allowed(robots, "other", "/x"));
    assert!(!allowed(robots, "lycosabot", "/x"), "a token is matched whole");
    assert!(allowed("User-agent: lycosa\nDisallow:\n\nUser-agent: *\nDisallow: /", "lycosa", "/x"));
}

#[test]
fn wildcards_stand_for_any_text_and_a_dollar_for_the_end() {
    let robots = "User-agent: *\nDisallow: /*.pdf$\nDisallow: /a*b*c\nDisallow: *secret\nDisallow: /cash$money\n";
    for url in ["/x/y.pdf", "/abc", "/a-b-c-d", "/very/secret/x", "/cash$money/x", "/cash%24money"]
    {
        assert!(!allowed(robots, "x", url), "{url}");
    }
    for url in ["/x/y.pdf?z", "/acb", "/a", "/cash"] {
        assert!(allowed(robots, "x", url), "{url}");
    }
    // A star in an address is only a star.
    assert!(!allowed("User-agent: *\nDisallow: /a%2Ab\n", "x", "/a*b"));
    assert!(allowed("User-agent: *\nDisallow: /a%2Ab\n", "x", "/axb"));
}

#[test]
fn in_doubt_about_encoding_the_site_wins() {
    let robots = "User-agent: *\nDisallow: /caf\u{e9}\nDisallow: /%62\nDisallow: /m%c3%bc\n";
    for url in ["/caf%C3%A9", "/caf%c3%a9", "/caf\u{e9}", "/b", "/%62", "/m%C3%BC", "/m\u{fc}"] {
        assert!(!allowed(robots, "x", url), "{url}");
    }
    let latin = b"User-agent: *\nDisallow: /caf\xE9\n";
    assert!(!Robots::parse(latin).verdict("x", "/caf%E9").allowed);
}

#[test]
fn robots_txt_itself_is_always_permitted() {
    let robots = Robots::parse(b"User-agent: *\nDisallow: /\n");
    assert!(robots.permits("x", "https://a.org/robots.txt"));
    assert!(!robots.permits("x", "https://a.org/robots.txt?x"));
    assert!(!robots.permits("x", "https://a.org/"));
    assert!(!robots.verdict("x", "https://a.org/robots.txt").allowed);
}

#[test]
fn delays_are_read_and_bind_the_agents_named_before_them() {
    let robots = Robots::parse(
        b"User-agent: a\nCrawl-delay: 2.5\nUser-agent: b\nDisallow: /x\n\nUser-agent: c\nCrawl-delay: 999999999999\nDisallow: /\nUser-agent: d\nCrawl-delay: soon\nCrawl-delay: -1\nDisallow: /\nUser-agent: e\nDisallow: /\nCrawl-delay: 1\nCrawl-delay: 3s\n",
    );
    assert_eq!(robots.crawl_delay("a"), Some(Duration::from_millis(2_500)));
    assert_eq!(robots.crawl_delay("b"), None);
    assert_eq!(robots.crawl_delay("c"), Some(MAX_CRAWL_DELAY));
    assert_eq!(robots.crawl_delay("d"), None);
    assert_eq!(robots.crawl_delay("e"), Some(Duration::from_secs(3)));
    assert_eq!(robots.crawl_delay("nobody"), None);
    let for_all = Robots::parse(b"User-agent: *\nCrawl-delay: 0.5\n");
    assert_eq!(for_all.crawl_delay("a"), Some(Duration::from_millis(500)));
}

#[test]
fn sitemaps_and_other_lines_are_kept_and_end_no_group() {
    let robots = Robots::parse(
        b"Host: a.org\nUser-agent: a\nSitemap: https://a.org/s.xml\nContent-Signal: search=yes, ai-train=no\nUser-agent: b\nDisallow: /x\n",
    );
    assert_eq!(robots.sitemaps(), ["https://a.org/s.xml"]);
    let other: Vec<(&str, &str, usize, &[String])> = robots
        .other()
        .iter()
        .map(|line| (line.key.as_str(), line.value.as_str(), line.line, robots.agents_of(line)))
        .collect();
    let named_before = ["a".to_owned()];
    assert_eq!(
        other,
        [
            ("host", "a.org", 1, [].as_slice()),
            ("content-signal", "search=yes, ai-train=no", 4, named_before.as_slice()),
        ]
    );
    assert!(!robots.verdict("a", "/x").allowed, "both agents are in one group");
}

#[test]
fn the_lines_that_no_rule_reads_are_told_to_those_they_are_meant_for() {
    let text = "Content-Signal: search=yes\n\nUser-agent: other\nContent-Signal: ai-train=yes\n\n\
                User-agent: lycosa\nContent-Signal: ai-train=no\nDisallow: /x\n";
    let robots = Robots::parse(text.as_bytes());
    let lines = |agent: &str| -> Vec<String> {
        robots.other_for(agent).map(|line| format!("{}: {}", line.key, line.value)).collect()
    };
    assert_eq!(lines("Lycosa/0.1"), ["content-signal: search=yes", "content-signal: ai-train=no"]);
    assert_eq!(lines("somebody"), ["content-signal: search=yes"]);
}

#[test]
fn common_mistakes_are_understood() {
    for line in ["Dissallow: /x", "disalow:/x", "Disallow /x", "  disallow:\t/x  "] {
        for agent in ["useragent: a", "User Agent: a", "\u{feff}User-agent a"] {
            assert!(!allowed(&format!("{agent}\r{line}\r"), "a", "/x"), "{agent}, {line}");
        }
    }
    assert!(allowed("User-agent: a\nDisallow /x y\n", "a", "/x"));
    assert!(allowed("Disallow: /x\nUser-agent: a\n", "a", "/x"), "no group, no rule");
}

#[test]
fn a_file_that_is_too_long_is_cut_between_lines() {
    let head = "User-agent: *\nDisallow: /head\n";
    let filler = format!("#{}\n", "x".repeat(98));
    let mut text = head.to_owned();
    while text.len() + filler.len() < MAX_ROBOTS_BYTES - 5 {
        text.push_str(&filler);
    }
    text.push_str(&"#".repeat(MAX_ROBOTS_BYTES - 13 - text.len()));
    // The limit falls into the path: `Disallow: /fo` must not be taken for a rule.
    text.push_str("\nDisallow: /food\nDisallow: /tail\n");
    assert_eq!(&text[MAX_ROBOTS_BYTES - 3..MAX_ROBOTS_BYTES], " /f");
    let robots = Robots::parse(text.as_bytes());
    assert!(!robots.verdict("x", "/head").allowed);
    for url in ["/f", "/food", "/tail"] {
        assert!(robots.verdict("x", url).allowed, "{url}");
    }
    // What is kept of it says the same when it is read again.
    let kept = &text.as_bytes()[..readable_bytes(text.as_bytes())];
    assert!(kept.len() < MAX_ROBOTS_BYTES && Robots::parse(kept) == robots);
}

#[test]
fn a_hostile_pattern_costs_no_more_than_its_length() {
    // Backtracking would need more steps than there are atoms; this ends at once or never.
    let pattern = "/".to_owned() + &"*a".repeat(2_000) + "*b$";
    let url = "/".to_owned() + &"a".repeat(8_000);
    let robots = format!("User-agent: *\nDisallow: {pattern}\n");
    assert!(allowed(&robots, "x", &url));
    assert!(!allowed(&robots, "x", &format!("{url}b")));
}

/// The plainest matcher there is, to compare with: try every length for every star.
fn matches_slowly(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|skip| matches_slowly(rest, &path[skip..])),
        [first, rest @ ..] => path.first() == Some(first) && matches_slowly(rest, &path[1..]),
    }
}

proptest! {
    #[test]
    fn matching_agrees_with_trying_everything(
        pattern in "/[ab*/]{0,8}[$]?",
        path in "/[ab/]{0,10}",
    ) {
        let robots = format!("User-agent: *\nDisallow: {pattern}\n");
        let expected = matches_slowly(pattern.as_bytes(), path.as_bytes());
        let url = format!("http://example.org{path}");
        prop_assert_eq!(!allowed(&robots, "x", &url), expected);
    }

    #[test]
    fn no_file_breaks_the_parser(bytes in prop::collection::vec(any::<u8>(), 0..200), url in "\\PC{0,40}") {
        let robots = Robots::parse(&bytes);
        let _ = robots.verdict("lycosa", &url);
        let _ = robots.crawl_delay("lycosa");
    }

    #[test]
    fn lines_of_any_shape_keep_their_numbers(
        before in "(User-agent: [a*]\n|# x\r\n|\r|junk\n|Crawl-delay: 1\n){0,6}",
    ) {
        let text = format!("{before}User-agent: *\nDisallow: /x\n");
        let lines = before.replace("\r\n", "\n").replace('\r', "\n").matches('\n').count();
        let verdict = Robots::parse(text.as_bytes()).verdict("zzz", "/x");
        prop_assert_eq!(verdict.line, Some(lines + 2));
    }
}

#[test]
fn a_site_says_where_crawllets_may_be_sent() {
    let read = |text: &str| Robots::parse(text.as_bytes()).crawllet().map(str::to_owned);
    let path = Some("/.well-known/crawllet".to_owned());
    assert_eq!(read("Crawllet: /.well-known/crawllet\nUser-agent: *\nDisallow: /x"), path);
    assert_eq!(
        read("User-agent: other\nDisallow: /\ncrawllet: /.well-known/crawllet # ours"),
        path
    );
    assert_eq!(read("User-agent: *\nDisallow: /x"), None);
    assert_eq!(read("Crawllet: https://evil.test/\nCrawllet: /.well-known/crawllet"), path);
    assert_eq!(read("Crawllet: //evil.test/"), None, "another site");
    assert_eq!(read("Crawllet: /\\evil.test/"), None, "another site for browsers");
    assert_eq!(read(&format!("Crawllet: /{}", "x".repeat(300))), None, "too long");
}
