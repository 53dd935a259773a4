//! May this be asked for without a lease? What a page embeds (scripts, styles, data) when it is
//! rendered: robots.txt holds for it too.

use crate::ledger::{Ledger, LedgerError};
use lycosa_frontier::normal;
use lycosa_model::message::BrokerReply;
use lycosa_model::{BotId, SiteRobots};
use lycosa_store::records::StoreError;

impl Ledger {
    /// Tells for each address whether the robots.txt of its site allows it. A site that was not met yet
    /// has no say: nobody asks a script server for its robots.txt on account of one script.
    pub(crate) fn may(&mut self, bot: BotId, urls: &[String]) -> Result<BrokerReply, LedgerError> {
        let now = self.now();
        match self.check(bot) {
            Err(refusal) => return Ok(BrokerReply::Refused(refusal)),
            Ok(record) => record.dlast = now,
        }
        let answers = urls.iter().map(|url| self.allows(url)).collect::<Result<_, _>>()?;
        Ok(BrokerReply::May(answers))
    }

    fn allows(&mut self, url: &str) -> Result<bool, StoreError> {
        let Ok(address) = normal::parse(url) else { return Ok(false) };
        let state = self.sites.get(&self.records, &address.site)?;
        match state.record.robots {
            SiteRobots::Unknown => Ok(true),
            SiteRobots::Unreachable => Ok(false),
            SiteRobots::Known => Ok(self.refusal(&address)?.is_none()),
        }
    }
}
