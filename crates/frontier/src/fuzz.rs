//! Does any text break what we read of addresses and of robots.txt?

use crate::robots::Robots;
use crate::{normal, registrable_domain, scope, surt, traps};
use lycosa_fuzz::Fuzz;
use lycosa_model::{SiteCounters, Tick};

const URL_WORDS: &[&[u8]] = &[
    b"http://",
    b"https://",
    b"//",
    b"/",
    b"../",
    b"./",
    b"%2e",
    b"%2E%2e",
    b"%25",
    b"%",
    b"%zz",
    b"?",
    b"&",
    b"=",
    b"#",
    b":",
    b"@",
    b"[::1]",
    b"[",
    b"]",
    b"xn--",
    b"\xc3\xa4",
    b"\xe2\x80\xae",
    b".",
    b"..",
    b"www.",
    b"/2024/11/",
    b"date=2024-11-30",
    b"PHPSESSID=0123456789abcdef",
    b"a=1&",
    b"a[]=1;",
    b"0x7f.1",
    b"\\",
    b"\t",
    b"\n",
    b" ",
    b":443",
    b":99999",
    b"index.html",
    b"/a/a/a",
];

#[test]
fn addresses_of_any_bytes_are_read_or_refused() {
    let seeds: &[&[u8]] = &[
        b"https://user:pw@www.Example.org:443/a/./b/../c%7e?q=1&utm_source=x#top",
        b"http://[2001:db8::1]:8080/shop?c=1&s=2&sid=0123456789abcdef0123456789abcdef",
        b"/agenda/2024-11-30?month=12",
    ];
    Fuzz { seeds, words: URL_WORDS }.run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let _ = surt(&text);
        let _ = registrable_domain(&text);
        for address in [normal::parse(&text), normal::resolve("https://a.test/b/c?d", &text)] {
            let Ok(address) = address else { continue };
            let again = normal::parse(address.normal()).expect("a normal form is an address");
            assert_eq!(again.id, address.id, "a normal form is its own normal form");
            let mut counters = SiteCounters::default();
            let rule = traps::TrapRule::default();
            let _ = rule.verdict(&address, &mut counters, Tick(1_700_000_000_000));
            let _ = traps::without_session(&address);
            for kind in ["site", "domain", "prefix", "any"] {
                let kind = kind.parse().expect("a scope");
                assert!(scope::Scope::new(kind, [&address]).admits(&address));
            }
        }
    });
}

#[test]
fn robots_txt_of_any_bytes_gives_a_verdict() {
    let seeds: &[&[u8]] = &[
        b"User-agent: *\nDisallow: /private/*.pdf$\nAllow: /\nCrawl-delay: 2.5\n",
        b"\xef\xbb\xbfUser-agent: lycosa\r\nUser-agent: other # x\r\nDisallow:\r\nSitemap: /s.xml\r\n",
        b"Content-Signal: search=yes\nUser-agent: a\nDisallow: /a%2fb?c=*&d\n",
    ];
    let words: &[&[u8]] = &[
        b"User-agent:",
        b"Disallow:",
        b"Allow:",
        b"Sitemap:",
        b"Crawl-delay:",
        b"*",
        b"$",
        b"/",
        b"#",
        b"\r\n",
        b"\n",
        b"\r",
        b":",
        b"lycosa",
        b"%2F",
        b"%",
        b"\xef\xbb\xbf",
        b"/*",
        b"*a",
        b"Disallow: /*a*a*a*a*b$\n",
        b"User-agent: *\n",
        b"Content-Signal: ",
        b"\0",
    ];
    Fuzz { seeds, words }.run(|bytes| {
        let robots = Robots::parse(bytes);
        let long = format!("https://a.test/{}", "a".repeat(500));
        for url in ["https://a.test/private/x.pdf?y", "/", "", long.as_str()] {
            let verdict = robots.verdict("lycosa", url);
            assert_eq!(robots.permits("lycosa", url), verdict.allowed);
        }
        assert!(robots.permits("lycosa", "https://a.test/robots.txt"));
        let _ = (robots.crawl_delay("lycosa"), robots.sitemaps());
        for line in robots.other() {
            let _ = robots.agents_of(line);
        }
    });
}
