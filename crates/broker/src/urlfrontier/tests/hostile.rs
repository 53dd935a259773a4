//! What if a client is broken, greedy or slow?

use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::test]
async fn what_can_never_be_taken_is_skipped_and_the_rest_of_the_stream_goes_on() {
    let mut yard = Yard::open().await;
    let of = |change: fn(&mut UrlInfo)| {
        let mut said = info("http://a.test/x");
        change(&mut said);
        let item = url_item::Item::Discovered(DiscoveredUrlItem { info: Some(said) });
        UrlItem { item: Some(item), id: "odd".into(), ..UrlItem::default() }
    };
    let odd = vec![
        UrlItem { id: "odd".into(), ..UrlItem::default() },
        of(|said| said.url.clear()),
        of(|said| said.url = "http:///no-host".into()),
        of(|said| said.url = format!("http://a/{}", "x".repeat(1 << 20))),
        of(|said| said.key = "k".repeat(1 << 20)),
        of(|said| said.crawl_id = "c".repeat(1 << 20)),
        of(|said| {
            let list = StringList { values: vec!["v".repeat(100); 5_000] };
            said.metadata.insert("much".into(), list);
        }),
    ];
    let count = odd.len();
    let items = odd.into_iter().chain([discovered("http://a.test/fine")]).collect();
    let acks = yard.put(items).await;
    assert_eq!(acks.len(), count + 1);
    for ack in acks.iter().take(count) {
        assert_eq!(ack, &("odd".to_owned(), Status::Skipped));
    }
    assert_eq!(acks[count].1, Status::Ok);
    assert_eq!(yard.stats("").await.size, 1);
}

#[tokio::test]
async fn a_message_that_is_too_large_ends_its_stream_after_what_came_before_it() {
    let mut yard = Yard::open().await;
    let huge = discovered(&format!("http://a/{}", "x".repeat(routes::MAX_MESSAGE)));
    let items =
        stream::iter([discovered("http://a.test/fine"), huge, discovered("http://b.test/")]);
    let acks = yard.client.stream("PutURLs", items).await.expect("a stream");
    let acks: Vec<Result<AckMessage, Fault>> = acks.collect().await;
    assert_eq!(acks.first().expect("one").as_ref().expect("an ack").status(), Status::Ok);
    let fault = acks.last().expect("last").as_ref().expect_err("too large");
    assert!(matches!(fault.code(), Code::OutOfRange | Code::ResourceExhausted), "{fault:?}");
    assert_eq!(acks.len(), 2);
    assert_eq!(yard.stats("").await.size, 1, "the server is well");
}

#[tokio::test]
async fn a_client_that_never_reads_is_held_up_and_holds_nobody_else_up() {
    let mut yard = Yard::open().await;
    let id = "i".repeat(200_000);
    let item = move |number: usize| UrlItem {
        id: id.clone(),
        ..discovered(&format!("http://a/{number}"))
    };
    let (line, mut items) = tokio::sync::mpsc::channel(1);
    let sent = stream::poll_fn(move |context| items.poll_recv(context));
    let mut deaf = Client::new(yard.address).expect("client");
    let mut acks = deaf.stream::<_, AckMessage>("PutURLs", sent).await.expect("a stream");
    let (told, mut count) = tokio::sync::watch::channel(0_usize);
    let sender = tokio::spawn(async move {
        for number in 0..1_000 {
            line.send(item(number)).await.expect("open");
            told.send_replace(number + 1);
        }
    });
    // It gets stuck: 200 MB are not taken in. While it is, somebody else is served.
    let mut before = usize::MAX;
    while *count.borrow_and_update() != before {
        before = *count.borrow();
        for number in 0..20 {
            let fate = yard.put(vec![discovered(&format!("http://b/{before}/{number}"))]).await;
            assert_eq!(fate[0].1, Status::Ok);
        }
    }
    assert!(
        before < 500,
        "{before} messages of 200 kB were taken from a client that reads nothing"
    );
    // As soon as it reads, everything arrives.
    for _ in 0..1_000 {
        let ack = acks.next().await.expect("open").expect("an ack");
        assert_eq!(ack.status(), Status::Ok);
    }
    sender.await.expect("all sent");
    assert!(acks.next().await.is_none());
}

#[tokio::test]
async fn too_many_streams_are_refused_with_the_reason() {
    let mut yard = Yard::open().await;
    let mut open = Vec::new();
    let fault = loop {
        let (line, mut items) = tokio::sync::mpsc::channel::<UrlItem>(1);
        let sent = stream::poll_fn(move |context| items.poll_recv(context));
        match yard.client.stream::<_, AckMessage>("PutURLs", sent).await {
            Ok(acks) => open.push((line, acks)),
            Err(fault) => break fault,
        }
        assert!(open.len() < 1_000, "there is a bound");
    };
    assert_eq!(fault.code(), Code::ResourceExhausted);
    drop(open);
    // Streams that have ended make room.
    let done = async {
        loop {
            let one = stream::iter([discovered("http://a/")]);
            if yard.client.stream::<_, AckMessage>("PutURLs", one).await.is_ok() {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), done).await.expect("room");
}

#[tokio::test]
async fn bytes_that_are_no_grpc_end_their_connection_and_nothing_else() {
    let mut yard = Yard::open().await;
    for bytes in [&b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"[..], &[0xff; 4_096], b""] {
        let mut raw = TcpStream::connect(yard.address).await.expect("connect");
        raw.write_all(bytes).await.expect("write");
        raw.shutdown().await.expect("shut");
        // It ends with an error or in good order.
        drop(raw.read_to_end(&mut Vec::new()).await);
    }
    assert_eq!(yard.put(vec![discovered("http://a/")]).await[0].1, Status::Ok);
}
