//! What does each call of URLFrontier mean? Those that answer with one message.

use super::book::QueuePage;
use super::desk::{Desk, DeskError};
use super::messages::{
    Active, BlockQueueParams, Boolean, CrawlLimitParams, DeleteCrawlMessage, Empty, KnownUrlItem,
    Level, Local, LogLevelParams, Long, Pagination, QueueDelayParams, QueueList,
    QueueWithinCrawlParams, Stats, StringList, UrlInfo, UrlItem, UrlStatusRequest, url_item,
};
use super::metrics::Metrics;
use super::names;
use lycosa_store::queues::{Metadata, UrlRow};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tonic::Status;

/// Queues or URLs in a list when nobody says how many.
pub(super) const PAGE: u32 = 100;

/// Most queues in one list: their keys must fit into one message.
const MAX_PAGE: usize = 100_000;

/// Streams of URLs to put that may be open at once.
const PUT_STREAMS: usize = 64;

/// Lists and counts that may be read from the store at once; further ones wait.
const READERS: usize = 8;

/// How much the program logs from now on.
pub type SetLevel = Arc<dyn Fn(tracing::Level) + Send + Sync>;

/// What a connection needs to answer. Cheap to clone.
#[derive(Clone)]
pub(super) struct Door {
    pub(super) desk: Desk,
    pub(super) metrics: Arc<Metrics>,
    pub(super) put_streams: Arc<Semaphore>,
    pub(super) readers: Arc<Semaphore>,
    set_level: SetLevel,
    node: Arc<str>,
}

impl From<DeskError> for Status {
    fn from(error: DeskError) -> Status {
        Status::unavailable(error.to_string())
    }
}

impl Door {
    pub(super) fn new(desk: Desk, metrics: Arc<Metrics>, set_level: SetLevel, node: &str) -> Door {
        Door {
            desk,
            metrics,
            put_streams: Arc::new(Semaphore::new(PUT_STREAMS)),
            readers: Arc::new(Semaphore::new(READERS)),
            set_level,
            node: node.into(),
        }
    }

    pub(super) async fn list_nodes(self, _: Empty) -> Result<StringList, Status> {
        Ok(StringList { values: vec![self.node.to_string()] })
    }

    pub(super) async fn list_crawls(self, _: Local) -> Result<StringList, Status> {
        let values = self.desk.with(|book, _| book.crawls()).await?;
        Ok(StringList { values })
    }

    pub(super) async fn delete_crawl(self, asked: DeleteCrawlMessage) -> Result<Long, Status> {
        let deleted = self.desk.with(move |book, _| book.delete_crawl(names::crawl(&asked.value)));
        Ok(Long { value: deleted.await?.map_err(DeskError::from)? })
    }

    pub(super) async fn list_queues(self, asked: Pagination) -> Result<QueueList, Status> {
        let crawl = names::crawl(&asked.crawl_id).to_owned();
        let size = if asked.size == 0 { PAGE } else { asked.size };
        let page = QueuePage {
            start: asked.start as usize,
            size: MAX_PAGE.min(size as usize),
            inactive: asked.include_inactive,
        };
        let name = crawl.clone();
        let values = self.desk.with(move |book, now| book.keys(&name, page, now)).await?;
        Ok(QueueList { values, total: 0, start: asked.start, size, crawl_id: crawl })
    }

    pub(super) async fn get_stats(self, asked: QueueWithinCrawlParams) -> Result<Stats, Status> {
        let crawl = names::crawl(&asked.crawl_id).to_owned();
        let name = crawl.clone();
        let summary = self.desk.with(move |book, now| {
            let key = Some(asked.key.as_str()).filter(|key| !key.is_empty());
            book.summary(&name, key, now)
        });
        let summary = summary.await?.map_err(DeskError::from)?;
        let counts = [("completed", summary.completed), ("active_queues", summary.active_queues)];
        Ok(Stats {
            size: summary.active,
            in_process: u32::try_from(summary.held).unwrap_or(u32::MAX),
            counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
            number_of_queues: summary.queues,
            crawl_id: crawl,
        })
    }

