//! Is this page new, and does it belong into the index?
//!
//! Decided by content alone. Equal payloads, and equal or nearly equal texts under equal titles, are one
//! page; the first address stands for all, or the one that they name as canonical, if that says the same. A page that
//! changes or leaves frees those that it stood for: they are read anew at their next visit.

use crate::draft::Draft;
use crate::ledger::{Granted, Ledger, LedgerError};
use lycosa_frontier::revisit::{self, Look};
use lycosa_frontier::variants::{EQUAL_WORDS, NEAR_WORDS, are_near, say_the_same, says_not_found};
use lycosa_frontier::{Address, normal};
use lycosa_model::message::{BrokerReply, Finding, Opinion, Original, Report};
use lycosa_model::{
    Absence, BotId, Fingerprint, History, NotFound, Outcome, Previous, Tick, UrlId,
};
use lycosa_store::records::{Content, ContentKey, StoreError};

/// Copies on the site of the first whose links are followed all the same: where links are relative, they
/// may lead elsewhere. A site that shows one page under any number of addresses is left after these.
const FOLLOWED_COPIES: u32 = 3;

/// What stands in the index for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stand {
    /// It does so itself.
    Own,
    /// Another page of the same content does; it is known to others under this key. What says exactly the
    /// same has the same links.
    Copy { of: UrlId, key: Option<ContentKey>, exact: bool },
    /// Nothing: it says that there is no such page.
    SoftNotFound,
}

/// What a report means for what follows from it.
pub(crate) struct Sense {
    /// What becomes of the record.
    pub(crate) outcome: Outcome,
    /// Whether its links are followed.
    pub(crate) follow: bool,
    /// Whether it had changed, where the visit told that.
    pub(crate) changed: Option<bool>,
}

impl Ledger {
    /// Says of pages that were fetched whether they are new. Nothing changes by it.
    pub(crate) fn judge(
        &mut self,
        bot: BotId,
        findings: &[Finding],
    ) -> Result<BrokerReply, LedgerError> {
        let now = self.now();
        match self.check(bot) {
            Err(refusal) => return Ok(BrokerReply::Refused(refusal)),
            Ok(record) => record.dlast = now,
        }
        let mut draft = Draft::default();
        let mut opinions = Vec::with_capacity(findings.len());
        for finding in findings {
            let address = self.address_of(&mut draft, finding.url_id)?;
            let stand = match &address {
                Some(address) => self.stand(&mut draft, address, finding)?,
                None => Stand::Own,
            };
            opinions.push(Opinion {
                index: stand == Stand::Own,
                revisit: self.original(&mut draft, finding)?,
            });
        }
        Ok(BrokerReply::Opinions(opinions))
    }

    /// The page at another address of which the archive has the same bytes.
    fn original(
        &self,
        draft: &mut Draft,
        finding: &Finding,
    ) -> Result<Option<Original>, StoreError> {
        let Some(digest) = &finding.payload_digest else {
            return Ok(None);
        };
        let first = draft.pages.content(&self.records, ContentKey::payload(digest))?;
        let Some(first) = first.filter(|first| first.url_id != finding.url_id) else {
            return Ok(None);
        };
        let record = draft.peek(&self.records, first.url_id)?;
        Ok(record.and_then(|record| {
            let same = record.previous.payload_digest.as_ref() == Some(digest);
            let fetched = record.previous.fetched.filter(|_| same && record.archived.is_some())?;
            Some(Original { url: record.url.clone(), fetched })
        }))
    }

    /// Who stands in the index for this page.
    fn stand(
        &mut self,
        draft: &mut Draft,
        address: &Address,
        finding: &Finding,
    ) -> Result<Stand, StoreError> {
        let id = finding.url_id;
        if let Some(page) = &finding.fingerprint
            && self.is_soft_404(draft, address, page)?
        {
            return Ok(Stand::SoftNotFound);
        }
        if !self.plan.settings.copies {
            return Ok(Stand::Own);
        }
        // Whoever claims to be this page lets it stand, once it says the same.
        let claim = ContentKey::claim(id);
        let claims = match draft.pages.content(&self.records, claim)? {
            Some(_) => draft.pages.members(&self.records, claim)?,
            None => Vec::new(),
        };
        if let (Some(page), Some(url)) = (&finding.fingerprint, &finding.canonical)
            && let Ok(canonical) = normal::parse(url)
            && canonical.id != id
            && let Some(other) = draft.pages.history(&self.records, canonical.id)?
            && other.indexed
            && other.fingerprint.is_some_and(|other| say_the_same(&other, page))
        {
            return Ok(Stand::Copy { of: canonical.id, key: None, exact: false });
        }
        for key in keys(finding.payload_digest.as_deref(), finding.fingerprint.as_ref()) {
            let Some(first) = draft.pages.content(&self.records, key)? else {
                continue;
            };
            if first.url_id == id || claims.contains(&first.url_id) {
                continue;
            }
            if let Some((of, exact)) = self.still_says(draft, first.url_id, finding)?
                && of != id
            {
                return Ok(Stand::Copy { of, key: Some(key), exact });
            }
        }
        Ok(Stand::Own)
    }

