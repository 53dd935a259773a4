//! What becomes of what came? It is judged, archived, reported and indexed, a batch at a time.

use super::asking::Left;
use super::{Bot, Trouble, broken, unexpected};
use crate::job::{Bench, Done};
use crate::meter::Use;
use lycosa_model::message::{BrokerMessage, BrokerReply, Finding, IndexerMessage, IndexerReply};
use lycosa_model::{ArchiveMark, BotId, FetchKind, Outcome, Tick, UrlId};
use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// How long (in real time) archived bytes may wait for the disk.
const SYNC: Duration = Duration::from_secs(1);

impl Bot {
    /// Takes out of the index what has left it; then archives, reports and indexes what came.
    pub(super) async fn settle(
        &self,
        bot: BotId,
        bench: &Bench,
        left: Left,
        mut batch: Vec<Done>,
    ) -> Result<(), Trouble> {
        self.own().meter.settles(Some(Use::Index));
        self.remove(left.urls, left.copies).await?;
        self.follow_removals(bot, left.last).await?;
        if batch.is_empty() {
            return Ok(());
        }
        self.own().meter.settles(Some(Use::Broker));
        let lost = self.renew_old(bot, &batch).await?;
        batch.retain(|done| !lost.contains(&done.lease.url_id));
        self.judge(bot, bench, &mut batch).await?;
        self.own().meter.settles(Some(Use::Archive));
        let marks = self.archive(&mut batch)?;
        self.own().meter.settles(Some(Use::Broker));
        let mut reports = Vec::with_capacity(batch.len());
        let mut entries = Vec::with_capacity(batch.len());
        for done in batch {
            self.note(&done);
            reports.push(done.report);
            entries.push(done.entry);
        }
        let report = BrokerMessage::Report { bot, reports, marks: marks.clone() };
        let acks = match self.tools.broker.ask(report).await? {
            BrokerReply::Acks(acks) => acks,
            other => return Err(unexpected(other)),
        };
        if let Some(writer) = &self.tools.archive {
            writer.lock().unwrap_or_else(PoisonError::into_inner).acknowledged(&marks);
        }
        self.own().state.refused += acks.iter().filter(|ack| ack.is_err()).count() as u64;
        let Some(indexer) = &self.tools.indexer else {
            return Ok(());
        };
        let entries: Vec<_> = entries
            .into_iter()
            .zip(&acks)
            .filter_map(|(entry, ack)| entry.filter(|_| ack.is_ok()))
            .collect();
        self.own().meter.settles(Some(Use::Index));
        match indexer.ask(IndexerMessage::Add { entries, marks }).await? {
            IndexerReply::Broken(why) => Err(Trouble::Broken(why)),
            IndexerReply::Taken | IndexerReply::Committed { .. } => Ok(()),
        }
    }

    /// Lets the broker say which pages are copies of others: they are archived as revisits where the
    /// archive has their bytes, and not indexed.
    async fn judge(&self, bot: BotId, bench: &Bench, batch: &mut [Done]) -> Result<(), Trouble> {
        // Who keeps nothing has no use for an opinion.
        if self.tools.archive.is_none() && self.tools.indexer.is_none() {
            return Ok(());
        }
        let asked: Vec<&mut Done> =
            batch.iter_mut().filter(|done| done.exchange.is_some()).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let finding = |done: &&mut Done| Finding {
            url_id: done.lease.url_id,
            payload_digest: done.report.payload_digest.clone(),
            fingerprint: done.report.fingerprint,
            canonical: done.report.canonical.clone(),
        };
        let findings = asked.iter().map(finding).collect();
        let opinions = match self.tools.broker.ask(BrokerMessage::Judge { bot, findings }).await? {
            BrokerReply::Opinions(opinions) => opinions,
            other => return Err(unexpected(other)),
        };
        for (done, opinion) in asked.into_iter().zip(opinions) {
            if let Some(original) = &opinion.revisit {
                bench.revisit(done, original);
            }
            if !opinion.index {
                done.entry = None;
            }
            done.exchange = None;
        }
        Ok(())
    }

    /// Before a page is archived its lease must be sure to hold until the report is in. Leases beyond
    /// their half-life are renewed; those that are lost are returned.
    async fn renew_old(&self, bot: BotId, batch: &[Done]) -> Result<HashSet<UrlId>, Trouble> {
        let now = self.tools.clock.now();
        let margin = self.tools.settings.timeout / 2;
        let old: Vec<UrlId> = batch
            .iter()
            .filter(|done| nearly_over(done.lease.until, now, margin))
            .map(|done| done.lease.url_id)
            .collect();
        if old.is_empty() {
            return Ok(HashSet::new());
        }
        let renew = BrokerMessage::Renew { bot, urls: old.clone() };
        match self.tools.broker.ask(renew).await? {
            BrokerReply::Renewed(kept) => {
                Ok(old.into_iter().zip(kept).filter(|(_, kept)| !kept).map(|(id, _)| id).collect())
            }
            other => Err(unexpected(other)),
        }
    }

    fn archive(&self, batch: &mut [Done]) -> Result<Vec<ArchiveMark>, Trouble> {
        let Some(writer) = &self.tools.archive else {
            return Ok(Vec::new());
        };
        let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        for done in batch {
            if let Some(kept) = done.kept.take() {
                let place = writer.append(&kept.encoded).map_err(broken)?;
                // The copy on record stays the one with the body.
                done.report.archived = kept.whole.then_some(place);
            }
            for part in done.parts.drain(..) {
                writer.append(&part).map_err(broken)?;
            }
        }
        let due = self.own().synced.elapsed() >= SYNC;
        if due {
            self.own().synced = Instant::now();
            writer.sync().map_err(broken)?;
        }
        Ok(writer.marks())
    }

    fn note(&self, done: &Done) {
        let state = &mut self.own().state;
        if done.report.outcome == Outcome::Fetched {
            state.pages += u64::from(done.report.kind == FetchKind::Page);
        } else if !done.report.outcome.is_success() {
            state.failures += 1;
        }
        state.harvested += u64::from(done.report.harvested);
        state.crawllets += u64::from(done.report.kind == FetchKind::Crawllet);
        match done.rendered {
            Some(true) => state.rendered += 1,
            Some(false) => state.unrendered += 1,
            None => {}
        }
        state.still += u64::from(done.vain);
        state.bytes += done.report.bytes;
        state.last = done.lease.url.clone();
    }
}

fn nearly_over(until: Tick, now: Tick, margin: Duration) -> bool {
    now.after(margin) >= until
}
