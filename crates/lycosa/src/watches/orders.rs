//! How does a watch begin, and how do its secrets?

use super::shelf::Shelf;
use super::{now, plan_of, unknown};
use crate::config::Config;
use crate::failure::Failure;
use jiff::tz::TimeZone;
use lycosa_bot::live::guard;
use lycosa_model::message::{WatchEdit, WatchOrder};
use lycosa_watch::{Plan, SECRET_BYTES, Secret, Watch};
use ring::rand::{SecureRandom, SystemRandom};
use url::{Host, Url};

/// Random bytes of a token, and of a name that no other watch has.
const TOKEN_BYTES: usize = 16;
const NAME_BYTES: usize = 8;

/// What is told of a new watch, once.
#[derive(Debug)]
pub(crate) struct Added {
    pub(crate) id: u64,
    /// Where its feed is, with its token.
    pub(crate) feed: String,
    /// The secret of its webhook.
    pub(crate) secret: Option<String>,
}

/// Begins to watch.
pub(crate) fn add(shelf: &Shelf, order: WatchOrder, config: &Config) -> Result<Added, Failure> {
    can_be_kept(&order, config)?;
    let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
    let (uid, token) = (hex(&random::<NAME_BYTES>()?), hex(&random::<TOKEN_BYTES>()?));
    let (key, now) = (random::<SECRET_BYTES>()?, now());
    let has_hook = order.hook.is_some();
    let mut secret = None;
    let watch = shelf.add(|id| {
        let token = Secret(token);
        let mut watch = Watch { id, uid, order, made: now, due: now, token, ..Watch::default() };
        secret = has_hook.then(|| watch.rotate(&key, now));
        watch
    })?;
    Ok(Added { id: watch.id, feed: watch.feed_with_token(), secret })
}

fn can_be_kept(order: &WatchOrder, config: &Config) -> Result<(Plan, TimeZone), Failure> {
    let plan = plan_of(order)?;
    check_hook(order, config.watch.allow_private)?;
    super::mail::check(order, config)?;
    Ok(plan)
}

/// Goes on watching by another order, and tells the secret of the webhook if it has a new one.
pub(crate) fn edit(
    shelf: &Shelf,
    id: u64,
    edit: WatchEdit,
    config: &Config,
) -> Result<Option<String>, Failure> {
    let key = random::<SECRET_BYTES>()?;
    let told = shelf.change(id, |watch| {
        let order = edit.of(&watch.order);
        let (plan, zone) = can_be_kept(&order, config)?;
        let now = now();
        let due = plan.schedule.next(now, &zone).unwrap_or(now);
        Ok(watch.edit(order, due, &key, now))
    })?;
    told.unwrap_or_else(|| Err(unknown(id)))
}

/// Gives the webhook of a watch a new secret, and tells it.
pub(crate) fn rotate(shelf: &Shelf, id: u64) -> Result<String, Failure> {
    let key = random::<SECRET_BYTES>()?;
    let told =
        shelf.change(id, |watch| watch.order.hook.is_some().then(|| watch.rotate(&key, now())))?;
    let secret = told.ok_or_else(|| unknown(id))?;
    secret.ok_or_else(|| {
        Failure::new(format!("watch {id} has no webhook")).hint("make one with --hook URL")
    })
}

/// Lets a watch go on, also with what was switched off.
pub(crate) fn go_on(watch: &mut Watch) {
    (watch.paused, watch.hook_off, watch.mail_off) = (false, None, None);
}

/// Refuses a webhook whose address shows that it leads into a private network. Where a name leads is seen when it is
/// used, each time.
fn check_hook(order: &WatchOrder, allow_private: bool) -> Result<(), Failure> {
    let Some(url) = order.hook.as_deref().and_then(|hook| Url::parse(hook.trim()).ok()) else {
        return Ok(());
    };
    let is_public = match url.host() {
        Some(Host::Ipv4(ip)) => guard::is_public(ip.into()),
        Some(Host::Ipv6(ip)) => guard::is_public(ip.into()),
        Some(Host::Domain(name)) => !guard::is_localhost(name),
        None => false,
    };
    if is_public || allow_private {
        return Ok(());
    }
    Err(Failure::new("the webhook leads to a private or loopback address").hint(
        "--allow-private, or allow_private = true under [watch] in the configuration, allows it",
    ))
}

fn random<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| Failure::new("the system has no random numbers"))?;
    Ok(bytes)
}
