use super::*;
use http_body_util::Full;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use std::io::Write;
use tempfile::NamedTempFile;
use tokio_rustls::TlsAcceptor;

/// A certificate authority of the test's own, with its root in a file.
pub(super) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    pub(super) roots: NamedTempFile,
}

impl Authority {
    pub(super) fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Two authorities of one name would be taken for one that signs badly.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("authority {}", COUNT.fetch_add(1, Ordering::SeqCst));
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let issuer = CertifiedIssuer::self_signed(params, key).unwrap();
        let mut roots = NamedTempFile::new().unwrap();
        roots.write_all(issuer.pem().as_bytes()).unwrap();
        Authority { issuer, roots }
    }

    /// TLS for a server of these names that speaks `alpn`.
    pub(super) fn acceptor(&self, names: &[&str], alpn: &[&[u8]]) -> TlsAcceptor {
        self.acceptor_between(names, alpn, 2020, 4000)
    }

    /// The same with a certificate that is good from one year to another.
    fn acceptor_between(&self, names: &[&str], alpn: &[&[u8]], from: i32, to: i32) -> TlsAcceptor {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = rcgen::date_time_ymd(from, 1, 1);
        params.not_after = rcgen::date_time_ymd(to, 1, 1);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }

    /// A web that trusts this authority.
    pub(super) fn trusted(&self) -> LiveSettings {
        LiveSettings { extra_roots: Some(self.roots.path().to_path_buf()), ..private() }
    }
}

/// A TLS server that answers every HTTP/1 request with `reply`; it may forget to say goodbye.
pub(super) async fn http1_server(acceptor: TlsAcceptor, reply: &'static str) -> Server {
    Server::new(move |tcp, requests| {
        let acceptor = acceptor.clone();
        async move {
            let mut tls = acceptor.accept(tcp).await?;
            requests.read(&mut tls).await?;
            tls.write_all(reply.as_bytes()).await?;
            tls.flush().await
        }
    })
    .await
}

/// An HTTP/2 server; a path of digits is answered with as many bytes of header, `/page/` and digits
/// with as many of body, and `/odd` with a length that is none.
async fn http2_server(acceptor: TlsAcceptor) -> Server {
    let answer = |request: Request<Incoming>| async move {
        let path = request.uri().path();
        let length: usize = path[1..].parse().unwrap_or(1);
        let page = path.strip_prefix("/page/").and_then(|length| length.parse().ok());
        let response = Response::builder()
            .header("x-filler", "f".repeat(length))
            .header("x-host", request.uri().host().unwrap_or("none"));
        let response = match path {
            "/odd" => response.header("content-length", "many"),
            _ => response,
        };
        let body = page.map_or_else(|| "over two".into(), |length| "p".repeat(length));
        response.body(Full::new(Bytes::from(body)))
    };
    Server::new(move |tcp, _| {
        let acceptor = acceptor.clone();
        async move {
            let tls = acceptor.accept(tcp).await?;
            let service = hyper::service::service_fn(answer);
            let connection = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(tls), service);
            connection.await.map_err(io::Error::other)
        }
    })
    .await
}

pub(super) fn https(server: &Server, name: &str, path: &str) -> Ask {
    ask(format!("https://{name}:{}{path}", server.port()))
}

