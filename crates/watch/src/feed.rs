//! What does a feed reader get? Atom 1.0, in which no text of a page is anything but text.

#[cfg(test)]
mod tests;

use crate::watch::Watch;
use lycosa_model::Tick;
use lycosa_model::message::{ChangeKind, Piece, PieceKind, WatchEntry};
use std::fmt::Write as _;

/// The name of a change, for ever: a `tag:` URI (RFC 4151).
pub fn tag(uid: &str, number: u64) -> String {
    format!("tag:lycosa.invalid,2026:watch/{uid}/{number}")
}

/// A moment as feeds and hooks write it.
pub fn rfc3339(tick: Tick) -> String {
    let moment =
        i64::try_from(tick.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    moment.unwrap_or_default().to_string()
}

/// The feed of a watch, as a server at this address (as in `http://127.0.0.1:8080`) has it.
pub fn atom(watch: &Watch, server: &str) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    out.push_str("<feed xmlns=\"http://www.w3.org/2005/Atom\">\n");
    let updated = watch.entries.last().map_or(watch.made, |entry| entry.at);
    let title = format!("Lycosa: {}", watch.name());
    let feed = format!("{server}{}", watch.feed_path());
    let _ = write!(
        out,
        "  <id>tag:lycosa.invalid,2026:watch/{}</id>\n  <title>{}</title>\n  \
         <updated>{}</updated>\n  <link rel=\"self\" type=\"application/atom+xml\" href=\"{}\"/>\n  \
         <author><name>Lycosa</name></author>\n  <generator>Lycosa</generator>\n",
        escape(&watch.uid),
        escape(&title),
        rfc3339(updated),
        escape(&feed)
    );
    for entry in watch.entries.iter().rev() {
        write_entry(&mut out, &watch.uid, entry);
    }
    out.push_str("</feed>\n");
    out
}

fn write_entry(out: &mut String, uid: &str, entry: &WatchEntry) {
    let link = if is_web(&entry.url) {
        format!("    <link rel=\"alternate\" href=\"{}\"/>\n", escape(&entry.url))
    } else {
        String::new()
    };
    let _ = write!(
        out,
        "  <entry>\n    <id>{}</id>\n    <title>{}: {}</title>\n    <updated>{}</updated>\n\
         {link}    <category term=\"{}\"/>\n    <content type=\"html\">{}</content>\n  </entry>\n",
        escape(&tag(uid, entry.number)),
        word(entry.change),
        escape(&entry.title),
        rfc3339(entry.at),
        entry.change.name(),
        escape(&html(entry))
    );
}

/// What has happened, as a title begins.
pub fn word(change: ChangeKind) -> &'static str {
    match change {
        ChangeKind::New => "New",
        ChangeKind::Changed => "Changed",
        ChangeKind::Gone => "Gone",
        ChangeKind::Error => "Cannot be read",
    }
}

/// Whether an address may be linked to.
pub fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// A change as HTML, for feeds and mail: paragraphs, `ins` and `del`, and nothing else.
pub fn html(entry: &WatchEntry) -> String {
    let mut out = String::new();
    if !entry.why.is_empty() {
        let _ = write!(out, "<p><em>{}</em></p>", escape(&entry.why));
    }
    if entry.diff.is_empty() {
        if !entry.text.is_empty() {
            let _ = write!(out, "<p>{}</p>", escape(&entry.text));
        }
    } else {
        let pieces: Vec<String> = entry.diff.iter().map(piece).collect();
        let _ = write!(out, "<p>{}</p>", pieces.join(" "));
    }
    out
}

fn piece(piece: &Piece) -> String {
    let text = escape(&piece.text);
    match piece.kind {
        PieceKind::Same => text,
        PieceKind::Removed => format!("<del>{text}</del>"),
        PieceKind::Added => format!("<ins>{text}</ins>"),
        PieceKind::Gap => "…".into(),
    }
}

/// Text for XML and HTML. What XML cannot carry and what reorders text is left out.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {}
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
