//! What is a `<link>`, or a `Link` header, about?

use lycosa_model::LinkKind;

/// Relations that lead a reader to another page.
const TO_PAGES: [&str; 23] = [
    "alternate",
    "appendix",
    "archives",
    "author",
    "bookmark",
    "chapter",
    "contents",
    "copyright",
    "first",
    "glossary",
    "help",
    "home",
    "index",
    "last",
    "license",
    "next",
    "prev",
    "previous",
    "section",
    "start",
    "subsection",
    "toc",
    "up",
];

/// Types of the feeds that are read.
const FEEDS: [&str; 3] = ["application/rss+xml", "application/atom+xml", "application/feed+json"];

/// Relations that name a host to get in touch with, not a document.
const TO_HOSTS: [&str; 2] = ["dns-prefetch", "preconnect"];

/// The kind of a link by its `rel` and its `type`; `None` when it names no document.
pub(crate) fn kind(rel: &str, media_type: Option<&str>) -> Option<LinkKind> {
    let has = |words: &[&str]| {
        rel.split_ascii_whitespace()
            .any(|token| words.iter().any(|word| token.eq_ignore_ascii_case(word)))
    };
    if has(&["canonical"]) {
        return Some(LinkKind::Canonical);
    }
    // Feeds, stylesheets to choose from and other data are alternates too, but not pages.
    let is = |types: &[&str]| {
        let essence = media_type.and_then(|value| value.split(';').next()).unwrap_or("").trim();
        types.iter().any(|known| essence.eq_ignore_ascii_case(known))
    };
    if is(&FEEDS) && has(&["alternate"]) {
        return Some(LinkKind::Feed);
    }
    if has(&TO_PAGES)
        && is(&["", "text/html", "application/xhtml+xml"])
        && !has(&["stylesheet", "icon"])
    {
        return Some(LinkKind::Related);
    }
    (!has(&TO_HOSTS)).then_some(LinkKind::Resource)
}
