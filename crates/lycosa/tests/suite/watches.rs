//! Is everything that changes told, in feed, webhook and mail, and once each, also when the program is killed?

use crate::support::outside::{Browser, http, with_token};
use crate::support::receiver::{HELD, MailServer, Receiver};
use crate::support::watched::{CONFIG, World, change, changes, read_feed, set};
use crate::support::*;
use lycosa_runtime::dice;
use lycosa_watch::sign;
use rand::RngExt;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn what_changes_on_a_site_is_told_once_in_feed_and_webhook() {
    let world = World::new();
    for (path, words) in [("/p1", "herons"), ("/p2", "storks"), ("/p3", "cranes")] {
        world.put(path, words);
    }
    let added = world.add(&["--site", &world.url("/"), "--hook", &world.receiver.url()]);
    let secret = added["secret"].as_str().expect("a secret").to_owned();
    assert_eq!(world.found(), set(&[]), "the first time is the baseline");
    world.put("/p1", "grey herons");
    world.remove("/p2");
    world.put("/p4", "egrets");
    let dry = world.watch(&["run", "1", "--dry-run", "--json"]).exits(0).json();
    let planted = set(&["changed /p1", "gone /p2", "new /p4"]);
    assert_eq!(changes(&dry["watches"][0]["entries"]), planted);
    assert_eq!((world.feed().len(), world.receiver.received().len()), (0, 0), "nobody was told");
    assert_eq!(world.found(), planted);
    assert_eq!(world.found(), set(&[]));
    let feed = world.feed();
    assert_eq!(feed.iter().map(|(_, change)| change.clone()).collect::<BTreeSet<_>>(), planted);
    let received = world.receiver.received();
    assert_eq!(received.len(), 1, "{received:?}");
    let hook = &received[0];
    let (id, timestamp) = (hook.header("webhook-id"), hook.header("webhook-timestamp"));
    let signed = sign(&secret, id, timestamp.parse().expect("seconds"), &hook.body);
    assert_eq!(hook.header("webhook-signature"), signed);
    let body = hook.json();
    assert_eq!(body["type"], "watch.changes");
    assert_eq!(changes(&body["data"]["changes"]), planted);
    let ids: BTreeSet<&str> = feed.iter().map(|(id, _)| id.as_str()).collect();
    let hooked = body["data"]["changes"].as_array().expect("changes");
    assert!(hooked.iter().all(|row| ids.contains(row["id"].as_str().expect("an id"))), "one name");
    let herons = hooked.iter().find(|row| row["change"] == "changed").expect("a change");
    assert!(herons["diff"].as_str().expect("text").contains("about {+grey+} herons"), "{herons}");
    // The secret was told once.
    for arguments in [&["show", "1"][..], &["show", "1", "--json"], &["list", "--json"]] {
        let ran = world.watch(arguments).exits(0);
        assert!(!ran.stdout.contains(secret.trim_start_matches("whsec_")), "{arguments:?}");
    }
}

/// Asserts that the receiver was told of each planted change by one message, however often that came.
fn check_received(
    receiver: &Receiver,
    planted: &BTreeSet<String>,
    feed: &[(String, String)],
    kills: usize,
) {
    let mut bodies = BTreeMap::new();
    let received = receiver.received();
    for hook in &received {
        let body = bodies.entry(hook.header("webhook-id").to_owned()).or_insert(hook.body.clone());
        assert_eq!(body, &hook.body, "a message that is repeated is the same");
    }
    assert!(received.len() - bodies.len() <= kills, "only a kill repeats a message");
    let mut told = Vec::new();
    for body in bodies.values() {
        let body: Value = serde_json::from_str(body).expect("JSON");
        for row in body["data"]["changes"].as_array().expect("changes") {
            told.push((row["id"].as_str().expect("an id").to_owned(), change(row)));
        }
    }
    told.sort();
    let mut feed = feed.to_vec();
    feed.sort();
    assert_eq!(told, feed, "feed and webhook tell the same, once each");
    let distinct: BTreeSet<String> = feed.iter().map(|(_, change)| change.clone()).collect();
    assert_eq!((&distinct, feed.len()), (planted, planted.len()));
}