    /// The page that stands for `first`, if that still says what was found and is in the index, and
    /// whether it says exactly that.
    fn still_says(
        &self,
        draft: &mut Draft,
        first: UrlId,
        finding: &Finding,
    ) -> Result<Option<(UrlId, bool)>, StoreError> {
        let payload = finding.payload_digest.as_deref();
        let record = draft.peek(&self.records, first)?;
        let equal_bytes = payload.is_some()
            && record.is_some_and(|record| record.previous.payload_digest.as_deref() == payload);
        let Some(history) = draft.pages.history(&self.records, first)? else {
            return Ok(None);
        };
        let (equal_text, near) = match (&history.fingerprint, &finding.fingerprint) {
            (Some(one), Some(other)) => {
                (one.text == other.text && one.shape == other.shape, are_near(one, other))
            }
            _ => (false, false),
        };
        let exact = equal_bytes || equal_text;
        if !(exact || near) {
            return Ok(None);
        }
        let (of, indexed) = (history.same_as, history.indexed);
        match of {
            None => Ok((indexed || finding.fingerprint.is_none()).then_some((first, exact))),
            Some(of) => {
                let other = draft.pages.history(&self.records, of)?;
                Ok(other.is_some_and(|other| other.indexed).then_some((of, exact)))
            }
        }
    }

    fn is_soft_404(
        &mut self,
        draft: &mut Draft,
        address: &Address,
        page: &Fingerprint,
    ) -> Result<bool, StoreError> {
        let state = self.sites.get(&self.records, &address.site)?;
        let NotFound::Page(known) = state.counters.not_found else {
            return Ok(false);
        };
        // What a person asked for, and the front page, are never taken for a mistake.
        let named = draft.peek(&self.records, address.id)?.is_some_and(|record| record.depth == 0);
        Ok(!named && address.path_and_query() != "/" && says_not_found(page, &known))
    }

    /// Takes note of what a report tells about the page itself. Asked before the record is updated.
    pub(crate) fn make_sense(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        now: Tick,
    ) -> Result<Sense, StoreError> {
        let mut plain = Sense { outcome: report.outcome, follow: true, changed: None };
        match (report.outcome, report.status) {
            (Outcome::Fetched, _) => return self.sense_page(draft, granted, report, now),
            (Outcome::NotModified, _) => {
                if let Some(history) = draft.pages.history(&self.records, report.url_id)? {
                    let look = Look { at: now, changed: false, last_modified: None };
                    revisit::looked(history, &look);
                    plain.changed = Some(false);
                }
            }
            (Outcome::Redirect, status) => {
                self.note_redirect(draft, granted, report)?;
                let for_good = matches!(status, 301 | 308);
                self.missed(draft, granted, report.url_id, (Absence::Moved, for_good), now)?;
            }
            // 429 is about the moment, not about the page.
            (Outcome::ClientError, status) if status != 429 => {
                self.missed(draft, granted, report.url_id, (Absence::Gone, status == 410), now)?;
            }
            _ => {}
        }
        Ok(plain)
    }

