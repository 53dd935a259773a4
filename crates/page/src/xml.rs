//! How is a document written for other programs? i-Bot's XML: title, keywords, description and text
//! twice, once for display and once folded for the index; and so are headings and byline, where there are
//! any. Dates are those of the page itself.

use lycosa_knowledge::fold;
use lycosa_model::{Document, Tick};
use std::fmt::Write as _;

/// Appends one document as an XML element, well-formed XML 1.0 whatever the document holds: characters
/// that XML cannot carry are left out, markup is escaped. The caller writes the declaration.
pub fn write(document: &Document, out: &mut String) {
    out.push_str("<document>\n");
    element("url", &document.url, out);
    element("url_id", &document.url_id.to_string(), out);
    both("title", &document.title, out);
    both("keywords", &document.keywords, out);
    both("description", &document.description, out);
    for (name, value) in [("headings", &document.headings), ("byline", &document.byline)] {
        if !value.is_empty() {
            both(name, value, out);
        }
    }
    for (name, at) in [("published", document.published), ("modified", document.modified)] {
        if let Some(date) = at.and_then(date) {
            element(name, &date, out);
        }
    }
    both("text", &document.text, out);
    out.push_str("  <languages>\n");
    for language in &document.languages {
        // The code is two letters and the share a number, so neither needs escaping.
        let _ = writeln!(
            out,
            "    <language code=\"{}\" share=\"{:.3}\"/>",
            language.lang, language.share
        );
    }
    out.push_str("  </languages>\n  <links>\n");
    for link in &document.links {
        out.push_str("    <link url=\"");
        escape(&link.url, out);
        out.push_str("\" rel=\"");
        escape(&link.rel, out);
        out.push_str("\"><anchor>");
        escape(&link.anchor, out);
        out.push_str("</anchor><context>");
        escape(&link.context, out);
        out.push_str("</context></link>\n");
    }
    out.push_str("  </links>\n</document>\n");
}

/// A moment as ISO 8601 has it; `None` when it is beyond all years.
fn date(at: Tick) -> Option<String> {
    let moment = jiff::Timestamp::from_millisecond(i64::try_from(at.0).ok()?).ok()?;
    Some(moment.to_string())
}

fn element(name: &str, value: &str, out: &mut String) {
    for part in ["  <", name, ">"] {
        out.push_str(part);
    }
    escape(value, out);
    for part in ["</", name, ">\n"] {
        out.push_str(part);
    }
}

/// Display form and folded form.
fn both(name: &str, value: &str, out: &mut String) {
    for form in ["display", "folded"] {
        for part in ["  <", name, " form=\"", form, "\">"] {
            out.push_str(part);
        }
        if form == "folded" {
            escape(&fold(value), out);
        } else {
            escape(value, out);
        }
        for part in ["</", name, ">\n"] {
            out.push_str(part);
        }
    }
}

/// The characters of XML 1.0, production 2.
pub fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Appends text so that it can stand in content and in attribute values.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A parser would turn a bare one into a line feed.
            '\r' => out.push_str("&#13;"),
            c if is_allowed(c) => out.push(c),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