#[test]
fn a_kill_at_any_moment_neither_loses_nor_repeats_a_change() {
    let world = World::new();
    let mut dice = dice(7, "watches");
    for n in 0..12 {
        world.put(&format!("/p{n}"), &format!("herons number {n}"));
    }
    world.add(&["--site", &world.url("/"), "--hook", &world.receiver.url()]);
    world.found();
    let begun = Instant::now();
    world.found();
    let usual = begun.elapsed();
    let state = world.data().join("agents/watches/1.json");
    let mut planted = BTreeSet::new();
    let mut kills = 0;
    for round in 0..12 {
        // Each page has one fate, so that every change is one of a kind.
        let (known, new) = (format!("/p{round}"), format!("/p{}", 16 + round));
        match round % 2 {
            0 => {
                world.put(&known, &format!("storks in round {round}"));
                planted.insert(format!("changed {known}"));
            }
            _ => {
                world.remove(&known);
                planted.insert(format!("gone {known}"));
            }
        }
        world.put(&new, &format!("egrets in round {round}"));
        planted.insert(format!("new {new}"));
        let stamp = || std::fs::metadata(&state).and_then(|meta| meta.modified()).ok();
        let (written, heard) = (stamp(), world.receiver.received().len());
        let mut running = Running::start(world.command(&["watch", "run", "--all", "-q"]));
        // At any moment, right after something was written down, or while the receiver is being told.
        let patience = usual.mul_f64(dice.random_range(0.0..1.2));
        let then = Duration::from_micros(dice.random_range(0..4_000));
        let begun = Instant::now();
        until("the moment", || {
            let come = match round % 3 {
                0 => begun.elapsed() >= patience,
                1 => stamp() != written,
                _ => world.receiver.received().len() > heard,
            };
            (come || !running.is_alive()).then_some(())
        });
        let begun = Instant::now();
        until("a moment later", || (begun.elapsed() >= then).then_some(()));
        kills += usize::from(running.is_alive());
        running.kill();
        if round % 4 == 0 {
            world.watch(&["run", "--all", "--json"]).exits(0);
        }
    }
    // Once more for what was cut off, and once for what waits.
    world.watch(&["run", "--all", "--json"]).exits(0);
    let last = world.watch(&["run", "--all", "--json"]).exits(0).json();
    assert_eq!(changes(&last["watches"][0]["entries"]), set(&[]));
    assert!(kills >= 3, "kills came while it was at work: {kills}");
    check_received(&world.receiver, &planted, &world.feed(), kills);
    let repeated = world.receiver.received().len();
    note(&format!("{kills} kills, {} changes, {repeated} requests", planted.len()));
}

#[test]
fn a_kill_while_the_receiver_thinks_repeats_the_message_under_its_name() {
    let world = World::new();
    world.put("/p1", "herons");
    world.add(&["--page", &world.url("/p1"), "--hook", &world.receiver.url()]);
    world.found();
    world.put("/p1", "storks");
    world.receiver.answers(HELD);
    let running = Running::start(world.command(&["watch", "run", "--all", "-q"]));
    until("the webhook", || (world.receiver.received().len() == 1).then_some(()));
    running.kill();
    world.receiver.answers("200 OK");
    // It is not due again, but what was found is told.
    assert_eq!(world.watch(&["run", "--json"]).exits(0).json()["told"]["taken"], 1);
    assert_eq!(world.watch(&["run", "--json"]).exits(0).json()["told"]["taken"], 0);
    check_received(&world.receiver, &set(&["changed /p1"]), &world.feed(), 1);
    assert_eq!(world.receiver.received().len(), 2);
}

