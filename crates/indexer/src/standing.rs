//! What do the pages say of each other? The graph of their links, who stands out in it, and the words by which
//! pages are linked to.
//!
//! Made anew from the whole index whenever it is asked for. Pages of one site may say what they like of each
//! other: the anchors of a site count once, however many pages have them, and a rank among sites is told
//! by links between sites alone.

use lycosa_knowledge::analysis::Analyser;
use lycosa_knowledge::graph::{Graph, scaled};
use lycosa_model::Lang;
use lycosa_segments::{AnchorPlaces, Segments, SegmentsError, Standing, site_name};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Different anchors of one page that are kept.
const MAX_ANCHORS: usize = 64;
/// How often an anchor counts at most, from however many sites it comes.
const MAX_TIMES: usize = 8;

/// What was found out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StandingReport {
    /// Pages in the index.
    pub pages: usize,
    /// Sites that they are on.
    pub sites: usize,
    /// Links between pages of the index.
    pub links: usize,
    /// Pages that are linked to.
    pub linked: usize,
    /// Different words in anchors.
    pub words: usize,
}

/// Whether the index has changed since it was last found out what its pages say of each other. What cannot
/// be told counts as a change.
pub fn is_standing_old(data: &Path) -> bool {
    let Ok(segments) = Segments::open(data) else { return false };
    let of = segments.standing().map(|standing| standing.commit);
    of.is_none() || of != segments.last_commit().ok()
}

/// Finds out what the pages of the last commit say of each other, and puts it down beside the index.
pub fn find_standing(data: &Path) -> Result<StandingReport, SegmentsError> {
    let segments = Segments::open(data)?;
    // Before the pages: a commit in between makes the result old, never young.
    let commit = segments.last_commit()?;
    let searcher = segments.reader()?.searcher();
    let mut pages = Pages::default();
    segments.for_each_linked(&searcher, |page| pages.add(page.tie, page.url, page.lang))?;
    let mut heard = Heard::default();
    segments.for_each_linked(&searcher, |page| {
        let Some(from) = pages.number(page.tie) else { return };
        for link in page.links() {
            if let Some(to) = pages.number(link.target) {
                heard.link(&pages, from, to, link.anchor);
            }
        }
    })?;
    let (mut standing, report) = heard.weigh(&pages);
    standing.commit = commit;
    segments.put_standing(&standing)?;
    Ok(report)
}

/// The pages by number, in the order in which they were met.
#[derive(Default)]
struct Pages {
    ties: Vec<u64>,
    sites: Vec<u32>,
    langs: Vec<Option<Lang>>,
    numbers: HashMap<u64, u32>,
    site_numbers: HashMap<String, u32>,
}

impl Pages {
    fn add(&mut self, tie: u64, url: &str, lang: Option<Lang>) {
        let next = self.site_numbers.len() as u32;
        let site = *self.site_numbers.entry(site_name(url)).or_insert(next);
        self.numbers.insert(tie, self.ties.len() as u32);
        self.ties.push(tie);
        self.sites.push(site);
        self.langs.push(lang);
    }

    fn number(&self, tie: u64) -> Option<u32> {
        self.numbers.get(&tie).copied()
    }

    fn site(&self, page: u32) -> u32 {
        self.sites.get(page as usize).copied().unwrap_or_default()
    }
}

/// The sites that say it, as many as count.
#[derive(Clone, Copy, Default)]
struct Said {
    sites: [u32; MAX_TIMES],
    count: u8,
}

impl Said {
    fn by(&mut self, site: u32) {
        let count = usize::from(self.count);
        if count < MAX_TIMES && !self.sites[..count].contains(&site) {
            self.sites[count] = site;
            self.count += 1;
        }
    }
}

/// What the links say.
#[derive(Default)]
struct Heard {
    edges: Vec<(u32, u32)>,
    /// The anchors of each page.
    anchors: HashMap<u32, HashMap<Box<str>, Said>>,
}

impl Heard {
    fn link(&mut self, pages: &Pages, from: u32, to: u32, anchor: &str) {
        self.edges.push((from, to));
        if anchor.is_empty() {
            return;
        }
        let site = pages.site(from);
        let anchors = self.anchors.entry(to).or_default();
        if let Some(said) = anchors.get_mut(anchor) {
            said.by(site);
        } else if anchors.len() < MAX_ANCHORS {
            anchors.entry(anchor.into()).or_default().by(site);
        }
    }

    fn weigh(self, pages: &Pages) -> (Standing, StandingReport) {
        let between = self.edges.iter().map(|(from, to)| (pages.site(*from), pages.site(*to)));
        let sites = Graph::new(pages.site_numbers.len(), between.collect());
        let site_ranks = scaled(&sites.page_rank());
        let graph = Graph::new(pages.ties.len(), self.edges);
        let page_ranks = scaled(&graph.page_rank());
        let inlinks = graph.inlinks();
        let site_rank = |page: usize| {
            let site = pages.site(page as u32) as usize;
            byte(site_ranks.get(site).copied().unwrap_or_default())
        };
        // A page that nobody leads to has the rank of its site.
        let known = |page: &usize| inlinks[*page] > 0 || site_rank(*page) > 0;
        let mut linked: Vec<usize> = (0..inlinks.len()).filter(known).collect();
        linked.sort_unstable_by_key(|page| pages.ties[*page]);
        let mut standing = Standing { pages: pages.ties.len() as u64, ..Standing::default() };
        let mut words: BTreeMap<String, AnchorPlaces> = BTreeMap::new();
        for (place, page) in linked.iter().enumerate() {
            standing.ties.push(pages.ties[*page]);
            standing.page_ranks.push(byte(page_ranks[*page]));
            standing.site_ranks.push(site_rank(*page));
            standing.inlinks.push(inlinks[*page]);
            let counts = self
                .anchors
                .get(&(*page as u32))
                .map_or_else(BTreeMap::new, |anchors| counted(anchors, pages.langs[*page]));
            let length: u32 = counts.values().sum();
            standing.anchor_lengths.push(length.min(u32::from(u16::MAX)) as u16);
            for (form, count) in counts {
                let count = count.min(u32::from(u8::MAX)) as u8;
                words.entry(form).or_default().push((place as u32, count));
            }
        }
        standing.anchors = words.into_iter().collect();
        let report = StandingReport {
            pages: pages.ties.len(),
            sites: pages.site_numbers.len(),
            links: graph.edges(),
            linked: inlinks.iter().filter(|count| **count > 0).count(),
            words: standing.anchors.len(),
        };
        (standing, report)
    }
}

/// How often each form comes in the anchors of a page, analysed in the language of that page.
fn counted(anchors: &HashMap<Box<str>, Said>, lang: Option<Lang>) -> BTreeMap<String, u32> {
    let analyser = Analyser::for_language(lang);
    let mut counts = BTreeMap::new();
    for (anchor, said) in anchors {
        analyser.analyse(anchor, &mut |form, _| {
            *counts.entry(form.to_owned()).or_default() += u32::from(said.count);
        });
    }
    counts
}

/// A share as a byte.
fn byte(share: f32) -> u8 {
    (share.clamp(0.0, 1.0) * f32::from(u8::MAX)).round() as u8
}

#[cfg(test)]
mod tests;
