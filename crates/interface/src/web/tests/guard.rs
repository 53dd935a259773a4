//! Who gets in, and how?

use super::hunts::with_hunts;
use super::*;

const HERE: (&str, &str) = ("host", "127.0.0.1:8080");
const OURS: (&str, &str) = ("origin", "http://127.0.0.1:8080");
const PAGE: (&str, &str) = ("accept", "text/html,*/*");
const JSON: (&str, &str) = ("content-type", "application/json");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const START: (&str, &str) = ("POST", "/api/v1/hunts");
const ORDER: &str = r#"{"query":"wolf spider"}"#;

async fn send(
    router: &Router,
    (method, path): (&str, &str),
    headers: &[(&str, &str)],
    body: impl Into<Body>,
) -> Got {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = router.clone().call(request.body(body.into()).unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, 1 << 22).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    Got { status: parts.status, headers: parts.headers, body }
}

/// The cookie that a response sets, as a browser sends it back, and with its attributes.
fn cookie(got: &Got) -> Option<(String, String)> {
    let whole = got.headers.get(header::SET_COOKIE)?.to_str().unwrap().to_owned();
    let pair = whole.split(';').next().unwrap().to_owned();
    Some((pair, whole))
}

fn field(page: &str, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    page.split(&start).nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn pages_of_this_machine_bring_a_session_that_scripts_and_strangers_cannot_use() {
    let router = with_hunts(Reach::ThisMachine);
    let home = send(&router, ("GET", "/about"), &[HERE, PAGE], "").await;
    let (session, whole) = cookie(&home).expect("a session");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(whole.contains(part), "{whole}");
    }
    assert!(!whole.contains(TOKEN));
    let mine = ("cookie", session.as_str());
    assert!(cookie(&send(&router, ("GET", "/about"), &[HERE, mine], "").await).is_none());
    let same = ("sec-fetch-site", "same-origin");
    let cross = ("sec-fetch-site", "cross-site");
    let forged = format!("{session}x");
    for (headers, status) in [
        (vec![HERE, JSON, mine, OURS], 201),
        (vec![HERE, JSON, mine, same], 201),
        (vec![HERE, JSON, mine], 403),
        (vec![HERE, JSON, mine, OURS, cross], 403),
        (vec![HERE, JSON, mine, ("origin", "http://evil.test")], 403),
        (vec![HERE, JSON, mine, ("origin", "http://127.0.0.1:9999")], 403),
        (vec![HERE, FORM, mine, OURS], 415),
        (vec![HERE, JSON, ("cookie", forged.as_str()), OURS], 401),
        (vec![HERE, JSON, OURS], 401),
    ] {
        assert_eq!(send(&router, START, &headers, ORDER).await.status, status, "{headers:?}");
    }
    // What a proxy passes on is not of this machine.
    for more in [("x-forwarded-for", "192.0.2.1"), ("forwarded", "for=192.0.2.1")] {
        assert!(cookie(&send(&router, ("GET", "/about"), &[HERE, more], "").await).is_none());
    }
    let named = send(&router, ("GET", "/about"), &[("host", "search.example")], "").await;
    assert!(named.status == 200 && cookie(&named).is_none());
    assert!(cookie(&send(&router, ("GET", "/healthz"), &[HERE], "").await).is_none());
}

#[tokio::test]
async fn a_name_that_leads_here_by_somebody_elses_doing_gets_nothing() {
    let router = with_hunts(Reach::ThisMachine);
    let rebound = ("host", "rebound.evil.test:8080");
    for path in ["/", "/search?q=a", "/about", "/api/status", "/metrics", "/signout", "/x"] {
        let got = send(&router, ("GET", path), &[rebound], "").await;
        assert_eq!(got.status, StatusCode::FORBIDDEN, "{path}");
        assert!(got.body.contains("another site"), "{}", got.body);
        assert!(got.headers.contains_key(header::CONTENT_SECURITY_POLICY));
    }
    let page = send(&router, ("GET", "/"), &[rebound, PAGE], "").await;
    assert!(page.body.contains("<h1>Not from there</h1>"), "{}", page.body);
    assert_eq!(send(&router, ("GET", "/healthz"), &[rebound], "").await.status, 200);
}

#[tokio::test]
async fn a_form_of_our_pages_works_without_a_script_and_only_in_its_session() {
    let router = with_hunts(Reach::ThisMachine);
    let (session, _) = cookie(&send(&router, ("GET", "/"), &[HERE, PAGE], "").await).unwrap();
    let headers = [HERE, FORM, OURS, ("cookie", session.as_str())];
    let page = send(&router, ("GET", "/signin"), &headers[..1], "").await.body;
    assert!(page.contains("name=\"token\""), "a stranger is asked for the token: {page}");
    let page = send(&router, ("GET", "/signin"), &[HERE, headers[3]], "").await.body;
    let proof = field(&page, "form_token");
    let leave = ("POST", "/signout");
    for wrong in ["", "form_token=", "form_token=AAAA", "other=1"] {
        let got = send(&router, leave, &[&headers[..], &[PAGE]].concat(), wrong).await;
        assert_eq!(got.status, StatusCode::FORBIDDEN, "{wrong}");
        assert!(got.body.contains("This form is too old"), "{}", got.body);
    }
    let got = send(&router, leave, &headers, format!("form_token={proof}")).await;
    assert_eq!(
        (got.status, &got.headers[header::LOCATION]),
        (StatusCode::SEE_OTHER, &"/signin".parse().unwrap())
    );
    assert!(cookie(&got).unwrap().1.contains("Max-Age=0"));
    let other = cookie(&send(&router, ("GET", "/"), &[HERE, PAGE], "").await).unwrap().0;
    let headers = [HERE, FORM, OURS, ("cookie", other.as_str())];
    let got = send(&router, leave, &headers, format!("form_token={proof}")).await;
    assert_eq!(got.status, StatusCode::FORBIDDEN, "the form is of another session");
}