#[test]
fn several_who_look_at_once_tell_it_once() {
    let world = World::new();
    world.put("/p1", "herons");
    world.add(&["--site", &world.url("/"), "--hook", &world.receiver.url()]);
    world.found();
    let (server, address) = serve(&world);
    world.put("/p1", "storks");
    world.put("/p2", "egrets");
    ask(&address, "POST", "/1/run", &json!({}));
    let start = |_| Running::start(world.command(&["watch", "run", "--all", "--json"]));
    let running: Vec<Running> = (0..3).map(start).collect();
    for one in running {
        one.finish().exits(0);
    }
    until("all is told", || {
        let shown = ask(&address, "GET", "/1", &Value::Null);
        (shown["deliveries"][0]["state"] == "delivered").then_some(())
    });
    server.kill();
    check_received(&world.receiver, &set(&["changed /p1", "new /p2"]), &world.feed(), 0);
}

/// A server on the data folder, and its address.
fn serve(world: &World) -> (Running, String) {
    let server = Running::start(world.command(&["serve", "--listen", "127.0.0.1:0", "--json"]));
    let told: Value = serde_json::from_str(&server.prints("listen")).expect("JSON");
    let address = told["listen"].as_str().expect("an address");
    let address = address.trim_start_matches("http://").trim_end_matches('/');
    (server, with_token(address, &world.data()))
}

fn ask(address: &str, method: &str, path: &str, body: &Value) -> Value {
    let body = if method == "GET" { String::new() } else { body.to_string() };
    let answer = http(address, method, &format!("/api/v1/watches{path}"), &body);
    serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{path}: {}", answer.body))
}

#[test]
fn a_server_keeps_watch_and_goes_on_after_it_was_killed() {
    let world = World::new();
    world.put("/p1", "herons");
    let (server, address) = serve(&world);
    let order = json!({"site": world.url("/"), "hook": world.receiver.url(), "name": "Birds"});
    let added = ask(&address, "POST", "", &order);
    let token = added["feed"].as_str().expect("a feed").to_owned();
    until("the baseline", || {
        ask(&address, "GET", "/1", &Value::Null)["baseline"].as_bool().filter(|it| *it)
    });
    let agents = http(&address, "GET", "/api/agents", "").body;
    assert!(agents.contains("\"watches\""), "{agents}");
    server.kill();
    world.put("/p1", "storks");
    world.put("/p2", "egrets");
    let (server, address) = serve(&world);
    assert_eq!(ask(&address, "POST", "/1/run", &json!({})), json!({"done": true}));
    until("the webhook", || (!world.receiver.received().is_empty()).then_some(()));
    server.kill();
    let (_server, address) = serve(&world);
    let shown = until("the answer is on record", || {
        let shown = ask(&address, "GET", "/1", &Value::Null);
        (shown["deliveries"][0]["state"] == "delivered").then_some(shown)
    });
    assert_eq!(shown["name"], "Birds");
    let planted = set(&["changed /p1", "new /p2"]);
    let answer = http(&address, "GET", &token, "");
    check_received(&world.receiver, &planted, &read_feed(&answer.body), 2);
    assert_eq!(http(&address, "GET", "/watches/1/feed.atom?token=wrong", "").status, 404);
    assert_eq!(http(&address, "GET", "/watches/1/feed.atom", "").status, 200);
    assert_eq!(ask(&address, "DELETE", "/1", &json!({})), json!({"done": true}));
    assert_eq!(ask(&address, "GET", "", &Value::Null), json!([]));
    let refused = ask(&address, "POST", "", &json!({"query": "x", "schedule": "sometimes"}));
    assert!(refused["hint"].as_str().expect("a hint").contains("every 6 hours"), "{refused}");
}

