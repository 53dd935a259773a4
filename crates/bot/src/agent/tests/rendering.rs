//! What do the scripts of a page get to see? What the bot itself may see, and no more.

use super::*;
use crate::live::{LiveSettings, LiveWeb};
use crate::render::{RenderError, RenderSettings};
use lycosa_model::Render;
use lycosa_page::{Input, Limits as PageLimits, Reading};
use std::net::TcpListener;

/// One page from memory; everything else from the live web, with its guard.
struct Guarded {
    page: String,
    live: LiveWeb,
}

impl Web for Guarded {
    fn get<'a>(
        &'a self,
        ask: Ask,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, FetchError>> + Send + 'a>> {
        let answer = |status, name: &str, value: &str, body: &str| {
            let mut headers = Headers::default();
            headers.push(name, value.to_owned());
            let body = Bytes::from(body.to_owned());
            let took = Duration::from_millis(1);
            Ok(Answer {
                status,
                version: "1.1",
                headers,
                body,
                ip: None,
                cut: false,
                took,
                captured: true,
            })
        };
        Box::pin(async move {
            match ask.url.strip_prefix("http://site.test/") {
                Some("") => answer(200, "Content-Type", "text/html", &self.page),
                Some("good.js") => {
                    answer(200, "Content-Type", "text/javascript", "document.title = 'good'")
                }
                Some(rest) if rest.starts_with("to/") => {
                    answer(302, "Location", &format!("http://{}/", &rest[3..]), "")
                }
                _ => self.live.get(ask).await,
            }
        })
    }
}

fn read(page: &Page) -> FilterReply {
    let input = Input::new(page.url_id, &page.url, &page.body).with_headers(&page.headers);
    match lycosa_page::read(&input, &PageLimits::default()) {
        Reading::Document(document) => FilterReply::Document(document),
        Reading::NotText { media_type, links, .. } => FilterReply::NotText { media_type, links },
    }
}

#[tokio::test]
#[allow(clippy::print_stderr, reason = "the runner of the tests collects these lines")]
async fn scripts_reach_no_private_address_and_nothing_that_robots_txt_forbids() {
    let settings = RenderSettings {
        mode: Render::Always,
        user_agent: AGENT.into(),
        ..RenderSettings::default()
    };
    let renderer = match Renderer::start(settings) {
        Ok(renderer) => Arc::new(renderer),
        Err(RenderError::Missing(name)) => {
            eprintln!("skipped: no {name}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let private = TcpListener::bind("127.0.0.1:0").expect("a free port");
    private.set_nonblocking(true).expect("a socket");
    let there = private.local_addr().expect("bound");
    let page = format!(
        "<!DOCTYPE html><title>t</title><script src=/good.js></script>\
         <script src=/forbidden.js></script><script src=http://{there}/a.js></script>\
         <script src=/to/{there}></script><script>\
         for (const url of ['http://{there}/b', '/to/{there}', 'http://localhost:{port}/c', \
             'http://169.254.169.254/latest/'])\
             fetch(url).then(() => document.body.append('re' + 'ached'), () => {{}});\
         setTimeout(() => document.body.insertAdjacentHTML('beforeend', \
             '<a href=/made>m</a>'), 2000);</script>",
        port = there.port()
    );
    let live = LiveWeb::new(&LiveSettings::default()).expect("a web");
    let web = Arc::new(Guarded { page, live });
    let dir = tempfile::tempdir().expect("a folder");
    let writer = Writer::open(dir.path(), "bot-1", WriterSettings::default()).expect("a writer");
    let writer = Arc::new(Mutex::new(writer));
    let leases = vec![lease("http://site.test/", FetchKind::Page, None)];
    let told = work_with(web, Some(renderer), read, leases, Some(writer)).await;
    assert!(private.accept().is_err(), "somebody came");
    let links: Vec<&str> = told.reports[0].links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(links, ["http://site.test/made"]);
    let file = dir.path().join(&told.marks[0].file);
    let mut responses = Vec::new();
    let mut html = String::new();
    for entry in Reader::open(&file, Limits::default()).expect("an archive") {
        let Entry::Record(record) = entry.expect("readable") else { panic!("a fault") };
        match record.kind {
            Kind::Conversion => html = String::from_utf8_lossy(&record.block).into_owned(),
            Kind::Response => responses.extend(record.target_uri),
            _ => {}
        }
    }
    assert!(html.contains("<title>good</title>"), "{html}");
    assert!(!html.contains("reached"), "{html}");
    // Redirects to where nobody may go are answers; what lies behind them is never asked for.
    responses.sort();
    responses.dedup();
    let redirect = format!("http://site.test/to/{there}");
    assert_eq!(responses, ["http://site.test/", "http://site.test/good.js", &redirect]);
}
