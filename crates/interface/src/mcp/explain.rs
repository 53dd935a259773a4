//! Why is a page where it is? What the search, the crawl and the broker say of it, as far as they can be asked.

use super::answers::{Explained, clean};
use super::arguments;
use super::tools::ask_index;
use super::{Mcp, Trouble};
use lycosa_model::message::{HuntMessage, HuntReply, InterfaceMessage, InterfaceReply};
use lycosa_model::{Prey, SearchRequest};
use std::collections::HashMap;

/// Results among which the page is looked for.
const RESULTS: usize = 100;
/// Pages of a crawl that its path is looked for in.
const CAUGHT: usize = 1_000;
/// Links of a path that are told.
const LONGEST_PATH: usize = 50;

pub(super) async fn explain(mcp: &Mcp, said: arguments::Explain) -> Result<Explained, Trouble> {
    let mut told = Explained { url: said.url.clone(), ..Explained::default() };
    if let Some(query) = &said.query {
        of_search(mcp, query, &mut told).await?;
    }
    if let Some(id) = said.crawl_id {
        of_crawl(mcp, id, &mut told).await?;
    }
    // Only a crawl that runs can say more.
    match mcp.ask(InterfaceMessage::Url { url: said.url.clone() }).await {
        Ok(InterfaceReply::Url(Some(view))) => {
            told.reasons.push(clean(&view.reason));
            told.reasons.extend(view.explain.iter().map(|reason| clean(reason)));
            if let Some(find) = view.find {
                told.agent.get_or_insert(find.agent);
                told.relevance.get_or_insert(find.relevance);
                told.chosen = find.why;
            }
            if told.path.is_empty() {
                told.path.extend(view.via);
            }
        }
        Ok(_) => told.reasons.push("the crawl that runs does not know this URL".into()),
        Err(trouble) => told.reasons.push(trouble.error),
    }
    if let Ok(InterfaceReply::Page(page)) =
        mcp.ask(InterfaceMessage::Page { url: said.url.clone() }).await
    {
        told.reasons.push(match page {
            Some(page) => format!("it is in the index, fetched by {}", page.agent),
            None => "it is not in the index".into(),
        });
    }
    Ok(told)
}

async fn of_search(mcp: &Mcp, query: &str, told: &mut Explained) -> Result<(), Trouble> {
    let (query, limit) = (query.to_owned(), RESULTS);
    let request = SearchRequest { query, limit, explain: true, ..SearchRequest::default() };
    let found = ask_index(mcp, request).await?;
    let is_it = |url: &String| *url == told.url;
    let hit =
        found.results.into_iter().find(|hit| is_it(&hit.url) || hit.also_at.iter().any(is_it));
    match hit {
        Some(hit) => {
            told.reasons.push(format!("it is result {} of {}", hit.rank, found.total));
            told.score = hit.explain;
        }
        None => told.reasons.push(format!("it is not among the first {RESULTS} results")),
    }
    Ok(())
}

async fn of_crawl(mcp: &Mcp, id: u64, told: &mut Explained) -> Result<(), Trouble> {
    let reply = mcp.hunts(HuntMessage::Results { id, limit: CAUGHT }).await?;
    let HuntReply::Results(prey) = reply else { return Ok(()) };
    let known: HashMap<&str, &Prey> = prey.iter().map(|prey| (prey.url.as_str(), prey)).collect();
    let Some(it) = known.get(told.url.as_str()) else {
        told.reasons.push(format!("it is not among the results of crawl {id}"));
        return Ok(());
    };
    told.reasons.push(format!("it is result {} of crawl {id}, found by {}", it.rank, it.finder));
    (told.agent, told.relevance) = (Some(it.agent.clone()), Some(it.relevance));
    let mut next = it.via.as_deref();
    while let Some(url) = next
        .filter(|url| told.path.len() < LONGEST_PATH && !told.path.iter().any(|known| known == url))
    {
        told.path.push(url.to_owned());
        next = known.get(url).and_then(|prey| prey.via.as_deref());
    }
    told.path.reverse();
    Ok(())
}
