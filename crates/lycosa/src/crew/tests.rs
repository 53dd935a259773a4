//! Does a crawl on a slow disk say so, and does one with crawllets end as one without?

mod crawllets;
mod fake_host;

use super::*;
use bytes::Bytes;
use lycosa_interface::{limited_by, waits};
use lycosa_model::{FetchError, Headers};
use lycosa_runtime::{Answer, Ask};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How long the crawl has to notice.
const DEADLINE: Duration = Duration::from_secs(60);

/// A web without end that answers at once: each page leads to two more.
struct Endless;

impl Web for Endless {
    fn get<'a>(
        &'a self,
        ask: Ask,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, FetchError>> + Send + 'a>> {
        Box::pin(async move {
            let number: Option<u64> = ask.url.rsplit('/').next().and_then(|name| name.parse().ok());
            let page = number.map(|number| {
                let (one, two) = (2 * number + 1, 2 * number + 2);
                format!("<a href=/{one}>one</a> <a href=/{two}>two</a> page {number}")
            });
            let mut headers = Headers::default();
            headers.push("Content-Type", "text/html");
            Ok(Answer {
                status: if page.is_some() { 200 } else { 404 },
                version: "1.1",
                headers,
                body: Bytes::from(page.unwrap_or_default()),
                ip: None,
                cut: false,
                took: Duration::from_millis(1),
                captured: true,
            })
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_whose_archive_is_slow_is_limited_by_the_disk() {
    let dir = tempfile::tempdir().expect("temp dir");
    let folder = DataFolder::lock(dir.path()).expect("a folder");
    let mut config = Config::default();
    config.crawl.delay = crate::units::Span(Duration::ZERO);
    config.index.write = false;
    let records = Records::open(&folder.broker()).expect("a store");
    let clock = Clock::start(Tick(0));
    let registry = Registry::default();
    let mut crew =
        Crew::assemble(registry.clone(), clock, &config, &folder, None).await.expect("a crew");
    let plan = Plan {
        records,
        clock,
        settings: broker_settings(&config, None),
        strategy: config.crawl.strategy().to_owned(),
        setup: config.setup().unwrap(),
        relevance: lycosa_knowledge::RelevanceModel::default(),
        resume: false,
    };
    let (broker, _handle) = spawn_broker(&registry, plan).expect("a broker");
    let seeds = (0..16).map(|site| format!("http://site-{site}.test/0")).collect();
    sow(&broker, seeds).await.expect("seeds");
    let web: Arc<dyn Web> = Arc::new(Endless);
    let post = Post { name: "bot-1".into(), concurrency: 8, door: Door::Inside };
    crew.add_bot(&config, &folder, &web, &broker, post).expect("a bot");
    // The disk takes its time: somebody holds the archive most of the time.
    let writer = Arc::clone(&crew.writers[0]);
    let over = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&over);
    let disk = std::thread::spawn(move || {
        while !flag.load(Ordering::Relaxed) {
            let busy = writer.lock();
            std::thread::sleep(Duration::from_millis(40));
            drop(busy);
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let began = Instant::now();
    let said = loop {
        let seen = status(&broker).await.expect("a status");
        let said = limited_by(&seen, waits(&registry.agents()).as_ref(), registry.cpu());
        if said.starts_with("disk") || began.elapsed() > DEADLINE {
            break said;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    over.store(true, Ordering::Relaxed);
    disk.join().expect("the disk is well");
    for (mailbox, _) in &crew.bots {
        mailbox.tell(BotMessage::Stop).await.expect("the bot is there");
    }
    assert!(said.starts_with("disk"), "{said}");
}
