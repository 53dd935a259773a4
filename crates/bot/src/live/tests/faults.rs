use super::*;

/// Asks a server that answers so and hangs up.
async fn outcome_of(reply: impl Into<Vec<u8>>) -> Option<FetchError> {
    let server = Server::answering_once(reply).await;
    get(server.url("/")).await.err()
}

/// Asks a server that answers so and keeps the line open.
async fn outcome_of_open(reply: impl Into<Vec<u8>>, settings: LiveSettings) -> Option<FetchError> {
    let server = Server::answering(reply).await;
    live(settings).get(ask(server.url("/"))).await.err()
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_a_failed_connection() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let outcome = get(format!("http://{address}/")).await.err();
    assert_eq!(outcome, Some(FetchError::Connect));
}

#[tokio::test]
async fn a_name_without_address_is_a_matter_of_dns() {
    let web = LiveWeb::new(&LiveSettings::default()).unwrap();
    for url in
        ["http://no-such.invalid/", "https://no-such.invalid./", "http://x.onion/", "http://xn--a/"]
    {
        assert_eq!(web.get(ask(url)).await.err(), Some(FetchError::Dns), "{url}");
    }
    assert_eq!(get("http://unknown.example/").await.err(), Some(FetchError::Dns));
    let nothing = LiveWeb::with_resolver(&private(), Names::new("empty.example", [])).unwrap();
    let outcome = nothing.get(ask("http://empty.example/")).await.err();
    assert_eq!(outcome, Some(FetchError::Dns));
}

#[tokio::test]
async fn a_resolver_that_never_answers_is_a_timeout() {
    struct Silent;
    impl Resolve for Silent {
        fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
            Box::pin(std::future::pending())
        }
    }
    let settings = LiveSettings { dns_timeout: MOMENT, ..private() };
    let web = LiveWeb::with_resolver(&settings, Arc::new(Silent)).unwrap();
    let outcome = web.get(ask("http://slow.example/")).await.err();
    assert_eq!(outcome, Some(FetchError::Timeout));
}

#[tokio::test]
async fn what_is_not_http_is_a_matter_of_protocol() {
    for reply in [
        &b""[..],
        b"SSH-2.0-OpenSSH_9.2p1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 OK\r\n\r\n",
        b"\0\0\x12\x04\0\0\0\0\0",
        b"<html>no head at all</html>\r\n\r\n",
    ] {
        let outcome = outcome_of(reply).await;
        assert_eq!(outcome, Some(FetchError::Protocol), "{}", reply.escape_ascii());
    }
}

#[tokio::test]
async fn a_length_that_lies_is_a_matter_of_protocol() {
    let short = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this";
    assert_eq!(outcome_of(short).await, Some(FetchError::Protocol));
    let two = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nhello";
    assert_eq!(outcome_of(two).await, Some(FetchError::Protocol));
    let odd = "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello";
    assert_eq!(outcome_of(odd).await, Some(FetchError::Protocol));
}

#[tokio::test]
async fn bytes_after_the_promised_length_are_not_the_body() {
    let server =
        Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more").await;
    let web = live(private());
    for _ in 0..2 {
        assert_eq!(web.get(ask(server.url("/"))).await.unwrap().body, "hello");
        settle().await;
    }
    assert_eq!(server.accepted(), 2, "a connection with leftovers is not used again");
}

#[tokio::test]
async fn bad_chunks_are_a_matter_of_protocol() {
    for chunks in [
        "zz\r\nhello\r\n",
        "5\r\nhelloX",
        "5\r\nhel",
        "5\r\nhello\r\n",
        "-1\r\n",
        "fffffffffffffffff\r\n",
    ] {
        let reply = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
        assert_eq!(outcome_of(reply).await, Some(FetchError::Protocol), "{chunks:?}");
    }
}

#[tokio::test]
async fn a_promise_over_the_limit_is_refused_before_the_body_is_read() {
    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n";
    let outcome = outcome_of_open(reply, private()).await;
    assert_eq!(outcome, Some(FetchError::TooLarge), "the body never came");
}

