//! Is a place used again while what came is still being read?

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

const PLACES: usize = 8;
const PAGES: usize = 40;

/// A web that takes a while, and counts how many ask at the same time.
#[derive(Default)]
struct Counting {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Web for Counting {
    fn get<'a>(
        &'a self,
        ask: Ask,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, FetchError>> + Send + 'a>> {
        Box::pin(async move {
            let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
            self.most.fetch_max(now, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(80)).await;
            self.now.fetch_sub(1, Ordering::Relaxed);
            let few = Few(BTreeMap::from([("http://a.test/", (200, vec![], "words"))]));
            few.get(Ask { url: "http://a.test/".into(), ..ask }).await
        })
    }
}

fn page(number: usize) -> Lease {
    lease(&format!("http://a.test/{number}"), FetchKind::Page, None)
}

/// Plays a filter that finds nothing.
async fn reading(inbox: Inbox<FilterMessage>) {
    while let Some(envelope) = inbox.next().await {
        let (FilterMessage::Read(..), reply) = envelope.open();
        reply.send(FilterReply::NotText { media_type: "text/test".into(), links: Vec::new() });
    }
}

/// Plays a broker of so many pages. Tells how many leases were out at most.
async fn giving(inbox: Inbox<BrokerMessage>, asked_again: Arc<Notify>) -> usize {
    let (mut given, mut reported, mut most) = (0, 0, 0);
    while let Some(envelope) = inbox.next().await {
        let (message, reply) = envelope.open();
        reply.send(match message {
            BrokerMessage::Authenticate { name, pid, .. } => welcome(&name, pid),
            BrokerMessage::GiveMe { n, .. } => {
                let numbers = given..(given + n).min(PAGES);
                if given > 0 {
                    asked_again.notify_one();
                }
                given = numbers.end;
                most = most.max(given - reported);
                give(numbers.map(page).collect(), reported == PAGES)
            }
            BrokerMessage::Report { reports, .. } => {
                reported += reports.len();
                BrokerReply::Acks(reports.iter().map(|_| Ok(())).collect())
            }
            other => panic!("a bot does not say {other:?}"),
        });
    }
    assert_eq!(reported, PAGES);
    most
}

#[tokio::test(start_paused = true)]
async fn a_place_is_used_again_while_the_page_that_came_is_being_read() {
    let (broker_box, broker_inbox) = mailbox(8);
    let (filter, filter_inbox) = mailbox::<FilterMessage>(PLACES);
    let asked_again = Arc::new(Notify::new());
    let awaited = Arc::clone(&asked_again);
    // No page is read before the broker has been asked for more than fit at first.
    tokio::spawn(async move {
        awaited.notified().await;
        reading(filter_inbox).await;
    });
    let web = Arc::new(Counting::default());
    let tools = tools(broker_box, filter, Arc::<Counting>::clone(&web));
    let (handle, _mailbox) = start(Tools { concurrency: PLACES, ..tools });
    let broker = tokio::spawn(giving(broker_inbox, asked_again));
    let exit = tokio::time::timeout(Duration::from_secs(60), handle.join()).await;
    assert_eq!(exit.expect("the bot asks before a page is read"), Exit::Finished);
    let most = broker.await.expect("the broker lives");
    assert_eq!(web.most.load(Ordering::Relaxed), PLACES, "never more exchanges than places");
    assert_eq!(most, PLACES + PLACES / PLACES_PER_OVERLAP, "and a few more leases than places");
}

/// Plays a broker that takes its time over the first report, and may retire the bot by its answer. Tells how
/// many pages each report had.
async fn slow(inbox: Inbox<BrokerMessage>, retires: bool) -> Vec<usize> {
    let (mut given, mut reported) = (0, Vec::new());
    let mut hellos = 0;
    while let Some(envelope) = inbox.next().await {
        let (message, reply) = envelope.open();
        reply.send(match message {
            BrokerMessage::Authenticate { name, pid, .. } => {
                hellos += 1;
                assert_eq!(hellos, 1, "who was told to stop does not come back");
                welcome(&name, pid)
            }
            BrokerMessage::GiveMe { n, .. } => {
                let numbers = given..(given + n).min(PLACES);
                given = numbers.end;
                give(numbers.map(page).collect(), false)
            }
            BrokerMessage::Report { reports, .. } => {
                if reported.is_empty() {
                    tokio::time::sleep(Duration::from_secs(5)).await;
                }
                reported.push(reports.len());
                match retires {
                    true => BrokerReply::Refused(Refusal::Kissed),
                    false => BrokerReply::Acks(reports.iter().map(|_| Ok(())).collect()),
                }
            }
            BrokerMessage::Leave { .. } => BrokerReply::Done,
            other => panic!("a bot does not say {other:?}"),
        });
    }
    reported
}

/// A web that answers the first page at once, and others a second later.
#[derive(Default)]
struct Later(Counting);

impl Web for Later {
    fn get<'a>(
        &'a self,
        ask: Ask,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, FetchError>> + Send + 'a>> {
        Box::pin(async move {
            if !ask.url.ends_with("/0") {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            self.0.get(ask).await
        })
    }
}

/// What a bot reports that is told to stop while its first page is being reported and the others have come.
async fn stopped(retires: bool) -> Vec<usize> {
    let (broker_box, broker_inbox) = mailbox(8);
    let (filter, filter_inbox) = mailbox::<FilterMessage>(PLACES);
    tokio::spawn(reading(filter_inbox));
    let tools = tools(broker_box, filter, Arc::new(Later::default()));
    let (handle, mailbox) = start(Tools { concurrency: PLACES, ..tools });
    let broker = tokio::spawn(slow(broker_inbox, retires));
    tokio::time::sleep(Duration::from_secs(3)).await;
    mailbox.ask(BotMessage::Stop).await.expect("the bot lives");
    assert_eq!(handle.join().await, Exit::Finished);
    broker.await.expect("the broker lives")
}

#[tokio::test(start_paused = true)]
async fn what_has_come_is_reported_before_a_bot_stops() {
    assert_eq!(stopped(false).await, [1, PLACES - 1]);
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_is_retired_while_it_stops_stays_away() {
    assert_eq!(stopped(true).await, [1]);
}