#[test]
fn a_person_watches_a_site_from_the_browser() {
    let world = World::new();
    world.put("/p1", "herons");
    let (_server, address) = serve(&world);
    let bare = address.rsplit_once('@').expect("a token").1;
    let browser = Browser::open(bare);
    let escape = |text: &str| text.replace(':', "%3A").replace('/', "%2F");
    let (site, hook) = (escape(&world.url("/")), escape(&world.receiver.url()));
    let refused = browser.send("/watches", "/watches", "kind=site&what=x&schedule=sometimes");
    assert_eq!(refused.status, 422, "{}", refused.body);
    let order = format!("kind=site&what={site}&name=Birds&schedule=hourly&hook={hook}");
    let added = browser.send("/watches", "/watches", &order);
    assert!(added.body.contains("whsec_"), "{}", added.body);
    let page = |view: &str| browser.get(&format!("/watches/1?view={view}")).body;
    let looks = until("the baseline", || {
        Some(page("looks"))
            .filter(|page| page.contains("baseline: ") && !page.contains("http-equiv"))
    });
    assert!(!looks.contains("whsec_"), "the secret was shown once: {looks}");
    world.put("/p1", "grey herons");
    assert_eq!(browser.send("/watches/1", "/watches/1/run", "").status, 303);
    let changes =
        until("the change", || Some(page("changes")).filter(|page| page.contains("<ins>")));
    let (_, after) = changes.split_once("about").expect("what is as it was");
    assert!(after.trim_start().starts_with("<ins>") && after.contains("grey</ins>"), "{after}");
    until("it was told", || page("deliveries").contains("taken").then_some(()));
    assert_eq!(world.receiver.received().len(), 1);
    // The feed on the page is for readers without any cookie.
    let feed = changes.split("href=\"/watches/1/feed.atom?token=").nth(1).expect("a feed");
    let feed = format!("/watches/1/feed.atom?token={}", feed.split('"').next().expect("a token"));
    assert_eq!(read_feed(&http(bare, "GET", &feed, "").body).len(), 1);
    assert!(browser.get("/watches.opml").body.contains(&feed));
    check_edits(&world, &browser);
    assert_eq!(browser.send("/watches/1?view=settings", "/watches/1/remove", "").status, 303);
    assert_eq!(browser.get("/watches/1").status, 404);
    assert!(browser.get("/watches").body.contains("Nothing is watched yet."));
}

/// Nothing is told of what only the order has changed, and what else changes is told by it.
fn check_edits(world: &World, browser: &Browser) {
    let settings = "/watches/1?view=settings";
    let page = |view: &str| browser.get(&format!("/watches/1?view={view}")).body;
    let edited =
        browser.send(settings, "/watches/1/edit", "schedule=daily+08:00&ignore=grey&name=Birds");
    assert_eq!(edited.status, 303, "{}", edited.body);
    until("a new baseline", || (page("looks").matches("baseline: ").count() == 3).then_some(()));
    assert!(page("changes").contains("1 change so far"));
    let shown = browser.get(settings).body;
    assert!(
        shown.contains("value=\"daily 08:00\"") && shown.contains(">grey</textarea>"),
        "{shown}"
    );
    assert!(!shown.contains("/watches/1/rotate"), "it has no webhook any more: {shown}");
    assert_eq!(browser.send("/watches/1", "/watches/1/pause", "").status, 303);
    assert_eq!(browser.send("/watches/1", "/watches/1/resume", "").status, 303);
    let told =
        world.watch(&["edit", "1", "--hook", &world.receiver.url(), "--json"]).exits(0).json();
    assert!(told["secret"].as_str().is_some_and(|secret| secret.starts_with("whsec_")), "{told}");
    world
        .watch(&["edit", "1", "--schedule", "sometimes"])
        .fails_with(&["sometimes"], "daily 08:00");
    world.watch(&["edit", "7", "--name", "x"]).fails_with(&["no watch 7"], "watch list");
}

#[test]
fn a_query_is_watched_in_the_index_and_may_have_its_pages_visited_again() {
    let world = World::new();
    std::fs::write(
        world.config(),
        format!(
            "{CONFIG}[revisit]\ncycle = \"1s\"\nmin_interval = \"1ms\"\ngone_after = \"1ms\"\n"
        ),
    )
    .expect("written");
    for (path, words) in [("/p1", "grey herons"), ("/p2", "white storks"), ("/p3", "night herons")]
    {
        world.put(path, words);
    }
    let missing = world.watch(&["add", "grey OR night herons", "--json"]).exits(0);
    assert_eq!(missing.json()["secret"], Value::Null);
    let ran = world.watch(&["run"]).exits(1);
    assert!(ran.stderr.contains("watch 1: "), "{}", ran.stderr);
    Running::start(world.command(&["crawl", "-q", &world.url("/")])).finish().exits(0);
    world.watch(&["remove", "1"]).exits(0);
    world.add(&["herons", "--refresh", "3s"]);
    assert_eq!(world.found(), set(&[]));
    let shown = world.watch(&["show", "2", "--json"]).exits(0).json();
    assert_eq!((&shown["pages"], &shown["baseline"]), (&2.into(), &true.into()), "{shown}");
    world.put("/p1", "grey herons and their young");
    world.put("/p2", "white storks and purple herons");
    world.put("/p3", "owls");
    assert_eq!(world.found(), set(&["changed /p1", "new /p2", "gone /p3"]));
    assert_eq!(world.found(), set(&[]));
    let saved = std::fs::read_to_string(world.data().join("lycosa.toml")).expect("a file");
    assert!(!saved.contains("time = \"3s\""), "the crawl's own settings are kept: {saved}");
}

