//! Does the site show everybody what it showed the crawllet?
//!
//! Some pages are asked for again in the ordinary way, chosen after the harvest has come. Equal bytes agree.
//! Of other pages a second look is taken by both ways: one that stands still when we look twice, and still
//! differs from what the crawllet sees, is false, however small the difference: a word or a link that was
//! put in is what a liar would put in. One that is different each time is judged by what it says.

use lycosa_crawllet::record::{Kind, Record};
use lycosa_crawllet::trust::{Audit, Look, Verdict, verdict_again};
use ring::digest::{SHA256, digest};
use std::collections::HashSet;

/// Part of the words of a summary that must be on the page.
const SUMMARY_SHARE: f64 = 0.9;

/// A page by one way.
pub(crate) struct Copy<'a> {
    pub(crate) status: u16,
    pub(crate) location: Option<&'a str>,
    /// Without content coding.
    pub(crate) body: &'a [u8],
    /// Of what it says, where it says something.
    pub(crate) simhash: Option<u64>,
}

impl Copy<'_> {
    pub(crate) fn look(&self) -> Look {
        let sha256 = match self.status {
            300..=399 => sha256(self.location.unwrap_or_default().as_bytes()),
            // What a page looks like that is not there is nobody's business.
            404 | 410 => [0; 32],
            _ => sha256(self.body),
        };
        look(self.status, sha256, self.simhash)
    }
}

fn look(status: u16, sha256: [u8; 32], simhash: Option<u64>) -> Look {
    let [a, b, c, d, e, f, g, h, ..] = sha256;
    let simhash = simhash.unwrap_or_else(|| u64::from_le_bytes([a, b, c, d, e, f, g, h]));
    Look { status, sha256, simhash }
}

pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest(&SHA256, bytes).as_ref());
    out
}

/// What the crawllet saw. `summary_agrees` tells, of a record with something else in place of the page,
/// whether that is true of the page as we see it.
pub(crate) fn look_of(record: &Record, simhash: Option<u64>, summary_agrees: bool) -> Look {
    let location = record.headers.iter().find(|(name, _)| name == "location");
    let location = location.map(|(_, value)| value.as_str());
    match record.kind {
        Kind::Gone => Look { status: 404, sha256: [0; 32], simhash: 0 },
        Kind::Unchanged => look(200, record.sha256, None),
        Kind::Page if !(200..=299).contains(&record.status) => {
            Copy { status: record.status, location, body: &record.body, simhash }.look()
        }
        Kind::Page if record.is_whole() || summary_agrees => {
            look(record.status, record.sha256, simhash)
        }
        Kind::Page => look(record.status, sha256(&record.body), simhash),
        Kind::LinkOnly if matches!(record.status, 300..=399 | 404 | 410) => {
            Copy { status: record.status, location, body: &[], simhash }.look()
        }
        Kind::LinkOnly => look(record.status, record.sha256, simhash),
    }
}

/// Whether nearly all words of a summary stand on the page.
pub(crate) fn is_summary_of(summary: &str, page: &str) -> bool {
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (summary, page) = (words(summary), words(page));
    let there = summary.intersection(&page).count();
    there as f64 >= summary.len() as f64 * SUMMARY_SHARE
}

/// A page that is audited.
pub(crate) struct Sample {
    pub(crate) path: String,
    /// As the crawllet saw it, and again, if it was sent once more.
    pub(crate) crawllet: (Look, Option<Look>),
    /// As we see it, and again, where that was of interest; nothing without an answer.
    pub(crate) direct: (Option<Look>, Option<Look>),
    /// What it says, at the second look of our own.
    pub(crate) says: Option<String>,
}

impl Sample {
    /// Whether a second look by ourselves is of interest.
    pub(crate) fn is_open(&self) -> bool {
        self.direct.0.is_some_and(|direct| direct.distance(&self.crawllet.0) > 0)
    }

    /// Whether a second look by a crawllet is of interest, too.
    pub(crate) fn is_suspect(&self) -> bool {
        match self.direct {
            (Some(one), Some(two)) if self.is_open() => {
                one.distance(&two) == 0 || !self.crawllet.0.agrees(&one)
            }
            _ => false,
        }
    }

