//! What is at one address, asked for outside of a crawl?

use crate::config::Config;
use bytes::Bytes;
use lycosa_bot::decode::{DecodeLimit, decode};
use lycosa_model::{Headers, Outcome};
use lycosa_runtime::{Ask, Web};
use std::time::Duration;

/// A body without codings, and its headers.
pub(crate) struct Single {
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
}

/// Why there is none.
pub(crate) enum Nothing {
    /// The server said so.
    Status(u16),
    /// There was no answer, or none that can be read.
    Failed(String),
}

impl std::fmt::Display for Nothing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Nothing::Status(status) => write!(f, "status {status}"),
            Nothing::Failed(why) => f.write_str(why),
        }
    }
}

/// Asks once; redirects are not followed.
pub(crate) async fn get(
    web: &dyn Web,
    url: String,
    config: &Config,
    max_body: u64,
    timeout: Duration,
) -> Result<Single, Nothing> {
    let mut headers = Headers::default();
    headers.push("User-Agent", config.user_agent());
    headers.push("Accept-Encoding", "gzip, br, zstd, deflate");
    let ask = Ask { url, headers, max_body, cut: false, timeout };
    let failed = |why| Nothing::Failed(Outcome::Failed(why).explain().into());
    let answer = web.get(ask).await.map_err(failed)?;
    if !(200..300).contains(&answer.status) {
        return Err(Nothing::Status(answer.status));
    }
    let body = decode(&answer.headers, &answer.body, &DecodeLimit::default()).map_err(failed)?;
    Ok(Single { body, headers: answer.headers })
}
