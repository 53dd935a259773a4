//! How do URLs come in and go out? The calls that answer with streams; none of them buffers without bound.

use super::book::{Ask, News, Pass, Put, Verdict, Which};
use super::desk::{DeskError, Pending};
use super::door::{Door, info};
use super::messages::{
    AckMessage, BatchAck, DiscoveredBatch, GetParams, Status as Fate, UrlInfo, UrlItem, get_params,
    url_item,
};
use super::metrics::add;
use super::names;
use super::routes::Answers;
use futures_util::StreamExt;
use futures_util::stream::poll_fn;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{Semaphore, mpsc};
use tonic::{Status, Streaming};

/// Lease in seconds of those who name none.
const LEASE: u32 = 30;

/// Items of a stream that go to the desk together.
const CHUNK: usize = 512;

/// Groups of one stream that wait for their verdicts.
const GROUPS: usize = 8;

/// Bytes of acknowledgements of one stream that its client has not read. A client may send 100,000 URLs
/// before it reads anything; one that never reads is not listened to any more.
const UNREAD: usize = 16 << 20;

/// What an acknowledgement costs beside its text.
const ACK_BYTES: usize = 64;

/// URLs given out that wait for their reader.
const UNSENT: usize = 64;

/// Where acknowledgements go.
struct Outbox<T> {
    sender: mpsc::UnboundedSender<(usize, Result<T, Status>)>,
    budget: Arc<Semaphore>,
}

impl<T: Send + 'static> Outbox<T> {
    fn open() -> (Outbox<T>, Answers<T>) {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let budget = Arc::new(Semaphore::new(UNREAD));
        let read = budget.clone();
        let answers =
            poll_fn(move |context| receiver.poll_recv(context)).map(move |(bytes, answer)| {
                read.add_permits(bytes);
                answer
            });
        (Outbox { sender, budget }, answers.boxed())
    }

    /// Sends when there is room; false when nobody reads any more.
    async fn send(&self, bytes: usize, answer: Result<T, Status>) -> bool {
        let bytes = (bytes + ACK_BYTES).min(UNREAD);
        let room = tokio::select! {
            room = self.budget.acquire_many(u32::try_from(bytes).unwrap_or(u32::MAX)) => room,
            () = self.sender.closed() => return false,
        };
        if let Ok(room) = room {
            room.forget();
        }
        self.sender.send((bytes, answer)).is_ok()
    }
}

/// Items that were read, before and after the desk.
struct Group<A> {
    acks: Vec<A>,
    verdicts: Option<Pending>,
}

impl Door {
    pub(super) async fn put_urls(
        self,
        items: Streaming<UrlItem>,
    ) -> Result<Answers<AckMessage>, Status> {
        add(&self.metrics.put_calls, 1);
        let door = self.clone();
        self.stream(items, move |items, puts| {
            let acks = items.into_iter().map(|item| door.read_item(item, puts));
            acks.collect()
        })
    }

    /// Turns an item into what the desk takes, and into its acknowledgement but for the verdict.
    fn read_item(&self, mut item: UrlItem, puts: &mut Vec<Put>) -> Slip<AckMessage> {
        let url = match &item.item {
            Some(url_item::Item::Discovered(found)) => found.info.as_ref(),
            Some(url_item::Item::Known(known)) => known.info.as_ref(),
            None => None,
        };
        let id = match std::mem::take(&mut item.id) {
            id if id.is_empty() => url.map(|info| info.url.clone()).unwrap_or_default(),
            id => id,
        };
        let taken = names::item(item);
        let fate = self.count(taken, puts);
        Slip { bytes: id.len(), fates: vec![fate], ack: AckMessage { id, status: 0 } }
    }

    /// Counts an item and puts it among those for the desk; tells its place there.
    fn count(&self, taken: Result<Put, names::Refusal>, puts: &mut Vec<Put>) -> Option<usize> {
        add(&self.metrics.put, 1);
        match taken {
            Ok(put) => {
                match put.news {
                    News::Discovered => add(&self.metrics.discovered, 1),
                    News::Known(date) => {
                        add(&self.metrics.known, 1);
                        add(&self.metrics.completed, u64::from(date == 0));
                    }
                }
                puts.push(put);
                Some(puts.len() - 1)
            }
            Err(why) => {
                tracing::debug!("a URL is skipped: {why}");
                None
            }
        }
    }

    pub(super) async fn put_discovered(
        self,
        batches: Streaming<DiscoveredBatch>,
    ) -> Result<Answers<BatchAck>, Status> {
        add(&self.metrics.batch_calls, 1);
        let door = self.clone();
        self.stream(batches, move |batches, puts| {
            let acks = batches.into_iter().map(|batch| door.read_batch(batch, puts));
            acks.collect()
        })
    }

    fn read_batch(&self, batch: DiscoveredBatch, puts: &mut Vec<Put>) -> Slip<BatchAck> {
        let read = |said: UrlInfo| self.count(names::info(said, News::Discovered), puts);
        let fates: Vec<_> = batch.items.into_iter().map(read).collect();
        let bytes = batch.id.len() + fates.len() * size_of::<i32>();
        Slip { bytes, fates, ack: BatchAck { id: batch.id, statuses: Vec::new() } }
    }

