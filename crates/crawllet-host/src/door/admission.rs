//! Which engines are let in?
//!
//! Those of the owner's list, by domain and key; those whose domain lists their key (Web Bot Auth), or any that proved
//! its key, if the owner says so; and, for two minutes, the engine that `check` plays. An open site takes an engine's
//! domain on its word, and the report shows it as such.

use crate::host::Host;
use lycosa_crawllet::host::HelloRead;
use lycosa_crawllet::identity::unbase64;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The file by which `check` is let in.
pub const CHECK_FILE: &str = "check.json";

/// The domain that `check` uses; nobody can have it (RFC 6761).
pub const CHECK_DOMAIN: &str = "check.invalid";

/// The pause before the first page of a check, long enough to see that the answer streams.
const CHECK_PAUSE: Duration = Duration::from_millis(1500);

/// An engine that is let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// Its domain.
    pub(crate) engine: String,
    /// Its product token in robots.txt.
    pub(crate) token: String,
    /// Pause before the first page.
    pub(crate) first_pause: Duration,
}

/// What `check` leaves for the host to find.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckPass {
    /// Its Ed25519 public key, base64url.
    pub key: String,
    /// Until when, in milliseconds since 1970.
    pub until_ms: u64,
}

/// Whether an engine is let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It is.
    Admit(Admitted),
    /// It is not.
    Refuse,
    /// If its domain lists its key.
    Look,
}

/// Whether the engine that sent `hello` is let in, as far as that can be told from here.
pub(crate) fn admit(host: &Host, hello: &HelloRead, now_ms: u64) -> Decision {
    if hello.engine == CHECK_DOMAIN {
        let bytes = std::fs::read(host.state.folder().join(CHECK_FILE)).unwrap_or_default();
        let pass: Option<CheckPass> = serde_json::from_slice(&bytes).ok();
        let good =
            |pass: &CheckPass| now_ms < pass.until_ms && unbase64(&pass.key) == Ok(hello.ed25519);
        return match pass.filter(good) {
            Some(_) => Decision::Admit(by_name(host, CHECK_DOMAIN)),
            None => Decision::Refuse,
        };
    }
    let known = host.config.engines.iter().filter(|e| e.domain.eq_ignore_ascii_case(&hello.engine));
    let mut keys = known.map(|engine| unbase64(&engine.key)).peekable();
    // A domain of the list comes with its key or not at all, also to an open site.
    if keys.peek().is_some() {
        return match keys.any(|key| key == Ok(hello.ed25519)) {
            true => Decision::Admit(by_name(host, &hello.engine)),
            false => Decision::Refuse,
        };
    }
    match (host.config.open, host.config.web_bot_auth) {
        (true, _) => Decision::Admit(by_name(host, &hello.engine)),
        (false, true) => Decision::Look,
        (false, false) => Decision::Refuse,
    }
}

/// What is known about an engine that was let in before.
pub(crate) fn by_name(host: &Host, domain: &str) -> Admitted {
    let known =
        host.config.engines.iter().find(|engine| engine.domain.eq_ignore_ascii_case(domain));
    let first_pause = if domain == CHECK_DOMAIN { CHECK_PAUSE } else { Duration::ZERO };
    Admitted {
        engine: domain.to_owned(),
        token: known.map_or_else(crate::config::token, |engine| engine.token.clone()),
        first_pause,
    }
}