#[test]
fn a_receiver_in_trouble_is_told_again_and_one_that_is_gone_never() {
    let world = World::new();
    world.put("/p1", "herons");
    let first = world.add(&["--page", &world.url("/p1"), "--hook", &world.receiver.url()]);
    world.found();
    world.put("/p1", "storks");
    for status in ["500 Broken", "302 Found\r\nLocation: http://127.0.0.1:1/"] {
        world.receiver.answers(status);
        world.watch(&["run", "--all"]).exits(1);
        world.put("/p1", &format!("storks after {}", &status[..3]));
    }
    let shown = world.watch(&["show", "1", "--json"]).exits(0).json();
    let delivery = shown["deliveries"].as_array().expect("a list").last().expect("one").clone();
    assert_eq!(
        (&delivery["state"], &delivery["attempts"]),
        (&"waiting".into(), &1.into()),
        "{shown}"
    );
    // A new secret signs beside the old one.
    let second = world.watch(&["rotate", "1"]).exits(0).stdout.trim().to_owned();
    world.receiver.answers("410 Gone");
    until("the next attempt", || {
        world.watch(&["run", "--json"]);
        let shown = world.watch(&["show", "1", "--json"]).exits(0).json();
        shown["hook_off"].is_string().then_some(())
    });
    let received = world.receiver.received();
    let last = received.last().expect("a request");
    assert_eq!(last.header("webhook-id"), received[0].header("webhook-id"), "one name");
    let signatures: Vec<&str> = last.header("webhook-signature").split(' ').collect();
    let timestamp = last.header("webhook-timestamp").parse().expect("seconds");
    let secrets = [second.as_str(), first["secret"].as_str().expect("a secret")];
    let expected = secrets.map(|it| sign(it, last.header("webhook-id"), timestamp, &last.body));
    assert_eq!(signatures, expected);
    world.put("/p1", "cranes");
    let count = received.len();
    world.watch(&["run", "--all"]).exits(0);
    assert_eq!(world.receiver.received().len(), count, "it is asked no more");
    // What was given up can be repeated.
    world.receiver.answers("200 OK");
    world.watch(&["resume", "1"]).exits(0);
    world.watch(&["retry", "1"]).exits(0);
    world.watch(&["run"]).exits(0);
    let again = world.receiver.received();
    assert!(
        again.len() > count
            && again[count].header("webhook-id") == received[0].header("webhook-id")
    );
    world.watch(&["retry", "1"]).fails_with(&["nothing was given up"], "watch show");
}

#[test]
fn only_the_part_of_a_page_that_counts_is_compared() {
    let world = World::new();
    let page = |menu: &str, price: &str| {
        let html = format!(
            "<meta charset=iso-8859-1><title>Shop</title><nav><p>{menu}</nav><main><p>Words about the shop and its \
             owners.</p><div id=price><p>{price} for everybody</div></main>"
        );
        world.html("/p1", &html);
    };
    page("Home", "ten euros");
    let options = ["--part", "main #price", "--hook", &world.receiver.url()];
    world.add(&[&["--page", &world.url("/p1")], &options[..]].concat());
    assert_eq!(world.found(), set(&[]));
    page("Home and away", "ten euros");
    assert_eq!(world.found(), set(&[]), "the menu does not count");
    page("Home", "twelve euros");
    assert_eq!(world.found(), set(&["changed /p1"]));
    assert_eq!(world.found(), set(&[]));
    let told = world.receiver.received()[0].json();
    let diff = &told["data"]["changes"][0]["diff"];
    assert_eq!(diff, "[-ten-] {+twelve+} euros for everybody");
    world.html("/p1", "<title>Shop</title><p>There is nothing to buy here any more, for nobody.");
    assert_eq!(world.found(), set(&["gone /p1"]));
}

