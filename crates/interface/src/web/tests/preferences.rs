//! Sites that a visitor raises, lowers and blocks, and where words stand.

use super::hostile::{ATTACKS, assert_harmless};
use super::*;
use axum::http::HeaderValue;
use lycosa_model::{Preference, Preferences};

const HOST: (&str, &str) = ("host", "search.example");
const OURS: (&str, &str) = ("origin", "http://search.example");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const CHANGE: (&str, &str) = ("POST", "/preferences");

async fn send(
    router: &Router,
    (method, path): (&str, &str),
    headers: &[(&str, &str)],
    body: &str,
) -> Got {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        // Not all of what browsers send is text.
        request = request.header(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    let response = router.clone().call(request.body(Body::from(body.to_owned())).unwrap()).await;
    let (parts, body) = response.unwrap().into_parts();
    let body = to_bytes(body, 1 << 22).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    Got { status: parts.status, headers: parts.headers, body }
}

/// The cookie that a response sets: as a browser sends it back, and whole.
fn cookie(got: &Got) -> (String, String) {
    let whole = got.headers[header::SET_COOKIE].to_str().unwrap().to_owned();
    (whole.split(';').next().unwrap().to_owned(), whole)
}

fn found() -> Stage {
    let mut shown = hit("https://example.org/a", "A title");
    shown.positions = vec![0; Hit::CELLS];
    (shown.positions[0], shown.positions[15], shown.positions[16]) = (1, 9, 2);
    stage(Deed::Find(SearchResponse { blocked: 1_234, ..one(shown) }))
}

fn wanted(stage: &Stage) -> Vec<(String, Preference)> {
    let preferences = stage.last_asked().preferences;
    preferences.iter().map(|(site, preference)| (site.to_owned(), preference)).collect()
}

#[tokio::test]
async fn whoever_may_only_read_raises_lowers_blocks_and_takes_it_back() {
    let stage = found();
    let mut jar = String::new();
    for (act, state) in [("raise", "raised"), ("lower", "lowered"), ("block", "blocked")] {
        let headers = [HOST, OURS, FORM, ("cookie", &*jar)];
        let body = format!("{act}=example.org&back=%2Fsearch%3Fq%3Da%26page%3D2");
        let got = send(&stage.router, CHANGE, &headers, &body).await;
        assert_eq!(got.status, StatusCode::SEE_OTHER);
        assert_eq!(got.headers[header::LOCATION], "/search?q=a&page=2#sites");
        let (pair, whole) = cookie(&got);
        assert_eq!(pair, format!("sites={act}=example.org"));
        for part in ["Path=/", "SameSite=Lax", "HttpOnly", "Max-Age=31536000"] {
            assert!(whole.contains(part), "{whole}");
        }
        jar = pair;
        let mine = [HOST, ("cookie", &*jar)];
        let page = send(&stage.router, ("GET", "/search?q=a"), &mine, "").await.body;
        assert_eq!(stage.last_asked().preferences.of("example.org").unwrap().name(), act);
        assert_harmless(&page);
        for part in [
            format!("Your sites: 1 {state}"),
            format!(
                r#"<bdi>example.org</bdi> <span class="stance">{state}</span> <button class="small-act" form="prefer" name="forget" value="example.org">Undo<"#
            ),
            r#"name="forget_all""#.into(),
            "1,234 pages of blocked sites were left out.".into(),
            format!("/search?q=a&#38;{act}=example.org"),
        ] {
            assert!(page.contains(&part), "{part} in {page}");
        }
        assert!(!page.contains(&format!(r#"name="{act}""#)), "what is so need not be chosen");
    }
    for body in ["forget=example.org", "forget_all=1"] {
        let headers = [HOST, OURS, FORM, ("cookie", &*jar)];
        let got = send(&stage.router, CHANGE, &headers, body).await;
        let (pair, whole) = cookie(&got);
        assert_eq!(pair, "sites=");
        assert!(whole.contains("Max-Age=0"), "{whole}");
    }
    let page = stage.get("/search?q=a").await.body;
    assert!(wanted(&stage).is_empty() && !page.contains("Your sites"));
    for name in ["raise", "lower", "block"] {
        let button = format!(r#"form="prefer" name="{name}" value="example.org""#);
        assert!(page.contains(&button), "{button} in {page}");
    }
}

#[tokio::test]
async fn no_other_site_changes_it() {
    let stage = found();
    let body = "block=example.org";
    let cross = ("sec-fetch-site", "cross-site");
    let evil = ("origin", "https://evil.example");
    for headers in [vec![HOST, FORM], vec![HOST, FORM, evil], vec![HOST, FORM, OURS, cross]] {
        let got = send(&stage.router, CHANGE, &headers, body).await;
        assert_eq!(got.status, StatusCode::FORBIDDEN, "{headers:?}");
        assert!(!got.headers.contains_key(header::SET_COOKIE));
    }
    let link = send(&stage.router, ("GET", "/preferences?block=example.org"), &[HOST], "").await;
    assert_eq!(link.status, StatusCode::METHOD_NOT_ALLOWED);
    assert!(!link.headers.contains_key(header::SET_COOKIE));
    // Whoever has a session brings the proof that its page has.
    let here = [("host", "127.0.0.1:80"), ("origin", "http://127.0.0.1:80"), FORM];
    let page = send(&stage.router, ("GET", "/search?q=a"), &here[..1], "").await;
    let (session, _) = cookie(&page);
    let proof = page.body.split("name=\"form_token\" value=\"").nth(1).unwrap();
    let proof = proof.split('"').next().unwrap();
    let headers = [&here[..], &[("cookie", session.as_str())]].concat();
    let forged = send(&stage.router, CHANGE, &headers, body).await;
    assert_eq!(forged.status, StatusCode::FORBIDDEN);
    let proved = format!("{body}&form_token={proof}");
    assert_eq!(send(&stage.router, CHANGE, &headers, &proved).await.status, 303);
    assert_eq!(send(&stage.router, CHANGE, &here, body).await.status, 303, "its session has ended");
    // On a server for others one must be signed in to change anything at all.
    let others = super::hunts::with_hunts(Reach::Others);
    let host = [("host", "192.0.2.7"), ("origin", "http://192.0.2.7"), FORM];
    let got = send(&others, CHANGE, &host, body).await;
    assert_eq!(got.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn it_leads_back_to_a_search_of_ours_and_nowhere_else() {
    let stage = found();
    for (back, to) in [
        ("/search?q=a+b&lang=es&page=3&ui=es", "/search?q=a+b&lang=es&page=3&ui=es#sites"),
        ("/search?q=a&raise=b.example&block=example.org", "/search?q=a&raise=b.example#sites"),
        ("https://evil.example/", "/search?q=#sites"),
        ("//evil.example/search?q=a", "/search?q=#sites"),
        ("/search?q=%0d%0aSet-Cookie:x", "/search?q=Set-Cookie%3Ax#sites"),
        ("javascript:alert(1)", "/search?q=#sites"),
        ("", "/search?q=#sites"),
    ] {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        body.append_pair("lower", "example.org").append_pair("back", back);
        let got = send(&stage.router, CHANGE, &[HOST, OURS, FORM], &body.finish()).await;
        assert_eq!(got.headers[header::LOCATION], to, "{back}");
    }
}

#[tokio::test]
async fn an_address_carries_preferences_and_comes_before_what_is_kept() {
    let stage = found();
    let mine = [HOST, ("cookie", "a=b; sites=block=example.org&raise=kept.example; theme=dark")];
    let path = "/search?q=a&raise=Example.org&lower=https://b.example/x&lower=c.example%3A81";
    let page = send(&stage.router, ("GET", path), &mine, "").await.body;
    let expected = [
        ("b.example", Preference::Lower),
        ("c.example:81", Preference::Lower),
        ("example.org", Preference::Raise),
        ("kept.example", Preference::Raise),
    ];
    assert_eq!(wanted(&stage), expected.map(|(site, wanted)| (site.to_owned(), wanted)));
    for part in [
        "Your sites: 2 raised, 2 lowered",
        r#"<input type="hidden" name="lower" value="c.example:81">"#,
        "/search?q=a&#38;site=example.org&#38;lower=b.example&#38;lower=c.example%3A81&#38;raise=example.org",
        "raise=kept.example&amp;format=atom",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(!page.contains(r#"<input type="hidden" name="raise" value="kept.example">"#));
    // Programs and feeds get what their address says.
    for path in ["/api/v1/search?q=a&block=c.example", "/search?q=a&block=c.example&format=atom"] {
        send(&stage.router, ("GET", path), &mine, "").await;
        assert_eq!(wanted(&stage), [("c.example".to_owned(), Preference::Block)], "{path}");
    }
}

#[tokio::test]
async fn hostile_cookies_and_parameters_are_bounded_and_harmless() {
    let stage = found();
    let many: String = (0..5_000).map(|n| format!("raise={n}.example&")).collect();
    let long = format!("block={}.example", "a".repeat(4_000));
    let mut values = vec![many, long, "%ff%fe=%00&raise=%ff".into(), "raise".into(), "=".into()];
    for attack in ATTACKS {
        let text: String = url::form_urlencoded::byte_serialize(attack.as_bytes()).collect();
        values.push(format!("raise={text}&block={text}&{text}=example.org"));
        values.push(attack.replace(char::is_control, " "));
    }
    for value in values {
        let jar = format!("sites={value}");
        let page =
            send(&stage.router, ("GET", "/search?q=a"), &[HOST, ("cookie", &*jar)], "").await;
        assert_eq!(page.status, StatusCode::OK, "{value}");
        assert_harmless(&page.body);
        let kept = stage.last_asked().preferences;
        assert!(kept.len() <= Preferences::MOST);
        assert!(kept.iter().all(|(site, _)| !site.contains(['<', '"', '\'', ' '])), "{kept:?}");
        let value: String = value.chars().filter(|c| c.is_ascii_graphic() && *c != '#').collect();
        let Ok(uri) = format!("/search?q=a&{value}").parse::<axum::http::Uri>() else { continue };
        let page = stage.get(&uri.to_string()).await;
        assert_eq!(page.status, StatusCode::OK, "{value}");
        assert_harmless(&page.body);
        assert!(stage.last_asked().preferences.len() <= Preferences::MOST);
        let got = send(&stage.router, CHANGE, &[HOST, OURS, FORM], &value).await;
        let cookies = got.headers.get_all(header::SET_COOKIE).iter();
        assert!(cookies.map(HeaderValue::len).sum::<usize>() < 4_096, "{value}");
    }
    let bytes = HeaderValue::from_bytes(b"sites=raise=\xff\xfe.example").unwrap();
    let request = Request::builder().uri("/search?q=a").header("host", "search.example");
    let request = request.header("cookie", bytes).body(Body::empty()).unwrap();
    assert_eq!(stage.router.clone().call(request).await.unwrap().status(), 200);
    assert!(wanted(&stage).is_empty());
    let page = stage.get("/search?q=a&raise=a+b").await.body;
    assert!(page.contains("is not a host name; it was left out"));
    let many: String = (0..60).map(|n| format!("&raise={n}.example")).collect();
    let page = stage.get(&format!("/search?q=a{many}")).await.body;
    assert!(page.contains("There is room for 50 sites"));
    assert!(page.contains("<details>\n<summary>Your sites: 50 raised"), "so many are folded");
}

#[tokio::test]
async fn what_cannot_be_kept_is_said() {
    let stage = found();
    let full: Vec<String> = (0..Preferences::MOST).map(|n| format!("raise={n}.example")).collect();
    let full = format!("sites={}", full.join("&"));
    let headers = [HOST, OURS, FORM, ("accept", "text/html"), ("cookie", &*full)];
    let one_more = send(&stage.router, CHANGE, &headers, "block=example.org").await;
    assert_eq!(one_more.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(one_more.body.contains("Undo one of them first."), "{}", one_more.body);
    assert!(!one_more.headers.contains_key(header::SET_COOKIE), "nothing was changed");
    assert_eq!(send(&stage.router, CHANGE, &headers, "block=7.example").await.status, 303);
    let odd = send(&stage.router, ("POST", "/preferences?ui=es"), &headers, "block=a+b").await;
    assert_eq!(odd.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(odd.body.contains("no es un nombre de servidor"), "{}", odd.body);
    // Names are short mostly; so many long ones do not fit into a cookie.
    let long: Vec<String> =
        (0..40).map(|n| format!("raise={n}{}.example", ".a".repeat(50))).collect();
    let got = send(&stage.router, CHANGE, &headers[..4], &long.join("&")).await;
    assert_eq!(got.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_bar_shows_where_the_words_stand_and_says_it() {
    let stage = found();
    for (ui, words) in [
        ("en", "Words found at the beginning and in the middle of the text"),
        ("es", "Palabras halladas al principio y en el medio del texto"),
    ] {
        let page = stage.get(&format!("/search?q=a&ui={ui}")).await.body;
        assert_harmless(&page);
        let bar = page.split("<svg class=\"bar\"").nth(1).expect("a bar");
        let bar = bar.split("</svg>").next().unwrap();
        assert!(
            bar.contains("role=\"img\"") && bar.contains(&format!("<title>{words}</title>")),
            "{bar}"
        );
        for column in [
            r#"<rect x="0" y="6" width="3" height="6"/>"#,
            r#"<rect x="60" y="0" width="3" height="12"/>"#,
            r#"<rect x="64" y="3" width="3" height="9"/>"#,
        ] {
            assert!(bar.contains(column), "{column} in {bar}");
        }
        assert_eq!(bar.matches("<rect").count(), 3);
    }
    let plain = super::stage(Deed::Find(one(hit("https://example.org/", "x"))));
    assert!(!plain.get("/search?q=a").await.body.contains("class=\"bar\""));
}

#[tokio::test]
async fn programs_are_told_which_sites_cannot_be() {
    let stage = found();
    let many: String = (0..51).map(|n| format!("&block={n}.example")).collect();
    for (given, hint) in [
        ("&raise=", "a host, as in example.org".to_owned()),
        ("&lower=a+b", "a host, as in example.org".to_owned()),
        ("&block=%3Cscript%3E", "a host, as in example.org".to_owned()),
        (many.as_str(), "50 times at most".to_owned()),
    ] {
        let got = stage.get(&format!("/api/v1/search?q=a{given}")).await;
        assert_eq!(got.status, StatusCode::BAD_REQUEST, "{given}");
        assert!(got.body.contains(&hint), "{}", got.body);
    }
    let got = stage.get("/api/v1/search?q=a&raise=a.example&raise=b.example&block=1.2.3.999").await;
    assert_eq!(got.status, StatusCode::OK, "{}", got.body);
    assert!(got.body.contains(r#""notes":["sites_left_out"]"#), "{}", got.body);
    assert!(got.body.contains(r#""blocked":1234"#) && got.body.contains(r#""positions":[1,0"#));
    assert_eq!(wanted(&stage).len(), 2);
}

#[tokio::test]
async fn the_box_can_be_completed_and_is_whole_without_it() {
    let stage = found();
    for path in ["/", "/search?q=a", "/search?q=a&ui=es"] {
        let page = stage.get(path).await.body;
        let src = page.split("src=\"/assets/complete.js").nth(1).expect("the script");
        let href = format!("/assets/complete.js{}", src.split('"').next().unwrap());
        let script = stage.get(&href).await;
        assert_eq!(script.headers[header::CONTENT_TYPE], "text/javascript; charset=utf-8");
        assert!(!script.body.contains("innerHTML"), "suggestions are text");
        let words = if path.ends_with("es") { "Sugerencias" } else { "Suggestions" };
        assert!(page.contains(&format!("data-suggestions=\"{words}\"")));
        assert!(!page.contains("role=\"combobox\""), "it is one when the script says so");
    }
}
