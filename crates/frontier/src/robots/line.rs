//! What does one line of a robots.txt say?

use super::MAX_ROBOTS_BYTES;

/// The word before the colon, with the spellings that are understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
    Other(String),
}

/// A line that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) key: Key,
    pub(super) value: &'a [u8],
    /// Counted from 1.
    pub(super) number: usize,
}

/// The lines that say something, in order.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let bytes = within_limit(bytes);
    split_lines(without_mark(bytes)).zip(1..).filter_map(|(text, number)| {
        let (key, value) = key_value(without_comment(text))?;
        Some(Line { key, value, number })
    })
}

/// Cuts a file that is too long after its last whole line.
pub(super) fn within_limit(bytes: &[u8]) -> &[u8] {
    if bytes.len() <= MAX_ROBOTS_BYTES {
        return bytes;
    }
    let head = &bytes[..MAX_ROBOTS_BYTES];
    let end = head.iter().rposition(|byte| is_line_end(*byte));
    &head[..end.unwrap_or(0)]
}

/// A byte order mark, or as much of one as is left of it.
fn without_mark(bytes: &[u8]) -> &[u8] {
    let mark = b"\xEF\xBB\xBF";
    let length = bytes.iter().zip(mark).take_while(|(a, b)| a == b).count();
    &bytes[length..]
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Lines that end in `\n`, `\r` or `\r\n`.
fn split_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.iter().position(|byte| is_line_end(*byte));
        let Some(end) = end else {
            rest = None;
            return Some(text);
        };
        let width = if text[end..].starts_with(b"\r\n") { 2 } else { 1 };
        rest = Some(&text[end + width..]);
        Some(&text[..end])
    })
}

fn without_comment(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|byte| *byte == b'#');
    &line[..end.unwrap_or(line.len())]
}

fn key_value(line: &[u8]) -> Option<(Key, &[u8])> {
    let line = line.trim_ascii();
    if let Some(colon) = line.iter().position(|byte| *byte == b':') {
        let key = line[..colon].trim_ascii();
        return Some((key_of(key)?, line[colon + 1..].trim_ascii()));
    }
    // A forgotten colon: exactly two words, of which the first is one that we know.
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (key, value) = (words.next()?, words.next()?);
    match (key_of(key)?, words.next()) {
        (Key::Other(_), _) | (_, Some(_)) => None,
        (key, None) => Some((key, value)),
    }
}

fn key_of(word: &[u8]) -> Option<Key> {
    let word = std::str::from_utf8(word).ok()?.to_ascii_lowercase();
    let key = match word.as_str() {
        "" => return None,
        "user-agent" | "useragent" | "user agent" => Key::UserAgent,
        "allow" => Key::Allow,
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => {
            Key::Disallow
        }
        "crawl-delay" | "crawldelay" | "crawl delay" => Key::CrawlDelay,
        "sitemap" | "site-map" => Key::Sitemap,
        _ => Key::Other(word),
    };
    Some(key)
}
