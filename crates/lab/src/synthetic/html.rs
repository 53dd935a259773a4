//! How does a page look? A small writer of HTML, and the layout that all ordinary pages share.

use lycosa_model::Lang;

/// Where the page declares its encoding, and which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charset {
    /// UTF-8, in the header and in the page.
    Utf8,
    /// ISO-8859-1, in the header only.
    Latin1Header,
    /// windows-1252, in the page only.
    Windows1252Meta,
}

impl Charset {
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Charset::Utf8 => "text/html; charset=utf-8",
            Charset::Latin1Header => "text/html; charset=ISO-8859-1",
            Charset::Windows1252Meta => "text/html",
        }
    }

    /// The bytes of a page; what the encoding lacks becomes a character reference.
    pub(super) fn encode(self, html: String) -> Vec<u8> {
        match self {
            Charset::Utf8 => html.into_bytes(),
            Charset::Windows1252Meta => encoding_rs::WINDOWS_1252.encode(&html).0.into_owned(),
            Charset::Latin1Header => {
                let mut out = Vec::with_capacity(html.len());
                for c in html.chars() {
                    match u8::try_from(c) {
                        Ok(byte) => out.push(byte),
                        Err(_) => out.extend(format!("&#{};", u32::from(c)).bytes()),
                    }
                }
                out
            }
        }
    }
}

/// A growing piece of HTML.
#[derive(Default)]
pub(super) struct Html(String);

impl Html {
    pub(super) fn new() -> Html {
        Html(String::with_capacity(6 * 1024))
    }

    /// Markup, as it is.
    pub(super) fn raw(&mut self, markup: &str) -> &mut Html {
        self.0.push_str(markup);
        self
    }

    /// Text, escaped for elements and for quoted attributes.
    pub(super) fn text(&mut self, text: &str) -> &mut Html {
        let mut rest = text;
        while let Some(at) = rest.find(['&', '<', '>', '"']) {
            self.0.push_str(&rest[..at]);
            self.0.push_str(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                _ => "&quot;",
            });
            rest = &rest[at + 1..];
        }
        self.0.push_str(rest);
        self
    }

    /// An element without attributes around a text.
    pub(super) fn tag(&mut self, name: &str, text: &str) -> &mut Html {
        self.raw("<").raw(name).raw(">").text(text);
        self.raw("</").raw(name).raw(">\n")
    }

    pub(super) fn link(&mut self, href: &str, text: &str) -> &mut Html {
        self.raw("<a href=\"").text(href).raw("\">");
        self.text(text).raw("</a>")
    }

    /// A list of links under a heading; nothing when there are none.
    pub(super) fn links(&mut self, heading: &str, links: &[(String, String)]) -> &mut Html {
        if links.is_empty() {
            return self;
        }
        self.tag("h2", heading).raw("<ul>\n");
        for (href, text) in links {
            self.raw("<li>").link(href, text).raw("</li>\n");
        }
        self.raw("</ul>\n")
    }

    pub(super) fn take(self) -> String {
        self.0
    }
}

/// What the layout needs to know of a page.
pub(super) struct Sheet<'a> {
    pub(super) lang: Lang,
    pub(super) charset: Charset,
    pub(super) title: &'a str,
    pub(super) site_title: &'a str,
    pub(super) description: &'a str,
    pub(super) keywords: &'a str,
    pub(super) noindex: bool,
    /// Addresses and names in the bar at the top; the first is the front page.
    pub(super) nav: &'a [(String, String)],
    pub(super) footer: &'a str,
    /// Colour of the site, in degrees.
    pub(super) hue: usize,
}

const STYLE: &str = "\
body{margin:0;font:17px/1.6 Georgia,serif;color:#222;background:#fbfaf7}\
header,main,footer{max-width:44rem;margin:0 auto;padding:1rem}\
header{border-bottom:3px solid var(--c)}\
header b{font-size:1.3rem;color:var(--c);margin-right:1rem}\
nav a{margin-right:.9rem}a{color:var(--c)}h1,h2{line-height:1.25}\
table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.2rem .7rem;text-align:left}\
caption{font-style:italic}.by,footer{color:#777;font-size:.85rem}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#17181a}td,th{border-color:#444}}";

/// A whole page around its main part.
pub(super) fn page(sheet: &Sheet<'_>, main: &str) -> String {
    let mut html = Html::new();
    html.raw("<!DOCTYPE html>\n<html lang=\"").raw(sheet.lang.as_str()).raw("\">\n<head>\n");
    match sheet.charset {
        Charset::Utf8 => html.raw("<meta charset=\"utf-8\">\n"),
        Charset::Latin1Header => &mut html,
        Charset::Windows1252Meta => html.raw("<meta charset=\"windows-1252\">\n"),
    };
    html.raw("<title>").text(sheet.title);
    if sheet.title != sheet.site_title {
        html.raw(" \u{2013} ").text(sheet.site_title);
    }
    html.raw("</title>\n<meta name=\"description\" content=\"")
        .text(sheet.description)
        .raw("\">\n<meta name=\"keywords\" content=\"")
        .text(sheet.keywords)
        .raw("\">\n<meta name=\"viewport\" content=\"width=device-width\">\n");
    if sheet.noindex {
        html.raw("<meta name=\"robots\" content=\"noindex\">\n");
    }
    html.raw("<style>:root{--c:hsl(")
        .raw(&sheet.hue.to_string())
        .raw(",55%,45%)}")
        .raw(STYLE)
        .raw("</style>\n</head>\n<body>\n<header><b>")
        .text(sheet.site_title)
        .raw("</b>\n<nav>");
    for (href, text) in sheet.nav {
        html.link(href, text).raw(" ");
    }
    html.raw("</nav></header>\n<main>\n")
        .raw(main)
        .raw("</main>\n<footer><p>")
        .text(sheet.footer)
        .raw("</p></footer>\n</body>\n</html>\n");
    html.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let mut html = Html::new();
        html.link("/?a=1&b=\"2\"", "<b>ñ");
        assert_eq!(html.take(), "<a href=\"/?a=1&amp;b=&quot;2&quot;\">&lt;b&gt;ñ</a>");
    }

    #[test]
    fn each_encoding_keeps_what_it_can_and_refers_to_the_rest() {
        let text = || String::from("ñ \u{2013} 星");
        assert_eq!(Charset::Utf8.encode(text()), "ñ \u{2013} 星".as_bytes());
        assert_eq!(Charset::Latin1Header.encode(text()), b"\xf1 &#8211; &#26143;");
        assert_eq!(Charset::Windows1252Meta.encode(text()), b"\xf1 \x96 &#26143;");
    }
}
