use super::*;

async fn told(poster: &Poster, url: &str) -> Result<Posted, FetchError> {
    let mut headers = Headers::default();
    headers.push("webhook-id", "msg_1");
    poster.post(url, &headers, Bytes::from_static(b"{}"), PLENTY).await
}

#[tokio::test]
async fn a_receiver_gets_the_body_and_its_answer_is_told() {
    let server =
        Server::answering("HTTP/1.1 503 X\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n").await;
    let poster = Poster::new(&private()).unwrap();
    let posted = told(&poster, &format!("http://{}/hook#part", server.address)).await.unwrap();
    assert_eq!(posted, Posted { status: 503, retry_after: Some(Duration::from_secs(7)) });
    let request = server.requests.lock().unwrap().join("");
    assert!(request.starts_with("POST /hook HTTP/1.1"), "{request}");
}

#[tokio::test]
async fn redirects_are_answers() {
    let server = Server::answering(
        "HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    )
    .await;
    let poster = Poster::new(&private()).unwrap();
    let posted = told(&poster, &format!("http://{}/", server.address)).await.unwrap();
    assert_eq!(posted.status, 302);
    assert_eq!(server.accepted.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn nothing_is_told_to_a_private_address_by_whatever_name() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let port = server.address.port();
    let names = Names::new("inside.test", [[127, 0, 0, 1]]);
    let poster = Poster::with_resolver(&LiveSettings::default(), names).unwrap();
    for host in
        ["inside.test", "localhost", "127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "10.0.0.1"]
    {
        let answer = told(&poster, &format!("http://{host}:{port}/")).await;
        assert_eq!(answer, Err(FetchError::PrivateAddress), "{host}");
    }
    assert_eq!(server.accepted.load(Ordering::SeqCst), 0);
    assert_eq!(told(&poster, "ftp://example.org/").await, Err(FetchError::Protocol));
}

/// The status and the pieces of the answer to a letter.
async fn carried(
    poster: &Poster,
    url: &str,
    silence: Duration,
) -> Result<(u16, Vec<Result<Bytes, FetchError>>), FetchError> {
    use crate::crawllet::{Courier, Letter};
    use futures_util::StreamExt;
    let letter = Letter {
        url: url.into(),
        headers: Headers::default(),
        body: Bytes::from_static(b"CLP1"),
        patience: PLENTY,
        silence,
    };
    let reply = Courier::post(poster, letter).await?;
    Ok((reply.status, reply.body.collect().await))
}

#[tokio::test]
async fn the_answer_to_a_letter_is_read_as_it_comes_and_silence_ends_it() {
    let whole = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").await;
    let poster = Poster::new(&private()).unwrap();
    let (status, pieces) = carried(&poster, &whole.url("/run"), PLENTY).await.unwrap();
    let body: Vec<u8> = pieces.into_iter().flat_map(|piece| piece.unwrap()).collect();
    assert_eq!((status, body.as_slice()), (200, &b"hello"[..]));
    assert!(whole.requests()[0].to_lowercase().contains("content-length: 4"));
    let torn = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello").await;
    let (_, pieces) = carried(&poster, &torn.url("/run"), MOMENT).await.unwrap();
    assert_eq!(pieces.first().unwrap().as_deref(), Ok(&b"hello"[..]));
    assert_eq!(pieces.last().unwrap(), &Err(FetchError::Timeout));
}

#[tokio::test]
async fn a_letter_is_carried_to_no_private_address() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let names = Names::new("inside.test", [[127, 0, 0, 1]]);
    let poster = Poster::with_resolver(&LiveSettings::default(), names).unwrap();
    for host in ["inside.test", "127.0.0.1"] {
        let url = format!("http://{host}:{}/", server.port());
        assert_eq!(carried(&poster, &url, PLENTY).await.err(), Some(FetchError::PrivateAddress));
    }
    assert_eq!(server.accepted(), 0);
}
