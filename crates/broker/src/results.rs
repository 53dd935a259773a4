//! What was found so far, the most relevant first? Who found it, and why was it chosen?

use crate::draft::Draft;
use crate::ledger::{Granted, Ledger, LedgerError};
use lycosa_frontier::normal;
use lycosa_knowledge::{Bag, RelevanceModel};
use lycosa_model::message::{BrokerReply, Refusal, Report};
use lycosa_model::{Find, Happening, Prey, Tick, UrlId};
use lycosa_store::records::StoreError;
use lycosa_strategy::Verdict;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::Duration;

/// Pages that are ranked: the most relevant ones when they were read.
const KEPT: usize = 1_000;

/// Words of a page that are kept with it.
const WORDS: usize = 128;

/// Bytes of a title that are kept.
const TITLE_BYTES: usize = 300;

/// A page that is ranked.
struct Row {
    at: Tick,
    age_ms: u64,
    title: String,
    agent: String,
    finder: Option<String>,
    words: Bag,
    relevance: f32,
    verdict: Option<bool>,
}

impl Row {
    fn of(find: &Find) -> Row {
        Row {
            at: find.at,
            age_ms: find.age_ms,
            title: find.title.clone(),
            agent: find.agent.clone(),
            finder: find.finder.clone(),
            words: Bag::of_terms(&find.words),
            relevance: find.relevance,
            verdict: find.verdict,
        }
    }

    /// Where it stands: what a person called bad is last, and of equals the first one found is first.
    fn order(&self, id: UrlId) -> (bool, Reverse<u32>, Tick, UrlId) {
        // Relevance is never negative, and of such numbers the bits have the same order.
        (self.verdict == Some(false), Reverse(self.relevance.max(0.0).to_bits()), self.at, id)
    }
}

/// The best pages of the run.
#[derive(Default)]
pub(crate) struct Results {
    rows: HashMap<UrlId, Row>,
}

impl Results {
    fn add(&mut self, id: UrlId, find: &Find) {
        if find.relevance <= 0.0 && find.verdict.is_none() {
            return;
        }
        self.rows.insert(id, Row::of(find));
        if self.rows.len() >= 2 * KEPT {
            let mut order: Vec<_> = self.rows.iter().map(|(id, row)| row.order(*id)).collect();
            let (_, last, _) = order.select_nth_unstable(KEPT);
            let last = *last;
            self.rows.retain(|id, row| row.order(*id) < last);
        }
    }

    /// Judges all of them by what is known now; tells their order.
    fn ranked(&mut self, topic: &RelevanceModel) -> Vec<UrlId> {
        for row in self.rows.values_mut() {
            row.relevance = topic.relevance(&row.words);
        }
        let worth_it = |row: &Row| row.relevance > 0.0 || row.verdict.is_some();
        let rows = self.rows.iter().filter(|(_, row)| worth_it(row));
        let mut order: Vec<_> = rows.map(|(id, row)| row.order(*id)).collect();
        order.sort_unstable();
        order.into_iter().take(KEPT).map(|(.., id)| id).collect()
    }
}

/// The title of a page, or the beginning of one that has no end.
pub(crate) fn title_of(report: &Report) -> String {
    let mut title = report.title.clone();
    title.truncate(title.floor_char_boundary(TITLE_BYTES));
    title
}

impl Ledger {
    /// Keeps what a page turned out to be.
    pub(crate) fn keep_find(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        relevance: f32,
        now: Tick,
    ) -> Result<(), StoreError> {
        if !self.wants_terms() && granted.why.is_none() {
            return Ok(());
        }
        // Who named it was written down before it was read.
        let known = self.find_of_run(report.url_id)?;
        let mut words = report.terms.clone();
        words.truncate(WORDS);
        let find = Find {
            run: self.run.number,
            at: now,
            age_ms: self.age().as_millis() as u64,
            title: title_of(report),
            relevance,
            score: granted.held.score,
            agent: self.agent_of(granted),
            finder: known.as_ref().and_then(|known| known.finder.clone()),
            why: granted.why.as_deref().cloned(),
            words,
            verdict: known.and_then(|known| known.verdict),
        };
        self.results.add(report.url_id, &find);
        draft.put_find(report.url_id, find);
        Ok(())
    }

