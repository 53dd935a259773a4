//! What is to be seen now? The best pages of the index for a query; pages and sites as the web has them.
//!
//! Pages and sites are read by a small crawl in a data folder of its own, with the bots, the broker, the archive and
//! the index of any other crawl. So robots.txt, politeness, the guard and conditional requests are the same, and
//! no crawl or hunt of the data folder is cut off, or has to end before a watch can be looked at.

use super::Env;
use crate::commands::crawl::{self, Job};
use crate::commands::search;
use crate::config::{Config, sites};
use crate::crew;
use crate::failure::Failure;
use crate::folder;
use crate::hunts;
use crate::units::Span;
use lycosa_bot::decode::decode;
use lycosa_frontier::{ScopeKind, normal};
use lycosa_model::message::HuntView;
use lycosa_model::{Outcome, Phase, SearchRequest, UrlRecord, UrlState};
use lycosa_page::{Input, Limits, Reading};
use lycosa_query::{MAX_DEPTH, Searcher};
use lycosa_segments::StoredDocument;
use lycosa_store::archive;
use lycosa_store::folder::{DataFolder, FolderError};
use lycosa_store::records::Records;
use lycosa_watch::{PageSeen, Plan, Seen, Selector, Sight, Subject, Watch};
use std::time::Duration;
use url::Url;

/// Longest time for which the pages of one watch are read.
const LONGEST: Duration = Duration::from_secs(3_600);

/// Looks.
pub(super) fn look(env: &Env, watch: &Watch, plan: &Plan) -> Result<Seen, Failure> {
    match &plan.subject {
        Subject::Query(query) => {
            let note = match watch.order.refresh {
                Some(seconds) => refresh(env, Duration::from_secs(seconds))?,
                None => None,
            };
            let searcher = search::open(&env.data)?;
            Ok(Seen { note, ..asked(&searcher, query, watch, plan)? })
        }
        Subject::Page(url) | Subject::Site(url) => read(env, url, watch, plan),
    }
}

/// What the index says now.
fn asked(searcher: &Searcher, query: &str, watch: &Watch, plan: &Plan) -> Result<Seen, Failure> {
    let request =
        SearchRequest { query: query.to_owned(), lang: plan.lang, ..SearchRequest::default() };
    if searcher.documents()? == 0 && !watch.items.is_empty() {
        // Nobody has seen the pages go.
        return Err(Failure::new("the index is empty").hint("crawl first"));
    }
    let ranked = searcher.rank_complete(&request, MAX_DEPTH)?;
    let mut pages = Vec::new();
    let least = watch.order.min_score.unwrap_or(f32::MIN);
    for (place, page) in ranked.iter().enumerate() {
        let is_known = watch.items.contains_key(&page.url);
        if !is_known && (place >= plan.best || page.score < least) {
            continue;
        }
        // It may have left the index in this very moment; then it is seen next time.
        if let Some(document) = searcher.document_by_id(page.url_id)? {
            let mut seen = page_seen(document, watch);
            seen.score = Some(page.score);
            // The search has seen to the language: some of a page is enough.
            seen.lang = plan.lang.or(seen.lang);
            pages.push((page.url.clone(), Sight::Page(seen)));
        }
    }
    let all = ranked.len() < MAX_DEPTH;
    for url in watch.items.keys().filter(|url| !ranked.iter().any(|page| page.url == **url)) {
        let id = normal::parse(url).ok().map(|address| address.id);
        let is_there = match id {
            Some(id) => searcher.document_by_id(id)?.is_some(),
            None => false,
        };
        match is_there {
            false => pages.push((url.clone(), Sight::Gone("it has left the index".into()))),
            true if all => {
                pages.push((url.clone(), Sight::Gone("it does not match any more".into())));
            }
            // With so many that match, whether it is one of them cannot be told.
            true => {}
        }
    }
    Ok(Seen { pages, note: None })
}

fn page_seen(document: StoredDocument, watch: &Watch) -> PageSeen {
    let whole = watch.order.whole || document.main.is_empty();
    PageSeen {
        title: document.title,
        text: if whole { document.text } else { document.main },
        lang: document.lang,
        score: None,
        agent: document.agent,
    }
}