    fn sense_page(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        now: Tick,
    ) -> Result<Sense, StoreError> {
        let id = report.url_id;
        let Some(address) = self.address_of(draft, id)? else {
            return Ok(Sense { outcome: report.outcome, follow: true, changed: None });
        };
        let record = draft.peek(&self.records, id)?;
        let old_digest = record.and_then(|record| record.previous.payload_digest.clone());
        let fetched = record.is_some_and(|record| record.dlast.is_some());
        // What was never fetched has no history.
        let before = match fetched {
            true => draft.pages.history(&self.records, id)?.map(|history| history.clone()),
            false => None,
        };
        let before = before.unwrap_or_default();
        let finding = Finding {
            url_id: id,
            payload_digest: report.payload_digest.clone(),
            fingerprint: report.fingerprint,
            canonical: report.canonical.clone(),
        };
        // A crawl that neither archives nor indexes does not look at what pages say, only at their bytes.
        let told =
            report.fingerprint.is_some() || (report.payload_digest.is_some() && !report.unread);
        let changed = match (&before.fingerprint, &finding.fingerprint) {
            _ if before.visits == 0 => true,
            (Some(old), Some(new)) => old.text != new.text,
            _ if !told && (old_digest.is_none() || finding.payload_digest.is_none()) => false,
            _ => old_digest != finding.payload_digest,
        };
        let mut history = before.clone();
        revisit::looked(&mut history, &Look { at: now, changed, last_modified: report.modified });
        history.is_feed = report.is_feed;
        history.fingerprint = if told { report.fingerprint } else { before.fingerprint };
        if changed && before.visits > 0 {
            self.wake_copies(draft, id, old_digest.as_deref(), before.fingerprint.as_ref())?;
        }
        if before.visits == 0 {
            self.compare_variants(draft, &address, &finding)?;
        }
        let mut stand = self.stand(draft, &address, &finding)?;
        if let Stand::Copy { of, .. } = stand
            && before.indexed
            && !told
            && !draft.pages.history(&self.records, of)?.is_some_and(|other| other.indexed)
        {
            // Who is not in the index cannot stand there for one that is.
            stand = Stand::Own;
        }
        let mut sense = Sense { outcome: report.outcome, follow: true, changed: Some(changed) };
        history.same_as = None;
        match stand {
            Stand::Own => {
                history.indexed = if told { report.fingerprint.is_some() } else { before.indexed };
                history.absent = match history.indexed {
                    true => None,
                    false if before.indexed => Some(Absence::NoText),
                    false => before.absent,
                };
            }
            Stand::Copy { of, key, exact } => {
                history.same_as = Some(of);
                history.indexed = false;
                history.absent = Some(Absence::Copy);
                sense.outcome = Outcome::SameAs;
                if let Some(key) = key {
                    sense.follow = self.add_copy(draft, key, id, of, &address)? || !exact;
                }
            }
            Stand::SoftNotFound => {
                history.indexed = false;
                history.absent = Some(Absence::SoftNotFound);
                (sense.outcome, sense.follow) = (Outcome::SoftNotFound, false);
            }
        }
        // A bot that was not told in time may have put it in.
        let was_known = before.indexed || before.same_as.is_some();
        if !history.indexed && (was_known || stand != Stand::Own) {
            self.leaves(draft, Some(granted.held.bot), id, before.indexed, history.absent);
        }
        draft.pages.put_history(id, history);
        if stand == Stand::Own {
            self.register(draft, &finding, now)?;
            self.settle_claims(draft, granted.held.bot, &finding)?;
        }
        if let Some(page) = report.fingerprint.filter(|_| stand != Stand::SoftNotFound) {
            self.suspect(draft, &address, &page, now)?;
        }
        if sense.outcome != Outcome::Fetched {
            self.count(sense.outcome.name());
        }
        Ok(sense)
    }

    /// Notes who said this first, and whom the page claims to be.
    fn register(
        &mut self,
        draft: &mut Draft,
        finding: &Finding,
        now: Tick,
    ) -> Result<(), StoreError> {
        let id = finding.url_id;
        if !self.plan.settings.copies {
            return Ok(());
        }
        let content = Content { url_id: id, fetched: now, copies: 0 };
        for key in exact_keys(finding.payload_digest.as_deref(), finding.fingerprint.as_ref()) {
            let known = draft.pages.content(&self.records, key)?;
            if known.is_none_or(|known| known.url_id != id) {
                draft.pages.put_content(key, content);
            }
        }
        for key in near_keys(finding.fingerprint.as_ref()) {
            let known = draft.pages.content(&self.records, key)?;
            // Who only shares some bits with us keeps the place for as long as it is right there.
            let other = match known {
                Some(known) => draft.pages.history(&self.records, known.url_id)?,
                None => None,
            };
            let holds = other.is_some_and(|other| {
                other.indexed && near_keys(other.fingerprint.as_ref()).any(|theirs| theirs == key)
            });
            if !holds {
                draft.pages.put_content(key, content);
            }
        }
        let canonical = finding.canonical.as_ref().and_then(|url| normal::parse(url).ok());
        if let Some(canonical) = canonical.filter(|canonical| canonical.id != id) {
            let key = ContentKey::claim(canonical.id);
            draft.pages.put_content(key, content);
            draft.pages.put_member(key, id);
        }
        Ok(())
    }

