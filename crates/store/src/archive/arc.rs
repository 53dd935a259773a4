//! How is a record of the older ARC format read? One line of words, then the block.

use super::date::{parse_date, warc_date};
use lycosa_model::Headers;

/// The header of an ARC record.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ArcLine {
    /// The fields that say the same in a WARC.
    pub(super) headers: Headers,
    /// Length of the block; `None` when the line names no such number.
    pub(super) length: Option<u64>,
}

/// Reads `URL IP date type length`. The address may hold spaces, so the line is read from its end.
/// `None` when it has too few words or no date.
pub(super) fn parse_line(line: &[u8]) -> Option<ArcLine> {
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let mut words = line.rsplitn(5, ' ');
    let (length, mime, date, ip) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let url = words.next()?;
    if !url.contains(':') || date.len() < 14 {
        return None;
    }
    let date = parse_date(date)?;
    let kind = if url.starts_with("filedesc:") {
        "warcinfo"
    } else if url.starts_with("http:") || url.starts_with("https:") {
        "response"
    } else {
        "resource"
    };
    let mut headers = Headers::default();
    headers.push("WARC-Type", kind);
    headers.push("WARC-Target-URI", url.to_owned());
    headers.push("WARC-Date", warc_date(date));
    headers.push("WARC-IP-Address", ip.to_owned());
    headers.push(
        "Content-Type",
        if kind == "response" {
            "application/http; msgtype=response".to_owned()
        } else {
            mime.to_owned()
        },
    );
    Some(ArcLine { headers, length: length.parse().ok() })
}
