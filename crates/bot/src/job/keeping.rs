//! How does an exchange get into the archive? Whole, or as a revisit of what the archive has.

use super::{Bench, Done, Kept};
use crate::crawllet::is_made_up;
use lycosa_model::Previous;
use lycosa_model::message::Original;
use lycosa_runtime::Answer;
use lycosa_store::archive::{
    Capture, Profile, RecordIds, Revisit, encode_digested, encode_revisit, payload_digest,
};

/// What is known of an exchange beside what was said.
#[derive(Default)]
pub(super) struct Known<'a> {
    /// The [`payload_digest`] of its body, if somebody has made it.
    pub(super) digest: Option<String>,
    /// The earlier copy.
    pub(super) previous: Option<&'a Previous>,
}

impl Bench {
    /// Makes a revisit of a page whose bytes the archive has from elsewhere.
    pub(crate) fn revisit(&self, done: &mut Done, original: &Original) {
        let (Some(exchange), Some(kept)) = (&done.exchange, &mut done.kept) else {
            return;
        };
        let capture = self.capture_of(&done.lease.url, &exchange.head, &exchange.answer);
        let revisit = Revisit {
            profile: Profile::IdenticalPayload,
            payload_digest: Some(&kept.encoded.payload_digest),
            refers_to_date: Some(original.fetched),
            refers_to_url: Some(&original.url),
        };
        let level = self.settings.archive_level;
        *kept =
            Kept { encoded: encode_revisit(&capture, &revisit, exchange.ids, level), whole: false };
    }

    /// The exchange for the archive: whole, or as a revisit when the archive has the body already.
    pub(super) fn capture(
        &self,
        url: &str,
        head: &[u8],
        answer: &Answer,
        ids: RecordIds,
        known: Known<'_>,
    ) -> Option<Kept> {
        if !self.settings.archive || !answer.captured {
            return None;
        }
        let capture = self.capture_of(url, head, answer);
        let level = self.settings.archive_level;
        let digest = known.digest.unwrap_or_else(|| payload_digest(&answer.body));
        // What is not in the archive cannot be referred to.
        let previous = known.previous.filter(|previous| previous.archived);
        let known = previous.and_then(|previous| previous.payload_digest.as_deref());
        let profile = if answer.status == 304 {
            Some(Profile::ServerNotModified)
        } else if answer.status == 200 && known == Some(&digest) {
            Some(Profile::IdenticalPayload)
        } else {
            None
        };
        let encoded = match profile {
            None => encode_digested(&capture, digest, ids, level),
            Some(profile) => {
                let revisit = Revisit {
                    profile,
                    payload_digest: known,
                    refers_to_date: previous.and_then(|previous| previous.fetched),
                    refers_to_url: None,
                };
                encode_revisit(&capture, &revisit, ids, level)
            }
        };
        Some(Kept { encoded, whole: profile.is_none() })
    }

    fn capture_of<'a>(&self, url: &'a str, head: &'a [u8], answer: &'a Answer) -> Capture<'a> {
        Capture {
            url,
            fetched: self.clock.now(),
            ip: answer.ip,
            request: head,
            status: answer.status,
            version: answer.version,
            headers: &answer.headers,
            body: &answer.body,
            truncated: match is_made_up(answer) {
                // Something stands in place of the page.
                true => Some("unspecified"),
                false => answer.cut.then_some("length"),
            },
        }
    }
}
