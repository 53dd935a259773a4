//! What else does a page name? What it embeds, where it sends things, and addresses in its attributes,
//! styles, scripts and comments that no reader follows.
//!
//! By attribute rather than by element: an attribute that holds an address holds one wherever it stands.

use super::attrs::{Attr, Attrs};
use super::build::{Builder, RAW_LINKS_PER_LINK};
use super::tag::Tag;
use super::tokens::{self, Sink};
use super::tree::{Named, RawLink};
use crate::facts;
use crate::mentions::{self, Source};
use crate::{css, srcset};
use lycosa_model::LinkKind;
use std::borrow::Cow;

/// `meta` names whose content is an address.
const META_ADDRESSES: [&str; 11] = [
    "msapplication-config",
    "msapplication-starturl",
    "msapplication-tileimage",
    "og:audio",
    "og:image",
    "og:url",
    "og:video",
    "thumbnail",
    "twitter:image",
    "twitter:player",
    "twitter:url",
];

impl Builder<'_> {
    /// Keeps an address that is no link of a reader.
    pub(super) fn add_named(&mut self, href: &str, rel: &str, kind: LinkKind) {
        let href = href.trim_matches(facts::is_html_space);
        let limit = self.limits.max_resources.saturating_mul(RAW_LINKS_PER_LINK);
        if href.is_empty()
            || href.starts_with('#')
            || href.len() > self.limits.max_url_bytes
            || self.tree.named.len() >= limit
            || self.has_open(Tag::Template)
        {
            return;
        }
        self.tree.named.push(Named { href: href.to_owned(), rel: rel.to_owned(), kind });
    }

    /// Reads a page that stands in an attribute or a comment. Its links count as of kind `links_as`.
    pub(super) fn add_nested(&mut self, html: &str, links_as: LinkKind) {
        if self.is_nested {
            return;
        }
        let mut inner = Builder::new(self.limits, true);
        inner.is_nested = true;
        tokens::read(html, &mut inner);
        let (tree, ..) = inner.finish();
        let here = self.tree.len();
        for link in tree.links {
            if !links_as.leads_to_page() {
                self.add_named(&link.href, &link.rel, links_as);
            } else if self.has_room_for_link() {
                self.tree.links.push(RawLink { kind: links_as, nodes: here..here, ..link });
            }
        }
        for named in tree.named {
            self.add_named(&named.href, &named.rel, named.kind);
        }
    }

    /// Reads the attributes of a start tag.
    pub(super) fn take_resources(&mut self, tag: Tag, attrs: &Attrs) {
        if tag == Tag::Meta {
            return self.take_meta_resources(attrs);
        }
        for (attr, value) in attrs.iter() {
            match attr {
                Attr::Src if !matches!(tag, Tag::Iframe | Tag::Frame) => {
                    match drawing(value) {
                        Some(svg) => self.add_nested(&svg, LinkKind::Inline),
                        None => self.add_named(value, "", LinkKind::Resource),
                    };
                }
                Attr::Href | Attr::XlinkHref
                    if !matches!(tag, Tag::A | Tag::Area | Tag::Base | Tag::Link) =>
                {
                    self.add_named(value, "", LinkKind::Resource);
                }
                Attr::Background
                | Attr::Cite
                | Attr::Codebase
                | Attr::Data
                | Attr::Dynsrc
                | Attr::Implementation
                | Attr::Longdesc
                | Attr::Lowsrc
                | Attr::Manifest
                | Attr::Poster
                | Attr::Profile => self.add_named(value, "", LinkKind::Resource),
                Attr::Archive | Attr::Ping => {
                    for part in value.split(|c| facts::is_html_space(c) || c == ',') {
                        self.add_named(part, "", LinkKind::Resource);
                    }
                }
                Attr::Srcset => {
                    for part in srcset::addresses(value) {
                        self.add_named(part, "", LinkKind::Resource);
                    }
                }
                Attr::Value if tag == Tag::Param && mentions::is_address(value.trim()) => {
                    self.add_named(value, "", LinkKind::Resource);
                }
                Attr::Action | Attr::Formaction => self.add_named(value, "", LinkKind::Form),
                Attr::Style => self.take_css(value),
                _ => {}
            }
        }
    }

    fn take_meta_resources(&mut self, attrs: &Attrs) {
        let Some(content) = attrs.get(Attr::Content) else {
            return;
        };
        let policy = attrs
            .get(Attr::HttpEquiv)
            .is_some_and(|value| value.trim().eq_ignore_ascii_case("content-security-policy"));
        if policy {
            for directive in content.split(';') {
                let mut words = directive.split_ascii_whitespace();
                if words.next().is_some_and(|name| name.eq_ignore_ascii_case("report-uri")) {
                    for word in words {
                        self.add_named(word, "", LinkKind::Resource);
                    }
                }
            }
        }
        let name = attrs.get(Attr::Name).or_else(|| attrs.get(Attr::Property)).unwrap_or("");
        if META_ADDRESSES.iter().any(|known| name.trim().eq_ignore_ascii_case(known)) {
            self.add_named(content, "", LinkKind::Resource);
        } else if content.contains('<') {
            // Reading views show the markup that some names carry.
            self.add_nested(content, LinkKind::Inline);
        }
    }

    fn take_css(&mut self, css: &str) {
        css::addresses(css, |address| {
            if !is_data(address) {
                self.add_named(address, "", LinkKind::Resource);
            }
        });
    }

    /// Reads the content of a style or a script.
    pub(super) fn take_raw_text(&mut self, tag: Tag, text: &str) {
        if let (Tag::Script, Some(about)) = (tag, &mut self.about) {
            about.take_script(text);
        }
        if !self.wants_resources() {
            return;
        }
        match tag {
            Tag::Style => self.take_css(text),
            Tag::Script => mentions::addresses(text, Source::Script, |address| {
                self.add_named(address, "", LinkKind::Inline);
            }),
            _ => {}
        }
    }

    /// Reads a conditional comment (`<!--[if IE]> … <![endif]-->`); other comments are notes.
    pub(super) fn take_comment(&mut self, text: &str) {
        if let Some(rest) = text.strip_prefix("[if ")
            && let Some((_, html)) = rest.split_once('>')
        {
            self.add_nested(html, LinkKind::Inline);
        }
    }
}

fn is_data(address: &str) -> bool {
    address.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("data:"))
}

/// The markup of a drawing that stands in its address.
fn drawing(address: &str) -> Option<Cow<'_, str>> {
    let address = address.trim_matches(facts::is_html_space);
    if !is_data(address) {
        return None;
    }
    let (head, data) = address.split_once(',')?;
    // A picture that is no drawing, or not written in letters, names nothing.
    let is_drawing =
        head.to_ascii_lowercase().contains("image/svg+xml") && !head.ends_with("base64");
    Some(if is_drawing { unescape(data) } else { Cow::Borrowed("") })
}

/// Percent-decodes; what is no text afterwards is replaced.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}
