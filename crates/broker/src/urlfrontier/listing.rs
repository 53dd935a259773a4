//! What is in the queues, whatever its date? The calls that read through many URLs. They read a part of
//! the store at a time beside the book, and hold nobody up.

use super::book::{Found, Moment};
use super::desk::DeskError;
use super::door::{Door, PAGE, known};
use super::messages::{CountUrlParams, ListUrlParams, Long, PurgeUrlParams, UrlItem};
use super::names;
use super::routes::Answers;
use futures_util::StreamExt;
use futures_util::stream::poll_fn;
use lycosa_store::queues::{Queues, UrlRow};
use lycosa_store::records::StoreError;
use tokio::sync::mpsc;
use tonic::Status;

/// Queues whose numbers are asked for at once.
const QUEUES: usize = 1_000;

/// URLs listed that wait for their reader.
const UNSENT: usize = 64;

/// URLs removed in one change.
const PURGED: usize = 1_000;

/// Seconds of a day.
const DAY: u64 = 86_400;

/// Which URLs are wanted.
#[derive(Clone)]
struct Filter {
    text: String,
    ignore_case: bool,
}

impl Filter {
    fn new(text: Option<String>, ignore_case: Option<bool>) -> Filter {
        let text = text.unwrap_or_default();
        let ignore_case = ignore_case.unwrap_or_default();
        let text = if ignore_case { text.to_lowercase() } else { text };
        Filter { text, ignore_case }
    }

    fn lets(&self, url: &str) -> bool {
        match self.ignore_case {
            true => url.to_lowercase().contains(&self.text),
            false => url.contains(&self.text),
        }
    }
}

fn unreadable(error: &StoreError) -> Status {
    Status::unavailable(error.to_string())
}

/// Somebody reads no more.
struct Enough;

impl Door {
    /// Reads through the URLs of a crawl or of one of its queues, by key and address, on a thread where
    /// waiting is allowed.
    async fn read_through<T: Send + 'static>(
        &self,
        crawl: &str,
        key: &str,
        mut state: T,
        each: fn(&mut T, &Found, String, UrlRow) -> Result<(), Enough>,
    ) -> Result<T, Status> {
        let permit = self.readers.clone().acquire_owned().await;
        let _permit = permit.map_err(|_| Status::from(DeskError::Closed))?;
        let store = self.desk.with(|book, _| book.store()).await?;
        let only = Some(key).filter(|key| !key.is_empty()).map(str::to_owned);
        let mut behind: Option<String> = None;
        loop {
            let (name, one) = (crawl.to_owned(), only.clone());
            let found = self
                .desk
                .with(move |book, _| book.found(&name, one.as_deref(), behind.as_deref(), QUEUES));
            let found = found.await?;
            behind = found.last().map(|last| last.key.to_string());
            let last = only.is_some() || found.len() < QUEUES;
            let store = store.clone();
            let part = tokio::task::spawn_blocking(move || {
                let went = read_queues(&store, &found, &mut state, each);
                (state, went)
            });
            let (now, went) = part.await.map_err(|error| Status::internal(error.to_string()))?;
            state = now;
            match went {
                Ok(Ok(())) if !last => {}
                Ok(_) => return Ok(state),
                Err(error) => return Err(unreadable(&error)),
            }
        }
    }

    pub(super) async fn list_urls(self, asked: ListUrlParams) -> Result<Answers<UrlItem>, Status> {
        let crawl = names::crawl(&asked.crawl_id).to_owned();
        let (sender, mut receiver) = mpsc::channel(UNSENT);
        let size = if asked.size == 0 { PAGE } else { asked.size };
        let list = List {
            filter: Filter::new(asked.filter, asked.ignore_case),
            skip: asked.start,
            left: size,
            crawl: crawl.clone(),
            sender: sender.clone(),
        };
        tokio::spawn(async move {
            if let Err(status) = self.read_through(&crawl, &asked.key, list, List::take).await {
                drop(sender.send(Err(status)).await);
            }
        });
        Ok(poll_fn(move |context| receiver.poll_recv(context)).boxed())
    }

    pub(super) async fn count_urls(self, asked: CountUrlParams) -> Result<Long, Status> {
        let crawl = names::crawl(&asked.crawl_id).to_owned();
        if asked.filter.as_deref().unwrap_or_default().is_empty() {
            let key = Some(asked.key).filter(|key| !key.is_empty());
            let summary =
                self.desk.with(move |book, now| book.summary(&crawl, key.as_deref(), now));
            let summary = summary.await?.map_err(DeskError::from)?;
            return Ok(Long { value: summary.active + summary.completed });
        }
        let state = (Filter::new(asked.filter, asked.ignore_case), 0);
        let (_, value) = self
            .read_through(&crawl, &asked.key, state, |(filter, count), _, url, _| {
                *count += u64::from(filter.lets(&url));
                Ok(())
            })
            .await?;
        Ok(Long { value })
    }

    pub(super) async fn purge_urls(self, asked: PurgeUrlParams) -> Result<Long, Status> {
        let crawl = names::crawl(&asked.crawl_id).to_owned();
        let now: Moment = super::desk::now();
        let before = now.seconds().saturating_sub(u64::from(asked.days) * DAY);
        let (sender, mut old) = mpsc::channel::<(u64, Vec<String>)>(1);
        let purge = Purge { before, queue: 0, urls: Vec::new(), sender };
        let desk = self.desk.clone();
        let removal = async move {
            let mut removed = 0;
            while let Some((queue, urls)) = old.recv().await {
                let purged = desk.with(move |book, now| book.purge(queue, &urls, before, now));
                removed += purged.await?.map_err(DeskError::from)?;
            }
            Ok::<u64, Status>(removed)
        };
        let reading = async {
            let mut rest = self.read_through(&crawl, &asked.key, purge, Purge::take).await?;
            let last = std::mem::take(&mut rest.urls);
            // Who removes has gone only after an error of its own.
            drop(rest.sender.send((rest.queue, last)).await);
            Ok::<(), Status>(())
        };
        let (read, removed) = tokio::join!(reading, removal);
        read?;
        Ok(Long { value: removed? })
    }
}