#[tokio::test]
async fn on_a_server_for_others_a_person_signs_in() {
    let router = with_hunts(Reach::Others);
    let host = ("host", "192.0.2.7:8080");
    let origin = ("origin", "http://192.0.2.7:8080");
    let page = send(&router, ("GET", "/search?q=a+b"), &[host, PAGE], "").await;
    assert_eq!(page.status, StatusCode::SEE_OTHER);
    assert_eq!(page.headers[header::LOCATION], "/signin?next=%2Fsearch%3Fq%3Da%2Bb");
    assert!(cookie(&page).is_none());
    let program = send(&router, ("GET", "/metrics"), &[host, PAGE], "").await;
    assert_eq!(program.status, StatusCode::UNAUTHORIZED);
    assert_eq!(program.headers[header::WWW_AUTHENTICATE], "Bearer realm=\"lycosa\"");
    for open in ["/healthz", "/style.css", "/favicon.svg", "/robots.txt", "/signin"] {
        assert_eq!(send(&router, ("GET", open), &[host], "").await.status, 200, "{open}");
    }
    let page = send(&router, ("GET", "/signin?next=%2Fabout&ui=es"), &[host], "").await.body;
    assert_eq!(field(&page, "next"), "/about");
    assert!(page.contains("<h1>Entrar</h1>"), "{page}");
    let try_one = async |token: &str, headers: &[(&str, &str)]| {
        let body = format!("token={token}&next=%2Fabout");
        send(&router, ("POST", "/signin"), headers, body).await
    };
    let wrong = try_one("not-the-token-of-it", &[host, FORM, origin]).await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    assert!(wrong.body.contains("This is not the token") && cookie(&wrong).is_none());
    let evil = try_one(TOKEN, &[host, FORM, ("origin", "http://evil.test")]).await;
    assert_eq!(evil.status, StatusCode::FORBIDDEN);
    let right = try_one(TOKEN, &[host, FORM, origin]).await;
    assert_eq!(right.headers[header::LOCATION], "/about");
    let (session, _) = cookie(&right).expect("a session");
    let mine = ("cookie", session.as_str());
    assert_eq!(send(&router, ("GET", "/about"), &[host, mine], "").await.status, 200);
    assert_eq!(send(&router, START, &[host, JSON, origin, mine], ORDER).await.status, 201);
    assert_eq!(send(&router, START, &[host, JSON, mine], ORDER).await.status, 403);
}

#[tokio::test(start_paused = true)]
async fn who_guesses_tokens_is_slowed_down_and_who_has_one_is_not_kept_waiting() {
    let router = with_hunts(Reach::Others);
    let host = ("host", "192.0.2.7:8080");
    let guess = async |token: &str| {
        let bearer = format!("Bearer {token}");
        send(&router, ("GET", "/about"), &[host, ("authorization", &bearer)], "").await
    };
    for _ in 0..5 {
        assert_eq!(guess("a-guess-that-is-wrong").await.status, StatusCode::UNAUTHORIZED);
    }
    let slowed = guess("a-guess-that-is-wrong").await;
    assert_eq!(slowed.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(guess(TOKEN).await.status, StatusCode::OK);
    let wait: u64 = slowed.headers[header::RETRY_AFTER].to_str().unwrap().parse().unwrap();
    tokio::time::advance(std::time::Duration::from_secs(wait)).await;
    let again = guess("a-guess-that-is-wrong").await;
    assert_eq!(again.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test(start_paused = true)]
async fn an_address_that_asks_too_fast_is_told_when_to_come_back() {
    let terms =
        Terms { burst: Some(3), requests_per_second: Some(1), ..Terms::new(Reach::ThisMachine) };
    let (query, _inbox) = mailbox(1);
    let doors = doors(query, Registry::default(), Crawl::None);
    let guard = Arc::new(Guard::new(&Token::new(TOKEN).unwrap(), terms));
    let router = router(Doors { guard, ..doors });
    for _ in 0..3 {
        assert_eq!(send(&router, ("GET", "/about"), &[HERE], "").await.status, 200);
    }
    let got = send(&router, ("GET", "/about"), &[HERE], "").await;
    assert_eq!(
        (got.status, &got.headers[header::RETRY_AFTER]),
        (StatusCode::TOO_MANY_REQUESTS, &"1".parse().unwrap())
    );
    assert!(got.body.starts_with(r#"{"error":"too many requests","hint":"#), "{}", got.body);
    tokio::time::advance(std::time::Duration::from_secs(1)).await;
    assert_eq!(send(&router, ("GET", "/about"), &[HERE], "").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_body_has_a_size_and_a_time() {
    let router = with_hunts(Reach::ThisMachine);
    let bearer = format!("Bearer {TOKEN}");
    let headers = [HERE, JSON, ("authorization", bearer.as_str())];
    let large = send(&router, START, &headers, vec![b' '; crate::web::MAX_BODY + 1]).await;
    assert_eq!(large.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(large.body.contains("\"hint\""), "{}", large.body);
    // A body that is promised and does not arrive.
    let never = futures_util::stream::pending::<std::io::Result<axum::body::Bytes>>();
    let slow = send(&router, START, &headers, Body::from_stream(never)).await;
    assert_eq!(slow.status, StatusCode::REQUEST_TIMEOUT);
}
