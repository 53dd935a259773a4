//! Against a SOCKS5 server that does what RFC 1928 says and notes what it was asked.

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// What a proxy does with a request.
#[derive(Clone, Copy)]
enum Deed {
    /// Connects to this server, whatever it was asked for.
    Connect(SocketAddr),
    /// Answers with this code.
    Refuse(u8),
}

/// A proxy that demands this user and password, if any.
async fn proxy(login: Option<(&'static str, &'static str)>, deed: Deed) -> Server {
    Server::new(move |tcp, requests| serve(tcp, requests, login, deed)).await
}

async fn text(tcp: &mut TcpStream) -> io::Result<String> {
    let mut bytes = vec![0; usize::from(tcp.read_u8().await?)];
    tcp.read_exact(&mut bytes).await?;
    Ok(String::from_utf8(bytes).unwrap())
}

async fn serve(
    mut tcp: TcpStream,
    requests: Requests,
    login: Option<(&str, &str)>,
    deed: Deed,
) -> io::Result<()> {
    assert_eq!(tcp.read_u8().await?, 5);
    let mut methods = vec![0; usize::from(tcp.read_u8().await?)];
    tcp.read_exact(&mut methods).await?;
    let method = if login.is_some() { 2 } else { 0 };
    if !methods.contains(&method) {
        return tcp.write_all(&[5, 0xff]).await;
    }
    tcp.write_all(&[5, method]).await?;
    if let Some((user, password)) = login {
        assert_eq!(tcp.read_u8().await?, 1);
        let good = text(&mut tcp).await? == user && text(&mut tcp).await? == password;
        tcp.write_all(&[1, u8::from(!good)]).await?;
        if !good {
            return Ok(());
        }
    }
    let mut head = [0; 4];
    tcp.read_exact(&mut head).await?;
    let target = match head {
        [5, 1, 0, 1] => Ipv4Addr::from_bits(tcp.read_u32().await?).to_string(),
        [5, 1, 0, 4] => std::net::Ipv6Addr::from_bits(tcp.read_u128().await?).to_string(),
        [5, 1, 0, 3] => text(&mut tcp).await?,
        other => panic!("{other:?}"),
    };
    let port = tcp.read_u16().await?;
    requests.0.lock().unwrap().push(format!("{target} {port}"));
    match deed {
        Deed::Refuse(code) => tcp.write_all(&[5, code, 0, 1, 0, 0, 0, 0, 0, 0]).await,
        Deed::Connect(site) => {
            let mut upstream = TcpStream::connect(site).await?;
            // A bound address in the form of a name, which is rare and allowed.
            tcp.write_all(b"\x05\x00\x00\x03\x04here\x00\x50").await?;
            tokio::io::copy_bidirectional(&mut tcp, &mut upstream).await.map(drop)
        }
    }
}

fn through(proxy: &Server, scheme: &str, login: &str) -> LiveSettings {
    let url = format!("{scheme}://{login}127.0.0.1:{}", proxy.port());
    LiveSettings { proxy: Some(Url::parse(&url).unwrap()), ..LiveSettings::default() }
}

#[tokio::test]
async fn socks5_resolves_here_and_hands_the_judged_address_over() {
    let site = Server::answering(OK).await;
    let proxy = proxy(None, Deed::Connect(site.address)).await;
    let names = Names::new("site.example", [[10, 0, 0, 7], [93, 184, 216, 34]]);
    let web = LiveWeb::with_resolver(&through(&proxy, "socks5", ""), names).unwrap();
    let answer = web.get(ask("http://site.example/page")).await.unwrap();
    assert_eq!(answer.body, "ok");
    assert_eq!(answer.ip, Some(IpAddr::from([93, 184, 216, 34])));
    assert_eq!(proxy.requests(), ["93.184.216.34 80"], "the private one is not even named");
    assert_eq!(site.requests(), ["GET /page HTTP/1.1\r\nHost: site.example\r\n\r\n"]);
}

#[tokio::test]
async fn socks5_guards_as_if_there_were_no_proxy() {
    let proxy = proxy(None, Deed::Refuse(1)).await;
    let names = Names::new("inside.example", [[169, 254, 169, 254]]);
    let web = LiveWeb::with_resolver(&through(&proxy, "socks5", ""), names).unwrap();
    for url in ["http://inside.example/", "http://[::ffff:10.0.0.1]/", "http://2130706433/"] {
        assert_eq!(web.get(ask(url)).await.err(), Some(FetchError::PrivateAddress), "{url}");
    }
    assert_eq!(proxy.accepted(), 0);
}

/// A resolver that gives a public address the first time and private ones from then on.
#[derive(Default)]
struct Rebinding(AtomicUsize);

impl Resolve for Rebinding {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        let private = [[127, 0, 0, 1], [169, 254, 169, 254], [0, 0, 0, 0], [10, 0, 0, 1]];
        let address = match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => [93, 184, 216, 34],
            more => private[(more - 1) % private.len()],
        };
        Box::pin(async move { Ok(vec![address.into()]) })
    }
}

