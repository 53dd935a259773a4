//! How does a crawl ask this web without a network? Through the same port as the live web.

use super::SyntheticWeb;
use lycosa_model::FetchError;
use lycosa_runtime::{Answer, Ask, Web, dice};
use rand::RngExt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::Instant;

/// Bounds of the time that an answer takes, in milliseconds.
const LATENCY: std::ops::Range<u64> = 5..80;

impl SyntheticWeb {
    /// How long the port takes to answer for this address: a pure function of seed and address.
    pub fn latency(&self, url: &str) -> Duration {
        let mut dice = dice(self.seed, &format!("synthetic/latency/{url}"));
        Duration::from_millis(dice.random_range(LATENCY))
    }

    async fn exchange(&self, ask: Ask) -> Result<Answer, FetchError> {
        let (site, path) = self.locate(&ask.url).ok_or_else(|| {
            // Only http is spoken here; a name that is not ours does not exist.
            if ask.url.starts_with("https://") { FetchError::Connect } else { FetchError::Dns }
        })?;
        self.visits.record(&ask.url);
        let (start, latency) = (Instant::now(), self.latency(&ask.url));
        tokio::time::sleep(latency.min(ask.timeout)).await;
        if latency > ask.timeout {
            return Err(FetchError::Timeout);
        }
        let response = self.answer(site, path, &ask.headers);
        let answer = Answer {
            status: response.status,
            version: "1.1",
            headers: response.headers,
            body: response.body,
            ip: None,
            cut: false,
            took: start.elapsed(),
            captured: true,
        };
        answer.within(&ask)
    }
}

impl Web for SyntheticWeb {
    fn get<'a>(
        &'a self,
        ask: Ask,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, FetchError>> + Send + 'a>> {
        Box::pin(self.exchange(ask))
    }
}
