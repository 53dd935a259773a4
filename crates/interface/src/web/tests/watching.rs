//! What does a watcher of a hunt see, and is anything of it lost?

use super::hostile::{ATTACKS, assert_harmless};
use super::*;
use crate::events::FOLDER;
use crate::web::Runs;
use futures_util::StreamExt;
use lycosa_model::message::{HuntMessage, HuntOrder, HuntReply, HuntView};
use lycosa_model::{
    AclMessage, Attempt, Care, Deed as Act, Event, Happening, Performative, Phase, Prey, Protocol,
    TeamAgent, TeamContent, Tended, Tick, Why,
};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

const RUN: u32 = 4;

/// A manager that has one hunt, of which this is true.
struct Manager {
    view: Arc<Mutex<HuntView>>,
}

impl Agent for Manager {
    type Message = HuntMessage;
    type State = u8;

    fn observe(&self) -> u8 {
        1
    }

    async fn handle(&mut self, message: HuntMessage) -> HuntReply {
        let view = self.view.lock().unwrap().clone();
        match message {
            HuntMessage::Show { id } if id == view.id => HuntReply::Hunt(Box::new(view)),
            HuntMessage::Results { id, .. } if id == view.id => HuntReply::Results(view.results),
            HuntMessage::List => HuntReply::List(vec![view]),
            HuntMessage::Start(_) => HuntReply::Started(view.id),
            HuntMessage::Exclude { mut patterns, .. } => {
                if patterns[0].contains('<') {
                    let error = format!("`{}` is no exclusion", patterns[0]);
                    return HuntReply::Refused { error, hint: "write a host".into() };
                }
                self.view.lock().unwrap().order.exclude.append(&mut patterns);
                HuntReply::Done
            }
            HuntMessage::Include { patterns, .. } => {
                let exclude = &mut self.view.lock().unwrap().order.exclude;
                exclude.retain(|one| !patterns.contains(one));
                HuntReply::Done
            }
            HuntMessage::Tend { agent, how, .. } => {
                self.view.lock().unwrap().error = Some(format!("{agent} {}", how.name()));
                let (before, after) = (Some(0.5), Some(1.5));
                HuntReply::Tended(Tended { how, before, after, other: None, links: 0 })
            }
            _ => HuntReply::Unknown,
        }
    }
}

struct Hide {
    dir: tempfile::TempDir,
    router: Router,
    view: Arc<Mutex<HuntView>>,
}

/// A server with a hunt that runs, and its log.
fn hide() -> Hide {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join(FOLDER)).unwrap();
    let view = HuntView { id: 7, run: Some(RUN), served: true, ..HuntView::default() };
    let view = Arc::new(Mutex::new(view));
    let registry = Registry::default();
    let (hunts, inbox) = mailbox(64);
    let shared = Arc::clone(&view);
    spawn_pool(&registry, "manager", 1, (&hunts, inbox), move |_| Manager {
        view: Arc::clone(&shared),
    });
    let (query, _) = mailbox(1);
    let crawl = Crawl::None;
    let hunts = Some(hunts);
    let crawl_patience = CRAWL_PATIENCE;
    let desk = Desk { query, registry, crawl, crawl_patience, hunts, watches: None };
    let (query, _) = mailbox(1);
    let doors = doors(query, Registry::default(), Crawl::None);
    let runs = Arc::new(Runs::of(dir.path().to_owned()));
    let router = router(Doors { interface: crate::open(desk).0, runs, ..doors });
    Hide { dir, router, view }
}

fn page(n: u64, text: &str) -> Event {
    let attempt = Attempt {
        url: format!("http://a.example/{n}?{text}"),
        agent: format!("Ana {text}"),
        via: n.checked_sub(1).map(|n| format!("http://a.example/{n}?{text}")),
        outcome: "fetched".into(),
        relevance: Some(0.5),
        ..Attempt::default()
    };
    let title = format!("{n} {text}");
    Event { t: n as f64 / 10.0, what: Happening::Page { n, title, attempt: Box::new(attempt) } }
}

fn append(dir: &Path, events: impl Iterator<Item = Event>) {
    let path = dir.join(FOLDER).join(format!("{RUN}.jsonl"));
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    for event in events {
        writeln!(file, "{}", serde_json::to_string(&event).unwrap()).unwrap();
    }
}

/// What came by a stream: the numbers of pages, the last id, and whether it was the end.
#[derive(Default)]
struct Heard {
    pages: Vec<u64>,
    id: Option<String>,
    frames: usize,
    ended: bool,
}

