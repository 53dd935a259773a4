//! Does the site show everybody what it showed the crawllet?
//!
//! Some pages are asked for again in the ordinary way, chosen after the harvest has come. Equal bytes agree.
//! Of other pages a second look is taken by both ways: one that stands still when we look twice, and still
//! differs from what the crawllet sees, is false, however small the difference: a word or a link that was
//! put in is what a liar would put in. Of one that is different each time, the words are compared that it
//! has each time.

use lycosa_crawllet::record::{Kind, Record};
use lycosa_crawllet::trust::{Audit, Look, Verdict};
use ring::digest::{SHA256, digest};
use std::collections::HashSet;

/// Part of the words of a summary that must be on the page.
const SUMMARY_SHARE: f64 = 0.9;

/// Part of the lasting words of a page that is different each time, beyond which two such pages are not one.
const LIVELY_SHARE: f64 = 0.1;

/// A page by one way.
pub(crate) struct Copy<'a> {
    pub(crate) status: u16,
    pub(crate) location: Option<&'a str>,
    /// Without content coding.
    pub(crate) body: &'a [u8],
}

impl Copy<'_> {
    pub(crate) fn look(&self) -> Look {
        let sha256 = match self.status {
            300..=399 => sha256(self.location.unwrap_or_default().as_bytes()),
            // What a page looks like that is not there is nobody's business.
            404 | 410 => [0; 32],
            _ => sha256(self.body),
        };
        look(self.status, sha256)
    }
}

fn look(status: u16, sha256: [u8; 32]) -> Look {
    // Words are compared as such, not by a sum of them.
    Look { status, sha256, simhash: 0 }
}

pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest(&SHA256, bytes).as_ref());
    out
}

/// What the crawllet saw. `summary_agrees` tells, of a record with something else in place of the page,
/// whether that is true of the page as we see it.
pub(crate) fn look_of(record: &Record, summary_agrees: bool) -> Look {
    let location = record.headers.iter().find(|(name, _)| name == "location");
    let location = location.map(|(_, value)| value.as_str());
    match record.kind {
        Kind::Gone => look(404, [0; 32]),
        Kind::Unchanged => look(200, record.sha256),
        Kind::Page if !(200..=299).contains(&record.status) => {
            Copy { status: record.status, location, body: &record.body }.look()
        }
        Kind::Page if record.is_whole() || summary_agrees => look(record.status, record.sha256),
        Kind::Page => look(record.status, sha256(&record.body)),
        Kind::LinkOnly if matches!(record.status, 300..=399 | 404 | 410) => {
            Copy { status: record.status, location, body: &[] }.look()
        }
        Kind::LinkOnly => look(record.status, record.sha256),
    }
}

fn words(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Whether nearly all words of a summary stand on the page.
pub(crate) fn is_summary_of(summary: &str, page: &str) -> bool {
    let (summary, page) = (words(summary), words(page));
    let there = summary.intersection(&page).count();
    there as f64 >= summary.len() as f64 * SUMMARY_SHARE
}

/// A look, and what the page says, where that is of interest.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) look: Look,
    pub(crate) says: Option<String>,
}

/// A page that is audited.
pub(crate) struct Sample {
    pub(crate) path: String,
    /// As the crawllet saw it, and again, if it was sent once more.
    pub(crate) crawllet: (Seen, Option<Seen>),
    /// As we see it, and again, where that was of interest; nothing without an answer.
    pub(crate) direct: (Option<Seen>, Option<Seen>),
}

impl Sample {
    /// After one look by each way. What pages say is kept only where they differ.
    pub(crate) fn new(path: String, mut crawllet: Seen, mut direct: Option<Seen>) -> Sample {
        if let Some(direct) = direct.as_mut().filter(|it| it.look.distance(&crawllet.look) == 0) {
            (direct.says, crawllet.says) = (None, None);
        }
        Sample { path, crawllet: (crawllet, None), direct: (direct, None) }
    }

    /// Whether a second look is of interest.
    pub(crate) fn is_open(&self) -> bool {
        let direct = self.direct.0.as_ref();
        direct.is_some_and(|direct| direct.look.distance(&self.crawllet.0.look) > 0)
    }

    /// Nothing when nobody could look.
    fn verdict(&self) -> Option<Verdict> {
        let first = self.direct.0.as_ref()?;
        if !self.is_open() {
            return Some(Verdict::Agrees);
        }
        let second = self.direct.1.as_ref()?;
        let (before, after) = (&self.crawllet.0, self.crawllet.1.as_ref());
        if after.is_some_and(|after| after.look.distance(&second.look) == 0) {
            // It was changed in between.
            return Some(Verdict::Agrees);
        }
        if first.look.distance(&second.look) == 0 {
            return Some(Verdict::False);
        }
        let statuses = [&first.look, &second.look].map(|look| look.status);
        let Some(after) = after.filter(|after| statuses.contains(&after.look.status)) else {
            return Some(Verdict::Lively);
        };
        Some(match (&before.says, &after.says, &first.says, &second.says) {
            (Some(before), Some(after), Some(first), Some(second)) => {
                lasting([before, after], [first, second])
            }
            _ => Verdict::Lively,
        })
    }
}