    /// Nothing when nobody could look.
    fn verdict(&self) -> Option<Verdict> {
        let first = self.direct.0?;
        if first.distance(&self.crawllet.0) == 0 {
            return Some(Verdict::Agrees);
        }
        let second = self.direct.1?;
        let (before, after) = (self.crawllet.0, self.crawllet.1);
        if first.distance(&second) == 0 {
            // It stands still. Perhaps it was changed in between.
            let agrees = after.is_some_and(|after| after.distance(&second) == 0);
            return Some(if agrees { Verdict::Agrees } else { Verdict::False });
        }
        if before.agrees(&first) || before.agrees(&second) {
            return Some(Verdict::Agrees);
        }
        Some(match after {
            Some(after) => verdict_again([&before, &after], [&first, &second]),
            None => Verdict::Lively,
        })
    }
}

/// What the samples say together.
pub(crate) fn judge(samples: &[Sample]) -> Audit {
    let mut audit = Audit::default();
    for sample in samples {
        match sample.verdict() {
            Some(verdict) => audit.add(verdict),
            None => audit.unreachable += 1,
        }
    }
    audit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawllet::tests::record;

    fn seen(body: &[u8], simhash: u64) -> Look {
        Copy { status: 200, location: None, body, simhash: Some(simhash) }.look()
    }

    fn sample(
        crawllet: (Look, Option<Look>),
        direct: (Option<Look>, Option<Look>),
    ) -> Option<Verdict> {
        Sample { path: "/".into(), crawllet, direct, says: None }.verdict()
    }

    #[test]
    fn a_page_that_stands_still_and_differs_is_false_however_little() {
        let (ours, theirs) = (seen(b"page", 0), seen(b"page and a link", 1));
        let still = (Some(ours), Some(ours));
        assert_eq!(sample((ours, None), (Some(ours), None)), Some(Verdict::Agrees));
        assert_eq!(sample((theirs, Some(theirs)), still), Some(Verdict::False));
        assert_eq!(sample((theirs, None), still), Some(Verdict::False));
        assert_eq!(sample((theirs, Some(ours)), still), Some(Verdict::Agrees), "it was changed");
    }

    #[test]
    fn a_page_that_is_different_each_time_is_judged_by_what_it_says() {
        let [one, two, three] = [b"1", b"2", b"3"].map(|body| seen(body, 0));
        assert_eq!(sample((one, None), (Some(two), Some(three))), Some(Verdict::Agrees));
        let wild = [b"4", b"5", b"6", b"7"]
            .map(|body| seen(body, u64::from(body[0]).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        let verdict = sample((wild[0], Some(wild[1])), (Some(wild[2]), Some(wild[3])));
        assert_eq!(verdict, Some(Verdict::Lively));
        assert_eq!(sample((one, None), (None, None)), None, "nobody could look");
    }

    #[test]
    fn statuses_targets_and_digests_are_compared_where_there_is_no_page() {
        let gone = Record { kind: Kind::Gone, ..record("/", 404, b"") };
        let missing = Copy { status: 404, location: None, body: b"sorry", simhash: None }.look();
        assert_eq!(look_of(&gone, None, false).distance(&missing), 0);
        let mut moved = record("/", 301, b"moved");
        moved.headers = vec![("location".into(), "/b".into())];
        let to = |target| Copy { status: 302, location: Some(target), body: b"", simhash: None };
        assert_eq!(look_of(&moved, None, false).distance(&to("/b").look()), 0);
        assert_ne!(look_of(&moved, None, false).distance(&to("/c").look()), 0);
        let same = Record { kind: Kind::Unchanged, ..record("/", 304, b"as it was") };
        let ours = Copy { status: 200, location: None, body: b"as it was", simhash: None }.look();
        assert_eq!(look_of(&same, None, false).distance(&ours), 0);
    }

    #[test]
    fn a_summary_must_be_of_the_page() {
        let page = "The quick brown fox jumps over the lazy dog, twice a day";
        assert!(is_summary_of("quick brown fox jumps", page));
        assert!(!is_summary_of("quick brown fox buys cheap pills", page));
        let mut summary = record("/", 200, b"the page");
        summary.body = b"something else".to_vec();
        let ours = seen(b"the page", 0);
        assert_eq!(look_of(&summary, Some(0), true).distance(&ours), 0);
        assert_ne!(look_of(&summary, Some(9), false).distance(&ours), 0);
    }
}
