//! What is seen of the index at one moment? A commit, and what is known of its pages beside their words.
//!
//! What other pages say of a page is in files of their own (see [`lycosa_segments::Standing`] and
//! [`lycosa_segments::Ranks`]). Here it is joined to the documents of the segments, once for each segment: from then on a page's rank is a look into a
//! list, and the words of anchors are lists of documents as those of any other field.

use crate::bm25f::Average;
use crate::date::year_of;
use crate::said::Said;
use crate::sites::{self, Sites};
use lycosa_segments::Fields;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use tantivy::columnar::StrColumn;
use tantivy::index::SegmentId;
use tantivy::{DocId, Searcher, SegmentReader};

/// What the highest rank of a page counts.
const PAGE_RANK: f32 = 1.0;
/// What the highest rank of a site counts.
const SITE_RANK: f32 = 0.5;
/// What a page of today counts.
const FRESHNESS: f32 = 0.2;
/// Milliseconds after which a page counts half of that.
const HALF_LIFE: f32 = 365.0 * 86_400_000.0;
/// What the front page of a site counts.
const TOP: f32 = 0.2;
/// Pages that a word in anchors is looked at in, those of the highest rank.
const MAX_ANCHORED: usize = 20_000;
/// Stands for a page that nobody links to.
const NOBODY: u32 = u32::MAX;

/// A document that a word stands in the anchors of, how often that counts, and how long its anchors are.
pub(crate) type Anchored = (DocId, u8, u16);

/// What a page counts whatever is asked, part by part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Prior {
    pub(crate) page_rank: f32,
    pub(crate) site_rank: f32,
    pub(crate) freshness: f32,
    pub(crate) depth: f32,
}

impl Prior {
    pub(crate) fn sum(self) -> f32 {
        self.page_rank + self.site_rank + self.freshness + self.depth
    }

    /// Its parts, for a person.
    pub(crate) fn parts(self) -> [(&'static str, f32); 4] {
        [
            ("rank of the page", self.page_rank),
            ("rank of the site", self.site_rank),
            ("freshness", self.freshness),
            ("nearness to the front page", self.depth),
        ]
    }
}

/// The names of the sites of a segment, in the order of their column. One walk through all of them costs less
/// than to look up a few.
fn names_of(hosts: &StrColumn) -> tantivy::Result<Vec<String>> {
    let mut names = hosts.dictionary().stream()?;
    let mut all = Vec::with_capacity(hosts.num_terms());
    while names.advance() {
        all.push(String::from_utf8_lossy(names.key()).into_owned());
    }
    Ok(all)
}

/// What is known of the documents of one segment.
pub(crate) struct Joined {
    /// The place of each document among the pages that are linked to.
    places: Vec<u32>,
    priors: Vec<Prior>,
    /// The most that a document counts whatever is asked.
    most: f32,
    /// The site of each document, by its number in [`Sites`], and the year.
    origins: Vec<(u32, u16)>,
}

impl Joined {
    fn new(
        segment: &SegmentReader,
        fields: &Fields,
        said: &Said,
        sites: &Sites,
        now: u64,
    ) -> tantivy::Result<Joined> {
        let standing = &said.standing;
        let name = |field| segment.schema().get_field_name(field);
        let columns = segment.fast_fields();
        let hosts = columns.str(name(fields.host))?;
        let names = hosts.as_ref().map(names_of).transpose()?.unwrap_or_default();
        let site_ranks: Option<Vec<u8>> =
            said.ranks.as_ref().map(|ranks| names.iter().map(|name| ranks.site(name)).collect());
        let numbers = sites.numbers(&names);
        let ties = columns.u64(name(fields.tie))?;
        let (dates, depths) = (columns.u64(name(fields.date))?, columns.u64(name(fields.depth))?);
        let mut joined =
            Joined { places: Vec::new(), priors: Vec::new(), most: 0.0, origins: Vec::new() };
        for doc in 0..segment.max_doc() {
            let tie = ties.first(doc).filter(|_| !segment.is_deleted(doc));
            let place = tie.and_then(|tie| standing.place(tie));
            let rank = |ranks: &[u8]| place.and_then(|place| ranks.get(place as usize)).copied();
            let host = hosts.as_ref().and_then(|hosts| hosts.ords().first(doc));
            let host = host.map_or(usize::MAX, |host| host as usize);
            let (page_rank, site_rank) = match (&said.ranks, &site_ranks) {
                (Some(ranks), Some(site_ranks)) => {
                    (tie.map(|tie| ranks.page(tie)), site_ranks.get(host).copied())
                }
                _ => (rank(&standing.page_ranks), rank(&standing.site_ranks)),
            };
            let share = |rank: Option<u8>| f32::from(rank.unwrap_or_default()) / f32::from(u8::MAX);
            let date = dates.first(doc);
            let age = date.map(|date| now.saturating_sub(date) as f32);
            let year = date.map_or(0, |date| year_of(date).try_into().unwrap_or(u16::MAX));
            joined.origins.push((numbers.get(host).copied().unwrap_or(sites::NONE), year));
            let prior = Prior {
                page_rank: PAGE_RANK * share(page_rank),
                site_rank: SITE_RANK * share(site_rank),
                freshness: age.map_or(0.0, |age| FRESHNESS * (-age / HALF_LIFE).exp2()),
                depth: depths.first(doc).map_or(0.0, |depth| TOP / (1 + depth) as f32),
            };
            joined.most = joined.most.max(prior.sum());
            joined.places.push(place.unwrap_or(NOBODY));
            joined.priors.push(prior);
        }
        Ok(joined)
    }

