//! What does the address of a page say?

use lycosa_frontier::whatwg;
use percent_encoding::percent_decode_str;
use url::Url;

/// Bytes of an address that are read for words.
const MAX_ADDRESS: usize = 512;
/// Letters of the longest ending that names a kind of file.
const MAX_ENDING: usize = 5;
/// Endings of programs that write pages: what they send is HTML.
const PROGRAMS: [&str; 14] = [
    "htm", "html", "xhtml", "shtml", "php", "php3", "phtml", "asp", "aspx", "jsp", "jsf", "cgi",
    "pl", "do",
];

/// The words of an address as a text: its host without `www` and top-level domain, its path and its query,
/// decoded.
pub(crate) fn address_text(url: &Url) -> String {
    let host = whatwg::host(url).unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let host = match whatwg::is_name(host) {
        true => host.rsplit_once('.').map_or(host, |(name, _)| name),
        false => "",
    };
    let mut text = String::new();
    for part in [host, url.path(), url.query().unwrap_or_default()] {
        text.push_str(&percent_decode_str(part).decode_utf8_lossy());
        text.push(' ');
    }
    text.truncate(text.floor_char_boundary(MAX_ADDRESS));
    // A full stop joins words in a text; in an address it parts them, as the other signs do.
    text.replace(|c: char| !c.is_alphanumeric(), " ")
}

/// What kind of file an address names by its ending: `html` where it has none, or that of a program.
pub(crate) fn kind(url: &Url) -> String {
    let file = url.path().rsplit('/').next().unwrap_or_default();
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let plain = |ending: &String| {
        (1..=MAX_ENDING).contains(&ending.len())
            && ending.bytes().all(|b| b.is_ascii_alphanumeric())
            && ending.bytes().any(|b| b.is_ascii_alphabetic())
    };
    let ending = ending.filter(plain).filter(|ending| !PROGRAMS.contains(&ending.as_str()));
    ending.unwrap_or_else(|| "html".to_owned())
}

/// How deep an address lies in its site: parts of the path, and one for a query.
pub(crate) fn depth(url: &Url) -> u64 {
    let parts = url.path().split('/').filter(|part| !part.is_empty()).count();
    (parts + usize::from(url.query().is_some_and(|query| !query.is_empty()))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Url {
        whatwg::read(None, None, url).unwrap()
    }

    #[test]
    fn an_address_is_read_as_words() {
        let words = |url| address_text(&read(url)).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            words("http://www.wolf-spider.example.org/ara%C3%B1a_lobo/index.html?q=a+b"),
            "wolf spider example araña lobo index html q a b"
        );
        assert_eq!(words("http://127.0.0.1:80/a%ff"), "a");
        let long = read(&format!("http://a.test/{}", "é".repeat(9_999)));
        assert!(address_text(&long).len() <= MAX_ADDRESS);
    }

    #[test]
    fn the_front_page_lies_at_the_top() {
        for (url, expected) in
            [("http://a.test", 0), ("http://a.test/?", 0), ("http://a.test/a//b/?c", 3)]
        {
            assert_eq!(depth(&read(url)), expected, "{url}");
        }
    }

    #[test]
    fn the_kind_is_the_ending() {
        assert_eq!(kind(&read("http://a.test/paper.PDF?x=1")), "pdf");
        for page in
            ["http://a.test/", "http://a.test/v1.2", "http://a.test/a.php", "http://a.test/a.b/c"]
        {
            assert_eq!(kind(&read(page)), "html", "{page}");
        }
    }
}