/// Compares the words that a page has each time a crawllet looks with those that it has each time we do.
fn lasting(crawllet: [&str; 2], direct: [&str; 2]) -> Verdict {
    let ([a, b], [c, d]) = (crawllet.map(words), direct.map(words));
    let (theirs, ours): (HashSet<_>, HashSet<_>) =
        (a.intersection(&b).collect(), c.intersection(&d).collect());
    // Words that one way always shows and the other never.
    let extra = theirs.iter().filter(|word| !c.contains(**word) && !d.contains(**word)).count();
    let missing = ours.iter().filter(|word| !a.contains(**word) && !b.contains(**word)).count();
    let all = theirs.union(&ours).count();
    match extra + missing {
        0 if all > 0 => Verdict::Agrees,
        odd if odd as f64 > all as f64 * LIVELY_SHARE => Verdict::False,
        _ => Verdict::Lively,
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

    fn seen(body: &str) -> Seen {
        let look = Copy { status: 200, location: None, body: body.as_bytes() }.look();
        Seen { look, says: Some(body.into()) }
    }

    /// What follows when the crawllet sees these, and we see those.
    fn verdict(crawllet: (&str, Option<&str>), direct: [&str; 2]) -> Option<Verdict> {
        let mut sample = Sample::new("/".into(), seen(crawllet.0), Some(seen(direct[0])));
        sample.crawllet.1 = crawllet.1.map(seen);
        sample.direct.1 = Some(seen(direct[1]));
        sample.verdict()
    }

    #[test]
    fn a_page_that_stands_still_and_differs_is_false_however_little() {
        let (page, altered) = ("the page", "the page and a link");
        assert_eq!(verdict((page, None), [page, page]), Some(Verdict::Agrees));
        assert_eq!(verdict((altered, Some(altered)), [page, page]), Some(Verdict::False));
        assert_eq!(verdict((altered, None), [page, page]), Some(Verdict::False));
        assert_eq!(
            verdict((altered, Some(page)), [page, page]),
            Some(Verdict::Agrees),
            "it changed"
        );
        let nobody = Sample::new("/".into(), seen(page), None);
        assert_eq!(nobody.verdict(), None, "nobody could look");
    }

    #[test]
    fn of_a_page_that_is_different_each_time_the_words_count_that_stay() {
        let story =
            "once upon a time there was a spider that hunted in the evening under the stars";
        let [a, b, c, d] = [11, 12, 13, 14].map(|visitor| format!("{story}, visitor {visitor}"));
        assert_eq!(verdict((&a, Some(&b)), [&c, &d]), Some(Verdict::Agrees));
        assert_eq!(verdict((&a, None), [&c, &d]), Some(Verdict::Lively), "one look is not enough");
        let word = |text: &str| format!("{text} pills");
        let small = (&*word(&a), Some(&*word(&b)));
        assert_eq!(verdict(small, [&c, &d]), Some(Verdict::Lively), "too little to blame anybody");
        let other = ["buy cheap pills now 1", "buy cheap pills now 2"];
        assert_eq!(verdict((other[0], Some(other[1])), [&c, &d]), Some(Verdict::False));
    }

    #[test]
    fn statuses_targets_and_digests_are_compared_where_there_is_no_page() {
        let gone = Record { kind: Kind::Gone, ..record("/", 404, b"") };
        let missing = Copy { status: 404, location: None, body: b"sorry" }.look();
        assert_eq!(look_of(&gone, false).distance(&missing), 0);
        let mut moved = record("/", 301, b"moved");
        moved.headers = vec![("location".into(), "/b".into())];
        let to = |target| Copy { status: 302, location: Some(target), body: b"" };
        assert_eq!(look_of(&moved, false).distance(&to("/b").look()), 0);
        assert_ne!(look_of(&moved, false).distance(&to("/c").look()), 0);
        let same = Record { kind: Kind::Unchanged, ..record("/", 304, b"as it was") };
        let ours = Copy { status: 200, location: None, body: b"as it was" }.look();
        assert_eq!(look_of(&same, false).distance(&ours), 0);
    }

    #[test]
    fn a_summary_must_be_of_the_page() {
        let page = "The quick brown fox jumps over the lazy dog, twice a day";
        assert!(is_summary_of("quick brown fox jumps", page));
        assert!(!is_summary_of("quick brown fox buys cheap pills", page));
        let mut summary = record("/", 200, b"the page");
        summary.body = b"something else".to_vec();
        let ours = seen("the page").look;
        assert_eq!(look_of(&summary, true).distance(&ours), 0);
        assert_ne!(look_of(&summary, false).distance(&ours), 0);
    }
}
