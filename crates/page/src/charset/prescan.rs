//! Which encoding does the page itself declare? The HTML standard's prescan of its first bytes.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// How far the standard looks ahead.
const PRESCAN_BYTES: usize = 1024;
/// How far a declaration that comes later is still found. A browser that meets one starts again with
/// it, wherever it stands.
const LATE_BYTES: usize = 64 * 1024;

/// The declared encoding, if there is one.
pub(super) fn prescan(body: &[u8]) -> Option<&'static Encoding> {
    scan(body, PRESCAN_BYTES).or_else(|| scan(body, LATE_BYTES))
}

fn scan(body: &[u8], limit: usize) -> Option<&'static Encoding> {
    let bytes = &body[..body.len().min(limit)];
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    Scan { bytes, at: 0 }.run().or_else(|| xml_declaration(bytes))
}

/// `<?xml version="1.0" encoding="…"?>`
fn xml_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    if !bytes.starts_with(b"<?xml") {
        return None;
    }
    let end = bytes.iter().position(|b| *b == b'>')?;
    let declaration = &bytes[..end];
    let at = find(declaration, b"encoding")? + b"encoding".len();
    let rest = declaration[at..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, rest) = rest.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let label = &rest[..rest.iter().position(|b| b == quote)?];
    Encoding::for_label(label).map(declared)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// A page that could be read this far is not in UTF-16, whatever it says.
fn declared(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

struct Scan<'b> {
    bytes: &'b [u8],
    at: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    fn run(&mut self) -> Option<&'static Encoding> {
        while self.at < self.bytes.len() {
            let rest = self.rest();
            if rest.starts_with(b"<!--") {
                // The dashes that open may also close: `<!-->`.
                self.at += 2 + find(&rest[2..], b"-->")? + 3;
            } else if rest.len() > 5
                && rest[..5].eq_ignore_ascii_case(b"<meta")
                && (is_space(rest[5]) || rest[5] == b'/')
            {
                self.at += 6;
                if let Some(encoding) = self.meta() {
                    return Some(encoding);
                }
            } else if rest.len() > 1
                && rest[0] == b'<'
                && (rest[1].is_ascii_alphabetic()
                    || (rest[1] == b'/' && rest.get(2).is_some_and(u8::is_ascii_alphabetic)))
            {
                while self.peek().is_some_and(|b| !is_space(b) && b != b'>') {
                    self.at += 1;
                }
                while self.attribute().is_some() {}
            } else if rest.len() > 1 && rest[0] == b'<' && matches!(rest[1], b'!' | b'/' | b'?') {
                self.at += rest.iter().position(|b| *b == b'>')? + 1;
            } else {
                self.at += 1;
            }
        }
        None
    }

    fn meta(&mut self) -> Option<&'static Encoding> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let mut got_pragma = false;
        let mut need_pragma = None;
        let mut charset: Option<&'static Encoding> = None;
        while let Some((name, value)) = self.attribute() {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => got_pragma |= value == b"content-type",
                b"content" => {
                    if charset.is_none()
                        && let Some(encoding) = from_content(&value)
                    {
                        charset = Some(encoding);
                        need_pragma = Some(true);
                    }
                }
                b"charset" => {
                    charset = Encoding::for_label(&value);
                    need_pragma = Some(false);
                }
                _ => {}
            }
            seen.push(name);
        }
        // A tag that the first bytes do not hold to its end declares nothing.
        if self.at >= self.bytes.len() {
            return None;
        }
        match need_pragma? {
            true if !got_pragma => None,
            _ => charset.map(declared),
        }
    }

    /// The standard's "get an attribute": name and value in lower case, or nothing at the end of a tag.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        while self.peek().is_some_and(|b| is_space(b) || b == b'/') {
            self.at += 1;
        }
        if matches!(self.peek(), None | Some(b'>')) {
            return None;
        }
        let mut name = Vec::new();
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => {
                    self.at += 1;
                    break;
                }
                byte if is_space(byte) => {
                    while self.peek().is_some_and(is_space) {
                        self.at += 1;
                    }
                    if self.peek()? != b'=' {
                        return Some((name, Vec::new()));
                    }
                    self.at += 1;
                    break;
                }
                b'/' | b'>' => return Some((name, Vec::new())),
                byte => {
                    name.push(byte.to_ascii_lowercase());
                    self.at += 1;
                }
            }
        }
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
        let mut value = Vec::new();
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                loop {
                    let byte = self.peek()?;
                    self.at += 1;
                    if byte == quote {
                        return Some((name, value));
                    }
                    value.push(byte.to_ascii_lowercase());
                }
            }
            b'>' => Some((name, value)),
            _ => loop {
                let byte = self.peek()?;
                if is_space(byte) || byte == b'>' {
                    return Some((name, value));
                }
                value.push(byte.to_ascii_lowercase());
                self.at += 1;
            },
        }
    }
}

/// The standard's "extracting a character encoding from a meta element", on lower-case bytes.
fn from_content(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    loop {
        rest = &rest[find(rest, b"charset")? + b"charset".len()..];
        let after = rest.trim_ascii_start();
        if let Some(label) = after.strip_prefix(b"=") {
            let label = label.trim_ascii_start();
            let label = match label.first()? {
                quote @ (b'"' | b'\'') => {
                    let inner = &label[1..];
                    &inner[..inner.iter().position(|b| b == quote)?]
                }
                _ => {
                    let end = label.iter().position(|b| is_space(*b) || *b == b';');
                    &label[..end.unwrap_or(label.len())]
                }
            };
            return Encoding::for_label(label);
        }
    }
}
