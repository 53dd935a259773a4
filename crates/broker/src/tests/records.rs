//! What is remembered of a URL? i-Bot's fields.

use super::yard::{Yard, answer, id, page, page_in, redirect, seconds};
use lycosa_model::message::{BrokerMessage, BrokerReply};
use lycosa_model::{ArchiveMark, ArchivePlace, Lang, Origin, Outcome, UrlState};

const SEED: &str = "http://a.test/";
const LINKED: &str = "http://a.test/linked";

#[tokio::test(start_paused = true)]
async fn the_fields_of_a_url_tell_its_life() {
    let mut yard = Yard::new();
    let born = yard.now();
    yard.seed(&[SEED]).await;
    let record = yard.record(SEED);
    assert_eq!(record.state, UrlState::Waiting(Origin::Seed));
    assert_eq!((record.dinit, record.tsstate, record.dlast), (born, born, None));
    assert_eq!((record.bot1_id, record.bot2_id, record.via), (None, None, None));
    assert_eq!((record.depth, record.redirects, record.failures), (0, 0, 0));

    seconds(10).await;
    let (finder, fetcher) = (yard.inside("finder").await, yard.inside("fetcher").await);
    let found = yard.now();
    let lease = yard.next(finder).await.expect("a page");
    let view = yard.view(SEED).await;
    assert_eq!((view.record.bot1_id, view.record.tsstate), (Some(finder), born));
    yard.accept(finder, page_in(&lease, Lang::ES, &[LINKED, "http://a.test/a.pdf"])).await;
    let record = yard.record(SEED);
    assert_eq!(record.state, UrlState::Answered(200));
    assert_eq!((record.dinit, record.tsstate, record.dlast), (born, found, Some(found)));
    assert_eq!((record.language, record.outlinks, record.queued), (Some(Lang::ES), 1, None));

    let record = yard.record(LINKED);
    assert_eq!(record.state, UrlState::Waiting(Origin::OtherPage));
    assert_eq!((record.dinit, record.bot2_id, record.bot1_id), (found, Some(finder), None));
    assert_eq!((record.via, record.depth), (Some(id(SEED)), 1));
    assert_eq!(yard.inlinks(LINKED), 1);

    seconds(10).await;
    let lease = yard.next(fetcher).await.expect("a page");
    yard.accept(fetcher, answer(&lease, 404)).await;
    let record = yard.record(LINKED);
    assert_eq!(record.state, UrlState::Answered(404));
    assert_eq!((record.bot1_id, record.bot2_id), (Some(fetcher), Some(finder)));
    assert_eq!((record.dinit, record.tsstate, record.dlast), (found, yard.now(), None));
    assert_eq!((record.failures, record.outcome), (1, Some(Outcome::ClientError)));
}

#[tokio::test(start_paused = true)]
async fn a_page_counts_once_at_each_of_its_links_however_often_it_is_reported() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://a.test/other"]).await;
    let bot = yard.inside("bot").await;
    // Twice on the page, and the page itself does not count.
    yard.fetch(bot, SEED, &[LINKED, LINKED, "http://a.test/linked#part", SEED]).await;
    yard.fetch(bot, "http://a.test/other", &[LINKED]).await;
    yard.fetch(bot, LINKED, &[SEED]).await;
    assert_eq!((yard.inlinks(LINKED), yard.inlinks(SEED)), (2, 1));
    assert_eq!(yard.record(SEED).outlinks, 1);
    assert_eq!(yard.links(SEED), [id(LINKED).fingerprint()]);

    yard.restart(false);
    let bot = yard.inside("bot").await;
    yard.seed(&[SEED]).await;
    yard.fetch(bot, SEED, &["http://a.test/new", LINKED]).await;
    assert_eq!(yard.inlinks(LINKED), 2);
    assert_eq!(yard.inlinks("http://a.test/new"), 1);
    assert_eq!(yard.record(SEED).outlinks, 2);
}

#[tokio::test(start_paused = true)]
async fn a_link_that_is_gone_from_its_page_does_not_count_any_more() {
    let mut yard = Yard::new();
    let bot = yard.inside("bot").await;
    yard.seed(&[SEED]).await;
    yard.fetch(bot, SEED, &[LINKED]).await;
    for (links, inlinks) in [(vec![], 0), (vec![LINKED], 1), (vec![LINKED], 1)] {
        yard.restart(false);
        let bot = yard.inside("bot").await;
        yard.seed(&[SEED]).await;
        yard.fetch(bot, SEED, &links).await;
        assert_eq!(yard.inlinks(LINKED), inlinks);
    }
}

