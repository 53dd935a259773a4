//! Which pages come first?
//!
//! Pages with every word are asked for first. When there are fewer than [`ENOUGH`] of them, pages with any
//! of the words are taken too, ranked by the same score: long questions would find nothing otherwise. The
//! choice does not depend on the page of results that is asked for, so paging is stable. Nor does it depend on
//! filters, unless they leave no page with every word: so a filter finds those of the pages that match which
//! meet it, and no others.
//!
//! The best [`LOOKED_AT`] pages are looked at again for how near the words stand in them. That only adds
//! to a score, so none of the pages behind them belongs before them.

use crate::best::{Scored, best};
use crate::bits::Bits;
use crate::duplicates::fold_duplicates;
use crate::matching::{add_documents, matches};
use crate::meaning::Meaning;
use crate::nearness::{Nearness, nearness};
use crate::plan::Plan;
use crate::sight::{Joined, Sight};
use crate::sites;
use hashbrown::HashMap;
use lycosa_knowledge::embedding::mixed;
use std::cmp::Reverse;
use tantivy::DocAddress;
use tantivy::columnar::Column;

/// Pages with every word that make looser matches unnecessary.
const ENOUGH: usize = 100;
/// Pages that are looked at again, more closely.
const LOOKED_AT: usize = 100;
/// Candidates beyond those that are shown, for near-duplicates and sites that fall out.
const SPARE: usize = 64;
/// Candidates that are ever looked at: those beyond are not ordered.
const MAX_CANDIDATES: usize = 2_200;
/// Results of one site.
const PER_SITE: usize = 2;
/// Results of one site when the last of them has the whole question as its title: whoever asks for a title
/// wants that page, and not what other sites have.
const PER_SITE_BY_TITLE: usize = 3;

/// The pages that match.
pub(crate) struct Matched {
    /// By segment.
    pub(crate) bits: Vec<Bits>,
    /// How many there are.
    pub(crate) total: usize,
    /// How many have every word.
    pub(crate) complete: usize,
    /// How many more there would be if no site were blocked.
    pub(crate) blocked: usize,
}

/// Finds the pages that match.
pub(crate) fn matched(plan: &Plan, sight: Sight<'_>) -> tantivy::Result<Matched> {
    let (mut every, mut any, mut half) = (Vec::new(), Vec::new(), Vec::new());
    let (mut unfiltered, mut blocked) = (0, [0; 3]);
    for (number, segment) in sight.segments() {
        let found = matches(plan, sight, number, segment)?;
        every.push(found.every);
        any.push(found.any);
        half.push(found.half);
        unfiltered += found.unfiltered;
        blocked.iter_mut().zip(found.blocked).for_each(|(sum, pages)| *sum += pages);
    }
    let complete = every.iter().map(Bits::count).sum();
    let [of_every, of_any, of_half] = blocked;
    if (unfiltered >= ENOUGH && complete > 0) || !plan.can_relax() {
        return Ok(Matched { bits: every, total: complete, complete, blocked: of_every });
    }
    let count = |bits: &[Bits]| bits.iter().map(Bits::count).sum::<usize>();
    let (bits, blocked) = if count(&any) > 0 { (any, of_any) } else { (half, of_half) };
    Ok(Matched { total: count(&bits), bits, complete, blocked })
}

/// Finds the pages that have every word, however few they are.
pub(crate) fn complete(plan: &Plan, sight: Sight<'_>) -> tantivy::Result<Matched> {
    let (mut bits, mut blocked) = (Vec::new(), 0);
    for (number, segment) in sight.segments() {
        let found = matches(plan, sight, number, segment)?;
        blocked += found.blocked[0];
        bits.push(found.every);
    }
    let total = bits.iter().map(Bits::count).sum();
    Ok(Matched { bits, total, complete: total, blocked })
}

/// A page of a ranking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    pub(crate) scored: Scored,
    /// What of its score is for words that stand together.
    pub(crate) nearness: Nearness,
    /// What of its score is for its meaning, where that counts; the rest counts so much less.
    pub(crate) meaning: Option<f32>,
}

impl Page {
    pub(crate) fn address(&self) -> DocAddress {
        self.scored.page
    }
}

/// A result: a page and what was folded into it.
pub(crate) struct Group {
    pub(crate) page: Page,
    /// Near-duplicates of it.
    pub(crate) others: Vec<DocAddress>,
    /// Further results of its site that are not shown, on the last one that is.
    pub(crate) more: usize,
}

/// Ranks pages of an index.
pub(crate) struct Ranker<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) sight: Sight<'a>,
    /// Where a model of embeddings was given.
    pub(crate) meaning: Option<Meaning<'a>>,
}

