//! How large is the web, and what are its sites called?

use super::words::{EN, ES};
use super::words::{Edition, Frame, SECTIONS, SUBJECTS_PER_SECTION, TOPICS};
use lycosa_model::Lang;

/// Most sites that a shape may have.
pub const MAX_SITES: usize = 1_000_000;
/// Most pages that a site of a shape may have.
pub const MAX_PAGES_PER_SITE: usize = 1_000_000;
/// Most related links that an article may have.
pub const MAX_OUT_DEGREE: usize = 200;
/// Sites up to this size keep to the sections of their topic; larger ones get more sections, so that no
/// page lists more than about the square root of its site.
const SMALL_SITE: usize = 64;

/// The measures of a synthetic web. Values out of bounds are brought back into them, so every shape
/// describes some web.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Number of sites, from 1 to [`MAX_SITES`].
    pub sites: usize,
    /// Pages of each site (front page, sections and articles), from 1 to [`MAX_PAGES_PER_SITE`].
    /// Pages that belong to faults come on top.
    pub pages_per_site: usize,
    /// Number of topics, from 1 to the 6 that there are.
    pub topics: usize,
    /// Languages of the sites, by turns; English and Spanish are known, others are left out.
    pub languages: Vec<Lang>,
    /// Related links of each article, at most [`MAX_OUT_DEGREE`].
    pub out_degree: usize,
    /// Share of the related links that lead to other sites, from 0 to 1.
    pub cross_site: f64,
    /// Whether there are redirects, dead links, disallowed folders and the like.
    pub faults: bool,
}

impl Shape {
    /// The web of `lycosa demo`: twelve sites, six topics, two languages, about five hundred pages.
    pub fn demo() -> Shape {
        Shape {
            sites: 12,
            pages_per_site: 1 + SECTIONS + SECTIONS * SUBJECTS_PER_SECTION * EN.angles.len(),
            topics: TOPICS.len(),
            languages: vec![Lang::EN, Lang::ES],
            out_degree: 6,
            cross_site: 0.35,
            faults: true,
        }
    }

    /// A web for load: the same kind of pages, as many as wanted, no faults.
    pub fn large(sites: usize, pages_per_site: usize) -> Shape {
        Shape { sites, pages_per_site, faults: false, out_degree: 10, ..Shape::demo() }
    }

    pub(super) fn bounded(mut self) -> Shape {
        self.sites = self.sites.clamp(1, MAX_SITES);
        self.pages_per_site = self.pages_per_site.clamp(1, MAX_PAGES_PER_SITE);
        self.topics = self.topics.clamp(1, TOPICS.len());
        self.languages.retain(|lang| matches!(*lang, Lang::EN | Lang::ES));
        self.languages.dedup();
        self.languages.truncate(2);
        if self.languages.is_empty() {
            self.languages.push(Lang::EN);
        }
        self.out_degree = self.out_degree.min(MAX_OUT_DEGREE);
        // A NaN is no share either.
        self.cross_site = if self.cross_site > 0.0 { self.cross_site.min(1.0) } else { 0.0 };
        self
    }

    /// Sections of each site.
    pub(super) fn sections(&self) -> usize {
        let rest = self.pages_per_site - 1;
        if self.pages_per_site <= SMALL_SITE {
            rest.min(SECTIONS)
        } else {
            rest.isqrt().max(SECTIONS)
        }
    }

    /// Articles of each site.
    pub(super) fn articles(&self) -> usize {
        self.pages_per_site - 1 - self.sections()
    }

    /// Sites with names of their own; further ones repeat them with a number.
    fn kinds(&self) -> usize {
        self.topics * self.languages.len()
    }

    pub(super) fn lang(&self, site: usize) -> Lang {
        self.languages[site % self.languages.len()]
    }

    pub(super) fn edition(&self, site: usize) -> &'static Edition {
        let topic = &TOPICS[(site / self.languages.len()) % self.topics];
        if self.lang(site) == Lang::ES { &topic.es } else { &topic.en }
    }

    pub(super) fn frame(&self, site: usize) -> &'static Frame {
        if self.lang(site) == Lang::ES { &ES } else { &EN }
    }

    /// The site on the same topic in the other language, if this web has one.
    pub(super) fn twin(&self, site: usize) -> Option<usize> {
        let twin = site ^ 1;
        (self.languages.len() == 2 && twin < self.sites).then_some(twin)
    }

    pub(super) fn name(&self, site: usize) -> String {
        let host = self.edition(site).host;
        match site / self.kinds() {
            0 => host.to_owned(),
            round => format!("{host}-{round}"),
        }
    }

    /// The site of this name: the inverse of [`Shape::name`].
    pub(super) fn site(&self, name: &str) -> Option<usize> {
        let (host, round) = match name.rsplit_once('-') {
            Some((host, round)) => (host, canonical_number(round).filter(|round| *round > 0)?),
            None => (name, 0),
        };
        let kind = (0..self.kinds()).find(|kind| self.edition(*kind).host == host)?;
        let site = round.checked_mul(self.kinds())?.checked_add(kind)?;
        (site < self.sites).then_some(site)
    }
}

/// Reads a decimal number in its only spelling: no sign, no leading zeros.
pub(super) fn canonical_number(text: &str) -> Option<usize> {
    let canonical = text == "0" || !text.starts_with('0');
    (canonical && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

/// How sites are addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Naming {
    /// `NAME.localhost:PORT`: names under `localhost` are loopback, so the web can be served on this
    /// machine without any setting.
    Loopback {
        /// The port of the server.
        port: u16,
    },
    /// `NAME.SUFFIX` on the default port: for crawls without a server.
    Plain {
        /// Parent domain, as in `demo.test`.
        suffix: String,
    },
}

impl Naming {
    /// Names below `demo.test`.
    pub fn plain() -> Naming {
        Naming::Plain { suffix: "demo.test".into() }
    }

    pub(super) fn authority(&self, name: &str) -> String {
        match self {
            // The default port is not written.
            Naming::Loopback { port: 80 } => format!("{name}.localhost"),
            Naming::Loopback { port } => format!("{name}.localhost:{port}"),
            Naming::Plain { suffix } => format!("{name}.{suffix}"),
        }
    }

    /// The site name in an authority or `Host` value. The port must be ours: another port is another
    /// server.
    pub(super) fn name<'a>(&self, authority: &'a str) -> Option<&'a str> {
        match self {
            Naming::Loopback { port } => {
                let (host, given) = authority.rsplit_once(':').unwrap_or((authority, "80"));
                (canonical_number(given)? == usize::from(*port)).then_some(())?;
                host.strip_suffix(".localhost")
            }
            Naming::Plain { suffix } => {
                let host = authority.strip_suffix(":80").unwrap_or(authority);
                host.strip_suffix(suffix.as_str())?.strip_suffix('.')
            }
        }
    }
}
