//! What does a person see of watches, and who may change them from a page?

use super::super::hostile::{ATTACKS, assert_harmless};
use super::*;
use lycosa_model::message::{
    ChangeKind, DeliveryState, DeliveryView, Piece, PieceKind, WatchCheck, WatchEdit, WatchEntry,
    WatchOrder,
};

const PAGE: (&str, &str) = ("accept", "text/html,*/*");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const OURS: (&str, &str) = ("origin", "http://127.0.0.1:8080");

/// A browser that has loaded a page of this server: its cookie, and the proof for forms.
async fn browser(router: &Router) -> (String, String) {
    let (_, headers, _) = send(router, ("GET", "/watches"), &[HERE, PAGE], "").await;
    let cookie =
        headers[header::SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
    let (_, _, page) =
        send(router, ("GET", "/watches"), &[HERE, PAGE, ("cookie", &cookie)], "").await;
    let proof = page.split("name=\"form_token\" value=\"").nth(1).expect("a form");
    (cookie, proof.split('"').next().unwrap().to_owned())
}

/// A watch of which there is something to say in every view.
fn rich() -> WatchView {
    let piece = |kind, text: &str| Piece { kind, text: text.into() };
    let entry = |number, change| WatchEntry {
        number,
        change,
        url: "https://birds.example/p1".into(),
        title: "Herons".into(),
        at: Tick(1_741_600_000_000),
        text: "The beginning".into(),
        diff: vec![
            piece(PieceKind::Same, "This page is about"),
            piece(PieceKind::Removed, "storks"),
            piece(PieceKind::Added, "grey herons"),
            piece(PieceKind::Gap, ""),
        ],
        score: None,
        agent: "bot-1".into(),
        why: String::new(),
    };
    let delivery = |id: &str, state| DeliveryView {
        id: id.into(),
        channel: "webhook".into(),
        state,
        attempts: 9,
        last: "status 500".into(),
        ..DeliveryView::default()
    };
    let check =
        WatchCheck { at: Tick(1_741_600_000_000), new: 2, changed: 1, ..WatchCheck::default() };
    WatchView {
        name: "Marsh birds".into(),
        order: WatchOrder {
            site: Some("https://birds.example/".into()),
            hook: Some("https://hook.example/".into()),
            mail: vec!["me@m.example".into()],
            require: vec!["heron".into()],
            zone: Some("UTC".into()),
            ..WatchOrder::default()
        },
        schedule: "daily 08:00".into(),
        baseline: true,
        due: Some(Tick(4_000_000_000_000)),
        pages: 12,
        changes: 30,
        waiting: 1,
        given_up: 1,
        failing: vec![("https://birds.example/x".into(), "status 500".into())],
        hook_off: Some("410".into()),
        checks: vec![check],
        entries: (1..=30).rev().map(|n| entry(n, ChangeKind::Changed)).collect(),
        deliveries: vec![
            delivery("msg_1", DeliveryState::Dead),
            delivery("msg_2", DeliveryState::Waiting),
        ],
        ..WatchView::default()
    }
}

#[tokio::test]
async fn a_person_reads_what_is_watched_in_both_languages() {
    let keeper = OneWatch::default();
    *keeper.view.lock().unwrap() = rich();
    let router = with_keeper(Reach::ThisMachine, &keeper);
    for (path, parts) in [
        (
            "/watches",
            &[
                "Marsh birds",
                "every day at 08:00",
                "2 new, 1 changed, 0 gone",
                "10 Mar 2025, 09:46 UTC",
                "30 changes so far",
                "1 messages waiting, 1 given up",
                "The webhook is off: 410",
                "1 page cannot be read",
                "birds.example",
                "href=\"/watches.opml\"",
            ][..],
        ),
        (
            "/watches?ui=es",
            &[
                "Vigilancias",
                "cada día a las 08:00",
                "nuevas: 2, cambiadas: 1, desaparecidas: 0",
                "10 mar 2025, 09:46 UTC",
                "El webhook está apagado: 410",
                "/watches/3?ui=es",
            ],
        ),
        (
            "/watches/3",
            &[
                "<del><span class=\"quiet\">removed: </span>storks</del>",
                "<ins><span class=\"quiet\">added: </span>grey herons</ins>",
                "id=\"change-30\"",
                "href=\"/watches/3?from=20\"",
                "/watches/3/feed.atom?token=t",
                "http://127.0.0.1:8080/watches/3/feed.atom?token=t",
                "action=\"/watches/3/run\"",
                "action=\"/watches/3/pause\"",
                "action=\"/watches/3/resume\"",
                "href=\"https://birds.example/x\"",
            ],
        ),
        ("/watches/3?from=20", &["id=\"change-10\"", "href=\"/watches/3?from=0\""]),
        ("/watches/3?view=looks", &["2 new, 1 changed, 0 gone"]),
        (
            "/watches/3?view=deliveries&ui=es",
            &[
                "abandonado",
                "name=\"delivery\" value=\"msg_1\"",
                "status 500",
                "/watches/3/retry?ui=es",
            ],
        ),
        (
            "/watches/3?view=settings",
            &[
                "value=\"daily 08:00\"",
                "value=\"https://hook.example/\"",
                ">heron</textarea>",
                "/watches/3/rotate",
                "/watches/3/remove",
                "/watches/3/edit",
            ],
        ),
    ] {
        let (status, _, page) = send(&router, ("GET", path), &[HERE, PAGE], "").await;
        assert_eq!(status, 200, "{path}");
        assert_harmless(&page);
        for part in parts {
            assert!(page.contains(part), "{part} is missing on {path}: {page}");
        }
        assert!(!page.contains("http-equiv"), "nothing will be otherwise in a moment");
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
    }
    for path in ["/watches/4", "/watches/three"] {
        assert_eq!(send(&router, ("GET", path), &[HERE, PAGE], "").await.0, 404, "{path}");
    }
    keeper.view.lock().unwrap().looking = true;
    for path in ["/watches", "/watches/3"] {
        let (_, _, page) = send(&router, ("GET", path), &[HERE, PAGE], "").await;
        let refresh = "<noscript><meta http-equiv=\"refresh\"";
        assert!(page.contains("looking now") && page.contains(refresh), "{page}");
    }
}

#[tokio::test]
async fn nothing_that_a_watched_page_says_becomes_anything_but_text() {
    for attack in ATTACKS {
        let keeper = OneWatch::default();
        let text = || attack.to_owned();
        {
            let mut view = keeper.view.lock().unwrap();
            *view = rich();
            (view.name, view.schedule) = (text(), text());
            view.order.site = Some(text());
            view.order.hook = Some(text());
            view.order.part = Some(text());
            view.order.require = vec![text()];
            view.failing = vec![(text(), text())];
            (view.hook_off, view.mail_off) = (Some(text()), Some(text()));
            for check in &mut view.checks {
                (check.failed, check.note) = (true, Some(text()));
            }
            for entry in &mut view.entries {
                (entry.url, entry.title, entry.why) = (text(), text(), text());
                entry.diff.iter_mut().for_each(|piece| piece.text = text());
            }
            for delivery in &mut view.deliveries {
                (delivery.id, delivery.channel, delivery.last) = (text(), text(), text());
            }
        }
        let router = with_keeper(Reach::ThisMachine, &keeper);
        let said: String = url::form_urlencoded::byte_serialize(attack.as_bytes()).collect();
        for path in [
            "/watches".to_owned(),
            format!("/watches?q={said}&lang={said}&ui={said}"),
            format!("/watches?site={said}"),
            "/watches/3".into(),
            format!("/watches/3?from={said}&view={said}"),
            "/watches/3?view=looks".into(),
            "/watches/3?view=deliveries".into(),
            "/watches/3?view=settings".into(),
        ] {
            // Also for somebody who may not change anything, who sees the settings as a list.
            for visitor in [HERE, ("host", "search.example")] {
                let (status, _, page) = send(&router, ("GET", &path), &[visitor, PAGE], "").await;
                assert_eq!(status, 200, "{path}");
                assert_harmless(&page);
                // A field keeps what its owner typed, or the id that it was given.
                let fields = ["/watches?", "settings", "deliveries"];
                let has_fields = fields.iter().any(|part| path.contains(part));
                assert!(has_fields || !page.contains(['\u{202e}', '\u{2066}']), "{path}");
            }
        }
        let (_, _, opml) = send(&router, ("GET", "/watches.opml"), &[HERE], "").await;
        assert_eq!(opml.matches('<').count(), 10, "{opml}");
    }
}

#[tokio::test]
async fn a_form_has_something_watched_and_steers_it() {
    let keeper = OneWatch::default();
    let router = with_keeper(Reach::ThisMachine, &keeper);
    let (cookie, proof) = browser(&router).await;
    let post = async |path: &str, body: &str| {
        let headers = [HERE, FORM, OURS, PAGE, ("cookie", cookie.as_str())];
        let body = format!("form_token={proof}&{body}");
        send(&router, ("POST", path), &headers, &body).await
    };
    let order = "kind=query&what=herons&schedule=hourly&require=grey%0D%0Anight&best=5&min_score=1%2C5\
                 &tell=new&tell=gone&whole=1&mail=me@m.example&mail_every=90&hook=https://h.example/";
    let (status, headers, page) = post("/watches", order).await;
    assert_eq!((status, &headers[header::CACHE_CONTROL]), (200, &"no-store".parse().unwrap()));
    assert!(page.contains("whsec_x") && page.contains("only this once"), "{page}");
    let heard = || keeper.heard.lock().unwrap().last().cloned().unwrap();
    let expected = WatchOrder {
        query: Some("herons".into()),
        schedule: Some("hourly".into()),
        require: vec!["grey".into(), "night".into()],
        best: Some(5),
        min_score: Some(1.5),
        tell: vec![ChangeKind::New, ChangeKind::Gone],
        whole: true,
        mail: vec!["me@m.example".into()],
        mail_every: Some(5_400),
        hook: Some("https://h.example/".into()),
        ..WatchOrder::default()
    };
    assert_eq!(heard(), WatchMessage::Add(Box::new(expected)));
    let usual =
        "kind=query&what=a&name=feed+alone&schedule=every+6+hours&tell=new&tell=changed&tell=gone";
    let (status, headers, _) = post("/watches?ui=es", usual).await;
    assert_eq!((status, &headers[header::LOCATION]), (303, &"/watches/3?ui=es".parse().unwrap()));
    // What cannot be watched comes back as it was typed.
    let (status, _, page) = post("/watches", "kind=page&what=b.example&part=%23price").await;
    assert_eq!(status, 422);
    for part in [
        "nothing to watch",
        "say what",
        "value=\"b.example\"",
        "value=\"#price\"",
        "value=\"page\" checked",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let (status, _, page) = post("/watches?ui=es", "kind=query&what=a&best=many").await;
    assert_eq!(status, 422);
    assert!(page.contains("«many» no es un número."), "{page}");

    for (what, body, message) in [
        ("run", "", WatchMessage::Run { id: 3 }),
        ("pause", "", WatchMessage::Pause { id: 3 }),
        ("resume", "", WatchMessage::GoOn { id: 3 }),
        ("retry", "", WatchMessage::Retry { id: 3, delivery: None }),
        ("retry", "delivery=m", WatchMessage::Retry { id: 3, delivery: Some("m".into()) }),
    ] {
        let path = format!("/watches/3/{what}");
        let (status, headers, _) = post(&path, &format!("view=looks&{body}")).await;
        let to = headers[header::LOCATION].to_str().unwrap();
        assert_eq!((status, to, heard()), (303, "/watches/3?view=looks", message), "{what}");
    }
    let (status, headers, _) = post("/watches/3/remove", "").await;
    assert_eq!((status, &headers[header::LOCATION]), (303, &"/watches".parse().unwrap()));
    let (status, headers, page) = post("/watches/3/rotate", "").await;
    assert_eq!((status, &headers[header::CACHE_CONTROL]), (200, &"no-store".parse().unwrap()));
    assert!(page.contains("whsec_y"), "{page}");
    let (status, _, page) = post("/watches/3/edit", "schedule=hourly&min_score=2").await;
    assert!(status == 200 && page.contains("whsec_z"), "a new webhook has a secret: {page}");
    let WatchMessage::Edit { id: 3, edit } = heard() else { panic!("{:?}", heard()) };
    let edit: WatchEdit = *edit;
    assert_eq!((edit.schedule.as_deref(), edit.min_score), (Some("hourly"), Some(2.0)));
    assert_eq!((edit.hook.as_deref(), edit.mail), (Some(""), Some(Vec::new())), "nothing is there");
    let (status, _, page) = post("/watches/3/edit", "schedule=sometimes&view=settings").await;
    assert_eq!(status, 422);
    assert!(page.contains("sometimes?") && page.contains("value=\"sometimes\""), "{page}");
    let (status, _, page) = post("/watches/3/retry", "delivery=none&view=deliveries").await;
    assert!(status == 409 && page.contains("nothing was given up"), "{page}");
    for path in ["/watches/3/dance", "/watches/4/run", "/watches/x/run"] {
        assert_eq!(post(path, "").await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn forms_without_their_token_and_visitors_without_a_session_change_nothing() {
    let keeper = OneWatch::default();
    *keeper.view.lock().unwrap() = rich();
    let router = with_keeper(Reach::ThisMachine, &keeper);
    let (cookie, proof) = browser(&router).await;
    let mine = ("cookie", cookie.as_str());
    keeper.heard.lock().unwrap().clear();
    let good = format!("form_token={proof}&kind=query&what=a");
    let evil = ("origin", "http://evil.test");
    for path in
        ["/watches", "/watches/3/run", "/watches/3/edit", "/watches/3/remove", "/watches/3/rotate"]
    {
        for (headers, body, status) in [
            (vec![HERE, FORM, OURS, mine], "kind=query&what=a", 403),
            (vec![HERE, FORM, OURS, mine], "form_token=AAAA&kind=query&what=a", 403),
            (vec![HERE, FORM, OURS], good.as_str(), 401),
            (vec![HERE, FORM, evil, mine], good.as_str(), 403),
            (vec![HERE, FORM, mine], good.as_str(), 403),
        ] {
            assert_eq!(
                send(&router, ("POST", path), &headers, body).await.0,
                status,
                "{path} {body}"
            );
        }
    }
    assert!(keeper.heard.lock().unwrap().is_empty(), "the keeper heard of nothing");
    // Somebody who comes by a proxy and has not signed in may look, and knows no token of a feed.
    let outside = ("host", "search.example");
    for (path, way) in
        [("/watches", "/signin?next=/watches\""), ("/watches/3", "/signin?next=/watches/3\"")]
    {
        let (status, _, page) = send(&router, ("GET", path), &[outside, PAGE], "").await;
        assert!(status == 200 && page.contains(way), "{page}");
        assert!(!page.contains("method=\"post\"") && !page.contains("token=t"), "{page}");
    }
    let (_, _, page) =
        send(&router, ("GET", "/watches/3?view=settings"), &[outside, PAGE], "").await;
    assert!(page.contains("<dd class=\"kept-lines\" dir=\"auto\">heron</dd>"), "{page}");
    assert_eq!(send(&router, ("GET", "/watches.opml"), &[outside], "").await.0, 401);
    let (status, headers, opml) = send(&router, ("GET", "/watches.opml"), &[HERE], "").await;
    assert_eq!((status, &headers[header::CACHE_CONTROL]), (200, &"no-store".parse().unwrap()));
    assert!(
        opml.contains("xmlUrl=\"http://127.0.0.1:8080/watches/3/feed.atom?token=t\""),
        "{opml}"
    );
    assert!(opml.contains("text=\"Marsh birds\""), "{opml}");
}

#[tokio::test]
async fn a_search_leads_to_the_form_that_watches_it() {
    let stage = stage(Deed::Find(one(hit("https://example.org/", "x"))));
    let page = stage.get("/search?q=grey+heron&lang=es&site=example.org&page=2&ui=en").await.body;
    let way = "/watches?q=grey+heron&#38;lang=es&#38;site=example.org&#38;ui=en#add";
    assert!(page.contains(way), "{page}");
    assert!(page.contains("Watch this search"), "{page}");
    let router = with_watches(Reach::ThisMachine);
    let path = "/watches?q=grey+heron&lang=es&site=example.org";
    let (_, _, page) = send(&router, ("GET", path), &[HERE, PAGE], "").await;
    for part in [
        "value=\"grey heron site:example.org\"",
        "name=\"lang\"",
        "value=\"es\"",
        "value=\"query\" checked",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let (_, _, page) = send(&router, ("GET", "/watches?site=b.example"), &[HERE, PAGE], "").await;
    assert!(
        page.contains("value=\"site\" checked") && page.contains("value=\"b.example\""),
        "{page}"
    );
}
