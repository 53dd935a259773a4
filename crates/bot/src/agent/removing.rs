//! How do pages that have left get out of the index?

use super::{Bot, Trouble, unexpected};
use lycosa_model::message::{BrokerMessage, BrokerReply, CopyOf, IndexerMessage, IndexerReply};
use lycosa_model::{ArchiveMark, BotId, REMOVALS, UrlId};

impl Bot {
    /// Takes pages out of the index, but for the names of copies.
    pub(super) async fn remove(
        &self,
        urls: Vec<UrlId>,
        copies: Vec<CopyOf>,
    ) -> Result<(), Trouble> {
        let Some(indexer) = self.tools.indexer.as_ref().filter(|_| !urls.is_empty()) else {
            return Ok(());
        };
        match indexer.ask(IndexerMessage::Remove { urls, copies }).await? {
            IndexerReply::Broken(why) => Err(Trouble::Broken(why)),
            IndexerReply::Taken | IndexerReply::Committed { .. } => Ok(()),
        }
    }

    /// Brings an index of the bot's own in line with the broker's list of pages that have left. The index
    /// commits how far that is together with the removals, so what a kill undoes is asked for again.
    pub(super) async fn follow_removals(&self, bot: BotId, last: u64) -> Result<(), Trouble> {
        let Some(indexer) = self.tools.indexer.clone() else { return Ok(()) };
        let mut at = self.own().removals;
        while let Some(after) = at.filter(|after| *after < last) {
            let ask = BrokerMessage::Removals { bot, after };
            let (urls, copies, to) = match self.tools.broker.ask(ask).await? {
                BrokerReply::Removals { urls, copies, to } => (urls, copies, to),
                other => return Err(unexpected(other)),
            };
            self.remove(urls, copies).await?;
            let marks = vec![ArchiveMark { file: REMOVALS.into(), end: to }];
            let noted = IndexerMessage::Add { entries: Vec::new(), marks };
            if let IndexerReply::Broken(why) = indexer.ask(noted).await? {
                return Err(Trouble::Broken(why));
            }
            at = Some(to);
            self.own().removals = at;
            if to <= after {
                break;
            }
        }
        Ok(())
    }
}
