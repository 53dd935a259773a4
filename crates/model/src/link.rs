//! What does a page say about another page?

use crate::Tick;
use serde::{Deserialize, Serialize};

/// Which construct of a page named the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// `<a href>`
    Anchor,
    /// `<area href>`
    Area,
    /// `<link rel=canonical href>`
    Canonical,
    /// `<iframe src>` or `<frame src>`
    Frame,
    /// `<meta http-equiv=refresh>` or a `Refresh` header
    Refresh,
    /// `<link href>` or a `Link` header to another page: `next`, `prev`, `alternate` and the like
    Related,
    /// What a page is made of or names without leading readers there: pictures, media, scripts, styles,
    /// plug-ins, sources of quotations, places to report to, and every other `link`
    Resource,
    /// Where a form is sent: `<form action>`, `formaction`, `<isindex action>`
    Form,
    /// An address that is only written down: in text, in a script, in a comment
    Inline,
    /// Where a script of a rendered page led: it went there, opened a window or changed the address
    Script,
    /// A feed of the page's news: `<link rel=alternate>` or a `Link` header with the type of RSS or Atom
    Feed,
}

impl LinkKind {
    /// Whether it leads a reader to another page.
    pub fn leads_to_page(self) -> bool {
        match self {
            LinkKind::Anchor
            | LinkKind::Area
            | LinkKind::Canonical
            | LinkKind::Frame
            | LinkKind::Refresh
            | LinkKind::Related
            | LinkKind::Script => true,
            LinkKind::Resource | LinkKind::Form | LinkKind::Inline | LinkKind::Feed => false,
        }
    }
}

/// Which links a crawl follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Follow {
    /// Those that lead a reader to another page.
    #[default]
    Pages,
    /// Whatever looks like an address.
    All,
}

impl Follow {
    /// Reads `pages` or `all`.
    pub fn parse(text: &str) -> Option<Follow> {
        match text {
            "pages" => Some(Follow::Pages),
            "all" => Some(Follow::All),
            _ => None,
        }
    }

    /// Whether links of this kind are followed.
    pub fn takes(self, kind: LinkKind) -> bool {
        self == Follow::All || kind.leads_to_page()
    }
}

/// Which pages are looked at in a browser, so that their scripts run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Render {
    /// None.
    #[default]
    Never,
    /// Those that seem to be made by scripts.
    Auto,
    /// All.
    Always,
}

impl Render {
    /// Reads `never`, `auto` or `always`.
    pub fn parse(text: &str) -> Option<Render> {
        match text {
            "never" => Some(Render::Never),
            "auto" => Some(Render::Auto),
            "always" => Some(Render::Always),
            _ => None,
        }
    }
}

/// A link as the page shows it: the address resolved against the page, not yet normalised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Absolute http(s) address, as it should be requested.
    pub url: String,
    /// The words of the link; the `alt` of an image in it when there are none.
    pub anchor: String,
    /// Up to ten words before and ten after the link, the anchor not among them.
    pub context: String,
    /// The elements that the link stands in, without html and body, each with its first class, as `ul.nav/li/a`; at
    /// most the innermost 16, and only where somebody wants the words of links.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tag_path: String,
    /// The `rel` tokens in lower case, separated by one space.
    pub rel: String,
    /// The construct.
    pub kind: LinkKind,
}

impl Link {
    /// Whether the author asked robots not to follow this link.
    pub fn nofollow(&self) -> bool {
        self.rel.split(' ').any(|token| token == "nofollow")
    }
}

/// A link as a bot reports it to the broker. Anchor and context travel only when a strategy reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Absolute address, as it should be requested.
    pub url: String,
    /// See [`Link::anchor`].
    #[serde(default)]
    pub anchor: String,
    /// See [`Link::context`].
    #[serde(default)]
    pub context: String,
    /// See [`Link::tag_path`].
    #[serde(default)]
    pub tag_path: String,
    /// When the page changed last, as the sitemap or feed that names it says.
    #[serde(default)]
    pub changed: Option<Tick>,
}