    /// Pages that claimed to be this one, and say the same, are copies of it from now on.
    fn settle_claims(
        &mut self,
        draft: &mut Draft,
        bot: BotId,
        finding: &Finding,
    ) -> Result<(), StoreError> {
        let (id, Some(page)) = (finding.url_id, finding.fingerprint) else {
            return Ok(());
        };
        let key = ContentKey::claim(id);
        if draft.pages.content(&self.records, key)?.is_none() {
            return Ok(());
        }
        for other in draft.pages.members(&self.records, key)? {
            let Some(history) = draft.pages.history(&self.records, other)? else {
                continue;
            };
            let same = history.fingerprint.is_some_and(|other| say_the_same(&other, &page));
            if other == id || !same || history.same_as == Some(id) {
                continue;
            }
            let was_in = history.indexed;
            history.same_as = Some(id);
            history.indexed = false;
            history.absent = Some(Absence::Copy);
            if let Some(record) = draft.url(&self.records, other)? {
                record.outcome = Some(Outcome::SameAs);
            }
            self.leaves(draft, Some(bot), other, was_in, Some(Absence::Copy));
        }
        Ok(())
    }

    /// Counts a copy. Tells whether its links are to be followed.
    fn add_copy(
        &mut self,
        draft: &mut Draft,
        key: ContentKey,
        id: UrlId,
        of: UrlId,
        address: &Address,
    ) -> Result<bool, StoreError> {
        let mut copies = 0;
        if let Some(mut content) = draft.pages.content(&self.records, key)? {
            content.copies = content.copies.saturating_add(1);
            copies = content.copies;
            draft.pages.put_content(key, content);
            draft.pages.put_member(key, id);
        }
        let first = self.address_of(draft, of)?;
        Ok(copies <= FOLLOWED_COPIES && first.is_some_and(|first| first.site == address.site))
    }

    /// The page says something else now, or nothing: those that it stood for must speak for themselves.
    pub(crate) fn wake_copies(
        &mut self,
        draft: &mut Draft,
        id: UrlId,
        payload: Option<&str>,
        page: Option<&Fingerprint>,
    ) -> Result<(), StoreError> {
        for key in keys(payload, page) {
            let first = draft.pages.content(&self.records, key)?;
            if !first.is_some_and(|first| first.url_id == id && first.copies > 0) {
                continue;
            }
            for member in draft.pages.members(&self.records, key)? {
                let history = draft.pages.history(&self.records, member)?;
                let Some(history) = history.filter(|history| history.same_as == Some(id)) else {
                    continue;
                };
                history.same_as = None;
                draft.pages.remove_member(key, member);
                if let Some(record) = draft.url(&self.records, member)? {
                    // The next visit must bring the whole page.
                    record.previous = Previous::default();
                }
                // Whoever names it as a copy must not any more.
                self.leaves(draft, None, member, false, None);
                self.hurry(draft, member)?;
            }
        }
        Ok(())
    }

    /// Whether what is at both addresses is the same, as far as the last visits tell.
    pub(crate) fn is_same(
        &mut self,
        draft: &mut Draft,
        other: UrlId,
        finding: &Finding,
    ) -> Result<Option<bool>, StoreError> {
        // Most have no record, which is known sooner here; see [`Ledger::sift`].
        if !self.inlinks.has(other.fingerprint())? {
            return Ok(None);
        }
        let Some(history) = draft.pages.history(&self.records, other)? else {
            return Ok(None);
        };
        let History { fingerprint, same_as, .. } = *history;
        let alike = match (fingerprint, finding.fingerprint) {
            (Some(one), Some(two)) => say_the_same(&one, &two),
            _ => false,
        };
        let record = draft.peek(&self.records, other)?;
        let digest = record.and_then(|record| record.previous.payload_digest.clone());
        let equal = digest.is_some() && digest == finding.payload_digest;
        Ok(Some(alike || equal || same_as == Some(finding.url_id)))
    }
}

/// Under what a page is known to others.
fn keys(
    payload: Option<&str>,
    page: Option<&Fingerprint>,
) -> impl Iterator<Item = ContentKey> + use<> {
    exact_keys(payload, page).chain(near_keys(page))
}

/// Its bytes, and its text where that is long enough.
fn exact_keys(
    payload: Option<&str>,
    page: Option<&Fingerprint>,
) -> impl Iterator<Item = ContentKey> + use<> {
    let text = page.filter(|page| page.words >= EQUAL_WORDS);
    let text = text.map(|page| ContentKey::text(&page.text.to_string(), page.shape));
    payload.map(ContentKey::payload).into_iter().chain(text)
}

/// What it has in common with pages that say nearly the same.
fn near_keys(page: Option<&Fingerprint>) -> impl Iterator<Item = ContentKey> + use<> {
    let page = page.filter(|page| page.words >= NEAR_WORDS);
    let near = page.map(|page| ContentKey::near(page.title, page.simhash));
    near.into_iter().flatten()
}
