//! Which web can be crawled without a network? One that is a function of a seed.
//!
//! A page is computed from the seed, the name of its site and its path, whenever somebody asks for it;
//! no page is stored. So a web of twelve sites and one of ten thousand cost the same memory, two
//! processes with the same seed see the same bytes, and a test knows beforehand what a crawl must find
//! (BUbiNG's in-vitro web). The same web can be asked in three ways: as a function
//! ([`SyntheticWeb::page`]), through the crawl's own port ([`lycosa_runtime::Web`]) and over loopback
//! ([`serve`]).

mod answer;
mod article;
mod facts;
mod faults;
mod grammar;
mod html;
mod place;
mod port;
mod render;
mod serve;
mod shape;
mod visits;
mod warc;
mod words;

pub use facts::Facts;
pub use serve::{MAX_CONNECTIONS, Served, serve};
pub use shape::{MAX_OUT_DEGREE, MAX_PAGES_PER_SITE, MAX_SITES, Naming, Shape};
pub use visits::{MAX_VISITED, Visits};

use bytes::Bytes;
use lycosa_model::Headers;

/// Searches that find something in the demo web, with the language they are meant for. The Spanish
/// one is written as people type: without accents.
pub const EXAMPLE_SEARCHES: [(&str, Option<&str>); 3] = [
    ("black hole telescope", None),
    ("world cup final", Some("en")),
    ("receta de tortilla con jamon", Some("es")),
];

/// What a site answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Headers of the page; those of the connection are the server's affair.
    pub headers: Headers,
    /// Body, content coding still on.
    pub body: Bytes,
}

/// A web that is a function of its seed.
#[derive(Debug)]
pub struct SyntheticWeb {
    seed: u64,
    shape: Shape,
    naming: Naming,
    visits: Visits,
}

impl SyntheticWeb {
    /// The web of this seed and shape, its links written by this naming.
    pub fn new(seed: u64, shape: Shape, naming: Naming) -> SyntheticWeb {
        SyntheticWeb { seed, shape: shape.bounded(), naming, visits: Visits::default() }
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The shape, its values brought into bounds.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Every request that came by [`serve`] or by the port; calls of [`SyntheticWeb::page`] are not
    /// requests.
    pub fn visits(&self) -> &Visits {
        &self.visits
    }

    /// The names of the sites, in order.
    pub fn sites(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.shape.sites).map(|site| self.shape.name(site))
    }

    /// The front pages, in the order of the sites: the seeds of a crawl. The first one alone leads to
    /// all the others.
    pub fn fronts(&self) -> Vec<String> {
        (0..self.shape.sites).map(|site| self.url(site, "/")).collect()
    }

    /// Site name and path of an address of this web; `None` when it is not one. Queries and
    /// fragments do not matter here.
    pub fn locate<'a>(&self, url: &'a str) -> Option<(&'a str, &'a str)> {
        let rest = url.strip_prefix("http://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let name = self.naming.name(authority)?;
        self.shape.site(name)?;
        let path = path.split(['?', '#']).next().unwrap_or(path);
        Some((name, if path.is_empty() { "/" } else { path }))
    }

    fn url(&self, site: usize, path: &str) -> String {
        let authority = self.naming.authority(&self.shape.name(site));
        format!("http://{authority}{path}")
    }
}

#[cfg(test)]
mod tests;
