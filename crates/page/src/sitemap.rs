//! Which pages does a site name of its own accord? Sitemaps (XML, index, text) and feeds (RSS, Atom,
//! JSON), packed or not, as broken as they come.
//!
//! Nothing here follows the XML standard further than it pays: namespaces are not looked up, document
//! types are skipped, no entity is defined, so nothing can expand. What is malformed is read as far as
//! it can be, and what was wrong is said in [`Sitemap::faults`].

mod inflate;
mod json;
mod list;
mod scan;
mod text;
mod tree;

use list::List;
use lycosa_frontier::whatwg;
use lycosa_model::Tick;

/// What reading a sitemap may cost. Whatever lies beyond a limit is left out and said in the faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes after unpacking: 50 MiB, what the sitemap protocol allows.
    pub max_bytes: usize,
    /// Distinct addresses: 50,000, what the sitemap protocol allows.
    pub max_entries: usize,
    /// Bytes of one address: 2,048. Longer ones are left out.
    pub max_url_bytes: usize,
    /// Faults that are told: 20.
    pub max_faults: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_bytes: 50 << 20, max_entries: 50_000, max_url_bytes: 2_048, max_faults: 20 }
    }
}

/// What a file turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An XML sitemap: its entries are pages.
    UrlSet,
    /// A sitemap index: its entries are further sitemaps.
    Index,
    /// A text file with an address on each line.
    Text,
    /// An RSS feed, of any version.
    Rss,
    /// An Atom feed.
    Atom,
    /// A JSON feed.
    Json,
    /// Nothing that names pages.
    Unknown,
}

impl Kind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::UrlSet => "urlset",
            Kind::Index => "index",
            Kind::Text => "text",
            Kind::Rss => "rss",
            Kind::Atom => "atom",
            Kind::Json => "json_feed",
            Kind::Unknown => "unknown",
        }
    }
}

/// How often a page changes, as its site claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeFreq {
    /// With every request.
    Always,
    /// Every hour.
    Hourly,
    /// Every day.
    Daily,
    /// Every week.
    Weekly,
    /// Every month.
    Monthly,
    /// Every year.
    Yearly,
    /// It is an archive.
    Never,
}

impl ChangeFreq {
    const ALL: [ChangeFreq; 7] = [
        ChangeFreq::Always,
        ChangeFreq::Hourly,
        ChangeFreq::Daily,
        ChangeFreq::Weekly,
        ChangeFreq::Monthly,
        ChangeFreq::Yearly,
        ChangeFreq::Never,
    ];

    /// The word of the sitemap protocol.
    pub fn name(self) -> &'static str {
        match self {
            ChangeFreq::Always => "always",
            ChangeFreq::Hourly => "hourly",
            ChangeFreq::Daily => "daily",
            ChangeFreq::Weekly => "weekly",
            ChangeFreq::Monthly => "monthly",
            ChangeFreq::Yearly => "yearly",
            ChangeFreq::Never => "never",
        }
    }

    fn parse(text: &str) -> Option<ChangeFreq> {
        ChangeFreq::ALL.into_iter().find(|freq| freq.name().eq_ignore_ascii_case(text.trim()))
    }
}

/// One address, and what the site says about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Absolute http(s) address without fragment, as it should be requested.
    pub url: String,
    /// Last change; for feeds the date of the entry.
    pub lastmod: Option<Tick>,
    /// From 0 to 1, against the other pages of the site.
    pub priority: Option<f32>,
    /// See [`ChangeFreq`].
    pub changefreq: Option<ChangeFreq>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Sitemap {
    /// See [`Kind`].
    pub kind: Kind,
    /// In the order of the file, each address once.
    pub entries: Vec<Entry>,
    /// What was wrong with the file, in words; empty for a good one.
    pub faults: Vec<String>,
}

impl Sitemap {
    /// Whether the entries are sitemaps and not pages.
    pub fn is_index(&self) -> bool {
        self.kind == Kind::Index
    }

    /// Puts the entries that the site holds dearest first: by priority (0.5 where none is given), then
    /// the latest change, then the order of the file.
    pub fn sort_by_worth(&mut self) {
        let worth = |entry: &Entry| entry.priority.unwrap_or(0.5);
        self.entries
            .sort_by(|a, b| worth(b).total_cmp(&worth(a)).then_with(|| b.lastmod.cmp(&a.lastmod)));
    }
}

/// Reads a sitemap or a feed after content decoding; a body that is still gzip is unpacked. `url` is
/// the address of the file, against which relative addresses resolve. Total: every input gives a
/// sitemap, if need be an empty one with a fault.
pub fn read(body: &[u8], content_type: Option<&str>, url: &str, limits: &Limits) -> Sitemap {
    let mut list = List::new(whatwg::read(None, None, url).ok(), limits);
    let body = inflate::unpack(body, limits.max_bytes, &mut list);
    let text = text::decode(&body, content_type);
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\0');
    let kind = if start.is_empty() {
        list.fault("it is empty");
        Kind::Unknown
    } else if start.starts_with('<') {
        tree::read(start, &mut list)
    } else if start.starts_with('{') {
        json::read(start, &mut list)
    } else if text.contains('\0') {
        list.fault("it is neither XML nor text");
        Kind::Unknown
    } else {
        text::read(start, &mut list)
    };
    let (entries, faults) = list.finish();
    Sitemap { kind, entries, faults }
}

#[cfg(test)]
mod tests;
