//! What must a crawl of this web find? The answers, known beforehand.

use super::SyntheticWeb;
use super::faults::{Fault, faults};
use super::html::Charset;
use super::place;
use lycosa_model::Lang;

/// What is true of a synthetic web; all addresses are absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The front pages: the seeds of a crawl.
    pub fronts: Vec<String>,
    /// Every page that a polite crawl from the front pages fetches with 200, the front pages among
    /// them; without robots.txt.
    pub pages: Vec<String>,
    /// Those of `pages` that are in Spanish.
    pub spanish: Vec<String>,
    /// Those of `pages` that are in English.
    pub english: Vec<String>,
    /// Linked to, and forbidden by robots.txt.
    pub disallowed: Vec<String>,
    /// Addresses that redirect, and where to; the loop is not among them.
    pub redirects: Vec<(String, String)>,
    /// Two addresses that redirect to each other.
    pub redirect_loop: Option<(String, String)>,
    /// Linked to, and answered with 404.
    pub missing: Vec<String>,
    /// Linked to, and always answered with 500.
    pub failing: Vec<String>,
    /// Those of `pages` that have no link.
    pub dead_ends: Vec<String>,
    /// Two of `pages`, on different sites, that differ in a word or two.
    pub near_duplicates: Option<(String, String)>,
    /// Those of `pages` that are sent with gzip to whoever accepts it.
    pub compressed: Vec<String>,
    /// Those of `pages` that ask not to be indexed.
    pub noindex: Vec<String>,
    /// Reached by `rel=nofollow` links only; not among `pages`.
    pub nofollow: Vec<String>,
    /// Those of `pages` that are tag soup.
    pub tag_soup: Vec<String>,
    /// Those of `pages` that are not UTF-8, with the label of their encoding.
    pub legacy_charset: Vec<(String, &'static str)>,
}

impl SyntheticWeb {
    /// How many pages a polite crawl fetches with 200: the length of [`Facts::pages`], without
    /// listing them.
    pub fn expected_pages(&self) -> u64 {
        let regular = self.shape.sites as u64 * self.shape.pages_per_site as u64;
        let odd: usize = if self.shape.faults {
            let count =
                |site| faults(&self.shape, site).filter(|placed| is_page(placed.fault)).count();
            (0..self.shape.sites).map(count).sum()
        } else {
            0
        };
        regular + odd as u64
    }

    /// Everything that is true of this web. The lists are as long as the web is large.
    pub fn facts(&self) -> Facts {
        let mut facts = Facts { fronts: self.fronts(), ..Facts::default() };
        for site in 0..self.shape.sites {
            self.regular_facts(site, &mut facts);
            self.fault_facts(site, &mut facts);
        }
        if let Some((site, article)) = self.compressed() {
            facts.compressed.push(self.article_url(site, article));
        }
        facts
    }

    fn article_url(&self, site: usize, article: usize) -> String {
        self.url(site, &place::article_path(&self.shape, site, article))
    }

    fn regular_facts(&self, site: usize, facts: &mut Facts) {
        self.add_page(site, self.url(site, "/"), facts);
        for section in 0..self.shape.sections() {
            let path = place::section_path(&self.shape, site, section);
            self.add_page(site, self.url(site, &path), facts);
        }
        for article in 0..self.shape.articles() {
            let url = self.article_url(site, article);
            match self.charset(site, article) {
                Charset::Utf8 => {}
                Charset::Latin1Header => facts.legacy_charset.push((url.clone(), "iso-8859-1")),
                Charset::Windows1252Meta => {
                    facts.legacy_charset.push((url.clone(), "windows-1252"));
                }
            }
            self.add_page(site, url, facts);
        }
    }

    fn fault_facts(&self, site: usize, facts: &mut Facts) {
        for placed in faults(&self.shape, site) {
            let url = self.url(site, placed.path);
            // The reprint is in the language of the site that it was taken from.
            let owner = match (placed.fault, self.reprinted()) {
                (Fault::Mirror, Some((owner, _))) => owner,
                _ => site,
            };
            if is_page(placed.fault) {
                self.add_page(owner, url.clone(), facts);
            }
            match placed.fault {
                Fault::Private => facts.disallowed.push(url),
                Fault::Missing => facts.missing.push(url),
                Fault::Broken => facts.failing.push(url),
                Fault::Leaflet => facts.dead_ends.push(url),
                Fault::Draft => facts.noindex.push(url),
                Fault::Sponsor => facts.nofollow.push(url),
                Fault::Classic => facts.tag_soup.push(url),
                Fault::Press => {}
                Fault::Mirror => {
                    facts.near_duplicates = self
                        .reprinted()
                        .map(|(owner, article)| (self.article_url(owner, article), url));
                }
                Fault::Loop => {
                    let back = self.redirect(site, Fault::Loop);
                    facts.redirect_loop = back.map(|(_, path)| (url, self.url(site, &path)));
                }
                Fault::LoopBack => {}
                Fault::Moved | Fault::ChainStart | Fault::ChainEnd => {
                    if let Some((_, path)) = self.redirect(site, placed.fault) {
                        facts.redirects.push((url, self.url(site, &path)));
                    }
                }
            }
        }
    }

    fn add_page(&self, site: usize, url: String, facts: &mut Facts) {
        if self.shape.lang(site) == Lang::ES {
            facts.spanish.push(url.clone());
        } else {
            facts.english.push(url.clone());
        }
        facts.pages.push(url);
    }
}

/// Whether a polite crawl gets a page with 200 there.
fn is_page(fault: Fault) -> bool {
    matches!(fault, Fault::Leaflet | Fault::Mirror | Fault::Draft | Fault::Press | Fault::Classic)
}
