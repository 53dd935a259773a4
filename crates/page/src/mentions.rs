//! Which addresses are only written down? Words of a text, and strings of a script, that are plainly
//! addresses.

use std::borrow::Cow;

/// Endings by which a path is known for one.
const EXTENSIONS: [&str; 34] = [
    "asp", "aspx", "css", "csv", "doc", "docx", "epub", "gif", "gz", "htm", "html", "jpeg", "jpg",
    "js", "json", "jsp", "mp3", "mp4", "ods", "odt", "pdf", "php", "png", "ppt", "pptx", "rtf",
    "svg", "txt", "webp", "xhtml", "xls", "xlsx", "xml", "zip",
];

/// Where a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Text that people read.
    Prose,
    /// A program, in which whole strings and whole comments beginning with a slash are paths.
    Script,
}

/// Calls `found` with every word that is plainly an address.
pub(crate) fn addresses(text: &str, source: Source, mut found: impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().position(|byte| parts(*byte)).unwrap_or(bytes.len() - at);
        // Only ASCII parts words, so both ends stand between characters.
        if let Some(word) = text.get(at..at + length)
            && word.contains('/')
        {
            let is_string = source == Source::Script
                && (at > 0
                    && is_quote(bytes[at - 1])
                    && bytes.get(at + length) == Some(&bytes[at - 1])
                    || is_comment(&text[..at], &text[at + length..]));
            if let Some(address) = address(word, is_string) {
                found(&address);
            }
        }
        at += length + 1;
    }
}

/// Bytes on either side of a word in which the line of a comment must begin and end. Lines may be as long
/// as the script, and each of its words asks.
const COMMENT_LINE: usize = 256;

/// Whether a word stands alone in a comment: on a line that holds nothing else but the comment's marks.
fn is_comment(before: &str, after: &str) -> bool {
    let near = before.ceil_char_boundary(before.len().saturating_sub(COMMENT_LINE));
    let before = before[near..].rsplit('\n').next().unwrap_or_default().trim();
    let after = &after[..after.floor_char_boundary(COMMENT_LINE)];
    let after = after.split('\n').next().unwrap_or_default().trim();
    matches!(before, "//" | "/*" | "/**" | "*") && matches!(after, "" | "*/")
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn parts(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || byte.is_ascii_control()
        || is_quote(byte)
        || matches!(byte, b'<' | b'>' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'|' | b'^')
}

/// The address in a word, if it is plainly one.
fn address(word: &str, is_string: bool) -> Option<Cow<'_, str>> {
    // JSON in scripts escapes slashes.
    let word = match word.contains("\\/") {
        true => Cow::Owned(word.replace("\\/", "/")),
        false => Cow::Borrowed(word),
    };
    let start = ["http://", "https://"].iter().filter_map(|scheme| word.find(scheme)).min();
    let start = start.unwrap_or(0);
    let end = word.trim_end_matches(|c: char| !c.is_alphanumeric() && !"/=-_&~+%".contains(c));
    let end = end.len().max(start);
    let address = &word[start..end];
    if !is_plain(address, is_string) {
        return None;
    }
    Some(match word {
        Cow::Borrowed(word) => Cow::Borrowed(&word[start..end]),
        Cow::Owned(ref word) => Cow::Owned(word[start..end].to_owned()),
    })
}

fn is_plain(address: &str, is_string: bool) -> bool {
    let named = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric());
    if address.contains('\\') {
        return false;
    }
    for scheme in ["http://", "https://"] {
        if let Some(rest) = address.strip_prefix(scheme) {
            return named(rest);
        }
    }
    if let Some(rest) = address.strip_prefix("//") {
        let host = rest.split_once('/').map_or("", |(host, _)| host);
        return named(rest) && host.contains('.');
    }
    if let Some(rest) = address.strip_prefix("./").or_else(|| address.strip_prefix("../")) {
        return named(rest.trim_start_matches("../"));
    }
    match address.strip_prefix('/') {
        Some(rest) => named(rest) && (is_string || has_known_extension(rest)),
        None => false,
    }
}

/// Whether the last part of a path ends as files do.
fn has_known_extension(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or("");
    let name = path.rsplit('/').next().unwrap_or("");
    name.rsplit_once('.')
        .is_some_and(|(_, end)| EXTENSIONS.iter().any(|known| end.eq_ignore_ascii_case(known)))
}

/// Whether the value of a parameter is meant as an address.
pub(crate) fn is_address(value: &str) -> bool {
    !value.contains(|c: char| c.is_whitespace())
        && (is_plain(value, true) || has_known_extension(value))
}

#[cfg(test)]
mod tests {
    use super::{Source, addresses, is_address};
    use proptest::prelude::*;

    fn of(text: &str, source: Source) -> Vec<String> {
        let mut all = Vec::new();
        addresses(text, source, |address| all.push(address.to_owned()));
        all
    }

    #[test]
    fn words_that_are_plainly_addresses_are_found_in_prose() {
        let text = "See http://a.test/x?y=1, (https://b.test/) and url:http://c.test. Also ./d/e \
            ../../f.g, //h.test/i and /j/k.PDF. Not and/or, /etc/passwd, 1/2, // note, http:// or ...";
        let wanted = [
            "http://a.test/x?y=1",
            "https://b.test/",
            "http://c.test",
            "./d/e",
            "../../f.g",
            "//h.test/i",
            "/j/k.PDF",
        ];
        assert_eq!(of(text, Source::Prose), wanted);
    }

    #[test]
    fn whole_strings_of_a_script_may_be_paths() {
        let script = r#"fetch("/a/b"); x = '/c?d'; y = `/e/${f}`; z = "no /g"; /h/.test(i); "j":
            "http:\/\/k.test\/l" // m.test/n"#;
        assert_eq!(of(script, Source::Script), ["/a/b", "/c?d", "http://k.test/l"]);
        let comments = "// /a/b\n  /* /c/d */\n * /e/f\n// see /g/h\nx / /i/j";
        assert_eq!(of(comments, Source::Script), ["/a/b", "/c/d", "/e/f"]);
    }

    #[test]
    fn parameters_are_addresses_when_they_look_so() {
        assert!(is_address("/movie") && is_address("movie.mp4") && is_address("http://a.test"));
        assert!(!is_address("true") && !is_address("#fff") && !is_address("a b.mp4"));
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "(http://|\\.\\./|[/\"\\\\ñ” .]|[a-z]){0,40}") {
            let _ = of(&text, Source::Prose);
            let _ = of(&text, Source::Script);
        }
    }
}