#[tokio::test]
async fn a_name_that_changes_its_mind_is_judged_at_every_connection() {
    let site = Server::answering_once(OK).await;
    let proxy = proxy(None, Deed::Connect(site.address)).await;
    let settings = LiveSettings { max_idle_per_site: 0, ..through(&proxy, "socks5", "") };
    let web = LiveWeb::with_resolver(&settings, Arc::new(Rebinding::default())).unwrap();
    let url = format!("http://rebinding.example:{}/", site.port());
    assert!(web.get(ask(url.clone())).await.is_ok(), "public for now");
    for _ in 0..4 {
        assert_eq!(web.get(ask(url.clone())).await.err(), Some(FetchError::PrivateAddress));
    }
    assert_eq!(proxy.requests(), [format!("93.184.216.34 {}", site.port())]);
}

#[tokio::test]
async fn socks5h_leaves_names_to_the_proxy_and_judges_what_the_url_shows() {
    let site = Server::answering(OK).await;
    let proxy = proxy(None, Deed::Connect(site.address)).await;
    let web = live(through(&proxy, "socks5h", ""));
    let answer = web.get(ask("http://site.example:8080/")).await.unwrap();
    assert_eq!((&answer.body[..], answer.ip), (&b"ok"[..], None));
    web.get(ask("http://[2606:4700::1]/")).await.unwrap();
    assert_eq!(proxy.requests(), ["site.example 8080", "2606:4700::1 80"]);
    for url in ["http://127.0.0.1/", "http://[64:ff9b::a00:1]/", "http://a.localhost/"] {
        assert_eq!(web.get(ask(url)).await.err(), Some(FetchError::PrivateAddress), "{url}");
    }
    assert_eq!(proxy.accepted(), 2);
}

#[tokio::test]
async fn user_and_password_are_given_where_they_are_wanted() {
    let site = Server::answering(OK).await;
    let proxy = proxy(Some(("me@work", "p:+%s")), Deed::Connect(site.address)).await;
    let web = live(through(&proxy, "socks5h", "me%40work:p%3A+%25s@"));
    assert!(web.get(ask("http://site.example/")).await.is_ok());
    for wrong in ["", "me:pw@", "me@"] {
        let outcome =
            live(through(&proxy, "socks5h", wrong)).get(ask("http://site.example/")).await;
        assert_eq!(outcome.err(), Some(FetchError::Connect), "{wrong}");
    }
    assert_eq!(site.accepted(), 1);
}

#[tokio::test]
async fn tls_goes_through_a_socks_tunnel() {
    let authority = secure::Authority::new();
    let acceptor = authority.acceptor(&["site.example"], &[b"http/1.1"]);
    let site = secure::http1_server(acceptor, OK).await;
    let proxy = proxy(None, Deed::Connect(site.address)).await;
    let roots = Some(authority.roots.path().to_path_buf());
    let web = live(LiveSettings { extra_roots: roots, ..through(&proxy, "socks5h", "") });
    assert_eq!(web.get(ask("https://site.example/page")).await.unwrap().body, "ok");
    assert_eq!(proxy.requests(), ["site.example 443"]);
}

#[tokio::test]
async fn a_proxy_that_refuses_or_talks_rubbish_is_a_failed_connection() {
    for code in [1, 2, 3, 4, 5, 6, 7, 8, 255] {
        let proxy = proxy(None, Deed::Refuse(code)).await;
        let outcome = live(through(&proxy, "socks5h", "")).get(ask("http://site.example/")).await;
        assert_eq!(outcome.err(), Some(FetchError::Connect), "{code}");
    }
    for rubbish in [&b""[..], b"\x05", b"\x04\x00", b"\x05\xff", b"HTTP/1.1 400 no\r\n\r\n"] {
        let proxy = Server::new(move |mut tcp, _| async move {
            tcp.read_exact(&mut [0; 3]).await?;
            tcp.write_all(rubbish).await
        })
        .await;
        let outcome = live(through(&proxy, "socks5h", "")).get(ask("http://site.example/")).await;
        assert_eq!(outcome.err(), Some(FetchError::Connect), "{rubbish:?}");
    }
}

#[tokio::test]
async fn the_next_address_is_tried_when_the_proxy_cannot_reach_one() {
    let proxy = proxy(None, Deed::Refuse(5)).await;
    let names = Names::new("site.example", [[1, 1, 1, 1], [8, 8, 8, 8]]);
    let web = LiveWeb::with_resolver(&through(&proxy, "socks5", ""), names).unwrap();
    assert_eq!(web.get(ask("http://site.example/")).await.err(), Some(FetchError::Connect));
    assert_eq!(proxy.requests(), ["1.1.1.1 80", "8.8.8.8 80"]);
}

#[tokio::test]
async fn a_silent_socks_proxy_is_a_timeout() {
    let proxy =
        Server::new(|mut tcp, _| async move { tcp.read_to_end(&mut Vec::new()).await.map(drop) })
            .await;
    let settings = through(&proxy, "socks5h", "");
    let web = live(LiveSettings { first_byte_timeout: MOMENT, ..settings });
    assert_eq!(web.get(ask("http://site.example/")).await.err(), Some(FetchError::Timeout));
}