#[test]
fn mail_has_text_and_html_and_a_way_out_and_comes_once() {
    let world = World::new();
    let mail = MailServer::listen();
    let smtp = format!(
        "server = \"https://search.example/\"\n[watch.smtp]\nhost = \"127.0.0.1\"\nport = {}\nsecurity = \"none\"\n\
         from = \"Lycosa <watch@example.org>\"\n",
        mail.port
    );
    std::fs::write(world.config(), format!("{CONFIG}{smtp}")).expect("written");
    world.put("/p1", "herons");
    world.add(&["--site", &world.url("/"), "--mail", "me@example.org"]);
    world.found();
    world.html("/p2", "<title>&lt;script&gt;alert(1)&lt;/script&gt;</title><p>The words of a page that means no good at all.");
    world.found();
    world.found();
    let mails = mail.mails();
    assert_eq!(mails.len(), 1, "{mails:?}");
    for part in [
        "MAIL FROM:<watch@example.org>",
        "RCPT TO:<me@example.org>",
        "To: me@example.org",
        "1 new",
        "List-Unsubscribe: <https://search.example/watches/1/unsubscribe?token=",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "Content-Type: multipart/alternative",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Type: text/html; charset=utf-8",
        "== 127.0.0.1 ==",
    ] {
        let unfolded = mails[0].replace("=\n", "").replace("\n ", " ").replace("=3D", "=");
        assert!(unfolded.contains(part), "{part} is missing in {unfolded}");
    }
    let html = mails[0].split("text/html").nth(1).expect("an HTML part");
    assert!(html.contains("&lt;script&gt;") && !html.contains("<script"), "{html}");
    let without = World::new();
    let ran = without.watch(&["add", "x", "--mail", "me@example.org"]);
    ran.fails_with(&["no server for mail"], "[watch.smtp]");
}

#[test]
fn what_cannot_be_watched_is_refused_with_a_hint() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let watch = |arguments: &[&str]| {
        let mut command = lycosa(["watch", "--data", text(&data)]);
        command.args(arguments);
        Running::start(command).finish()
    };
    watch(&["add"]).fails_with(&["nothing to watch"], "query, page and site");
    watch(&["add", "x", "--schedule", "now and then"]).fails_with(&["now and then"], "daily 08:00");
    watch(&["add", "x", "--zone", "Mars/Base"]).fails_with(&["Mars/Base"], "Europe/Madrid");
    for hook in [
        "http://127.0.0.1/",
        "http://localhost:8080/x",
        "http://[::1]/",
        "http://10.0.0.1/",
        "http://169.254.169.254/",
    ] {
        watch(&["add", "x", "--hook", hook]).fails_with(&["private"], "--allow-private");
    }
    watch(&["show", "7"]).fails_with(&["no watch 7"], "watch list");
    watch(&["run", "7"]).fails_with(&["no watch 7"], "watch list");
    let none = watch(&["list", "--json"]).exits(1);
    assert_eq!(none.json(), json!([]));
    assert!(watch(&["run"]).exits(0).stderr.contains("nothing is watched yet"));
    watch(&["add", "x"]).exits(0);
    let page = watch(&["list"]).exits(0);
    assert!(page.stdout.contains("every 6 hours"), "{}", page.stdout);
    check_private(&data);
}

/// Nobody but the owner can read what is kept.
fn check_private(data: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let dir = data.join("agents/watches");
    for entry in std::fs::read_dir(&dir).expect("a folder").flatten() {
        let mode = entry.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", entry.path().display());
    }
}
