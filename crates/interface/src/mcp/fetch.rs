//! How does a model read a page?

use super::answers::{Fetched, Page, UNTRUSTED, clean, date};
use super::arguments::{self, Format};
use super::tools::{LONGEST_WAIT, finished, now_ms};
use super::{Mcp, Trouble, out_of_turn};
use lycosa_model::message::{HuntMessage, HuntOrder, HuntReply, InterfaceMessage, InterfaceReply};
use lycosa_model::{Phase, StoredPage};
use std::time::Duration;
use tokio::time::Instant;

/// Pages of one call.
const MOST_PAGES: usize = 10;
/// Characters of a page.
const CHARACTERS: usize = 5_000;
const MOST_CHARACTERS: usize = 50_000;
/// Seconds to wait for pages that must be fetched first, when nobody says how long.
const FETCH_WAIT: u64 = 20;
/// After so long a change of the index is seen for sure.
const SEEN: Duration = Duration::from_secs(2);
/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(100);

pub(super) async fn fetch(mcp: &Mcp, said: arguments::Fetch) -> Result<Fetched, Trouble> {
    let urls: Vec<String> = said.urls.iter().chain(&said.id).cloned().collect();
    if urls.is_empty() || urls.len() > MOST_PAGES {
        let hint = format!("name 1 to {MOST_PAGES} in urls");
        return Err(Trouble::new(format!("{} addresses", urls.len()), hint));
    }
    let wait = said.wait_seconds.unwrap_or(FETCH_WAIT).min(LONGEST_WAIT);
    let until = Instant::now() + Duration::from_secs(wait);
    let mut pages = Vec::new();
    for url in urls {
        pages.push(fetch_one(mcp, &said, url, until).await?);
    }
    Ok(Fetched { notice: UNTRUSTED, pages })
}

async fn stored(mcp: &Mcp, url: &str) -> Result<Option<StoredPage>, Trouble> {
    match mcp.ask(InterfaceMessage::Page { url: url.to_owned() }).await? {
        InterfaceReply::Page(page) => Ok(page.map(|page| *page)),
        _ => Err(out_of_turn()),
    }
}

/// What the index has of a page that was read a moment ago: query agents see a change at their next look.
async fn newer(
    mcp: &Mcp,
    url: &str,
    kept: Option<StoredPage>,
) -> Result<Option<StoredPage>, Trouble> {
    let before = kept.as_ref().map(|page| page.fetched);
    let until = Instant::now() + SEEN;
    loop {
        let now = stored(mcp, url).await?;
        let is_newer = now.as_ref().is_some_and(|page| Some(page.fetched) > before);
        if is_newer || Instant::now() >= until {
            return Ok(now.or(kept));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// From the index when it is there and young enough; else a crawl of this one page gets it, so that robots.txt,
/// politeness and the guard against private addresses hold as for every page.
async fn fetch_one(
    mcp: &Mcp,
    said: &arguments::Fetch,
    url: String,
    until: Instant,
) -> Result<Page, Trouble> {
    let oldest = said
        .max_age_hours
        .map(|hours| now_ms().saturating_sub((hours.max(0.0) * 3_600_000.0) as u64));
    let kept = match stored(mcp, &url).await {
        Ok(kept) => kept,
        Err(trouble) => {
            let note = Some(format!("{}; {}", trouble.error, trouble.hint));
            return Ok(Page { id: url.clone(), url, note, ..Page::default() });
        }
    };
    let young = |page: &StoredPage| oldest.is_none_or(|oldest| page.fetched.0 >= oldest);
    if let Some(page) = kept.as_ref().filter(|page| young(page)) {
        return Ok(shown(said, url, page));
    }
    let order = HuntOrder {
        query: url.clone(),
        urls: vec![url.clone()],
        strategy: Some("breadth-first".into()),
        pages: Some(1),
        depth: Some(0),
        seconds: Some(LONGEST_WAIT),
        ..HuntOrder::default()
    };
    let started = mcp.hunts(HuntMessage::Start(Box::new(order))).await;
    let (id, note) = match started {
        Ok(HuntReply::Started(id)) => (Some(id), None),
        Ok(_) => return Err(out_of_turn()),
        Err(trouble) => (None, Some(format!("{}; {}", trouble.error, trouble.hint))),
    };
    let view = match id {
        Some(id) => Some(finished(mcp, id, until).await?),
        None => None,
    };
    let ended = view.as_ref().is_some_and(|view| view.state == Phase::Finished);
    let read = ended && view.as_ref().is_some_and(|view| view.pages > 0);
    let now = if read { newer(mcp, &url, kept).await? } else { kept };
    let mut page = match &now {
        Some(page) => shown(said, url, page),
        None => Page { id: url.clone(), url, ..Page::default() },
    };
    let fresh = now.as_ref().is_some_and(young);
    page.crawl_id = id.filter(|_| !ended);
    page.note = note.or_else(|| match (ended, fresh, view.and_then(|view| view.error)) {
        (_, true, _) => None,
        (false, ..) => Some("it is being fetched: ask again later".into()),
        (true, _, Some(error)) => Some(clean(&error)),
        (true, ..) => Some("it could not be fetched, or says that it must not be kept".into()),
    });
    Ok(page)
}

fn shown(said: &arguments::Fetch, url: String, page: &StoredPage) -> Page {
    let title = clean(&page.title);
    let text = clean(&page.text);
    let whole = match said.format {
        Some(Format::Markdown) if !title.is_empty() => {
            format!("# {}\n\n{text}", title.replace('\n', " "))
        }
        _ => text,
    };
    let most = said.max_characters.unwrap_or(CHARACTERS).clamp(100, MOST_CHARACTERS);
    let from = said.cursor.unwrap_or(0);
    let mut rest = whole.chars().skip(from);
    let text: String = rest.by_ref().take(most).collect();
    let truncated = rest.next().is_some();
    Page {
        id: url.clone(),
        url,
        found: true,
        title,
        text,
        lang: page.lang.map(|lang| lang.to_string()),
        fetched: date(page.fetched),
        truncated,
        next_cursor: truncated.then_some(from + most),
        ..Page::default()
    }
}