/// Answers with `head`, then with `unit` over and over until the client hangs up.
async fn endless(head: &'static str, unit: &'static str) -> Server {
    let unit = Arc::new(unit.repeat(500));
    Server::new(move |mut tcp, requests| {
        let unit = Arc::clone(&unit);
        async move {
            requests.read(&mut tcp).await?;
            tcp.write_all(head.as_bytes()).await?;
            loop {
                tcp.write_all(unit.as_bytes()).await?;
            }
        }
    })
    .await
}

#[tokio::test]
async fn an_endless_body_is_cut_at_the_limit() {
    let plain = endless("HTTP/1.1 200 OK\r\n\r\n", "for ever and ever ").await;
    assert_eq!(get(plain.url("/")).await.err(), Some(FetchError::TooLarge));
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunked = endless(head, "8\r\nfor ever\r\n").await;
    assert_eq!(get(chunked.url("/")).await.err(), Some(FetchError::TooLarge));
}

#[tokio::test]
async fn a_body_over_the_limit_is_cut_for_those_who_say_so() {
    let cut = |url: String| Ask { max_body: 1000, cut: true, ..ask(url) };
    let body = "b".repeat(5000);
    let promised = format!("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{body}");
    let server = Server::answering_once(promised).await;
    let answer = live(private()).get(cut(server.url("/"))).await.unwrap();
    assert!(answer.cut && answer.body == body[..1000]);
    let server = endless("HTTP/1.1 200 OK\r\n\r\n", "for ever ").await;
    let answer = live(private()).get(cut(server.url("/"))).await.unwrap();
    assert!(answer.cut && answer.body.len() == 1000);
    let exact = format!("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}", &body[..1000]);
    let server = Server::answering_once(exact).await;
    let answer = live(private()).get(cut(server.url("/"))).await.unwrap();
    assert!(!answer.cut && answer.body == body[..1000]);
}

#[tokio::test]
async fn a_head_without_end_is_too_large() {
    for unit in ["X-Bomb: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", "one line that never ends "] {
        let server = endless("HTTP/1.1 200 OK\r\nX: ", unit).await;
        let outcome = get(server.url("/")).await.err();
        assert_eq!(outcome, Some(FetchError::HeadTooLarge), "{unit:?}");
    }
}

#[tokio::test]
async fn a_hundred_megabytes_of_head_are_not_read() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let server = Server::new(move |mut tcp, requests| {
        let sent = Arc::clone(&counter);
        async move {
            requests.read(&mut tcp).await?;
            tcp.write_all(b"HTTP/1.1 200 OK\r\nX-Large: ").await?;
            let part = vec![b'x'; 64 * 1024];
            while sent.load(Ordering::SeqCst) < 100 << 20 {
                tcp.write_all(&part).await?;
                sent.fetch_add(part.len(), Ordering::SeqCst);
            }
            tcp.write_all(b"\r\nContent-Length: 0\r\n\r\n").await
        }
    })
    .await;
    assert_eq!(get(server.url("/")).await.err(), Some(FetchError::HeadTooLarge));
    // What the kernel holds in its buffers was sent, though nobody read it.
    assert!(sent.load(Ordering::SeqCst) < 50 << 20, "{} bytes", sent.load(Ordering::SeqCst));
}

