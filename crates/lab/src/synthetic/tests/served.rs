//! The web over loopback and through the port.

use super::*;
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::TokioIo;
use lycosa_model::FetchError;
use lycosa_runtime::{Ask, Web};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

type Sender = hyper::client::conn::http1::SendRequest<Empty<Bytes>>;

async fn start() -> (Served, oneshot::Sender<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let web = SyntheticWeb::new(7, Shape::demo(), Naming::Loopback { port });
    let (stop, stopped) = oneshot::channel();
    let served = serve(Arc::new(web), listener, async move {
        drop(stopped.await);
    });
    (served.unwrap(), stop)
}

async fn connect(served: &Served) -> Sender {
    let stream = TcpStream::connect(served.address()).await.unwrap();
    let (sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

/// One request on an open connection.
async fn ask(
    sender: &mut Sender,
    method: &str,
    url: &str,
    headers: &[(&str, &str)],
) -> (http::response::Parts, Bytes) {
    let url = url::Url::parse(url).unwrap();
    let host = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    let mut request = http::Request::builder().method(method).uri(url.path()).header("host", host);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Empty::new()).unwrap();
    let (parts, body) = sender.send_request(request).await.unwrap().into_parts();
    (parts, body.collect().await.unwrap().to_bytes())
}

#[tokio::test]
async fn the_host_names_the_site_and_one_connection_serves_many_requests() {
    let (served, stop) = start().await;
    let mut sender = connect(&served).await;
    for url in served.web().fronts() {
        let (parts, body) = ask(&mut sender, "GET", &url, &[]).await;
        assert_eq!(parts.status, 200);
        assert_eq!(body, get(served.web(), &url).body);
        assert_eq!(parts.headers["content-length"], body.len().to_string().as_str());
        assert!(served.was_requested(&url));
    }
    assert_eq!(served.requests().len(), 12);
    let disallowed = &served.web().facts().disallowed[0];
    assert!(!served.was_requested(disallowed) && served.web().visits().is_complete());
    ask(&mut sender, "GET", disallowed, &[]).await;
    assert!(served.was_requested(disallowed));
    drop(stop);
    served.join().await;
}

#[tokio::test]
async fn a_copy_that_is_still_right_is_not_sent_again() {
    let (served, _stop) = start().await;
    let mut sender = connect(&served).await;
    let url = served.web().facts().pages[20].clone();
    let (first, _) = ask(&mut sender, "GET", &url, &[]).await;
    let (etag, modified) =
        (first.headers["etag"].to_str().unwrap(), first.headers["last-modified"].to_str().unwrap());
    let weak = format!("\"other\", W/{etag}");
    let later = "Fri, 31 Dec 2100 23:59:59 GMT";
    for current in [
        ("if-none-match", etag),
        ("if-none-match", &weak),
        ("if-none-match", "*"),
        ("if-modified-since", modified),
        ("if-modified-since", later),
    ] {
        let (parts, body) = ask(&mut sender, "GET", &url, &[current]).await;
        assert_eq!((parts.status.as_u16(), body.len()), (304, 0), "{current:?}");
        assert_eq!(parts.headers["etag"], etag);
    }
    for stale in [
        vec![("if-none-match", "\"other\"")],
        vec![("if-modified-since", "Sat, 01 Jan 2000 00:00:00 GMT")],
        vec![("if-modified-since", "yesterday")],
        // The tag decides when both are there.
        vec![("if-none-match", "\"other\""), ("if-modified-since", later)],
    ] {
        let (parts, _) = ask(&mut sender, "GET", &url, &stale).await;
        assert_eq!(parts.status, 200, "{stale:?}");
    }
}

#[tokio::test]
async fn gzip_is_for_those_who_accept_it() {
    let (served, _stop) = start().await;
    let mut sender = connect(&served).await;
    let url = served.web().facts().compressed[0].clone();
    let (packed, body) = ask(&mut sender, "GET", &url, &[("accept-encoding", "br, gzip")]).await;
    assert_eq!(packed.headers["content-encoding"], "gzip");
    assert!(body.starts_with(&[0x1f, 0x8b]));
    for refusal in ["br", "gzip;q=0"] {
        let (plain, body) = ask(&mut sender, "GET", &url, &[("accept-encoding", refusal)]).await;
        assert!(plain.headers.get("content-encoding").is_none());
        assert_eq!(&body[..], text(&get(served.web(), &url)).as_bytes());
        assert_ne!(plain.headers["etag"], packed.headers["etag"]);
    }
}

#[tokio::test]
async fn strangers_get_clear_answers() {
    let (served, _stop) = start().await;
    let mut sender = connect(&served).await;
    let port = served.address().port();
    let front = served.web().fronts()[0].clone();
    let (parts, _) = ask(&mut sender, "POST", &front, &[]).await;
    assert_eq!(parts.status, 405);
    let (parts, body) = ask(&mut sender, "HEAD", &front, &[]).await;
    assert_eq!((parts.status.as_u16(), body.len()), (200, 0));
    let nobody = format!("http://nobody.localhost:{port}/");
    assert_eq!(ask(&mut sender, "GET", &nobody, &[]).await.0.status, 421);
    let lost = format!("{front}nothing/here");
    assert_eq!(ask(&mut sender, "GET", &lost, &[]).await.0.status, 404);
    let people = format!("http://localhost:{port}/");
    let (parts, body) = ask(&mut sender, "GET", &people, &[]).await;
    assert_eq!(parts.status, 200);
    let listed = links(&people, &String::from_utf8_lossy(&body));
    assert_eq!(listed.len(), 12);
}

fn asking(url: &str) -> Ask {
    Ask {
        url: url.to_owned(),
        headers: Headers::default(),
        max_body: 1 << 20,
        cut: false,
        timeout: Duration::from_secs(10),
    }
}

#[tokio::test(start_paused = true)]
async fn the_port_answers_after_its_latency_and_counts() {
    let web = demo();
    let url = web.fronts()[3].clone();
    let answer = web.get(asking(&url)).await.unwrap();
    assert_eq!((answer.status, answer.captured), (200, true));
    assert_eq!(answer.took, web.latency(&url));
    assert_eq!(answer.body, get(&web, &url).body);
    assert_eq!(web.visits().count(&url), 1);
    let mut again = asking(&url);
    again.headers.push("If-None-Match", answer.headers.get("etag").unwrap().to_owned());
    assert_eq!(web.get(again).await.unwrap().status, 304);
    assert_eq!(web.visits().count(&url), 2);
}

#[tokio::test(start_paused = true)]
async fn the_port_keeps_the_limits_of_whoever_asks() {
    let web = demo();
    let url = web.fronts()[0].clone();
    let small = Ask { max_body: 10, ..asking(&url) };
    assert_eq!(web.get(small).await.unwrap_err(), FetchError::TooLarge);
    let hasty = Ask { timeout: Duration::from_millis(1), ..asking(&url) };
    assert_eq!(web.get(hasty).await.unwrap_err(), FetchError::Timeout);
    let secure = url.replace("http://", "https://");
    assert_eq!(web.get(asking(&secure)).await.unwrap_err(), FetchError::Connect);
    let unknown = asking("http://elsewhere.test/");
    assert_eq!(web.get(unknown).await.unwrap_err(), FetchError::Dns);
}

#[test]
fn addresses_are_counted_up_to_a_limit_and_the_total_beyond_it() {
    let visits = Visits::default();
    for number in 0..MAX_VISITED + 3 {
        visits.record(&number.to_string());
    }
    visits.record("0");
    assert_eq!(visits.all().len(), MAX_VISITED);
    assert_eq!(visits.total(), MAX_VISITED as u64 + 4);
    assert_eq!(visits.count("0"), 2);
    assert!(!visits.is_complete());
}
