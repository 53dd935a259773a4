//! In which encoding is it, and what does a plain list say?

use super::list::List;
use super::{Entry, Kind};
use crate::charset;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

/// How far an XML declaration is looked for.
const DECLARATION_BYTES: usize = 256;

/// The text: byte order mark, then header, then XML declaration, then UTF-8, which is the rule for
/// sitemaps.
pub(super) fn decode<'b>(body: &'b [u8], content_type: Option<&str>) -> Cow<'b, str> {
    let claimed = content_type
        .and_then(charset::parameter)
        .or_else(|| declared(body))
        .and_then(Encoding::for_label)
        // A declaration that can be read byte by byte is not in UTF-16.
        .filter(|encoding| *encoding != UTF_16LE && *encoding != UTF_16BE);
    let encoding = match Encoding::for_bom(body) {
        Some((encoding, _)) => encoding,
        None => claimed.unwrap_or(UTF_8),
    };
    charset::decode(body, encoding)
}

/// The label in `<?xml … encoding="…"?>`.
fn declared(body: &[u8]) -> Option<&[u8]> {
    let head = body.get(..body.len().min(DECLARATION_BYTES))?.trim_ascii_start();
    let end = head.windows(2).position(|pair| pair == b"?>")?;
    let declaration = std::str::from_utf8(head.get(..end)?).ok()?.strip_prefix("<?xml")?;
    let value = declaration.split("encoding").nth(1)?.trim_start().strip_prefix('=')?;
    value.trim_start().split(['"', '\'']).nth(1).map(str::as_bytes)
}

/// A list with an address on each line. Lines that begin otherwise are not addresses: a relative one
/// cannot be told from prose.
pub(super) fn read(text: &str, list: &mut List) -> Kind {
    let mut other = 0_usize;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let is_address = ["http://", "https://"]
            .iter()
            .any(|scheme| line.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme)));
        if !is_address || line.contains(char::is_whitespace) {
            other += 1;
            continue;
        }
        list.add(line, Entry::default());
    }
    if other > 0 {
        list.fault(format!("{other} lines are no http(s) address"));
    }
    if list.is_empty() { Kind::Unknown } else { Kind::Text }
}