pub(super) const OK: &str = "HTTP/1.1 200 OK\r\nX-Case: kept\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn http2_is_spoken_where_the_server_knows_it() {
    let authority = Authority::new();
    let acceptor = authority.acceptor(&["site.localhost"], &[b"h2", b"http/1.1"]);
    let server = http2_server(acceptor).await;
    let web = live(authority.trusted());
    for _ in 0..4 {
        let answer = web.get(https(&server, "site.localhost", "/")).await.unwrap();
        assert_eq!((answer.status, answer.version), (200, "2"));
        assert_eq!(answer.body, "over two");
        assert_eq!(answer.headers.get("x-host"), Some("site.localhost"));
        assert_eq!(answer.ip, Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    }
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn http2_headers_are_limited_too() {
    let authority = Authority::new();
    let server = http2_server(authority.acceptor(&["site.localhost"], &[b"h2"])).await;
    let web = live(authority.trusted());
    // A little over the limit, much, and more than anybody would pass over.
    for path in ["/70000", "/100000", "/1000000"] {
        let bomb = web.get(https(&server, "site.localhost", path)).await;
        assert_eq!(bomb.err(), Some(FetchError::HeadTooLarge), "{path}");
        assert!(web.get(https(&server, "site.localhost", "/1000")).await.is_ok());
    }
    // What is wrong for another reason keeps its name, also after a large page.
    assert!(web.get(https(&server, "site.localhost", "/page/100000")).await.is_ok());
    let odd = web.get(https(&server, "site.localhost", "/odd")).await;
    assert_eq!(odd.err(), Some(FetchError::Protocol));
}

#[tokio::test]
async fn http1_is_spoken_where_the_server_knows_no_better() {
    let authority = Authority::new();
    for alpn in [&[&b"http/1.1"[..]][..], &[]] {
        let server = http1_server(authority.acceptor(&["site.localhost"], alpn), OK).await;
        let web = live(authority.trusted());
        let answer = web.get(https(&server, "site.localhost", "/")).await.unwrap();
        assert_eq!((answer.version, &answer.body[..]), ("1.1", &b"ok"[..]));
        assert_eq!(lines(&answer.headers)[0], ("X-Case", &b"kept"[..]));
    }
}

#[tokio::test]
async fn names_with_underscores_final_dots_and_literal_addresses_are_fine() {
    let authority = Authority::new();
    let names = ["my_site.shop.localhost", "127.0.0.1"];
    let server = http1_server(authority.acceptor(&names, &[]), OK).await;
    let web = live(authority.trusted());
    for name in ["my_site.shop.localhost", "my_site.shop.localhost.", "127.0.0.1"] {
        let answer = web.get(https(&server, name, "/")).await;
        assert_eq!(answer.map(|answer| answer.status), Ok(200), "{name}");
    }
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_refused() {
    let (known, unknown) = (Authority::new(), Authority::new());
    let server = http1_server(unknown.acceptor(&["site.localhost"], &[]), OK).await;
    for web in [live(known.trusted()), live(private())] {
        let outcome = web.get(https(&server, "site.localhost", "/")).await.err();
        assert_eq!(outcome, Some(FetchError::Tls(TlsFault::UnknownIssuer)));
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let authority = Authority::new();
    let server = http1_server(authority.acceptor(&["other.localhost"], &[]), OK).await;
    let outcome = live(authority.trusted()).get(https(&server, "site.localhost", "/")).await;
    assert_eq!(outcome.err(), Some(FetchError::Tls(TlsFault::WrongName)));
}

#[tokio::test]
async fn a_server_that_breaks_the_handshake_is_a_matter_of_tls() {
    let plain = Server::new(|mut tcp, _| async move { tcp.write_all(OK.as_bytes()).await }).await;
    let abort = Server::new(|tcp, _| async move {
        drop(tcp);
        Ok(())
    })
    .await;
    let old = Server::new(|mut tcp, _| async move {
        // A fatal alert: protocol_version.
        tcp.read_u8().await?;
        tcp.write_all(&[21, 3, 3, 0, 2, 2, 70]).await?;
        tcp.read_to_end(&mut Vec::new()).await.map(drop)
    })
    .await;
    let closed = Server::new(|mut tcp, _| async move {
        // A fatal alert: access_denied.
        tcp.read_u8().await?;
        tcp.write_all(&[21, 3, 3, 0, 2, 2, 49]).await?;
        tcp.read_to_end(&mut Vec::new()).await.map(drop)
    })
    .await;
    for (server, fault) in [
        (plain, TlsFault::NotTls),
        (abort, TlsFault::Aborted),
        (old, TlsFault::NothingInCommon),
        (closed, TlsFault::Refused),
    ] {
        let outcome = live(private()).get(https(&server, "localhost", "/")).await.err();
        assert_eq!(outcome, Some(FetchError::Tls(fault)));
    }
}

#[tokio::test]
async fn a_certificate_out_of_its_time_is_refused_with_the_reason() {
    let authority = Authority::new();
    for (from, to, fault) in [(2001, 2002, TlsFault::Expired), (3998, 3999, TlsFault::NotYetValid)]
    {
        let acceptor = authority.acceptor_between(&["site.localhost"], &[], from, to);
        let server = http1_server(acceptor, OK).await;
        let outcome = live(authority.trusted()).get(https(&server, "site.localhost", "/")).await;
        assert_eq!(outcome.err(), Some(FetchError::Tls(fault)));
    }
}

#[tokio::test]
async fn rubbish_in_the_middle_of_a_body_is_a_matter_of_tls() {
    let authority = Authority::new();
    let acceptor = authority.acceptor(&["site.localhost"], &[]);
    let server = Server::new(move |tcp, requests| {
        let acceptor = acceptor.clone();
        async move {
            let mut tls = acceptor.accept(tcp).await?;
            requests.read(&mut tls).await?;
            tls.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nthe first half").await?;
            tls.flush().await?;
            let (tcp, _) = tls.get_mut();
            tcp.write_all(b"HTTP/1.1 500 we forgot that we speak TLS\r\n\r\n").await?;
            tcp.read_to_end(&mut Vec::new()).await.map(drop)
        }
    })
    .await;
    let outcome = live(authority.trusted()).get(https(&server, "site.localhost", "/")).await.err();
    assert_eq!(outcome, Some(FetchError::Tls(TlsFault::NotTls)));
}

#[tokio::test]
async fn a_silent_handshake_is_a_timeout() {
    let server = Server::new(|mut tcp, _| async move {
        let mut heard = Vec::new();
        tcp.read_to_end(&mut heard).await.map(drop)
    })
    .await;
    let web = live(LiveSettings { connect_timeout: MOMENT, ..private() });
    let outcome = web.get(https(&server, "localhost", "/")).await.err();
    assert_eq!(outcome, Some(FetchError::Timeout));
}

#[tokio::test]
async fn a_missing_goodbye_matters_only_where_the_body_is_cut() {
    let authority = Authority::new();
    let open = "HTTP/1.1 200 OK\r\n\r\nuntil the end";
    let short = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nuntil the end";
    for (reply, outcome) in [(open, None), (short, Some(FetchError::Protocol))] {
        let server = http1_server(authority.acceptor(&["site.localhost"], &[]), reply).await;
        let answer = live(authority.trusted()).get(https(&server, "site.localhost", "/")).await;
        assert_eq!(answer.err(), outcome, "{reply}");
    }
}

#[test]
fn a_file_without_roots_is_refused_by_name() {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(b"no certificate here").unwrap();
    let missing = file.path().with_extension("missing");
    for path in [file.path().to_path_buf(), missing] {
        let settings = LiveSettings { extra_roots: Some(path.clone()), ..LiveSettings::default() };
        let error = LiveWeb::new(&settings).err().unwrap().to_string();
        assert!(error.starts_with(&path.display().to_string()), "{error}");
    }
}
