//! What does a page say about another page?

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
}