    pub(super) async fn delete_queue(self, asked: QueueWithinCrawlParams) -> Result<Long, Status> {
        let deleted = self
            .desk
            .with(move |book, _| book.delete_queue(names::crawl(&asked.crawl_id), &asked.key));
        Ok(Long { value: deleted.await?.map_err(DeskError::from)? })
    }

    pub(super) async fn block_queue_until(self, asked: BlockQueueParams) -> Result<Empty, Status> {
        let blocked = self.desk.with(move |book, now| {
            book.block(names::crawl(&asked.crawl_id), &asked.key, asked.time, now)
        });
        blocked.await?.map_err(DeskError::from)?;
        Ok(Empty {})
    }

    pub(super) async fn set_active(self, asked: Active) -> Result<Empty, Status> {
        let set = self.desk.with(move |book, _| book.set_active(asked.state));
        set.await?.map_err(DeskError::from)?;
        Ok(Empty {})
    }

    pub(super) async fn get_active(self, _: Local) -> Result<Boolean, Status> {
        Ok(Boolean { state: self.desk.with(|book, _| book.active()).await? })
    }

    pub(super) async fn set_delay(self, asked: QueueDelayParams) -> Result<Empty, Status> {
        let set = self.desk.with(move |book, now| {
            let key = Some(asked.key.as_str()).filter(|key| !key.is_empty());
            book.set_delay(names::crawl(&asked.crawl_id), key, asked.delay_requestable, now)
        });
        set.await?.map_err(DeskError::from)?;
        Ok(Empty {})
    }

    /// One level holds for the whole program, whatever package is named.
    pub(super) async fn set_log_level(self, asked: LogLevelParams) -> Result<Empty, Status> {
        let level = Level::try_from(asked.level)
            .map_err(|_| Status::invalid_argument(format!("there is no level {}", asked.level)))?;
        (self.set_level)(match level {
            Level::Trace => tracing::Level::TRACE,
            Level::Debug => tracing::Level::DEBUG,
            Level::Info => tracing::Level::INFO,
            Level::Warn => tracing::Level::WARN,
            Level::Error => tracing::Level::ERROR,
        });
        Ok(Empty {})
    }

    pub(super) async fn set_crawl_limit(self, asked: CrawlLimitParams) -> Result<Empty, Status> {
        let unknown = format!("there is no queue {:?} in {:?}", asked.key, asked.crawl_id);
        let set = self.desk.with(move |book, now| {
            book.set_limit(names::crawl(&asked.crawl_id), &asked.key, asked.limit, now)
        });
        match set.await?.map_err(DeskError::from)? {
            true => Ok(Empty {}),
            false => Err(Status::not_found(unknown)),
        }
    }

    pub(super) async fn get_url_status(self, asked: UrlStatusRequest) -> Result<UrlItem, Status> {
        let crawl = names::crawl(&asked.crawl_id).to_owned();
        let key = names::key(&asked.key, &asked.url)
            .ok_or_else(|| Status::invalid_argument(names::Refusal::NoHost.to_string()))?
            .to_owned();
        let (name, queue, url) = (crawl.clone(), key.clone(), asked.url.clone());
        let found = self.desk.with(move |book, _| book.url(&name, &queue, &url)).await?;
        match found.map_err(DeskError::from)? {
            Some(row) => Ok(known(&crawl, &key, asked.url, row)),
            None => Err(Status::not_found("the URL is not known")),
        }
    }
}

/// What is said of a URL on the wire.
pub(super) fn info(crawl: &str, key: &str, url: String, metadata: Metadata) -> UrlInfo {
    let metadata = metadata.into_iter().map(|(name, values)| (name, StringList { values }));
    UrlInfo { url, key: key.to_owned(), metadata: metadata.collect(), crawl_id: crawl.to_owned() }
}

/// What is known of a URL on the wire.
pub(super) fn known(crawl: &str, key: &str, url: String, row: UrlRow) -> UrlItem {
    let refetchable_from_date = row.next_fetch();
    let info = Some(info(crawl, key, url, row.metadata));
    UrlItem {
        item: Some(url_item::Item::Known(KnownUrlItem { info, refetchable_from_date })),
        id: String::new(),
        creation_date: row.created,
    }
}
