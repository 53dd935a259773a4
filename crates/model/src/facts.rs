//! What does a page tell programs about itself?

use crate::{Lang, Tick};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a page tells programs. Nobody needs it to crawl or to search; it is made when it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Properties of Open Graph by name, without `og:`; of a name that stands there twice the first value.
    pub open_graph: BTreeMap<String, String>,
    /// The things that it describes in JSON-LD, in the order of the page.
    pub json_ld: Vec<Thing>,
    /// The same page in other languages (`hreflang`).
    pub alternates: Vec<Alternate>,
    /// Its feeds.
    pub feeds: Vec<Feed>,
    /// How many pages it has, where it is made of pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// The paragraphs of its text and their languages.
    pub paragraphs: Vec<Paragraph>,
}

/// A thing that a page describes in JSON-LD. What it does not say is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thing {
    /// Its kinds, without the address of their vocabulary: `NewsArticle`.
    pub types: Vec<String>,
    /// Its name.
    pub name: String,
    /// Its headline.
    pub headline: String,
    /// What it says about itself.
    pub description: String,
    /// The names of its authors.
    pub author: Vec<String>,
    /// The names of its publishers.
    pub publisher: Vec<String>,
    /// When it was published.
    pub published: Option<Tick>,
    /// When it was changed.
    pub modified: Option<Tick>,
    /// Its address.
    pub url: String,
    /// Addresses of pictures.
    pub image: Vec<String>,
    /// The names on the way to it, from the front page on.
    pub breadcrumb: Vec<String>,
}

/// A page in another language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternate {
    /// The language and region as written (`es-MX`, `x-default`).
    pub lang: String,
    /// Its address.
    pub url: String,
}

/// A feed of a page's news.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feed {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its media type.
    #[serde(rename = "type")]
    pub media_type: String,
}

/// A paragraph of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paragraph {
    /// The language of most of it; `None` where it is too short to tell.
    pub lang: Option<Lang>,
    /// Its text.
    pub text: String,
}
