//! Which page has which keyword? A table of bits.

use super::bits;
use hashbrown::HashMap;

/// Pages of a table.
pub const MAX_PAGES: usize = 40;
/// Keywords of a table.
pub const MAX_KEYWORDS: usize = 25;

/// A formal context: pages, keywords, and which page has which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    pages: Vec<String>,
    keywords: Vec<String>,
    /// The keywords of each page, each a bit.
    rows: Vec<u32>,
}

impl Context {
    /// A table of the first [`MAX_PAGES`] pages, with the [`MAX_KEYWORDS`] keywords that weigh most in all
    /// of them together. Each page comes with its words and what they weigh there (TF-IDF).
    pub fn new<'a, W>(pages: impl IntoIterator<Item = (&'a str, W)>) -> Context
    where
        W: IntoIterator<Item = (&'a str, f32)>,
    {
        let mut names = Vec::new();
        let mut words = Vec::new();
        let mut weights: HashMap<&str, f32> = HashMap::new();
        for (name, list) in pages.into_iter().take(MAX_PAGES) {
            names.push(name.to_owned());
            let list: Vec<(&str, f32)> = list.into_iter().collect();
            for (word, weight) in &list {
                *weights.entry(word).or_default() += weight;
            }
            words.push(list);
        }
        let mut ranked: Vec<(&str, f32)> = weights.into_iter().collect();
        ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        ranked.truncate(MAX_KEYWORDS);
        let places: HashMap<&str, usize> =
            ranked.iter().enumerate().map(|(place, (word, _))| (*word, place)).collect();
        let row = |list: &Vec<(&str, f32)>| {
            let known = list.iter().filter_map(|(word, _)| places.get(word));
            known.fold(0, |row, place| row | 1 << place)
        };
        Context {
            rows: words.iter().map(row).collect(),
            pages: names,
            keywords: ranked.into_iter().map(|(word, _)| word.to_owned()).collect(),
        }
    }

    /// Names of the pages.
    pub fn pages(&self) -> &[String] {
        &self.pages
    }

    /// The keywords.
    pub fn keywords(&self) -> &[String] {
        &self.keywords
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty() || self.keywords.is_empty()
    }

    /// The keywords of a page, each a bit.
    pub fn row(&self, page: usize) -> u32 {
        self.rows.get(page).copied().unwrap_or(0)
    }

    /// The keywords that all of these pages have; all keywords when there is no page.
    pub fn shared_by(&self, pages: u64) -> u32 {
        let all = (1_u32 << self.keywords.len()) - 1;
        bits(pages).fold(all, |shared, page| shared & self.row(page))
    }

    /// The pages that have all of these keywords.
    pub fn with(&self, keywords: u32) -> u64 {
        let has = |row: &u32| row & keywords == keywords;
        let pages = self.rows.iter().enumerate().filter(|(_, row)| has(row));
        pages.fold(0, |set, (page, _)| set | 1 << page)
    }
}
