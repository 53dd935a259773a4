use super::*;

const EMPTY: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const HELLO: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

#[tokio::test]
async fn requests_to_a_site_share_a_connection() {
    let server = Server::answering(HELLO).await;
    let web = live(private());
    for n in 0..5 {
        let answer = web.get(ask(server.url(&format!("/{n}")))).await.unwrap();
        assert_eq!(answer.body, "hello");
        settle().await;
    }
    assert_eq!((server.accepted(), server.requests().len()), (1, 5));
}

#[tokio::test]
async fn without_idle_connections_each_request_makes_its_own() {
    let server = Server::answering(HELLO).await;
    let web = live(LiveSettings { max_idle_per_site: 0, ..private() });
    for _ in 0..3 {
        web.get(ask(server.url("/"))).await.unwrap();
        settle().await;
    }
    assert_eq!(server.accepted(), 3);
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_its_time() {
    let (closed, mut heard) = tokio::sync::mpsc::channel(1);
    let server = Server::new(move |mut tcp, requests| {
        let closed = closed.clone();
        async move {
            requests.read(&mut tcp).await?;
            tcp.write_all(HELLO.as_bytes()).await?;
            let end = tcp.read(&mut [0]).await?;
            let _ = closed.send(end).await;
            Ok(())
        }
    })
    .await;
    let web = live(LiveSettings { idle_timeout: MOMENT, ..private() });
    web.get(ask(server.url("/"))).await.unwrap();
    let end = timeout(PLENTY, heard.recv()).await;
    assert_eq!(end, Ok(Some(0)), "the client hung up while the web is alive");
    drop(web);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced() {
    let server = Server::answering_once(HELLO).await;
    let web = live(private());
    for _ in 0..4 {
        assert_eq!(web.get(ask(server.url("/"))).await.unwrap().body, "hello");
        settle().await;
    }
    assert_eq!(server.accepted(), 4);
}

#[tokio::test]
async fn a_name_is_resolved_once_for_a_connection() {
    let server = Server::answering(HELLO).await;
    let names = Names::new("site.example", [[127, 0, 0, 1]]);
    let web = LiveWeb::with_resolver(&private(), Arc::clone(&names) as Arc<dyn Resolve>).unwrap();
    for _ in 0..3 {
        let url = format!("http://site.example:{}/", server.port());
        web.get(ask(url)).await.unwrap();
        settle().await;
    }
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn the_next_address_is_tried_when_one_refuses() {
    let server = Server::answering(EMPTY).await;
    // All of 127/8 is loopback, but the server listens at one address only.
    let names = Names::new("site.example", [[127, 9, 9, 9], [127, 8, 8, 8], [127, 0, 0, 1]]);
    let web = LiveWeb::with_resolver(&private(), names).unwrap();
    let url = format!("http://site.example:{}/", server.port());
    let answer = web.get(ask(url)).await.unwrap();
    assert_eq!(answer.ip, Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
}

#[tokio::test]
async fn many_askers_are_served_at_once() {
    let server = Server::answering(HELLO).await;
    let web = live(private());
    let asks = (0..40).map(|n| web.get(ask(server.url(&format!("/{n}")))));
    let answers = futures_util::future::join_all(asks).await;
    assert!(answers.iter().all(|answer| answer.as_ref().unwrap().body == "hello"));
    assert_eq!(server.requests().len(), 40);
}

#[tokio::test]
async fn a_fault_does_not_spoil_the_next_request() {
    let replies = ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut", HELLO];
    let next = Arc::new(AtomicUsize::new(0));
    let server = Server::new(move |mut tcp, requests| {
        let reply = replies[next.fetch_add(1, Ordering::SeqCst)];
        async move {
            requests.read(&mut tcp).await?;
            tcp.write_all(reply.as_bytes()).await
        }
    })
    .await;
    let web = live(private());
    let first = web.get(ask(server.url("/"))).await;
    assert_eq!(first.err(), Some(FetchError::Protocol));
    assert_eq!(web.get(ask(server.url("/"))).await.unwrap().body, "hello");
}
