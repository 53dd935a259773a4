//! Who is told now? Everything that waits and is due, each watch by itself, one after the other.

use super::shelf::Work;
use super::{Env, hook, mail, now, plan_of};
use crate::failure::Failure;
use lycosa_bot::live::Poster;
use lycosa_watch::{Attempt, Channel, Watch};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Watches whose receivers are told at the same time.
const AT_ONCE: usize = 8;

/// How it went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) taken: usize,
    pub(crate) failed: usize,
}

/// Tells what waits and is due, of one watch or of all. Waits so long while another process does the same.
pub(crate) fn send_due(env: &Env, ids: &[u64], patience: Duration) -> Result<Sent, Failure> {
    let Some(_turn) = env.shelf.turn(Work::Send, patience)? else { return Ok(Sent::default()) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let poster = Arc::new({
        let _inside = runtime.enter();
        hook::poster(env)?
    });
    runtime.block_on(async {
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let mut tasks = JoinSet::new();
        for id in ids {
            let (env, poster, places, id) =
                (env.clone(), Arc::clone(&poster), Arc::clone(&places), *id);
            tasks.spawn(async move {
                // It is never closed.
                let _place = places.acquire().await;
                send_one(&env, &poster, id).await
            });
        }
        let mut all = Sent::default();
        while let Some(sent) = tasks.join_next().await {
            // What is wrong with one watch is no reason to keep from telling of the others.
            match sent {
                Ok(Ok(sent)) => {
                    all = Sent { taken: all.taken + sent.taken, failed: all.failed + sent.failed };
                }
                Ok(Err(failure)) => {
                    tracing::warn!("{failure}");
                    all.failed += 1;
                }
                Err(error) => {
                    tracing::warn!("what waits of a watch was not sent: {error}");
                    all.failed += 1;
                }
            }
        }
        Ok(all)
    })
}

/// Tells what waits of one watch.
async fn send_one(env: &Env, poster: &Poster, id: u64) -> Result<Sent, Failure> {
    let mut sent = Sent::default();
    let user_agent = env.config.user_agent();
    // Read again before each one: an attempt may have put the others off, or switched everything off.
    while let Some(watch) = env.shelf.one(id)? {
        if env.interrupt.asked() {
            break;
        }
        let now = now();
        let Some(delivery) = watch.due_deliveries(now).next().cloned() else { break };
        if let Some(until) = quiet_until(&watch)? {
            env.shelf.change(id, |watch| watch.hold_until(until))?;
            break;
        }
        // Nothing is sent whose answer could not be written down, as on a disk that is full.
        env.shelf.change(id, |watch| watch.attempting(&delivery.id))?;
        let attempt = match delivery.channel {
            Channel::Webhook => hook::send(poster, &watch, &delivery, now, &user_agent).await,
            Channel::Mail => mail::send(env, &watch, &delivery).await,
        };
        match &attempt {
            Attempt::Taken(_) => sent.taken += 1,
            Attempt::Failed(why, _) | Attempt::Hopeless(why) | Attempt::Unwanted(why) => {
                tracing::info!("watch {id}: {} was not taken: {why}", delivery.id);
                sent.failed += 1;
            }
        }
        // From here on it is known how it ended. A kill before this leads to one more attempt of the same name.
        env.shelf.change(id, |watch| watch.attempted(&delivery.id, attempt, self::now()))?;
    }
    Ok(sent)
}

/// When the quiet hours end, if this is one of them.
fn quiet_until(watch: &Watch) -> Result<Option<lycosa_model::Tick>, Failure> {
    let (plan, zone) = plan_of(&watch.order)?;
    Ok(plan.quiet.and_then(|quiet| quiet.until(now(), &zone)))
}