    /// What a document counts whatever is asked.
    pub(crate) fn prior(&self, doc: DocId) -> Prior {
        self.priors.get(doc as usize).copied().unwrap_or_default()
    }

    /// The most that a document counts whatever is asked.
    pub(crate) fn most(&self) -> f32 {
        self.most
    }

    /// The site of a document by its number, and the year that it is of, 0 where it has no date.
    #[inline]
    pub(crate) fn origin(&self, doc: DocId) -> (u32, u16) {
        self.origins.get(doc as usize).copied().unwrap_or((sites::NONE, 0))
    }
}

/// What is known of the pages of one commit.
#[derive(Clone, Default)]
pub(crate) struct Known {
    said: Said,
    sites: Arc<Sites>,
    /// By segment and how many of its documents are gone.
    joined: HashMap<(SegmentId, u32), Arc<Joined>>,
    /// Segment and document of each page that is linked to.
    pages: Arc<[(u32, DocId)]>,
    /// The day that freshness was told on.
    now: u64,
}

impl Known {
    /// Joins what is known to the segments; what `before` has joined is taken from there when it is of the
    /// same standing.
    pub(crate) fn join(
        searcher: &Searcher,
        fields: &Fields,
        said: Said,
        before: &Known,
        now: u64,
    ) -> tantivy::Result<Known> {
        let same = said.is(&before.said) && before.now == now;
        let sites = Arc::clone(&before.sites);
        let mut pages = vec![(NOBODY, 0); said.standing.ties.len()];
        let mut joined = HashMap::new();
        for (segment, number) in searcher.segment_readers().iter().zip(0_u32..) {
            let id = key(segment);
            let ready = before.joined.get(&id).filter(|_| same);
            let of_segment = match ready {
                Some(ready) => Arc::clone(ready),
                None => Arc::new(Joined::new(segment, fields, &said, &sites, now)?),
            };
            for (place, doc) in of_segment.places.iter().zip(0_u32..) {
                if let Some(page) = pages.get_mut(*place as usize) {
                    *page = (number, doc);
                }
            }
            joined.insert(id, of_segment);
        }
        Ok(Known { said, sites, joined, pages: pages.into(), now })
    }

    /// The day that freshness was told on.
    pub(crate) fn day(&self) -> u64 {
        self.now
    }

    /// The sites of the index.
    pub(crate) fn sites(&self) -> &Sites {
        &self.sites
    }

    /// What other pages say, as it was read.
    pub(crate) fn said(&self) -> &Said {
        &self.said
    }

    /// What is known of the documents of a segment.
    pub(crate) fn of(&self, segment: &SegmentReader) -> Option<&Arc<Joined>> {
        self.joined.get(&key(segment))
    }

    /// How many pages a form stands in the anchors of.
    pub(crate) fn anchored(&self, form: &str) -> u64 {
        self.said.standing.with_anchor(form).len() as u64
    }

    /// The documents that a form stands in the anchors of, by segment and rising. Of very many those of the
    /// highest rank are taken.
    pub(crate) fn anchors(&self, form: &str) -> Vec<Arc<[Anchored]>> {
        let standing = &self.said.standing;
        let mut found: Vec<(u32, u8)> = standing.with_anchor(form).to_vec();
        found.retain(|(place, _)| self.page(*place).is_some());
        if found.len() > MAX_ANCHORED {
            let standing = |place: u32| {
                let rank = standing.page_ranks.get(place as usize);
                (Reverse(rank), Reverse(standing.inlinks.get(place as usize)), place)
            };
            found.select_nth_unstable_by_key(MAX_ANCHORED, |(place, _)| standing(*place));
            found.truncate(MAX_ANCHORED);
        }
        let mut segments: Vec<Vec<Anchored>> = Vec::new();
        for (place, count) in found {
            let Some((segment, doc)) = self.page(place) else { continue };
            let length = standing.anchor_lengths.get(place as usize).copied();
            if segments.len() <= segment as usize {
                segments.resize_with(segment as usize + 1, Vec::new);
            }
            segments[segment as usize].push((doc, count, length.unwrap_or_default()));
        }
        segments.iter_mut().for_each(|pages| pages.sort_unstable());
        segments.into_iter().map(Arc::from).collect()
    }

    /// Segment and document of a page by its place, if the index has it.
    fn page(&self, place: u32) -> Option<(u32, DocId)> {
        self.pages.get(place as usize).copied().filter(|(segment, _)| *segment != NOBODY)
    }
}

fn key(segment: &SegmentReader) -> (SegmentId, u32) {
    (segment.segment_id(), segment.num_deleted_docs())
}

/// What is seen of the index at one moment.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    pub(crate) searcher: &'a Searcher,
    pub(crate) fields: &'a Fields,
    pub(crate) average: Average,
    pub(crate) known: &'a Known,
}

impl<'a> Sight<'a> {
    /// The segments with their numbers.
    pub(crate) fn segments(self) -> impl Iterator<Item = (u32, &'a SegmentReader)> {
        (0_u32..).zip(self.searcher.segment_readers())
    }
}