#[tokio::test]
async fn interim_responses_without_end_are_a_head_without_end() {
    let server = endless("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n").await;
    assert_eq!(get(server.url("/")).await.err(), Some(FetchError::HeadTooLarge));
    let some = "HTTP/1.1 100 Continue\r\n\r\n".repeat(head::MAX_INTERIM);
    let reply = format!("{some}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(outcome_of(reply).await, None);
}

#[tokio::test]
async fn a_reset_in_the_middle_of_a_body_is_a_matter_of_protocol() {
    let server = Server::new(|mut tcp, requests| async move {
        requests.read(&mut tcp).await?;
        tcp.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nthe first half").await?;
        // With no time to linger, closing is a reset.
        tcp.set_zero_linger()
    })
    .await;
    assert_eq!(get(server.url("/")).await.err(), Some(FetchError::Protocol));
}

#[tokio::test]
async fn too_many_header_lines_are_too_large() {
    let with_lines = |count: usize| {
        let lines = "A: b\r\n".repeat(count);
        format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n{lines}\r\n")
    };
    let max = LiveSettings::default().max_headers;
    assert_eq!(outcome_of(with_lines(max - 1)).await, None);
    assert_eq!(outcome_of(with_lines(max)).await, Some(FetchError::HeadTooLarge));
}

#[tokio::test]
async fn a_server_that_never_answers_is_a_timeout() {
    let settings = LiveSettings { first_byte_timeout: MOMENT, ..private() };
    assert_eq!(outcome_of_open("", settings.clone()).await, Some(FetchError::Timeout));
    let half = "HTTP/1.1 200 OK\r\nContent-";
    assert_eq!(outcome_of_open(half, settings).await, Some(FetchError::Timeout));
}

#[tokio::test]
async fn a_body_that_stands_still_is_a_timeout() {
    let settings = LiveSettings { idle_read_timeout: MOMENT, ..private() };
    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nand then nothing";
    assert_eq!(outcome_of_open(reply, settings).await, Some(FetchError::Timeout));
}

/// A body that comes one byte at a time.
async fn drip() -> Server {
    Server::new(|mut tcp, requests| async move {
        requests.read(&mut tcp).await?;
        tcp.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n").await?;
        let mut pace = tokio::time::interval(MOMENT / 12);
        loop {
            pace.tick().await;
            tcp.write_all(b".").await?;
        }
    })
    .await
}

#[tokio::test]
async fn a_drip_under_the_least_rate_is_too_slow() {
    let server = drip().await;
    let settings = LiveSettings { min_rate: 10_000, rate_window: MOMENT, ..private() };
    let outcome = live(settings).get(ask(server.url("/"))).await.err();
    assert_eq!(outcome, Some(FetchError::TooSlow));
}

#[tokio::test]
async fn a_pause_inside_the_window_is_no_drip() {
    let server = Server::new(|mut tcp, requests| async move {
        requests.read(&mut tcp).await?;
        tcp.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf").await?;
        tokio::time::sleep(3 * MOMENT).await;
        tcp.write_all(b"half").await
    })
    .await;
    for (min_rate, rate_window) in [(1 << 20, PLENTY), (0, MOMENT)] {
        let settings = LiveSettings { min_rate, rate_window, ..private() };
        let answer = live(settings).get(ask(server.url("/"))).await.unwrap();
        assert_eq!(answer.body, "halfhalf");
    }
}

#[test]
fn the_pace_is_judged_by_the_window() {
    let begin = Instant::now();
    let at = |seconds| begin + Duration::from_secs(seconds);
    let mut pace = Pace::start(begin, 100, Duration::from_secs(10));
    assert_eq!(pace.judge(at(9), 0), Ok(()), "grace");
    assert_eq!(pace.judge(at(10), 1_000), Ok(()), "just enough");
    assert_eq!(pace.judge(at(19), 1_000), Ok(()), "a new window");
    assert_eq!(pace.judge(at(20), 1_999), Err(FetchError::TooSlow));
    let mut pace = Pace::start(begin, u64::MAX, Duration::MAX);
    assert_eq!(pace.judged_at(), None, "a window without end");
    assert_eq!(pace.judge(at(99), 0), Ok(()));
}

#[tokio::test]
async fn a_drip_is_cut_by_the_time_for_the_whole() {
    let server = drip().await;
    let mut ask = ask(server.url("/"));
    ask.timeout = 4 * MOMENT;
    let started = Instant::now();
    assert_eq!(live(private()).get(ask).await.err(), Some(FetchError::Timeout));
    assert!(started.elapsed() < PLENTY / 2);
}

#[tokio::test]
async fn a_time_without_end_is_no_accident() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let mut ask = ask(server.url("/"));
    ask.timeout = Duration::MAX;
    assert!(live(private()).get(ask).await.is_ok());
}
