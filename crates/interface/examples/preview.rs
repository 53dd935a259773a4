//! Serves the pages with a handful of fixed results, for looking at them: `cargo run -p lycosa-interface
//! --example preview [ADDR]`. `q=nothing` finds nothing, `q=broken` finds the index unreadable.

use lycosa_interface::web::{About, CRAWL_PATIENCE, Doors, Guard, Reach, Terms, Token, serve};
use lycosa_interface::{Crawl, Desk, open};
use lycosa_model::message::{
    BrokerMessage, BrokerReply, BrokerStatus, QueryMessage, QueryReply, SiteCounts,
};
use lycosa_model::{Hit, Lang, SearchRequest, SearchResponse, Tick, UrlId};
use lycosa_runtime::{Mailbox, Registry, mailbox};
use std::sync::Arc;

const FOUND: [(&str, &str, &str, Option<Lang>); 6] = [
    (
        "https://en.spiders.example/wiki/Wolf_spider",
        "Wolf spider – the family Lycosidae",
        "<mark>Wolf</mark> <mark>spiders</mark> are robust and agile hunters with excellent eyesight. They live mostly \
         in solitude, hunt alone, and do not spin webs. Some are opportunistic hunters, pouncing upon prey as they find it.",
        Some(Lang::EN),
    ),
    (
        "https://es.spiders.example/wiki/Ara%C3%B1a_lobo",
        "Araña lobo: la cazadora que no teje",
        "Las arañas <mark>lobo</mark> no construyen telas: persiguen a su presa por el suelo. La hembra lleva consigo el saco \
         de huevos y, después, a sus crías sobre el dorso durante varias semanas.",
        Some(Lang::ES),
    ),
    (
        "http://field-notes.example:8080/2024/05/12/night-walk-with-a-head-torch/eyeshine/index.html",
        "Eyeshine: finding spiders at night with nothing but a head torch and patience",
        "Hold the torch beside your eyes and the meadow begins to glitter: every green spark is a <mark>wolf</mark> <mark>spider</mark> \
         looking back at you &amp; wondering.",
        Some(Lang::EN),
    ),
    (
        "https://museum.example/",
        "Natural history museum",
        "The arachnid hall shows two hundred species, among them the <mark>wolf</mark> <mark>spider</mark> <i>Lycosa tarantula</i>, \
         whose bite was once said to make people dance.",
        None,
    ),
    (
        "https://de.spinnen.example/wolfspinnen",
        "Wolfspinnen: Jäger ohne Netz",
        "Die <mark>Wolfspinnen</mark> laufen frei umher und jagen ihre Beute am Boden.",
        None,
    ),
    (
        "javascript:alert(1)",
        "<script>alert('a title that would like to run')</script>",
        "A snippet with <script>alert(1)</script> in it, and <mark>a mark that never ends.",
        Some(Lang::EN),
    ),
];

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let desk = Desk {
        query: query_agent(),
        registry: Registry::default(),
        crawl: Crawl::Here(broker_agent()),
        crawl_patience: CRAWL_PATIENCE,
        hunts: None,
        watches: None,
    };
    let token = Token::random().ok_or_else(|| std::io::Error::other("no randomness"))?;
    let terms = Terms::new(Reach::ThisMachine);
    let guard = Arc::new(Guard::new(&token, terms));
    let doors = Doors {
        runs: Arc::default(),
        interface: open(desk).0,
        guard,
        about: About {
            name: "Lycosa".into(),
            user_agent: "Lycosa/0.1 (+https://example.org/bot)".into(),
            robots_name: "lycosa".into(),
            contact: Some("https://example.org/bot".into()),
            key_directory: None,
        },
    };
    serve(tokio::net::TcpListener::bind(address).await?, doors, std::future::pending()).await
}

fn query_agent() -> Mailbox<QueryMessage> {
    let (mailbox, inbox) = mailbox(16);
    tokio::spawn(async move {
        while let Some(envelope) = inbox.next().await {
            let (message, reply) = envelope.open();
            reply.send(match message {
                QueryMessage::Search(request) => search(&request),
                QueryMessage::Lexicon(_) => QueryReply::Lexicon(Vec::new()),
                QueryMessage::Complete(_) => QueryReply::Completions(Vec::new()),
                QueryMessage::Page(_) => QueryReply::Page(None),
                QueryMessage::Size => QueryReply::Size(12_345),
            });
        }
    });
    mailbox
}

fn search(request: &SearchRequest) -> QueryReply {
    if request.query == "broken" {
        return QueryReply::Broken("the preview was asked to break".into());
    }
    let chosen = FOUND.iter().filter(|(.., lang)| request.lang.is_none() || *lang == request.lang);
    let hits = chosen.enumerate().map(|(at, (url, title, snippet, lang))| Hit {
        rank: request.offset + at + 1,
        url_id: UrlId::of(url),
        url: (*url).into(),
        title: (*title).into(),
        snippet: (*snippet).into(),
        score: 9.0 - at as f32,
        site: url.split('/').nth(2).unwrap_or_default().into(),
        lang: *lang,
        agent: format!("bot-{}", at + 1),
        fetched: Tick(1_741_600_000_000 + at as u64 * 86_400_000 * 17),
        date: Tick(1_741_600_000_000),
        more_from_site: 0,
        also_at: match at {
            0 => vec!["https://mirror.example/wolf".into(), "https://old.example/a/b?c=d".into()],
            _ => Vec::new(),
        },
        positions: (0..Hit::CELLS).map(|cell| ((cell + at) % 7 / 5) as u8).collect(),
        explain: None,
    });
    let results: Vec<Hit> = match request.query.as_str() {
        "nothing" => Vec::new(),
        _ => hits.collect(),
    };
    QueryReply::Found(SearchResponse {
        query: request.query.clone(),
        total: if results.is_empty() { 0 } else { 1_284 },
        took_ms: 3.7,
        suggestion: request.query.contains("spyder").then(|| "wolf spider".into()),
        results,
        ..SearchResponse::default()
    })
}

fn broker_agent() -> Mailbox<BrokerMessage> {
    let (mailbox, inbox) = mailbox(16);
    tokio::spawn(async move {
        while let Some(envelope) = inbox.next().await {
            let status = BrokerStatus {
                pages: 842,
                known: 9_310,
                queued: 3_127,
                sites: SiteCounts { ready: 4, resting: 11, blocked: 1 },
                seconds: 61.0,
                strategy: "best-first".into(),
                limited_by: "politeness".into(),
                ..BrokerStatus::default()
            };
            envelope.open().1.send(BrokerReply::Status(Box::new(status)));
        }
    });
    mailbox
}
