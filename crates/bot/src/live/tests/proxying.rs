use super::secure::{Authority, http1_server};
use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn through(proxy: &Server, userinfo: &str) -> LiveSettings {
    let url = format!("http://{userinfo}localhost:{}", proxy.port());
    LiveSettings { proxy: Some(Url::parse(&url).unwrap()), ..LiveSettings::default() }
}

#[tokio::test]
async fn plain_requests_are_sent_to_the_proxy_in_full() {
    let proxy = Server::answering(OK).await;
    // Names are the proxy's business: the resolver of this web knows none.
    let web = live(through(&proxy, "me%40work:p+%25s@"));
    let answer = web.get(ask("http://site.example/page?q=1")).await.unwrap();
    assert_eq!((&answer.body[..], answer.ip), (&b"ok"[..], None));
    assert_eq!(
        proxy.requests(),
        ["GET http://site.example/page?q=1 HTTP/1.1\r\n\
          Proxy-Authorization: Basic bWVAd29yazpwKyVz\r\nHost: site.example\r\n\r\n"]
    );
}

/// A proxy that opens tunnels to `site`, whatever the name.
async fn tunnelling(site: SocketAddr) -> Server {
    Server::new(move |mut tcp, requests| async move {
        requests.read(&mut tcp).await?;
        let mut upstream = TcpStream::connect(site).await?;
        tcp.write_all(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 p\r\n\r\n").await?;
        tokio::io::copy_bidirectional(&mut tcp, &mut upstream).await.map(drop)
    })
    .await
}

#[tokio::test]
async fn tls_goes_through_a_tunnel_and_the_proxy_sees_no_page() {
    let authority = Authority::new();
    let site = http1_server(authority.acceptor(&["site.example"], &[b"http/1.1"]), OK).await;
    let proxy = tunnelling(site.address).await;
    let web = live(LiveSettings {
        extra_roots: Some(authority.roots.path().to_path_buf()),
        ..through(&proxy, "me:pw@")
    });
    let answer = web.get(ask("https://site.example/page")).await.unwrap();
    assert_eq!((&answer.body[..], answer.ip), (&b"ok"[..], None));
    assert_eq!(
        proxy.requests(),
        ["CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n\
          Proxy-Authorization: Basic bWU6cHc=\r\n\r\n"]
    );
    assert_eq!(site.requests(), ["GET /page HTTP/1.1\r\nHost: site.example\r\n\r\n"]);
}

#[tokio::test]
async fn a_tunnel_that_is_not_opened_is_a_failed_connection() {
    let endless = "X".repeat(20_000);
    for reply in [
        "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
        "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nbad",
        "HTTP/1.1 20",
        "",
        "no proxy here\r\n\r\n",
        &endless,
    ] {
        let proxy = Server::answering_once(reply).await;
        let outcome = live(through(&proxy, "")).get(ask("https://site.example/")).await.err();
        assert_eq!(outcome, Some(FetchError::Connect), "{:.40}", reply);
    }
}

#[tokio::test]
async fn a_silent_proxy_is_a_timeout() {
    let proxy = Server::answering("").await;
    let web = live(LiveSettings { first_byte_timeout: MOMENT, ..through(&proxy, "") });
    for url in ["https://site.example/", "http://site.example/"] {
        assert_eq!(web.get(ask(url)).await.err(), Some(FetchError::Timeout), "{url}");
    }
}

#[tokio::test]
async fn private_literals_are_refused_before_the_proxy_is_asked() {
    let proxy = Server::answering(OK).await;
    let web = live(through(&proxy, ""));
    for url in ["http://127.0.0.1/", "https://[::1]/", "http://0x7f.1/", "http://a.localhost/"] {
        let outcome = web.get(ask(url)).await.err();
        assert_eq!(outcome, Some(FetchError::PrivateAddress), "{url}");
    }
    assert_eq!(proxy.accepted(), 0);
}

#[test]
fn a_proxy_of_another_kind_is_refused() {
    for url in ["https://proxy.example/", "socks4://proxy.example:1080", "socks5://"] {
        let settings =
            LiveSettings { proxy: Some(Url::parse(url).unwrap()), ..LiveSettings::default() };
        let error = LiveWeb::new(&settings).err().unwrap();
        assert!(matches!(error, LiveError::Proxy { .. }), "{url}");
    }
}
