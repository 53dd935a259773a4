use super::*;
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::time::Instant;

/// Address, content type and body.
type Small = [(&'static str, &'static str, &'static str)];

const PAGE: &str = "http://site.test/app/";

fn settings() -> RenderSettings {
    RenderSettings::default()
}

/// The browser; `None`, and a line that says so, where there is none.
#[allow(clippy::print_stderr, reason = "the runner of the tests collects these lines")]
fn browser(settings: RenderSettings) -> Option<Renderer> {
    match Renderer::start(settings) {
        Ok(renderer) => Some(renderer),
        Err(RenderError::Missing(name)) => {
            eprintln!("skipped: no {name}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// What became of a page, and what it asked for.
struct Seen {
    rendered: Result<Rendered, Unrendered>,
    asked: Vec<String>,
}

impl Seen {
    fn page(&self) -> &Rendered {
        self.rendered.as_ref().expect("rendered")
    }

    fn found(&self) -> BTreeMap<&str, LinkKind> {
        self.page().found.iter().map(|(url, kind)| (url.as_str(), *kind)).collect()
    }
}

/// Looks at a page of a small web.
async fn look(renderer: &Renderer, html: &str, web: &Small) -> Seen {
    let mut headers = Headers::default();
    headers.push("Content-Type", "text/html; charset=utf-8");
    let body = Bytes::from(html.to_owned());
    let now = Tick(1_700_000_000_000);
    let visit = Visit { url: PAGE.into(), status: 200, headers, body, now };
    let mut looking = renderer.begin(visit).await.expect("a browser");
    let mut asked = Vec::new();
    loop {
        match looking.next().await {
            Need::Done(rendered) => return Seen { rendered, asked },
            Need::Fetch { url, reply, .. } => {
                let known = web.iter().find(|(address, _, _)| *address == url);
                let fetched = known.map(|(_, kind, body)| {
                    let mut headers = Headers::default();
                    let status = if *kind == "redirect" { 302 } else { 200 };
                    let name = if status == 302 { "Location" } else { "Content-Type" };
                    headers.push(name, if status == 302 { *body } else { *kind });
                    Fetched { status, headers, body: Bytes::from_static(body.as_bytes()) }
                });
                asked.push(url);
                let _ = reply.send(fetched);
            }
        }
    }
}

const APP: &str = r#"<!DOCTYPE html><title>old</title><div id=root></div><open-box></open-box>
<script src=/moved.js></script><script type=module src=part.js></script>
<img src=/picture.png><iframe src=/frame></iframe>
<script>
  alert('nobody reads this');
  const root = document.getElementById('root');
  fetch('/data.json').then(answer => answer.json()).then(data => {
    root.innerHTML = `<p>${data.words}</p><a href="/from-data">d</a>`;
  });
  setTimeout(() => root.insertAdjacentHTML('beforeend', '<a href="/from-timer">t</a>'), 8000);
  setTimeout(() => window.open('/window'), 100);
  setTimeout(() => { location.href = '/gone-to#part'; }, 200);
  setTimeout(() => history.pushState(null, '', 'state/two?x=1'), 300);
  setTimeout(() => fetch('/order', { method: 'POST', body: 'x' }), 400);
  document.querySelector('open-box').attachShadow({ mode: 'open' }).innerHTML =
    '<p>words in the shadow</p><a href="http://site.test/from-shadow">s</a>';
  document.body.insertAdjacentHTML('beforeend', '<p>' + new Date().getUTCFullYear() + navigator.userAgent);
</script>"#;

#[tokio::test]
async fn a_page_is_what_its_scripts_make_of_it() {
    let Some(renderer) = browser(settings()) else { return };
    let web: &Small = &[
        ("http://site.test/moved.js", "redirect", "https://other.test/real.js"),
        ("https://other.test/real.js", "text/javascript", "document.title = 'new';"),
        ("http://site.test/app/part.js", "text/javascript", "import './deeper.js';"),
        ("http://site.test/app/deeper.js", "text/javascript", "document.body.append('deeper');"),
        ("http://site.test/data.json", "application/json", "{\"words\": \"words from data\"}"),
    ];
    let seen = look(&renderer, APP, web).await;
    let page = seen.page();
    assert!(page.whole, "{page:?}");
    for words in [
        "<title>new</title>",
        "<p>words from data</p>",
        "href=\"/from-data\"",
        "href=\"/from-timer\"",
        "words in the shadow",
        "deeper",
        "2023lycosa/",
        // The page has changed its own address, so it says against which one its links are meant.
        "<base href=\"http://site.test/app/state/two?x=1\">",
    ] {
        assert!(page.html.contains(words), "{words}: {}", page.html);
    }
    let kinds = [
        ("http://site.test/frame", LinkKind::Frame),
        ("http://site.test/window", LinkKind::Script),
        ("http://site.test/gone-to", LinkKind::Script),
        ("http://site.test/app/state/two?x=1", LinkKind::Script),
        ("http://site.test/order", LinkKind::Resource),
        ("http://site.test/picture.png", LinkKind::Resource),
        ("http://site.test/data.json", LinkKind::Resource),
    ];
    for (url, kind) in kinds {
        assert_eq!(seen.found().get(url), Some(&kind), "{url}: {:?}", page.found);
    }
    let asked: Vec<&str> = web.iter().map(|(url, _, _)| *url).collect();
    assert_eq!(seen.asked.len(), asked.len(), "{:?}", seen.asked);
    assert!(
        asked.iter().all(|url| seen.asked.iter().any(|asked| asked == url)),
        "{:?}",
        seen.asked
    );
}

const BUTTONS: &str = r#"<!DOCTYPE html><title>b</title><a href=/known onclick="fetch('/not-clicked')">k</a>
<button onclick="show()">show</button><button onclick="hide()">hide</button>
<span id=again>again</span><form action=/search><input name=q value=a><button>go</button></form>
<form method=post action=/buy><input type=submit></form>
<div style="cursor: pointer" id=delegated>d</div><button disabled onclick="fetch('/disabled')">x</button>
<script>
  function show() {
    const secret = document.createElement('div');
    secret.id = 'secret';
    secret.addEventListener('click', () => fetch('/secret'));
    document.body.append(secret);
  }
  function hide() { document.getElementById('secret')?.remove(); }
  const again = document.getElementById('again');
  again.onclick = () => { again.onclick = () => fetch('/second-click'); };
  document.addEventListener('click', event => {
    if (event.target.id === 'delegated') history.pushState(null, '', '/route');
  });
</script>"#;

#[tokio::test]
async fn what_is_no_link_is_clicked_and_no_form_is_sent() {
    let Some(renderer) = browser(settings()) else { return };
    let seen = look(&renderer, BUTTONS, &[]).await;
    let found = seen.found();
    for (url, kind) in [
        ("http://site.test/secret", LinkKind::Resource),
        ("http://site.test/second-click", LinkKind::Resource),
        ("http://site.test/search?q=a", LinkKind::Form),
        ("http://site.test/buy", LinkKind::Form),
        ("http://site.test/route", LinkKind::Script),
    ] {
        assert_eq!(found.get(url), Some(&kind), "{url}: {found:?}");
    }
    assert!(!found.contains_key("http://site.test/not-clicked"), "links are not clicked");
    assert!(!found.contains_key("http://site.test/disabled"));
    let mut asked = seen.asked.clone();
    asked.sort();
    assert_eq!(asked, ["http://site.test/second-click", "http://site.test/secret"]);
}

#[tokio::test]
async fn pages_that_never_rest_are_read_as_far_as_they_came_or_left() {
    let settings = RenderSettings {
        timeout: Duration::from_secs(4),
        memory: 700 << 20,
        requests: 10,
        ..settings()
    };
    let Some(renderer) = browser(settings) else { return };
    let loops = "<title>l</title><p>before<script>setTimeout(() => { for (;;); }, 10)</script>";
    let seen = look(&renderer, loops, &[]).await;
    assert!(!seen.page().whole && seen.page().html.contains("<p>before"), "{:?}", seen.rendered);

    let asks = "<p>asks<script>let n = 0;\
        setInterval(() => { for (let i = 0; i < 50; i++) fetch('/' + n++); open('/w' + n); }, 1)</script>";
    let seen = look(&renderer, asks, &[]).await;
    assert!(seen.asked.len() <= 10, "{} requests", seen.asked.len());
    if let Ok(page) = &seen.rendered {
        assert!(page.found.len() <= 1_000);
    }

    let grows = "<p>grows<script>const all = []; for (;;) \
        all.push(document.body.appendChild(document.createElement('p')), new Array(10000).fill(0.5));</script>";
    let began = Instant::now();
    let seen = look(&renderer, grows, &[]).await;
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    if let Ok(page) = &seen.rendered {
        assert!(!page.whole);
    }

    let seen = look(&renderer, "<p>well<script>document.body.append('done')</script>", &[]).await;
    assert!(seen.page().whole && seen.page().html.contains("done"), "the next page is fine");
}

#[tokio::test]
async fn the_browser_never_uses_the_network_by_itself() {
    let Some(renderer) = browser(settings()) else { return };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("a socket");
    let there = listener.local_addr().expect("bound").to_string();
    let html = r#"<!DOCTYPE html><link rel=preconnect href="http://THERE/"><link rel=prefetch href="http://THERE/p">
<link rel=dns-prefetch href="http://THERE/"><link rel=icon href="http://THERE/i"><img src="http://THERE/g">
<iframe src="http://THERE/f"></iframe><object data="http://THERE/o"></object><video src="http://THERE/v"></video>
<a id=d href="http://THERE/d" download ping="http://THERE/ping">d</a>
<script src="http://THERE/s"></script><script src="http://localhost:PORT/s"></script>
<script>
  const quiet = act => { try { act(); } catch (error) {} };
  quiet(() => new WebSocket('ws://THERE/ws'));
  quiet(() => new EventSource('http://THERE/es'));
  quiet(() => navigator.sendBeacon('http://THERE/b', 'x'));
  quiet(() => navigator.serviceWorker.register('/sw.js'));
  quiet(() => new Worker(URL.createObjectURL(new Blob(["fetch('http://THERE/w');new WebSocket('ws://THERE/')"]))));
  quiet(() => new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://THERE/sw')"]))));
  quiet(() => new WebTransport('https://THERE/wt'));
  quiet(() => { const peer = new RTCPeerConnection({ iceServers: [{ urls: 'turn:THERE?transport=tcp', username: 'u', credential: 'c' }] });
    peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer)); });
  quiet(() => document.getElementById('d').click());
  quiet(() => open('http://THERE/popup'));
  quiet(() => fetch('file:///etc/passwd').catch(() => 0));
  setTimeout(() => { location = 'file:///etc/passwd'; }, 100);
  setTimeout(() => { location = 'chrome://version'; }, 200);
  setTimeout(() => document.body.append('still here'), 300);
</script>"#;
    let port = there.rsplit(':').next().expect("a port");
    let html = html.replace("THERE", &there).replace("PORT", port);
    let seen = look(&renderer, &html, &[]).await;
    assert!(seen.page().html.contains("still here"), "{}", seen.page().html);
    assert!(!seen.page().html.contains("root:"), "no files");
    // What it asked for it asked us for, and we refused.
    assert!(seen.asked.contains(&format!("http://{there}/s")), "{:?}", seen.asked);
    let came = listener.accept().map(|(_, from)| from);
    assert!(came.is_err(), "the browser connected by itself from {came:?}");
}

#[tokio::test]
async fn nothing_of_the_browser_is_left() {
    let Some(renderer) = browser(settings()) else { return };
    let ours = |word: &str| {
        let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
        let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        let lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
        lines.filter(|line| line.contains(word)).collect::<Vec<_>>()
    };
    // The agent is unique to this test, so other browsers on the machine do not matter.
    drop(renderer);
    let name = format!("lycosa-test-{}", std::process::id());
    let settings = RenderSettings { user_agent: name.clone(), ..settings() };
    let Some(renderer) = browser(settings) else { return };
    assert!(!ours(&name).is_empty());
    let seen = look(&renderer, "<p>here", &[]).await;
    assert!(seen.page().whole);
    // A visit that nobody waits for any more does not hold anybody up.
    let visit = Visit {
        url: PAGE.into(),
        status: 200,
        headers: Headers::default(),
        body: Bytes::from_static(b"<script>for(;;);</script>"),
        now: Tick(0),
    };
    drop(renderer.begin(visit).await);
    drop(renderer);
    assert_eq!(ours(&name), Vec::<String>::new());
    let folder = std::env::temp_dir();
    let left = std::fs::read_dir(folder).expect("a folder").flatten();
    let left = left.map(|entry| entry.path().join("profile/DevToolsActivePort"));
    assert_eq!(left.filter(|path| path.exists()).count(), 0);
}

#[test]
fn a_browser_that_is_not_there_is_an_error_with_its_name() {
    let settings =
        RenderSettings { chromium: Some("/nowhere/chromium".into()), ..RenderSettings::default() };
    let error = Renderer::start(settings).err().expect("no browser");
    assert!(error.to_string().contains("/nowhere/chromium was not found"), "{error}");
    let settings =
        RenderSettings { chromium: Some("/bin/false".into()), ..RenderSettings::default() };
    let error = Renderer::start(settings).err().expect("no browser");
    assert!(matches!(error, RenderError::Start(_)), "{error}");
}

#[tokio::test]
async fn what_became_of_pages_is_counted() {
    let Some(renderer) = browser(RenderSettings { tabs: 3, ..settings() }) else { return };
    let before = renderer.state();
    assert_eq!((before.running, before.starts, before.busy, before.tabs), (1, 1, 0, 3));
    assert_eq!(before.ends, Ends::default());
    look(&renderer, "<script>document.title = 'x'</script>", &[]).await.page();
    renderer.had_no_room();
    let after = renderer.state();
    let ends = Ends { no_room: 1, rendered: 1, ..Ends::default() };
    assert_eq!((after.busy, after.ends), (0, ends));
    assert!(after.seconds > 0.0);
}
