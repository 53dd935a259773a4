use super::secure::{Authority, OK, http1_server, https};
use super::*;
use url::Position;

fn site(url: &str) -> Site {
    Site::of(&Url::parse(url).unwrap()).unwrap()
}

fn with(url: &str, access: SiteAccess, settings: LiveSettings) -> LiveSettings {
    LiveSettings { sites: HashMap::from([(site(url), access)]), ..settings }
}

fn known(credential: Result<Credential, CredentialError>) -> SiteAccess {
    SiteAccess { credential: Some(credential.unwrap()), ..SiteAccess::default() }
}

#[tokio::test]
async fn credentials_go_to_their_own_site_and_to_no_other() {
    let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let (own, other) = (Server::answering(empty).await, Server::answering(empty).await);
    for (credential, line) in [
        (Credential::basic("me", "pass:word"), "Authorization: Basic bWU6cGFzczp3b3Jk\r\n"),
        (Credential::bearer("t0ken"), "Authorization: Bearer t0ken\r\n"),
        (Credential::header("x-api-key:  k1 "), "X-Api-Key: k1\r\n"),
    ] {
        let web = live(with(&own.url("/"), known(credential), private()));
        for server in [&own, &other] {
            web.get(ask(server.url("/page"))).await.unwrap();
        }
        // The same server under another name is another site.
        web.get(ask(format!("http://localhost:{}/", own.port()))).await.unwrap();
        let asked = own.requests();
        let [.., page, by_name] = &asked[..] else { panic!("two requests") };
        assert!(page.contains(line), "{page}");
        assert!(!by_name.contains(line), "{by_name}");
        assert!(!other.requests().concat().contains(line));
    }
}

#[tokio::test]
async fn credentials_for_https_are_not_sent_in_the_clear() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let secure = server.url("/").replace("http:", "https:");
    let web = live(with(&secure, known(Credential::bearer("t0ken")), private()));
    web.get(ask(server.url("/"))).await.unwrap();
    assert!(!server.requests().concat().contains("t0ken"));
}

#[tokio::test]
async fn users_in_a_url_are_never_sent() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    get(format!("http://me:secret@{}/", server.address)).await.unwrap();
    let asked = server.requests().concat();
    assert!(!asked.contains("secret") && !asked.contains("Authorization"), "{asked}");
}

#[tokio::test]
async fn an_invalid_certificate_is_taken_from_the_named_site_only() {
    let authority = Authority::new();
    let server = http1_server(authority.acceptor(&["other.localhost"], &[]), OK).await;
    let lenient = SiteAccess { accept_invalid_certificate: true, ..SiteAccess::default() };
    let url = https(&server, "site.localhost", "/").url;
    let web = live(with(&url, lenient, private()));
    let answer = web.get(ask(url.clone())).await;
    assert_eq!(answer.map(|answer| answer.body), Ok(Bytes::from("ok")));
    let elsewhere = https(&server, "more.localhost", "/");
    let outcome = web.get(elsewhere).await.err();
    assert_eq!(outcome, Some(FetchError::Tls(TlsFault::UnknownIssuer)));
    assert_eq!(&Url::parse(&url).unwrap()[..Position::BeforePath], site(&url).as_str());
}
