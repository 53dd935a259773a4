//! Who does it best? Calls for proposals, bids and awards.
//!
//! The contract net decides who is preferred, not who owns: an award that was taken while its answer was lost is
//! given to the next bidder, too. Whoever takes one must get the lease that belongs to it.

use crate::bus::{Bus, Refusal, Service};
use crate::error::{Error, Result};
use crate::subject::is_word;
use crate::wire::Message;
use bytes::Bytes;
use std::time::Duration;
use tokio::time::Instant;

/// One proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bid {
    /// Who made it.
    pub bidder: String,
    /// What it says.
    pub bytes: Bytes,
}

/// An award that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Award {
    /// Who took it.
    pub bidder: String,
    /// What it answered.
    pub bytes: Bytes,
}

/// Somebody who bids. Dropping it ends that.
#[derive(Debug)]
pub struct Bidder {
    _bids: Service,
    _awards: Service,
}

/// Nobody took the award.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("none of {} bidders took the award", self.0.len())]
pub struct NoTaker(pub Vec<(String, Error)>);

/// Where a bidder hears of awards.
fn award_subject(bidder: &str) -> String {
    format!("agent.{bidder}.award")
}

impl Bus {
    /// Asks everyone who bids on a subject, and gathers what comes until the deadline, or until there are `most`
    /// bids. No bid is no error, and it is known at once when nobody listens.
    ///
    /// # Errors
    /// When the subject is none, or the bus closed.
    pub async fn call_for_proposals(
        &self,
        subject: &str,
        bytes: impl Into<Bytes>,
        deadline: Duration,
        most: usize,
    ) -> Result<Vec<Bid>> {
        let end = Instant::now() + deadline;
        let subject = self.space().subject(subject)?;
        let mut letters = self.mail().letters(most);
        let message = Message {
            subject,
            reply: Some(letters.address.clone()),
            bytes: bytes.into(),
            ..Message::default()
        };
        self.wire().send(message).await?;
        let mut bids = Vec::new();
        while bids.len() < most {
            let Ok(letter) = tokio::time::timeout_at(end, letters.next()).await else { break };
            match letter.ok_or(Error::Closed)? {
                Message { nobody: true, .. } => break,
                Message { from: Some(bidder), bytes, .. } => bids.push(Bid { bidder, bytes }),
                // A handler that failed has no proposal.
                Message { .. } => {}
            }
        }
        Ok(bids)
    }

    /// Bids on a subject under the name `bidder` (one word), until the returned value goes: `propose` makes a
    /// proposal or none, `take` accepts an award or refuses it.
    ///
    /// # Errors
    /// When subject or bidder are none, or the bus is disturbed.
    pub async fn bid<P, Q, T, U>(
        &self,
        subject: &str,
        bidder: &str,
        propose: P,
        take: T,
    ) -> Result<Bidder>
    where
        P: Fn(Bytes) -> Q + Send + Sync + 'static,
        Q: Future<Output = Option<Bytes>> + Send + 'static,
        T: Fn(Bytes) -> U + Send + Sync + 'static,
        U: Future<Output = std::result::Result<Bytes, Refusal>> + Send + 'static,
    {
        if !is_word(bidder) {
            return Err(Error::Subject(bidder.to_owned()));
        }
        // Awards first: a bid may be taken up at once.
        let awards = self.serve(&award_subject(bidder), "awards", take).await?;
        let pattern = self.space().pattern(subject)?;
        let name = bidder.to_owned();
        let bids = self
            .answer(&pattern, None, move |message| {
                let proposal = propose(message.bytes);
                let from = Some(name.clone());
                async move {
                    let bytes = proposal.await?;
                    Some(Message { from, bytes, ..Message::default() })
                }
            })
            .await?;
        Ok(Bidder { _bids: bids, _awards: awards })
    }

    /// Offers an award to bidders in the given order, until one takes it; the next is asked when one refuses, does
    /// not answer within `timeout`, or has left.
    ///
    /// # Errors
    /// [`NoTaker`] with what became of each.
    pub async fn award(
        &self,
        bids: &[Bid],
        bytes: impl Into<Bytes>,
        timeout: Duration,
    ) -> std::result::Result<Award, NoTaker> {
        let bytes = bytes.into();
        let mut no = Vec::new();
        for Bid { bidder, .. } in bids {
            match self.request(&award_subject(bidder), bytes.clone(), timeout).await {
                Ok(bytes) => return Ok(Award { bidder: bidder.clone(), bytes }),
                Err(error) => no.push((bidder.clone(), error)),
            }
        }
        Err(NoTaker(no))
    }
}
