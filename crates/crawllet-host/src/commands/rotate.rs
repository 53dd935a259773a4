//! How does a site get a new key? The old one signs the new descriptor and stays valid for a while.

use super::init::{KEY_LEAD_S, KEY_LIFE_S};
use super::print;
use crate::fault::{About, Trouble};
use crate::host::{KEYS, KeptKey, fresh, now_ms, read_keys, write_keys};
use lycosa_crawllet::descriptor::MAX_KEYS;
use lycosa_crawllet::identity::SiteSecret;
use std::path::Path;
use std::process::ExitCode;

/// How long the old key stays valid, in seconds.
const OVERLAP_S: u64 = 30 * 86_400;

pub(super) fn rotate(folder: &Path) -> Result<ExitCode, Trouble> {
    let mut keys = read_keys(folder)?;
    let now = now_ms() / 1000;
    keys.retain(|key| key.exp > now);
    if keys.len() >= MAX_KEYS {
        let hint = "wait until the oldest is no longer valid, 30 days after the rotation";
        return Err(Trouble::new(format!("{MAX_KEYS} keys are valid already"), hint));
    }
    for key in &mut keys {
        key.exp = key.exp.min(now + OVERLAP_S);
    }
    let secret = SiteSecret::generate(fresh()?)
        .map_err(|fault| Trouble::new(fault.to_string(), "try again"))?;
    // Later than the one it replaces, so that it is the newest.
    let earliest = keys.first().map_or(0, |key| key.nbf + 1);
    let nbf = now.saturating_sub(KEY_LEAD_S).max(earliest);
    keys.insert(0, KeptKey { secret: secret.to_text(), nbf, exp: nbf + KEY_LIFE_S });
    write_keys(folder, &keys).about(format!("writing {}", folder.join(KEYS).display()))?;
    print("new key; the old one stays valid for 30 days");
    Ok(ExitCode::SUCCESS)
}
