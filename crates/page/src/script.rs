//! Does a page seem to be made by its scripts? Then reading it as it came shows little of it. And can a
//! browser make anything else of it at all?

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

/// What a page must hold if a browser is to make something else of it: scripts, other pages inside it,
/// forms that can be sent, pictures that change their links, styles and shadows that make elements.
const LIVELY: [&str; 11] = [
    "<script",
    "<iframe",
    "<frame",
    "<object",
    "<embed",
    "<applet",
    "<form",
    "<animate",
    "<set",
    "<?xml-stylesheet",
    "shadowroot",
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

/// Whether a browser could make anything else of a page than what came. Where the answer is no, it has no
/// scripts, no handlers of events, no links that run scripts, no frames, no forms and no refresh.
pub fn may_change(body: &[u8]) -> bool {
    // In an encoding of wide characters nothing would be found.
    if body.contains(&0) || body.starts_with(&[0xfe, 0xff]) || body.starts_with(&[0xff, 0xfe]) {
        return true;
    }
    let page = String::from_utf8_lossy(body).to_ascii_lowercase();
    if LIVELY.iter().any(|mark| page.contains(mark)) || has_handler(page.as_bytes()) {
        return true;
    }
    // Names of elements and attributes stand as they are; what attributes say may be spelled oddly.
    let plain = spelled_out(&page);
    plain.contains("javascript:") || (plain.contains("http-equiv") && plain.contains("refresh"))
}

/// Whether something looks like an attribute that handles an event: `on`, letters, `=`.
fn has_handler(page: &[u8]) -> bool {
    let begins = |at: usize| {
        page.get(at) == Some(&b'o')
            && page.get(at + 1) == Some(&b'n')
            && matches!(
                page[at - 1],
                b'"' | b'\'' | b'/' | b'<' | b'\t' | b'\n' | b'\x0c' | b'\r' | b' '
            )
    };
    (1..page.len()).filter(|at| begins(*at)).any(|at| {
        let rest = &page[at + 2..];
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let spaces = rest[letters..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        letters > 0 && rest.get(letters + spaces) == Some(&b'=')
    })
}

/// The text without the tabs and line ends that addresses may hold, and with characters instead of the
/// references that stand for them.
fn spelled_out(page: &str) -> String {
    let page: String = page.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let mut plain = String::with_capacity(page.len());
    let mut rest = page.as_str();
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let (c, used) = referred(after).unwrap_or(('&', 0));
        if !matches!(c, '\t' | '\n' | '\r') {
            plain.push(c.to_ascii_lowercase());
        }
        rest = &after[used..];
    }
    plain.push_str(rest);
    plain
}

/// The character that a reference stands for, and how long it is behind its `&`.
fn referred(text: &str) -> Option<(char, usize)> {
    for (name, c) in [("colon;", ':'), ("tab;", '\t'), ("newline;", '\n')] {
        if text.starts_with(name) {
            return Some((c, name.len()));
        }
    }
    let number = text.strip_prefix('#')?;
    let (digits, radix) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let length = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let c = u32::from_str_radix(&digits[..length], radix).ok().and_then(char::from_u32)?;
    let end = text.len() - digits.len() + length;
    let closed = usize::from(digits[length..].starts_with(';'));
    Some((c, end + closed))
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
    fn a_page_without_anything_lively_cannot_change() {
        for page in [
            "",
            "<!DOCTYPE html><title>On = off</title><p class=\"only\" data-on='x'>words, on and on",
            "<p>In a description&#46; &amp; &unknown; 1 &lt; 2 &#; &#x; &#xffffffffff; on",
            "<a href='/script'>script</a><a href='java.html'>refresh</a><p>on",
        ] {
            assert!(!may_change(page.as_bytes()), "{page}");
        }
    }

    #[test]
    fn whatever_a_browser_may_make_something_of_may_change() {
        for page in [
            "<p>x<SCRIPT>1</SCRIPT>",
            "<p onclick=go()>x",
            "<p class='a'onClick = 'go()'>x",
            "<p/onfocus='go()'>x",
            "<a href=JavaScript:go()>x</a>",
            "<a href='java\nscr\tipt:go()'>x</a>",
            "<a href='&#106;&#x61;vascript&colon;go()'>x</a>",
            "<a href='&#74AVA&Tab;script&#58go()'>x</a>",
            "<meta http-equiv=Refresh content='0;url=/'>",
            "<meta http-equiv='&#114;efresh' content=5>",
            "<iframe src=/x></iframe>",
            "<form action=/x><button>go</button></form>",
            "<svg><a><set attributeName=href to=/x></a></svg>",
            "<div><template shadowrootmode=open>x</template></div>",
        ] {
            assert!(may_change(page.as_bytes()), "{page}");
        }
        let wide: Vec<u8> = "<script>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(may_change(&wide));
    }

    #[test]
    fn html_is_told_from_other_text() {
        assert!(is_html(Some("text/html"), b"x"));
        assert!(is_html(None, b"<!DOCTYPE html>"));
        assert!(!is_html(Some("text/plain"), b"x"));
        assert!(!is_html(Some("application/json"), b"{}"));
    }
}