/// A part of a page. The index has no markup, so it is read in the archive.
fn part_seen(
    document: StoredDocument,
    part: &Selector,
    record: &UrlRecord,
    folder: &DataFolder,
    config: &Config,
) -> Sight {
    let Some(place) = &record.archived else {
        return Sight::Failed("parts are read in the archive, and it is not there".into());
    };
    let response = match archive::read_at(&folder.archive().join(&place.file), place.offset) {
        Ok(record) => record.http(),
        Err(error) => return Sight::Failed(format!("it cannot be read in the archive: {error}")),
    };
    let body = response.ok().and_then(|response| {
        let limit = crew::decode_limit(config);
        Some((decode(&response.headers, &response.body, &limit).ok()?, response.headers))
    });
    let Some((body, headers)) = body else {
        return Sight::Failed("it cannot be read in the archive".into());
    };
    let Some(cut) = part.cut(&body) else {
        return Sight::Gone("it does not have the part".into());
    };
    let input = Input::new(document.url_id, &document.url, &cut).with_headers(&headers);
    match lycosa_page::read(&input, &Limits::default()) {
        Reading::Document(read) => Sight::Page(PageSeen {
            title: document.title,
            text: read.text,
            lang: document.lang,
            score: None,
            agent: document.agent,
        }),
        Reading::NotText { .. } => Sight::Failed("it has no markup".into()),
    }
}

/// Visits known pages of the data folder again that are due, if nobody works there. Tells what is to be known of it.
fn refresh(env: &Env, time: Duration) -> Result<Option<String>, Failure> {
    let saved = env.data.join("lycosa.toml");
    if !saved.exists() {
        return Ok(Some("no crawl has been here that could be gone on with".into()));
    }
    let before = std::fs::read(&saved)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", saved.display())))?;
    let mut config = Config::read(&saved)?;
    if sites::check_complete(&config).is_err() {
        return Ok(Some("pages were not visited again: secrets of the crawl are missing".into()));
    }
    (config.metrics, config.crawl.pages, config.crawl.time) = (None, None, Some(Span(time)));
    config.fetch.allow_private |= env.config.fetch.allow_private;
    let folder = match DataFolder::lock(&env.data) {
        Ok(folder) => folder,
        Err(FolderError::InUse { .. }) => {
            return Ok(Some("pages were not visited again: another crawl is at work".into()));
        }
        Err(error) => return Err(error.into()),
    };
    // The run of a hunt that waits to be gone on with is its own.
    let last = hunts::last_run(&folder)?;
    let open = |view: &HuntView| view.run == Some(last) && view.state != Phase::Finished;
    if hunts::Shelf::new(&env.data).all()?.iter().any(open) {
        return Ok(Some("pages were not visited again: a hunt waits to go on".into()));
    }
    // What the crawl was told to do is not changed by a look at its pages.
    let begun = Box::new(move |_| {
        let new = saved.with_extension("toml.new");
        let written = std::fs::write(&new, before).and_then(|()| std::fs::rename(&new, &saved));
        if let Err(error) = written {
            tracing::warn!("cannot write {}: {error}", saved.display());
        }
        Phase::Running
    });
    let job = Job::new(config, env.data.clone());
    let job = Job { resume: true, revisit: true, quiet: true, begun: Some(begun), ..job };
    run(job, &folder, env).map(|_| None)
}

/// A small crawl from its beginning to its end.
fn run(job: Job, folder: &DataFolder, env: &Env) -> Result<crawl::Summary, Failure> {
    let runtime = crew::runtime(&job.config)?;
    let summary = runtime.block_on(async {
        let web = crew::open_web(&job.config)?;
        crawl::crawl_web(job, folder, web, &env.interrupt).await
    })?;
    if env.interrupt.asked() {
        return Err(crawl::stopped_early());
    }
    Ok(summary)
}

