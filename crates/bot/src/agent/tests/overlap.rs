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
                let url = |number| format!("http://a.test/{number}");
                let lease = |number| lease(&url(number), FetchKind::Page, None);
                give(numbers.map(lease).collect(), reported == PAGES)
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
        while let Some(envelope) = filter_inbox.next().await {
            let (FilterMessage::Read(..), reply) = envelope.open();
            reply.send(FilterReply::NotText { media_type: "text/test".into(), links: Vec::new() });
        }
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
