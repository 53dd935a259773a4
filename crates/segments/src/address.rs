//! What does the address of a page say?

use lycosa_frontier::whatwg;
use percent_encoding::percent_decode_str;
use url::Url;

/// Bytes of an address that are read for words.
const MAX_ADDRESS: usize = 512;
/// Letters of the longest ending that names a kind of file.
const MAX_ENDING: usize = 5;
/// Endings of HTML itself.
const HTML: [&str; 4] = ["htm", "html", "xhtml", "shtml"];
/// Those, and endings of programs that write pages: what they send is mostly HTML.
const PROGRAMS: [&str; 14] = [
    "htm", "html", "xhtml", "shtml", "php", "php3", "phtml", "asp", "aspx", "jsp", "jsf", "cgi",
    "pl", "do",
];
/// Endings of what is told from the bytes, so that a page which was read as something else is none of them.
const TOLD: [&str; 16] = [
    "txt", "pdf", "ps", "zip", "gz", "tgz", "zst", "png", "jpg", "jpeg", "gif", "webp", "ogg",
    "mp3", "exe", "wasm",
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

/// What kinds of file a page is, as a filter names them: what it was read as, and what the ending of its
/// address says beside that. An ending that says otherwise of what can be told from the bytes is wrong. Where
/// nobody knows what it was read as, the ending alone decides: without one, or with that of a program, it is
/// `html`.
pub(crate) fn kinds(url: &Url, media_type: &str) -> Vec<String> {
    let ending = ending(url);
    let of_program = ending.as_deref().is_some_and(|ending| PROGRAMS.contains(&ending));
    let kind = match media_type {
        "text/html" => Some("html"),
        "text/plain" => Some("txt"),
        "application/pdf" => Some("pdf"),
        _ if ending.is_none() || of_program => Some("html"),
        _ => None,
    };
    let is_wrong = |ending: &str| match kind {
        Some("html") => TOLD.contains(&ending),
        Some(_) => TOLD.contains(&ending) || HTML.contains(&ending),
        None => false,
    };
    let said = ending.filter(|ending| Some(ending.as_str()) != kind && !is_wrong(ending));
    kind.map(str::to_owned).into_iter().chain(said).collect()
}

/// The ending of an address that may name a kind of file.
fn ending(url: &Url) -> Option<String> {
    let file = url.path().rsplit('/').next().unwrap_or_default();
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.filter(|ending| {
        (1..=MAX_ENDING).contains(&ending.len())
            && ending.bytes().all(|b| b.is_ascii_alphanumeric())
            && ending.bytes().any(|b| b.is_ascii_alphabetic())
    })
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
    fn the_kind_is_what_was_read_and_what_the_ending_says_beside_that() {
        for (address, media_type, expected) in [
            ("/paper.PDF?x=1", "application/pdf", &["pdf"][..]),
            ("/download?id=7", "application/pdf", &["pdf"]),
            ("/get.php", "application/pdf", &["pdf", "php"]),
            ("/File:paper.pdf", "text/html", &["html"]),
            ("/photo.jpg", "text/html", &["html"]),
            ("/", "text/html", &["html"]),
            ("/a.b/c", "text/html", &["html"]),
            ("/v1.2", "text/html", &["html"]),
            ("/a.php", "text/html", &["html", "php"]),
            ("/a.htm", "text/html", &["html", "htm"]),
            ("/README.md", "text/html", &["html", "md"]),
            ("/README.md", "text/plain", &["txt", "md"]),
            ("/notes", "text/plain", &["txt"]),
            ("/notes.html", "text/plain", &["txt"]),
            ("/paper.pdf", "", &["pdf"]),
            ("/a.php", "", &["html", "php"]),
            ("/", "", &["html"]),
            ("/a.html", "", &["html"]),
        ] {
            let url = read(&format!("http://a.test{address}"));
            assert_eq!(kinds(&url, media_type), expected, "{address} {media_type}");
        }
    }
}