fn read_queues<T>(
    store: &Queues,
    found: &[Found],
    state: &mut T,
    each: fn(&mut T, &Found, String, UrlRow) -> Result<(), Enough>,
) -> Result<Result<(), Enough>, StoreError> {
    for queue in found {
        for row in store.urls(queue.queue) {
            let (url, row) = row?;
            if let Err(enough) = each(state, queue, url, row) {
                return Ok(Err(enough));
            }
        }
    }
    Ok(Ok(()))
}

/// A list on its way.
struct List {
    filter: Filter,
    skip: u32,
    left: u32,
    crawl: String,
    sender: mpsc::Sender<Result<UrlItem, Status>>,
}

impl List {
    fn take(&mut self, queue: &Found, url: String, row: UrlRow) -> Result<(), Enough> {
        if !self.filter.lets(&url) {
            return Ok(());
        }
        if self.skip > 0 {
            self.skip -= 1;
            return Ok(());
        }
        let item = known(&self.crawl, &queue.key, url, row);
        self.sender.blocking_send(Ok(item)).map_err(|_| Enough)?;
        self.left -= 1;
        if self.left == 0 { Err(Enough) } else { Ok(()) }
    }
}

/// URLs to be forgotten, on their way to the book.
struct Purge {
    before: u64,
    queue: u64,
    urls: Vec<String>,
    sender: mpsc::Sender<(u64, Vec<String>)>,
}

impl Purge {
    fn take(&mut self, queue: &Found, url: String, row: UrlRow) -> Result<(), Enough> {
        if queue.queue != self.queue || self.urls.len() >= PURGED {
            let urls = std::mem::take(&mut self.urls);
            self.sender.blocking_send((self.queue, urls)).map_err(|_| Enough)?;
            self.queue = queue.queue;
        }
        if row.created < self.before {
            self.urls.push(url);
        }
        Ok(())
    }
}