impl Ranker<'_> {
    /// The first `count` pages, and some more when nearness has to be looked at.
    pub(crate) fn pages(&self, matched: &Matched, count: usize) -> tantivy::Result<Vec<Page>> {
        let Ranker { plan, sight, .. } = *self;
        let count = count.max(LOOKED_AT);
        let found = best(plan, sight, &matched.bits, count)?;
        let first: Vec<DocAddress> =
            found.iter().take(LOOKED_AT).map(|scored| scored.page).collect();
        let near = nearness(plan, sight, &first)?;
        let near = near.into_iter().chain(std::iter::repeat(Nearness::default()));
        let mut pages: Vec<Page> = found
            .into_iter()
            .zip(near)
            .map(|(mut scored, nearness)| {
                let together = nearness.near + nearness.sequence;
                scored.score += together * plan.preferred.factor(scored.page);
                Page { scored, nearness, meaning: None }
            })
            .collect();
        pages.sort_by_key(|page| Reverse(page.scored));
        if let Some(meaning) = &self.meaning {
            let first: Vec<DocAddress> = pages.iter().take(LOOKED_AT).map(Page::address).collect();
            let cosines = meaning.cosines(sight.searcher, &first);
            let words: Vec<f32> = pages.iter().map(|page| page.scored.score).collect();
            for (page, (words, meaning)) in pages.iter_mut().zip(mixed(&words, &cosines)) {
                page.scored.score = words + meaning;
                page.meaning = Some(meaning);
            }
            pages.sort_by_key(|page| Reverse(page.scored));
        }
        Ok(pages)
    }

    /// The first `need` results after near-duplicates are folded and, with `per_site`, sites had their
    /// share.
    pub(crate) fn groups(
        &self,
        matched: &Matched,
        need: usize,
        per_site: bool,
    ) -> tantivy::Result<Vec<Group>> {
        if matched.total == 0 || need == 0 {
            return Ok(Vec::new());
        }
        let columns = Columns::of(self.plan, self.sight)?;
        let mut take = (need + SPARE).min(MAX_CANDIDATES);
        loop {
            let pages = self.pages(matched, take)?;
            let (mut groups, rest) = columns.group(&pages, per_site);
            if groups.len() >= need {
                return Ok(groups);
            }
            if pages.len() >= matched.total || take == MAX_CANDIDATES {
                // Nothing else is left to show, so sites may have more than their share.
                groups.extend(rest);
                return Ok(groups);
            }
            take = MAX_CANDIDATES;
        }
    }
}

/// The pages whose whole title is the question, by segment.
fn titled(plan: &Plan, sight: Sight<'_>) -> tantivy::Result<Vec<Bits>> {
    let mut titled = Vec::new();
    for term in plan.words.iter().filter_map(|word| word.whole_title.as_ref()) {
        for (_, segment) in sight.segments() {
            let mut bits = Bits::none(segment.max_doc());
            add_documents(segment, term, &mut bits)?;
            titled.push(bits);
        }
    }
    Ok(titled)
}

/// What is known of pages without reading them.
struct Columns<'a> {
    /// The pages whose whole title is the question; empty where no title is asked for.
    titled: Vec<Bits>,
    simhash: Vec<Column<u64>>,
    joined: Vec<Option<&'a Joined>>,
}

impl<'a> Columns<'a> {
    fn of(plan: &Plan, sight: Sight<'a>) -> tantivy::Result<Columns<'a>> {
        let simhash = sight.searcher.schema().get_field_name(sight.fields.simhash);
        let titled = titled(plan, sight)?;
        let mut columns = Columns { titled, simhash: Vec::new(), joined: Vec::new() };
        for (_, segment) in sight.segments() {
            columns.simhash.push(segment.fast_fields().u64(simhash)?);
            columns.joined.push(sight.known.of(segment).map(AsRef::as_ref));
        }
        Ok(columns)
    }

    fn simhash(&self, page: DocAddress) -> Option<u64> {
        self.simhash.get(page.segment_ord as usize)?.first(page.doc_id)
    }

    /// How many results its site may have with this page as the last.
    fn share(&self, page: DocAddress) -> usize {
        let titled = self.titled.get(page.segment_ord as usize);
        match titled.is_some_and(|titled| titled.has(page.doc_id)) {
            true => PER_SITE_BY_TITLE,
            false => PER_SITE,
        }
    }

    /// The number of a page's site.
    fn site(&self, page: DocAddress) -> Option<u32> {
        let joined = self.joined.get(page.segment_ord as usize)?.as_ref()?;
        Some(joined.origin(page.doc_id).0).filter(|site| *site != sites::NONE)
    }

    /// Results of ranked pages, and those that are too many of their site. What stands before a result
    /// decides about it, never what stands behind.
    fn group(&self, pages: &[Page], per_site: bool) -> (Vec<Group>, Vec<Group>) {
        let hashes: Vec<Option<u64>> =
            pages.iter().map(|page| self.simhash(page.address())).collect();
        let (mut groups, mut rest): (Vec<Group>, Vec<Group>) = (Vec::new(), Vec::new());
        // Of each site the results that are shown so far, and the place of the last one.
        let mut sites: HashMap<u32, (usize, usize)> = HashMap::new();
        for (place, others) in fold_duplicates(&hashes) {
            let page = pages[place];
            let others = others.into_iter().map(|other| pages[other].address()).collect();
            let mut group = Group { page, others, more: 0 };
            if per_site && let Some(site) = self.site(page.address()) {
                let share = self.share(page.address());
                let (shown, last) = sites.entry(site).or_default();
                if *shown >= share {
                    groups[*last].more += 1;
                    rest.push(group);
                    continue;
                }
                if *shown > 0 {
                    group.more = std::mem::take(&mut groups[*last].more);
                }
                *shown += 1;
                *last = groups.len();
            }
            groups.push(group);
        }
        if sites.len() == 1 {
            // Where there is but one site, nothing is gained by hiding some of it.
            groups.iter_mut().for_each(|group| group.more = 0);
        }
        (groups, rest)
    }
}
