//! What does a filter make of a page?

use crate::{Facts, Link, Tick, UrlId};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;

/// A language by its ISO 639-1 code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lang([u8; 2]);

impl Lang {
    /// English.
    pub const EN: Lang = Lang(*b"en");
    /// Spanish.
    pub const ES: Lang = Lang(*b"es");

    /// Reads `es`, `ES` or `es-MX`; `None` for anything that does not begin with a two-letter code.
    pub fn parse(text: &str) -> Option<Lang> {
        let primary = text.split(['-', '_']).next()?.as_bytes();
        let code: [u8; 2] = primary.try_into().ok()?;
        code.iter().all(u8::is_ascii_alphabetic).then(|| Lang(code.map(|b| b.to_ascii_lowercase())))
    }

    /// The two letters.
    pub fn as_str(&self) -> &str {
        // Only ASCII letters get in.
        std::str::from_utf8(&self.0).unwrap_or("??")
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lang({self})")
    }
}

impl JsonSchema for Lang {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Lang".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[a-z]{2}$", "description": "ISO 639-1." })
    }
}

impl Serialize for Lang {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Lang {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Lang::parse(&text).ok_or_else(|| D::Error::custom("expected a two-letter language code"))
    }
}

/// How much of a page is in one language.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LangShare {
    /// The language.
    pub lang: Lang,
    /// Share of the letters, from 0 to 1.
    pub share: f32,
}

/// What a page asks of robots (`meta robots` and `X-Robots-Tag`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsMeta {
    /// Do not index this page.
    pub noindex: bool,
    /// Do not follow its links.
    pub nofollow: bool,
    /// Do not keep or show a copy.
    pub noarchive: bool,
    /// Do not show it in results from this moment on.
    #[serde(default)]
    pub unavailable_after: Option<Tick>,
}

impl RobotsMeta {
    /// Adds what is asked elsewhere; the most restrictive wins.
    pub fn join(&mut self, other: RobotsMeta) {
        self.noindex |= other.noindex;
        self.nofollow |= other.nofollow;
        self.noarchive |= other.noarchive;
        self.unavailable_after = match (self.unavailable_after, other.unavailable_after) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
    }

    /// Whether the page may stand in an index at this moment.
    pub fn may_be_indexed(&self, now: Tick) -> bool {
        !self.noindex && self.unavailable_after.is_none_or(|end| now < end)
    }
}

/// A word in folded form and how often it stands in the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Term {
    /// Folded word.
    pub word: String,
    /// Occurrences.
    pub count: u32,
}

/// A page as the filter understands it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Id of the URL.
    pub url_id: UrlId,
    /// The address that was requested.
    pub url: String,
    /// The media type that it was read as, as `text/html`; empty when nobody knows.
    #[serde(default)]
    pub media_type: String,
    /// Name of the character encoding that was used, as the Encoding Standard spells it.
    pub charset: String,
    /// `<title>`, else the first heading, else empty.
    pub title: String,
    /// `meta keywords`.
    pub keywords: String,
    /// `meta description`, else `og:description`.
    pub description: String,
    /// The headings of the content, a line each, in the order of the page; those of navigation are none.
    #[serde(default)]
    pub headings: String,
    /// Who wrote it, as far as the page says so; several names are parted by commas.
    #[serde(default)]
    pub byline: String,
    /// When it was published, as the page dates itself.
    #[serde(default)]
    pub published: Option<Tick>,
    /// When it was last changed, as the page or its server dates it; never before `published`.
    #[serde(default)]
    pub modified: Option<Tick>,
    /// All visible text, a line per block.
    pub text: String,
    /// The text without navigation and boilerplate, a line per block.
    pub main: String,
    /// The main text as Markdown.
    pub markdown: String,
    /// Links in the order of the page, each target once.
    pub links: Vec<Link>,
    /// Languages by share, largest first; a language is listed when some paragraph is in it.
    pub languages: Vec<LangShare>,
    /// BLAKE3 (128 bits, hexadecimal) of the visible text with white space folded.
    pub digest: String,
    /// 64-bit simhash of the main text's word shingles.
    pub simhash: u64,
    /// Hash of what title and main text tell beside numbers and the words of the address.
    pub shape: u64,
    /// Words of the main text that the shape is made of, or of all text where there is no main text.
    pub main_words: u32,
    /// What the page asks of robots.
    pub robots: RobotsMeta,
    /// The address in `<link rel=canonical>`.
    pub canonical: Option<String>,
    /// What the page tells programs about itself, when that was asked for.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Box<Facts>>,
}

impl Document {
    /// A document of which nothing but its address is known.
    pub fn empty(url_id: UrlId, url: impl Into<String>) -> Document {
        Document {
            url_id,
            url: url.into(),
            media_type: String::new(),
            charset: "UTF-8".to_owned(),
            title: String::new(),
            keywords: String::new(),
            description: String::new(),
            headings: String::new(),
            byline: String::new(),
            published: None,
            modified: None,
            text: String::new(),
            main: String::new(),
            markdown: String::new(),
            links: Vec::new(),
            languages: Vec::new(),
            digest: String::new(),
            simhash: 0,
            shape: 0,
            main_words: 0,
            robots: RobotsMeta::default(),
            canonical: None,
            facts: None,
        }
    }

    /// The language of most of the page.
    pub fn main_language(&self) -> Option<Lang> {
        self.languages.first().map(|share| share.lang)
    }

    /// i-Bot's rule: a page counts as Spanish when some of it is.
    pub fn has_some(&self, lang: Lang) -> bool {
        self.languages.iter().any(|share| share.lang == lang)
    }
}