    /// Who went there: an agent of the strategy, or else the bot.
    pub(crate) fn agent_of(&self, granted: &Granted) -> String {
        match &granted.agent {
            Some(agent) => agent.to_string(),
            None => {
                let bot = self.bots.records.get(&granted.held.bot);
                bot.map(|bot| bot.name.clone()).unwrap_or_default()
            }
        }
    }

    /// Takes URLs that search engines named, and keeps which of them did.
    pub(crate) fn named(
        &mut self,
        seeds: Vec<(String, String)>,
    ) -> Result<BrokerReply, LedgerError> {
        let mut draft = Draft::default();
        let mut urls = Vec::with_capacity(seeds.len());
        for (url, engine) in seeds {
            if let Ok(address) = normal::parse(&url) {
                self.note_finder(&mut draft, address.id, engine)?;
            }
            urls.push(url);
        }
        self.commit(draft)?;
        self.seeds(urls)
    }

    /// The target of a redirect was found by whoever found the redirect.
    pub(crate) fn inherit_finder(
        &mut self,
        draft: &mut Draft,
        from: UrlId,
        to: UrlId,
    ) -> Result<(), StoreError> {
        match self.find_of_run(from)?.and_then(|find| find.finder) {
            Some(finder) => self.note_finder(draft, to, finder),
            None => Ok(()),
        }
    }

    /// Keeps who named a page that was not read yet.
    fn note_finder(&self, draft: &mut Draft, id: UrlId, finder: String) -> Result<(), StoreError> {
        if self.find_of_run(id)?.is_none() {
            let (run, at) = (self.run.number, self.now());
            draft.put_find(id, Find { run, at, finder: Some(finder), ..Find::default() });
        }
        Ok(())
    }

    fn find_of_run(&self, id: UrlId) -> Result<Option<Find>, StoreError> {
        Ok(self.records.find(id)?.filter(|find| find.run == self.run.number))
    }

    /// Takes up what the run has found before, and what people said of it.
    pub(crate) fn restore_finds(&mut self) -> Result<(), StoreError> {
        for row in self.records.finds() {
            let (id, find) = row?;
            if find.run != self.run.number {
                continue;
            }
            self.results.add(id, &find);
            if let Some(good) = find.verdict {
                self.relevance.hear(Bag::of_terms(&find.words), good);
            }
        }
        Ok(())
    }

    /// The best pages, as they are ranked now.
    pub(crate) fn results(&mut self, limit: usize) -> Result<BrokerReply, LedgerError> {
        let mut prey = Vec::new();
        for (place, id) in self.results.ranked(&self.relevance).into_iter().take(limit).enumerate()
        {
            let (Some(row), Some(record)) = (self.results.rows.get(&id), self.records.url(id)?)
            else {
                continue;
            };
            let via = record.via.map(|via| self.records.url(via)).transpose()?.flatten();
            prey.push(Prey {
                rank: place + 1,
                url: record.url,
                title: row.title.clone(),
                relevance: row.relevance,
                finder: row.finder.clone().unwrap_or_else(|| row.agent.clone()),
                agent: row.agent.clone(),
                via: via.map(|page| page.url),
                seconds: Duration::from_millis(row.age_ms).as_secs_f64(),
                verdict: row.verdict,
            });
        }
        Ok(BrokerReply::Results(prey))
    }

    /// Hears what a person says of a page.
    pub(crate) fn verdict(&mut self, url: &str, good: bool) -> Result<BrokerReply, LedgerError> {
        let Ok(address) = normal::parse(url) else {
            return Ok(BrokerReply::Refused(Refusal::UnknownUrl));
        };
        let find = self.find_of_run(address.id)?;
        let Some(mut find) = find.filter(|find| !find.words.is_empty()) else {
            return Ok(BrokerReply::Refused(Refusal::NotRead));
        };
        find.verdict = Some(good);
        self.results.add(address.id, &find);
        let bag = Bag::of_terms(&find.words);
        self.relevance.hear(bag.clone(), good);
        let verdict = Verdict { url: address.id, bag: &bag, good, topic: &self.relevance };
        self.strategy.on_verdict(&verdict);
        let mut draft = Draft::default();
        draft.put_find(address.id, find);
        self.commit(draft)?;
        self.note(Happening::Verdict { url: url.to_owned(), good });
        self.write_events()?;
        Ok(BrokerReply::Done)
    }
}