    /// Reads items as they come, hands them to the desk in groups, and acknowledges them in order. What
    /// the client does not read holds its own stream up, and nobody else's.
    fn stream<I, A>(
        self,
        items: Streaming<I>,
        read: impl Fn(Vec<I>, &mut Vec<Put>) -> Vec<Slip<A>> + Send + 'static,
    ) -> Result<Answers<A>, Status>
    where
        I: Send + 'static,
        A: Ack + Send + 'static,
    {
        let Ok(permit) = self.put_streams.clone().try_acquire_owned() else {
            return Err(Status::resource_exhausted("too many streams put URLs at once"));
        };
        let (outbox, answers) = Outbox::open();
        let outbox = Arc::new(outbox);
        let (groups, mut pending) = mpsc::channel::<Group<Slip<A>>>(GROUPS);
        let (desk, failed) = (self.desk.clone(), outbox.clone());
        let reader = async move {
            let mut items = items.ready_chunks(CHUNK);
            while let Some(chunk) = items.next().await {
                let (mut whole, mut error) = (Vec::with_capacity(chunk.len()), None);
                for item in chunk {
                    match item {
                        Ok(item) => whole.push(item),
                        // What follows a broken message is not to be trusted.
                        Err(status) => {
                            error = Some(status);
                            break;
                        }
                    }
                }
                let mut puts = Vec::new();
                let acks = read(whole, &mut puts);
                let verdicts = match puts.is_empty() {
                    true => None,
                    false => desk.put(puts).await.ok(),
                };
                if groups.send(Group { acks, verdicts }).await.is_err() {
                    return None;
                }
                if error.is_some() {
                    return error;
                }
            }
            None
        };
        let metrics = self.metrics.clone();
        let reader = tokio::spawn(reader);
        tokio::spawn(async move {
            let _permit = permit;
            loop {
                let group = tokio::select! {
                    group = pending.recv() => group,
                    // Nobody reads any more, so nobody needs to be listened to.
                    () = outbox.sender.closed() => {
                        reader.abort();
                        return;
                    }
                };
                let Some(group) = group else { break };
                let verdicts = match group.verdicts {
                    Some(pending) => pending.verdicts().await,
                    None => Err(DeskError::Closed),
                };
                for slip in group.acks {
                    let fates: Vec<Fate> =
                        slip.fates.iter().map(|place| fate(*place, &verdicts)).collect();
                    let skipped = fates.iter().filter(|fate| **fate == Fate::Skipped).count();
                    add(&metrics.ignored, skipped as u64);
                    if !outbox.send(slip.bytes, Ok(slip.ack.with(&fates))).await {
                        return;
                    }
                }
            }
            // Only after the last acknowledgement is it told that the stream was broken.
            if let Ok(Some(status)) = reader.await {
                failed.send(0, Err(status)).await;
            }
        });
        Ok(answers)
    }

    pub(super) async fn get_urls(self, asked: GetParams) -> Result<Answers<UrlInfo>, Status> {
        let began = Instant::now();
        add(&self.metrics.get_calls, 1);
        let ask = ask(asked)?;
        let (sender, mut receiver) = mpsc::channel(UNSENT);
        tokio::spawn(async move {
            let mut pass = Pass::default();
            while !pass.finished {
                let (wish, mut at) = (ask.clone(), pass);
                let part = self.desk.with(move |book, now| {
                    let given = book.give(&wish, &mut at, now);
                    (given, at)
                });
                let given = match part.await {
                    Ok((Ok(given), at)) => {
                        pass = at;
                        given
                    }
                    Ok((Err(broken), _)) => {
                        drop(sender.send(Err(DeskError::from(broken).into())).await);
                        return;
                    }
                    Err(closed) => {
                        drop(sender.send(Err(closed.into())).await);
                        return;
                    }
                };
                if pass.finished {
                    self.metrics.took(began.elapsed());
                }
                add(&self.metrics.got, given.len() as u64);
                for one in given {
                    let info = info(&one.crawl, &one.key, one.url, one.metadata);
                    if sender.send(Ok(info)).await.is_err() {
                        return;
                    }
                }
            }
        });
        Ok(poll_fn(move |context| receiver.poll_recv(context)).boxed())
    }
}

/// An acknowledgement but for the verdicts: where they are found among the group's, or nowhere for what
/// was refused at once.
struct Slip<A> {
    bytes: usize,
    fates: Vec<Option<usize>>,
    ack: A,
}

/// Something that verdicts can be written on.
trait Ack {
    fn with(self, fates: &[Fate]) -> Self;
}

impl Ack for AckMessage {
    fn with(mut self, fates: &[Fate]) -> AckMessage {
        self.status = fates.first().copied().unwrap_or(Fate::Fail).into();
        self
    }
}

impl Ack for BatchAck {
    fn with(mut self, fates: &[Fate]) -> BatchAck {
        self.statuses = fates.iter().map(|fate| (*fate).into()).collect();
        self
    }
}

fn fate(place: Option<usize>, verdicts: &Result<Vec<Verdict>, DeskError>) -> Fate {
    let Some(place) = place else { return Fate::Skipped };
    match verdicts.as_ref().ok().and_then(|verdicts| verdicts.get(place)) {
        Some(Verdict::Taken) => Fate::Ok,
        Some(Verdict::Skipped) => Fate::Skipped,
        Some(Verdict::Failed) | None => Fate::Fail,
    }
}

fn ask(asked: GetParams) -> Result<Ask, Status> {
    let key = Some(asked.key).filter(|key| !key.is_empty());
    let crawls = match asked.item {
        Some(get_params::Item::CrawlId(name)) => Which::One(names::crawl(&name).to_owned()),
        Some(get_params::Item::Any(_)) if key.is_some() => {
            return Err(Status::invalid_argument("a key is a key of one crawl: name it"));
        }
        None if key.is_some() => Which::One(names::DEFAULT_CRAWL.to_owned()),
        Some(get_params::Item::Any(_)) | None => Which::Any,
    };
    let lease = if asked.delay_requestable == 0 { LEASE } else { asked.delay_requestable };
    Ok(Ask {
        crawls,
        key,
        urls: asked.max_urls_per_queue,
        queues: asked.max_queues,
        lease: u64::from(lease) * 1_000,
    })
}
