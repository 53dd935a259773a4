//! How do agents of one process speak?
//!
//! Everything is in memory and ends with the process, so its queues are as durable as the process: whoever needs
//! more has a store, as the broker does. Time is tokio's, which may be virtual.

mod queue;

use crate::error::{Error, Result};
use crate::subject::matches;
use crate::wire::{Message, Sink, Wire};
use crate::work::{Queue, WorkSettings};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lycosa_runtime::chance;
use queue::LocalQueue;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Largest message, as servers have it unless told otherwise: what works in one process works on many machines.
const MAX_MESSAGE: usize = 1024 * 1024;

/// A bus inside this process. Cheap to clone; all clones are the same bus.
#[derive(Clone, Default)]
pub struct Hub {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    listeners: Mutex<Vec<Listener>>,
    queues: Mutex<HashMap<String, Arc<LocalQueue>>>,
    inboxes: AtomicU64,
}

#[derive(Clone)]
struct Listener {
    pattern: String,
    group: Option<String>,
    sink: Sink,
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hub")
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses what is too large.
fn fits(bytes: &Bytes) -> Result<()> {
    match bytes.len() {
        bytes if bytes > MAX_MESSAGE => Err(Error::TooLarge { bytes, most: MAX_MESSAGE }),
        _ => Ok(()),
    }
}

impl Hub {
    /// Hands a message to everyone, and to one of each group; tells how many got it.
    fn deliver(&self, message: &Message) -> usize {
        let mut listeners = lock(&self.shared.listeners);
        listeners.retain(|one| !one.sink.is_closed());
        let mut groups: HashMap<(&str, &str), Vec<&Listener>> = HashMap::new();
        let mut reached = 0;
        for one in listeners.iter().filter(|one| matches(&one.pattern, &message.subject)) {
            match &one.group {
                Some(group) => groups.entry((&one.pattern, group)).or_default().push(one),
                None => reached += usize::from(one.sink.put(message.clone())),
            }
        }
        for members in groups.values() {
            let one = members[(chance() % members.len() as u64) as usize];
            reached += usize::from(one.sink.put(message.clone()));
        }
        reached
    }
}

impl Wire for Hub {
    fn send(&self, message: Message) -> BoxFuture<'_, Result<()>> {
        async move {
            fits(&message.bytes)?;
            if self.deliver(&message) == 0
                && let Some(reply) = message.reply
            {
                self.deliver(&Message { subject: reply, nobody: true, ..Message::default() });
            }
            // Who sends a lot lets others read it.
            tokio::task::yield_now().await;
            Ok(())
        }
        .boxed()
    }

    fn listen<'a>(
        &'a self,
        pattern: &'a str,
        group: Option<&'a str>,
        sink: Sink,
    ) -> BoxFuture<'a, Result<()>> {
        let (pattern, group) = (pattern.to_owned(), group.map(str::to_owned));
        lock(&self.shared.listeners).push(Listener { pattern, group, sink });
        async { Ok(()) }.boxed()
    }

    fn inbox(&self) -> String {
        format!("_INBOX.{}", self.shared.inboxes.fetch_add(1, Ordering::Relaxed))
    }

    fn queue<'a>(
        &'a self,
        _crawl: &'a str,
        _name: &'a str,
        subject: String,
        settings: WorkSettings,
    ) -> BoxFuture<'a, Result<Arc<dyn Queue>>> {
        let mut queues = lock(&self.shared.queues);
        let queue = Arc::clone(queues.entry(subject).or_default());
        queue.set(settings);
        async move { Ok(queue as Arc<dyn Queue>) }.boxed()
    }

    fn flush(&self) -> BoxFuture<'_, Result<()>> {
        async { Ok(()) }.boxed()
    }

    fn state(&self) -> String {
        "local".to_owned()
    }
}
