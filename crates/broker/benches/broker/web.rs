//! A web of which everything is known beforehand: a page is a number of a site.

use lycosa_model::message::Report;
use lycosa_model::{FetchKind, Found, Lease, Outcome};

/// Pages of a site that every page of it links to.
const MENU: u64 = 24;

/// Words of addresses.
const WORDS: [&str; 16] = [
    "about",
    "archive",
    "blog",
    "catalogue",
    "contact",
    "events",
    "forum",
    "guide",
    "help",
    "library",
    "news",
    "papers",
    "people",
    "products",
    "reviews",
    "stories",
];

/// Which links a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mix {
    /// To pages that nobody has seen.
    New,
    /// To pages that were seen.
    Known,
    /// Nine in ten to pages that were seen.
    Mixed,
    /// None.
    Nothing,
}

pub(crate) struct Web {
    /// Pages of each site that were seen.
    seen: Vec<u32>,
    known: u64,
    links: usize,
    dice: u64,
}

impl Web {
    pub(crate) fn new(sites: u32, links: usize) -> Web {
        Web { seen: vec![0; sites as usize], known: 0, links, dice: 0x9E37_79B9_7F4A_7C15 }
    }

    /// URLs that were seen.
    pub(crate) fn known(&self) -> u64 {
        self.known
    }

    /// Memory of the web itself.
    pub(crate) fn bytes(&self) -> u64 {
        (self.seen.len() * size_of::<u32>()) as u64
    }

    /// The next page of a site that nobody has seen.
    pub(crate) fn discover(&mut self, site: u32) -> String {
        let seen = &mut self.seen[site as usize];
        let page = *seen;
        *seen += 1;
        self.known += 1;
        address(site, u64::from(page))
    }

    fn roll(&mut self) -> u64 {
        self.dice = self.dice.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.dice;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// A site; some are much larger than others.
    fn any_site(&mut self) -> u32 {
        let roll = (self.roll() >> 11) as f64 / (1_u64 << 53) as f64;
        (roll * roll * self.seen.len() as f64) as u32
    }

    fn seen_page(&mut self, site: u32) -> String {
        let pages = u64::from(self.seen[site as usize].max(1));
        let page = self.roll() % pages;
        address(site, page)
    }

    /// A link as a page of this site has it: most lead to its menu, many elsewhere on the site, some to
    /// other sites.
    fn known_link(&mut self, site: u32) -> String {
        match self.roll() % 10 {
            0..=4 => {
                let pages = u64::from(self.seen[site as usize]).clamp(1, MENU);
                let page = self.roll() % pages;
                address(site, page)
            }
            5..=7 => self.seen_page(site),
            _ => {
                let other = self.any_site();
                self.seen_page(other)
            }
        }
    }

    /// The report of a page.
    pub(crate) fn page(&mut self, lease: &Lease, mix: Mix) -> Report {
        let site = site_of(&lease.url).unwrap_or_default() % self.seen.len() as u32;
        let count = if mix == Mix::Nothing { 0 } else { self.links };
        let mut links = Vec::with_capacity(count);
        for _ in 0..count {
            let new = match mix {
                Mix::New => true,
                Mix::Known | Mix::Nothing => false,
                Mix::Mixed => self.roll().is_multiple_of(10),
            };
            let url = if new {
                // Most of what a page leads to that is new is on its own site.
                let other = self.roll().is_multiple_of(5);
                let site = if other { self.any_site() } else { site };
                self.discover(site)
            } else {
                self.known_link(site)
            };
            links.push(Found { url, ..Found::default() });
        }
        Report {
            status: 200,
            bytes: 20_000,
            took_ms: 100,
            links,
            // No two pages have the same content.
            payload_digest: Some(lease.url_id.to_string()),
            ..Report::new(lease.url_id, FetchKind::Page, Outcome::Fetched)
        }
    }
}

fn address(site: u32, page: u64) -> String {
    if page == 0 {
        return format!("https://www.site{site}.example/");
    }
    let mixed = page.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(site);
    let word = |shift: u32| WORDS[(mixed >> shift) as usize % WORDS.len()];
    match mixed % 10 {
        0 => format!("https://www.site{site}.example/{}/{}?page={page}", word(40), word(44)),
        1..=4 => format!("https://www.site{site}.example/{}/{}-{page}.html", word(40), word(44)),
        _ => format!(
            "https://www.site{site}.example/{}/{}/{}-{}-{page}/",
            word(40),
            word(44),
            word(48),
            word(52)
        ),
    }
}

fn site_of(url: &str) -> Option<u32> {
    url.strip_prefix("https://www.site")?.split('.').next()?.parse().ok()
}
