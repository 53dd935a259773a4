//! Does a page seem to be made by its scripts? Then reading it as it came shows little of it.

use crate::media::{self, Media};
use lycosa_model::Document;

/// Letters of visible text from which on a page is thought to speak for itself.
const ENOUGH_TEXT: usize = 1_000;
/// Letters below which a page with scripts is thought to be empty.
const LITTLE_TEXT: usize = 200;
/// Bytes of a page that are looked at.
const LOOK_BYTES: usize = 512 << 10;
/// Bytes of a `noscript` that are looked at.
const NOTICE: usize = 400;

/// Elements that frameworks fill, as they stand in a page that nobody has filled yet.
const EMPTY_ROOTS: [&str; 10] = [
    "<app-root></app-root>",
    "id=\"root\"></div>",
    "id=root></div>",
    "id=\"app\"></div>",
    "id=app></div>",
    "id=\"__next\"></div>",
    "id=\"__nuxt\"></div>",
    "id=\"main\"></div>",
    "id=\"svelte\"></div>",
    "ng-app",
];

/// Words by which a page says that it needs scripts.
const NOTICES: [&str; 3] = ["javascript", "java script", "enable scripts"];

/// Whether a body is HTML, by its header and its first bytes.
pub fn is_html(content_type: Option<&str>, body: &[u8]) -> bool {
    media::decide(content_type, body) == Ok(Media::Html)
}

/// Whether a page seems to be made by its scripts: it has some, shows little text without them, and is
/// nearly empty, holds an element that waits to be filled, or says that it needs scripts.
pub fn seems_made_by_scripts(body: &[u8], document: &Document) -> bool {
    let text = document.text.chars().filter(|c| !c.is_whitespace()).take(ENOUGH_TEXT).count();
    if text >= ENOUGH_TEXT {
        return false;
    }
    let page = String::from_utf8_lossy(&body[..body.len().min(LOOK_BYTES)]).to_ascii_lowercase();
    if !page.contains("<script") {
        return false;
    }
    if text < LITTLE_TEXT && document.links.len() < 10 {
        return true;
    }
    EMPTY_ROOTS.iter().any(|root| page.contains(root)) || asks_for_scripts(&page)
}

/// Whether a `noscript` of the page asks its reader to run scripts.
fn asks_for_scripts(page: &str) -> bool {
    page.match_indices("<noscript").any(|(from, _)| {
        let near = page.floor_char_boundary(from + NOTICE);
        let notice = page[from..near].split("</noscript").next().unwrap_or_default();
        NOTICES.iter().any(|words| notice.contains(words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, Limits, Reading, read};
    use lycosa_model::UrlId;

    fn seems(html: &str) -> bool {
        let url = "http://site.test/";
        let input = Input::new(UrlId::of(url), url, html.as_bytes());
        match read(&input, &Limits::default()) {
            Reading::Document(document) => seems_made_by_scripts(html.as_bytes(), &document),
            Reading::NotText { media_type, .. } => panic!("{media_type}"),
        }
    }

    #[test]
    fn an_empty_shell_with_scripts_is_made_by_them() {
        assert!(seems("<html><title>App</title><div id=root></div><script src=/a.js></script>"));
        assert!(seems("<html><body>Loading…<SCRIPT>start()</SCRIPT>"));
        let words = "word ".repeat(60);
        assert!(seems(&format!("<html><p>{words}<div id=\"app\"></div><script src=a></script>")));
        assert!(seems(&format!(
            "<html><p>{words}<script src=a></script><noscript>You need to enable JavaScript.</noscript>"
        )));
    }

    #[test]
    fn a_page_that_speaks_for_itself_is_not() {
        let words = "word ".repeat(60);
        assert!(!seems("<html><p>A short page without any script."));
        assert!(!seems(&format!("<html><p>{words}<script src=count.js></script>")));
        let pixel = "<noscript><img src=//count.test/p.gif></noscript>";
        assert!(!seems(&format!("<html><p>{words}<script src=count.js></script>{pixel}")));
        let long = "word ".repeat(400);
        assert!(!seems(&format!("<html><div id=root></div><p>{long}<script src=a.js></script>")));
        let links: String = (0..20).map(|n| format!("<a href=/{n}>{n}</a> ")).collect();
        assert!(!seems(&format!("<html>{links}<script src=a.js></script>")), "a list of links");
    }

    #[test]
    fn html_is_told_from_other_text() {
        assert!(is_html(Some("text/html"), b"x"));
        assert!(is_html(None, b"<!DOCTYPE html>"));
        assert!(!is_html(Some("text/plain"), b"x"));
        assert!(!is_html(Some("application/json"), b"{}"));
    }
}