/// What the web says now.
fn read(env: &Env, url: &str, watch: &Watch, plan: &Plan) -> Result<Seen, Failure> {
    let data = env.shelf.web();
    let folder = folder::lock(&data)?;
    let mut seeds = vec![url.to_owned()];
    if matches!(plan.subject, Subject::Site(_)) {
        // What is known is asked for, so that what is gone is known from its own answer.
        seeds.extend(watch.items.keys().cloned());
    }
    let job = Job { seeds, quiet: true, ..Job::new(config(env, url, plan), data.clone()) };
    let summary = run(job, &folder, env)?;
    let records = Records::open(&folder.broker())?;
    let number = records.run()?.map_or(0, |run| run.number);
    let searcher = Searcher::open(&data).ok();
    let subject = normal::parse(url).ok().map(|address| address.id);
    let mut pages = Vec::new();
    for row in records.urls() {
        let (id, record) = row?;
        if record.run != number || record.queued.is_some() {
            continue;
        }
        let is_wanted = watch.items.contains_key(&record.url) || subject == Some(id);
        let document = match (&searcher, is_page(&record)) {
            (Some(searcher), true) => searcher.document_by_id(id)?,
            _ => None,
        };
        match document {
            Some(document) => {
                let sight = match &plan.part {
                    None => Sight::Page(page_seen(document, watch)),
                    Some(part) => part_seen(document, part, &record, &folder, &env.config),
                };
                pages.push((record.url, sight));
            }
            None if is_wanted => {
                let sight = without_text(&record);
                pages.push((record.url, sight));
            }
            None => {}
        }
    }
    pages.sort_by(|(a, _), (b, _)| a.cmp(b));
    keep_within(&mut pages, watch, plan);
    if pages.is_empty() {
        let why = summary.seeds.first().map_or("there is nothing to read", |fault| &fault.reason);
        pages.push((url.to_owned(), Sight::Failed(why.to_owned())));
    }
    Ok(Seen { pages, note: None })
}

/// Leaves out new pages beyond the number that is watched.
fn keep_within(pages: &mut Vec<(String, Sight)>, watch: &Watch, plan: &Plan) {
    let mut room =
        usize::try_from(plan.pages).unwrap_or(usize::MAX).saturating_sub(watch.items.len());
    pages.retain(|(url, sight)| {
        let is_new = matches!(sight, Sight::Page(_)) && !watch.items.contains_key(url);
        if is_new && room == 0 {
            return false;
        }
        room -= usize::from(is_new);
        true
    });
}

fn is_page(record: &UrlRecord) -> bool {
    matches!(record.outcome, Some(Outcome::Fetched | Outcome::NotModified | Outcome::SameAs))
}

/// What a page that has no text means.
fn without_text(record: &UrlRecord) -> Sight {
    match (record.outcome, record.state) {
        (Some(Outcome::ClientError), UrlState::Answered(status @ (404 | 410))) => {
            Sight::Gone(format!("the server answers with {status}"))
        }
        (Some(outcome @ (Outcome::SoftNotFound | Outcome::Redirect)), _) => {
            Sight::Gone(outcome.explain().to_owned())
        }
        (Some(Outcome::Fetched | Outcome::NotModified | Outcome::SameAs), _) => {
            Sight::Failed("it has no text, or asks not to be indexed".into())
        }
        (Some(_), UrlState::Answered(status)) => {
            Sight::Failed(format!("the server answers with {status}"))
        }
        (Some(outcome), _) => Sight::Failed(outcome.explain().to_owned()),
        (None, _) => Sight::Failed("it was not asked for".into()),
    }
}

/// How the pages of a watch are read.
fn config(env: &Env, url: &str, plan: &Plan) -> Config {
    let mut config = env.config.clone();
    config.metrics = None;
    // The same text at another address is decided by the watch, which knows what it compares.
    (config.content.copies, config.content.variants) = (false, false);
    config.index.write = true;
    let crawl = &mut config.crawl;
    (crawl.topic, crawl.examples, crawl.synthetic) = (None, None, None);
    (crawl.lang, crawl.store_only_lang, crawl.agents) = (None, false, None);
    crawl.strategy = Some("breadth-first".into());
    crawl.time = Some(crawl.time.map_or(Span(LONGEST), |time| Span(time.0.min(LONGEST))));
    match plan.subject {
        Subject::Site(_) => {
            let has_path = Url::parse(url).is_ok_and(|url| url.path() != "/");
            crawl.scope = if has_path { ScopeKind::Prefix } else { ScopeKind::Site };
            crawl.pages = Some(plan.pages);
        }
        _ => {
            // A redirect may lead anywhere, a link nowhere.
            (crawl.scope, crawl.depth, crawl.pages) = (ScopeKind::Any, Some(0), None);
            crawl.sitemaps = false;
        }
    }
    config
}