impl Hide {
    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> axum::response::Response {
        let mut request = Request::builder().uri(path).header(header::HOST, "127.0.0.1:1");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.router.clone().call(request.body(Body::empty()).unwrap()).await.unwrap()
    }

    async fn text(&self, path: &str) -> (StatusCode, String) {
        let response = self.get(path, &[]).await;
        let status = response.status();
        let body = to_bytes(response.into_body(), 1 << 24).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    /// What a browser of this machine gets with the first page.
    async fn session(&self) -> String {
        let home = self.get("/about", &[("accept", "text/html")]).await;
        let cookie = home.headers()[header::SET_COOKIE].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// A page as a person sees it who may change something.
    async fn mine(&self, path: &str, session: &str) -> String {
        let headers = [("cookie", session)];
        let body = to_bytes(self.get(path, &headers).await.into_body(), 1 << 24).await.unwrap();
        String::from_utf8(body.to_vec()).unwrap()
    }

    /// The same with a session of its own.
    async fn own(&self, path: &str) -> String {
        self.mine(path, &self.session().await).await
    }

    /// Listens until so many pages have come, or the end.
    async fn listen(&self, after: Option<&str>, pages: usize) -> Heard {
        let headers: Vec<_> = after.map(|id| ("last-event-id", id)).into_iter().collect();
        let response = self.get("/api/v1/hunts/7/events", &headers).await;
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        let mut body = response.into_body().into_data_stream();
        let (mut heard, mut rest) = (Heard::default(), String::new());
        while heard.pages.len() < pages && !heard.ended {
            let piece = tokio::time::timeout(Duration::from_secs(20), body.next()).await;
            let piece = piece.expect("something comes").expect("more").unwrap();
            rest += std::str::from_utf8(&piece).unwrap();
            while let Some((frame, tail)) = rest.split_once("\n\n") {
                heard.take(frame);
                rest = tail.to_owned();
            }
        }
        heard
    }
}

impl Heard {
    fn take(&mut self, frame: &str) {
        self.frames += 1;
        let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
        if let Some(id) = field("id: ") {
            self.id = Some(id.to_owned());
        }
        match field("event: ") {
            Some("log") => {
                let lines: Vec<Event> = serde_json::from_str(field("data: ").unwrap()).unwrap();
                self.pages.extend(lines.into_iter().filter_map(|event| match event.what {
                    Happening::Page { n, .. } => Some(n),
                    _ => None,
                }));
            }
            Some("end") => self.ended = true,
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_stream_that_was_cut_goes_on_without_gap_or_repeat_until_the_end() {
    let hide = hide();
    append(hide.dir.path(), (0..1_000).map(|n| page(n, "")));
    let first = hide.listen(None, 500).await;
    assert!(first.pages.len() >= 500);
    append(hide.dir.path(), (1_000..1_500).map(|n| page(n, "")));
    hide.view.lock().unwrap().state = Phase::Finished;
    let second = hide.listen(first.id.as_deref(), usize::MAX).await;
    assert!(second.ended);
    let all: Vec<u64> = first.pages.iter().chain(&second.pages).copied().collect();
    assert_eq!(all, (0..1_500).collect::<Vec<u64>>());
}

#[tokio::test]
async fn a_burst_of_ten_thousand_events_reaches_every_watcher_in_few_frames() {
    let hide = hide();
    let began = std::time::Instant::now();
    let watchers = (0..20).map(|_| hide.listen(None, 10_000));
    let burst = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        append(hide.dir.path(), (0..10_000).map(|n| page(n, "")));
    };
    let (heard, ()) = tokio::join!(futures_util::future::join_all(watchers), burst);
    for heard in heard {
        assert_eq!(heard.pages, (0..10_000).collect::<Vec<u64>>());
        // Ten frames a second at most, and one that was on its way when the clock was read.
        let most = 10.0 * began.elapsed().as_secs_f64() + 2.0;
        assert!((heard.frames as f64) < most, "{} frames", heard.frames);
    }
}

#[tokio::test]
async fn every_view_of_a_hunt_is_a_page_without_a_script_and_harmless() {
    for attack in ATTACKS {
        let hide = hide();
        append(hide.dir.path(), (0..5).map(|n| page(n, attack)));
        {
            let mut view = hide.view.lock().unwrap();
            view.order = HuntOrder { query: attack.into(), ..HuntOrder::default() };
            view.error = Some(attack.into());
            view.order.urls = vec![attack.into()];
            view.order.exclude = vec![attack.into()];
            view.results = vec![Prey {
                rank: 1,
                url: attack.into(),
                title: attack.into(),
                finder: attack.into(),
                agent: attack.into(),
                ..Prey::default()
            }];
        }
        let name: String = url::form_urlencoded::byte_serialize(format!("Ana {attack}").as_bytes())
            .collect::<String>()
            .replace('+', "%20");
        for path in [
            "/hunts".to_owned(),
            "/hunts/7".into(),
            "/hunts/7?view=agents".into(),
            "/hunts/7?view=ways".into(),
            format!("/hunts/7?view=ways&url={name}"),
            "/hunts/7?view=talk".into(),
            "/hunts/7?view=map".into(),
            "/hunts/7?view=log".into(),
            format!("/hunts/7/agents/{name}"),
        ] {
            let (status, html) = hide.text(&path).await;
            assert_eq!(status, StatusCode::OK, "{path}");
            assert_harmless(&html);
        }
    }
}

#[tokio::test]
async fn programs_get_agents_ways_and_the_map() {
    let hide = hide();
    append(hide.dir.path(), (0..30).map(|n| page(n, "x")));
    let json = async |path: &str| {
        let (status, text) = hide.text(path).await;
        assert_eq!(status, StatusCode::OK, "{path}: {text}");
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    assert_eq!(json("/api/v1/hunts/7/agents").await[0]["name"], "Ana x");
    let way = json("/api/v1/hunts/7/path?url=http://a.example/3%3Fx").await;
    assert_eq!(way.as_array().map(Vec::len), Some(4));
    let map = json("/api/v1/hunts/7/graph").await;
    assert_eq!(map["nodes"].as_array().map(Vec::len), Some(30));
    assert_eq!(map["nodes"][29]["via"], 28);
    // What does not fit is counted where it was found.
    let small = json("/api/v1/hunts/7/graph?nodes=10").await;
    let nodes = small["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 10);
    assert_eq!(nodes.iter().map(|node| node["more"].as_u64().unwrap()).sum::<u64>(), 1);
    for missing in ["/api/v1/hunts/8/agents", "/api/v1/hunts/7/agents/Bea", "/hunts/8"] {
        assert_eq!(hide.text(missing).await.0, StatusCode::NOT_FOUND, "{missing}");
    }
}

/// Sends a form of one of our pages, as a person of this machine does; tells where that leads.
async fn post(hide: &Hide, path: &str, fields: &[(&str, &str)]) -> String {
    let session = hide.session().await;
    let page = hide.mine("/hunts/7", &session).await;
    let token = page.split("name=\"form_token\" value=\"").nth(1).expect("a form");
    let token = token.split('"').next().expect("a token");
    let mut body = url::form_urlencoded::Serializer::new(String::new());
    body.append_pair("form_token", token).extend_pairs(fields);
    let request = Request::builder()
        .method("POST")
        .uri(path)
        .header("host", "127.0.0.1:1")
        .header("origin", "http://127.0.0.1:1")
        .header("cookie", session)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(body.finish()))
        .unwrap();
    let response = hide.router.clone().call(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::SEE_OTHER, "{path}");
    response.headers()["location"].to_str().unwrap().to_owned()
}

fn agent(t: f64, name: &str, address: Option<&str>, deed: Act) -> Event {
    let address = address.map(str::to_owned);
    Event { t, what: Happening::Agent { at: Tick(0), agent: name.into(), address, deed } }
}

#[tokio::test]
async fn exclusions_are_added_and_removed_on_the_page_and_shown_as_text() {
    let hide = hide();
    let back = post(&hide, "/hunts/7/exclude", &[("pattern", "*/print/*"), ("view", "log")]).await;
    assert_eq!(back, "/hunts/7?view=log&open=exclusions");
    let html = hide.own(&back).await;
    assert!(html.contains("<code dir=\"ltr\">*/print/*</code>"), "{html}");
    assert!(html.contains("data-key=\"exclusions\" open"), "{html}");
    let refused =
        post(&hide, "/hunts/7/exclude", &[("pattern", "<script>alert(1)</script>")]).await;
    let html = hide.own(&refused).await;
    assert!(html.contains("is no exclusion") && !html.contains("<script>alert"), "{html}");
    post(&hide, "/hunts/7/include", &[("pattern", "*/print/*")]).await;
    assert_eq!(hide.view.lock().unwrap().order.exclude, [] as [&str; 0]);
}

#[tokio::test]
async fn agents_that_live_in_a_hunt_that_runs_have_buttons_and_a_history_of_what_was_done() {
    let hide = hide();
    hide.view.lock().unwrap().strategy = "infospiders".into();
    let begun = Happening::Begun { run: RUN, at: Tick(0), strategy: "infospiders".into() };
    let born = || Act::Born { parent: None, energy: 1.0, keywords: Vec::new() };
    let (before, after) = (Some(1.0), Some(2.0));
    let fed = Tended { how: Care::Feed, before, after, other: None, links: 0 };
    append(
        hide.dir.path(),
        [
            Event { t: 0.0, what: begun },
            agent(0.0, "Ada", None, born()),
            agent(0.0, "Bob", None, born()),
            agent(2.0, "Ada", None, Act::Tended(fed)),
            agent(3.0, "Bob", None, Act::Died { energy: 0.0 }),
        ]
        .into_iter(),
    );
    let html = hide.own("/hunts/7?view=agents").await;
    assert_eq!(html.matches("/hunts/7/feed").count(), 1, "the dead are not fed: {html}");
    assert!(html.contains("fed · 1.00 → 2.00"), "{html}");
    let html = hide.own("/hunts/7/agents/Ada").await;
    assert!(html.contains("/hunts/7/stop-agent") && html.contains("1.00 → 2.00"), "{html}");
    assert!(html.contains("<dd>2.00</dd>"), "its energy is what it has now: {html}");
    assert!(!hide.own("/hunts/7/agents/Bob").await.contains("/hunts/7/stop-agent"));
    let back = post(&hide, "/hunts/7/feed", &[("agent", "Ada"), ("back", "agent")]).await;
    assert_eq!(back, "/hunts/7/agents/Ada");
    assert_eq!(hide.view.lock().unwrap().error.as_deref(), Some("Ada feed"));
    let back = post(&hide, "/hunts/7/stop-agent", &[("agent", "Ada"), ("view", "agents")]).await;
    assert_eq!(back, "/hunts/7?view=agents");
    hide.view.lock().unwrap().state = Phase::Finished;
    for path in ["/hunts/7?view=agents", "/hunts/7/agents/Ada"] {
        assert!(!hide.own(path).await.contains("/hunts/7/feed"), "{path}: it has ended");
    }
}

#[tokio::test]
async fn the_way_to_a_page_names_energy_contract_and_bid() {
    let hide = hide();
    let attempt = |url: &str, via: Option<&str>, agent: &str, why: Why| {
        let attempt = Attempt {
            url: url.into(),
            agent: agent.into(),
            via: via.map(str::to_owned),
            outcome: "fetched".into(),
            why: Some(why),
            ..Attempt::default()
        };
        Happening::Page { n: 1, title: String::new(), attempt: Box::new(attempt) }
    };
    let said = |sender, content: TeamContent, performative: Performative| {
        let message = AclMessage {
            performative,
            sender,
            receiver: TeamAgent::Facilitator,
            content,
            protocol: Protocol::FipaContractNet,
            conversation_id: "round-1-contract-1".into(),
            reply_with: 1,
            in_reply_to: None,
            reply_by: None,
        };
        Act::Said { arrives: None, message: Box::new(message) }
    };
    let bidder = TeamAgent::Assistant(2);
    let bid = said(bidder, TeamContent::Bid { ability: 0.25, sum: None }, Performative::Propose);
    let contract = TeamContent::Contract { manager: 1, contractor: 2 };
    let accept = said(TeamAgent::Facilitator, contract, Performative::AcceptProposal);
    let first = Why { energy: Some(0.5), ..Why::default() };
    let second = Why { contract: Some("round-1-contract-1".into()), ..Why::default() };
    let (a, b) = ("http://a.example/", "http://b.example/");
    let url = lycosa_model::UrlId::of(a);
    append(
        hide.dir.path(),
        [
            Event { t: 1.0, what: attempt(a, None, "Ada", first) },
            agent(1.0, "Ada", Some(a), Act::Visited { url, relevance: 0.5, energy: 0.75 }),
            agent(2.0, "assistant-2", None, bid),
            agent(2.0, "facilitator", None, accept),
            Event { t: 3.0, what: attempt(b, Some(a), "crawler-2", second) },
        ]
        .into_iter(),
    );
    let path = "/api/v1/hunts/7/path?url=http://b.example/";
    let way: serde_json::Value = serde_json::from_str(&hide.text(path).await.1).unwrap();
    assert_eq!((&way[0]["energy_before"], &way[0]["energy_after"]), (&0.5.into(), &0.75.into()));
    assert_eq!((&way[1]["contract"], &way[1]["bid"]), (&"round-1-contract-1".into(), &0.25.into()));
    let html = hide.text("/hunts/7?view=ways&url=http://b.example/").await.1;
    for words in ["0.50 → 0.75", "view=talk&amp;with=round-1-contract-1", "0.25", "crawler-2"] {
        assert!(
            html.contains(words) || html.contains(&words.replace("&amp;", "&#38;")),
            "{words}: {html}"
        );
    }
}
