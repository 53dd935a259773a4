use super::*;

#[tokio::test]
async fn a_page_comes_back_with_all_that_is_known_about_it() {
    let server = Server::answering(
        "HTTP/1.1 200 OK\r\ncontent-TYPE: text/html\r\nX-Two: a\r\nSet-Cookie: one=1\r\n\
         Content-Length: 5\r\nset-cookie: two=2\r\nX-Odd: caf\u{e9}\r\n\r\nhello",
    )
    .await;
    let answer = get(server.url("/")).await.unwrap();
    assert_eq!((answer.status, answer.version), (200, "1.1"));
    assert_eq!(answer.body, "hello");
    assert_eq!(answer.ip, Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    assert!(answer.captured && answer.took < PLENTY);
    assert_eq!(
        lines(&answer.headers),
        [
            ("content-TYPE", &b"text/html"[..]),
            ("X-Two", b"a"),
            ("Set-Cookie", b"one=1"),
            ("Content-Length", b"5"),
            ("set-cookie", b"two=2"),
            ("X-Odd", "caf\u{e9}".as_bytes()),
        ]
    );
}

#[tokio::test]
async fn the_request_says_what_the_caller_wants_and_nothing_of_the_url_that_is_private() {
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
    let port = server.port();
    let mut ask = ask(format!("http://user:secret@127.0.0.1:{port}/a|b/%7E?q={{x}}#part"));
    ask.headers.push("User-Agent", "Lycosa/0.1 (+https://example.org/bot)");
    ask.headers.push("accept-encoding", "gzip, br, zstd");
    ask.headers.push("Host", "elsewhere.example");
    ask.headers.push("Transfer-Encoding", "chunked");
    ask.headers.push("If-None-Match", &b"bad\nvalue"[..]);
    live(private()).get(ask).await.unwrap();
    assert_eq!(
        server.requests(),
        [format!(
            "GET /a|b/%7E?q={{x}} HTTP/1.1\r\nUser-Agent: Lycosa/0.1 (+https://example.org/bot)\r\n\
             Accept-Encoding: gzip, br, zstd\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        )]
    );
}

#[tokio::test]
async fn redirects_and_errors_are_answers() {
    for status in [301, 404, 500, 304] {
        let server = Server::answering(format!(
            "HTTP/1.1 {status} X\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"
        ))
        .await;
        let answer = get(server.url("/")).await.unwrap();
        assert_eq!(answer.status, status);
        assert_eq!(answer.headers.get("location"), Some("/next"));
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_304_may_name_a_length_that_it_does_not_send() {
    let reply = "HTTP/1.1 304 Not Modified\r\nContent-Length: 99999999\r\nETag: \"x\"\r\n\r\n";
    let server = Server::answering(reply).await;
    let answer = get(server.url("/")).await.unwrap();
    assert_eq!((answer.status, answer.body.len()), (304, 0));
}

#[tokio::test]
async fn chunks_are_put_together() {
    let server = Server::answering(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
         5;ext=1\r\nhello\r\n6\r\n world\r\n1\r\n!\r\n0\r\nX-Trailer: t\r\n\r\n",
    )
    .await;
    assert_eq!(get(server.url("/")).await.unwrap().body, "hello world!");
}

#[tokio::test]
async fn a_body_without_length_ends_with_the_connection() {
    let server = Server::answering_once("HTTP/1.0 200 OK\r\n\r\nold but fine").await;
    let answer = get(server.url("/")).await.unwrap();
    assert_eq!((answer.version, &answer.body[..]), ("1.0", &b"old but fine"[..]));
}

#[tokio::test]
async fn interim_responses_are_passed_over() {
    let server = Server::answering(
        "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n\
         HTTP/1.1 200 OK\r\nX-Case: kept\r\nContent-Length: 2\r\n\r\nok",
    )
    .await;
    let answer = get(server.url("/")).await.unwrap();
    assert_eq!(answer.body, "ok");
    assert_eq!(lines(&answer.headers)[0], ("X-Case", &b"kept"[..]));
    assert_eq!(answer.headers.get("link"), None);
}

#[tokio::test]
async fn slips_in_headers_are_forgiven() {
    let server = Server::answering(
        "HTTP/1.1 200 OK\r\nX-Space : yes\r\nBad Name: no\r\nX-Last: z\r\n\
         Content-Length: 2\r\n\r\nok",
    )
    .await;
    let answer = get(server.url("/")).await.unwrap();
    assert_eq!(answer.body, "ok");
    assert_eq!(answer.headers.get("x-space"), Some("yes"));
    assert_eq!(answer.headers.get("X-Last"), Some("z"));
    assert_eq!(answer.headers.get("Bad Name"), None);
}

#[tokio::test]
async fn names_under_localhost_need_no_resolver() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let port = server.port();
    for name in ["localhost", "garden.localhost", "deep.garden.LOCALHOST", "localhost."] {
        let answer = get(format!("http://{name}:{port}/")).await.unwrap();
        assert_eq!(answer.ip, Some(IpAddr::V4(Ipv4Addr::LOCALHOST)), "{name}");
    }
    let host = format!("Host: garden.localhost:{port}\r\n");
    assert!(server.requests()[1].contains(&host));
}

#[tokio::test]
async fn what_is_not_a_web_address_is_not_asked() {
    for url in ["ftp://example.org/", "not a url", "http://", "data:text/plain,x", "/path"] {
        assert_eq!(get(url).await.err(), Some(FetchError::Protocol), "{url}");
    }
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_taken() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789").await;
    let web = live(private());
    let mut ask = ask(server.url("/"));
    ask.max_body = 10;
    assert_eq!(web.get(ask.clone()).await.unwrap().body, "0123456789");
    ask.max_body = 9;
    assert_eq!(web.get(ask).await.err(), Some(FetchError::TooLarge));
}
