//! How is a webhook sent? Signed, once, to an address that the guard has seen.

use super::Env;
use crate::crew;
use crate::failure::Failure;
use bytes::Bytes;
use lycosa_bot::live::{LiveSettings, Poster};
use lycosa_model::{FetchError, Headers, Outcome, Tick};
use lycosa_watch::{Attempt, Delivery, Watch};
use std::time::Duration;

/// How long a receiver has.
const PATIENCE: Duration = Duration::from_secs(15);

/// Whoever sends webhooks.
pub(super) fn poster(env: &Env) -> Result<Poster, Failure> {
    let live = crew::live_settings(&env.config)?;
    let allow_private = env.config.watch.allow_private;
    Ok(Poster::new(&LiveSettings { allow_private, ..live })?)
}

/// Tries it once.
pub(super) async fn send(
    poster: &Poster,
    watch: &Watch,
    delivery: &Delivery,
    now: Tick,
    user_agent: &str,
) -> Attempt {
    let Some(url) = &watch.order.hook else {
        return Attempt::Hopeless("it has no webhook any more".into());
    };
    let body = watch.hook_body(delivery);
    let timestamp = now.0 / 1_000;
    let mut headers = Headers::default();
    headers.push("User-Agent", user_agent.to_owned());
    headers.push("Content-Type", "application/json");
    headers.push("webhook-id", delivery.id.clone());
    headers.push("webhook-timestamp", timestamp.to_string());
    headers.push("webhook-signature", watch.signature(&delivery.id, timestamp, &body, now));
    match poster.post(url.trim(), &headers, Bytes::from(body), PATIENCE).await {
        Ok(answer) => match answer.status {
            200..=299 => Attempt::Taken(format!("status {}", answer.status)),
            410 => Attempt::Unwanted("the receiver answered 410: it wants nothing any more".into()),
            300..=399 => Attempt::Failed(
                format!("status {}: redirects are not followed", answer.status),
                answer.retry_after,
            ),
            status => Attempt::Failed(format!("status {status}"), answer.retry_after),
        },
        Err(FetchError::PrivateAddress) => Attempt::Hopeless(
            "its address is private or loopback; allow_private under [watch] allows it".into(),
        ),
        Err(error) => Attempt::Failed(Outcome::Failed(error).explain().to_owned(), None),
    }
}