#[tokio::test(start_paused = true)]
async fn outlinks_count_pages_of_any_scope_but_no_pictures() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let links = [
        "http://a.test/x.html",
        "http://a.test/folder/",
        "http://elsewhere.test/y.HTM",
        "http://elsewhere.test/no-extension",
        "http://a.test/z.jpg",
        "mailto:someone@a.test",
    ];
    yard.fetch(bot, SEED, &links).await;
    assert_eq!(yard.record(SEED).outlinks, 4);
    assert!(!yard.knows("http://elsewhere.test/y.HTM"));
}

#[tokio::test(start_paused = true)]
async fn no_more_links_than_allowed_are_read_from_one_page() {
    let mut yard = Yard::with(|settings| settings.max_links = 2);
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    yard.fetch(bot, SEED, &["http://a.test/1", "http://a.test/2", "http://a.test/3"]).await;
    assert_eq!(yard.rest_of(bot).await, ["http://a.test/1", "http://a.test/2"]);
}

#[tokio::test(start_paused = true)]
async fn a_redirect_is_a_link_to_its_target() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    yard.accept(bot, redirect(&lease, LINKED)).await;
    let record = yard.record(LINKED);
    assert_eq!(record.state, UrlState::Waiting(Origin::Redirect));
    assert_eq!((record.redirects, record.depth), (1, 0));
    assert_eq!(yard.inlinks(&record.url), 1);
    assert_eq!((record.via, record.bot2_id), (Some(id(SEED)), Some(bot)));
    let record = yard.record(SEED);
    assert_eq!((record.state, record.dlast, record.failures), (UrlState::Answered(301), None, 0));
}

#[tokio::test(start_paused = true)]
async fn marks_and_places_of_the_archive_are_acknowledged_with_the_report() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let lease = yard.next(bot).await.expect("a page");
    let place = ArchivePlace { file: "bot-1.warc.gz".into(), offset: 100, length: 50 };
    let mut report = page(&lease, &[]);
    report.archived = Some(place.clone());
    let mark = ArchiveMark { file: place.file.clone(), end: 150 };
    let files = vec![place.file.clone(), "unknown.warc.gz".to_owned()];
    let ask = BrokerMessage::Marks { files };
    match yard.ask(ask.clone()).await {
        BrokerReply::Marks(marks) => assert_eq!(marks, []),
        other => panic!("{other:?}"),
    }
    let message = BrokerMessage::Report { bot, reports: vec![report], marks: vec![mark.clone()] };
    assert!(matches!(yard.ask(message).await, BrokerReply::Acks(acks) if acks == [Ok(())]));
    yard.restart(true);
    match yard.ask(ask).await {
        BrokerReply::Marks(marks) => assert_eq!(marks, [mark]),
        other => panic!("{other:?}"),
    }
    assert_eq!(yard.record(SEED).archived, Some(place));
    assert_eq!(yard.status().await.stored, 1);
}

#[tokio::test(start_paused = true)]
async fn numbers_that_no_server_can_mean_do_no_harm() {
    let mut yard = Yard::new();
    yard.seed(&[SEED, "http://a.test/2"]).await;
    let bot = yard.inside("bot").await;
    for _ in 0..2 {
        let lease = yard.next(bot).await.expect("a page");
        let mut report = page(&lease, &[]);
        (report.bytes, report.took_ms) = (u64::MAX, u64::MAX);
        report.retry_after = Some(u64::MAX);
        yard.accept(bot, report).await;
        // Nobody is believed to want us away for longer than a day.
        seconds(24 * 60 * 60).await;
    }
    let status = yard.status().await;
    assert_eq!((status.pages, status.bytes), (2, u64::MAX));
}

#[tokio::test(start_paused = true)]
async fn spellings_of_one_address_are_one_page_and_the_first_one_is_asked_for() {
    let mut yard = Yard::new();
    yard.seed(&[SEED]).await;
    let bot = yard.inside("bot").await;
    let spellings =
        ["http://a.test/%7Eme/#top", "HTTP://A.TEST:80/~me/", "http://a.test./x/../~me/?"];
    yard.fetch(bot, SEED, &spellings).await;
    yard.fetch(bot, "http://a.test/%7Eme/", &spellings).await;
    assert!(yard.next(bot).await.is_none());
    assert_eq!(yard.status().await.known, 2);
}
