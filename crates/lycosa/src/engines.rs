//! Which pages do search engines name for a query? The own index and others that answer as SearXNG does
//! are asked; what they name is fused. An engine that fails is reported and left out.

use crate::config::{Config, Engine};
use crate::crew;
use crate::failure::Failure;
use crate::single::{self, Nothing};
use lycosa_bot::live::{LiveSettings, LiveWeb};
use lycosa_frontier::normal;
use lycosa_model::message::{EngineAnswer, HuntSeed};
use lycosa_model::{SearchRequest, UrlId};
use lycosa_query::Searcher;
use lycosa_runtime::Web;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;
use url::Url;

/// The name of the index of the data folder among the engines.
pub(crate) const OWN: &str = "own index";

/// Bytes of an answer at most.
const MAX_BODY: u64 = 4 << 20;

/// Pages that one engine may name.
const MOST: usize = 100;

/// How fast the worth of a place falls (reciprocal rank fusion; Cormack and others use the same).
const SLOPE: f64 = 60.0;

/// What the engines said.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// The pages, the best first.
    pub(crate) seeds: Vec<HuntSeed>,
    /// How each engine answered.
    pub(crate) answers: Vec<EngineAnswer>,
}

/// The part of SearXNG's answer that is used.
#[derive(Deserialize)]
struct Answer {
    results: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    /// Rows of other kinds have none.
    #[serde(default)]
    url: Option<String>,
}

/// Asks all engines of the configuration.
pub(crate) async fn ask(query: &str, config: &Config, data: &Path) -> Result<Named, Failure> {
    let hunt = &config.hunt;
    let mut lists: Vec<(String, Result<Vec<String>, String>)> = Vec::new();
    if hunt.own_index && data.join("index").exists() {
        lists.push((OWN.into(), own(query, config, data)));
    }
    // Whoever is in the configuration is meant, also on this machine.
    let live = LiveSettings { allow_private: true, ..crew::live_settings(config)? };
    let web = LiveWeb::new(&live)?;
    let mut answers = Vec::new();
    for engine in &hunt.engines {
        answers.push(async {
            let answer = match config.crawl.offline() {
                true => Err("not asked, since nothing leaves this machine".to_owned()),
                false => other(query, engine, config, &web).await,
            };
            (name(engine), answer)
        });
    }
    lists.extend(futures_util::future::join_all(answers).await);
    Ok(fuse(lists, hunt.seeds))
}

/// What an engine is called.
fn name(engine: &Engine) -> String {
    let host = || Url::parse(&engine.url).ok().and_then(|url| url.host_str().map(str::to_owned));
    engine.name.clone().or_else(host).unwrap_or_else(|| engine.url.clone())
}

fn own(query: &str, config: &Config, data: &Path) -> Result<Vec<String>, String> {
    let request = SearchRequest {
        query: query.into(),
        limit: MOST,
        lang: config.crawl.lang,
        ..SearchRequest::default()
    };
    let searcher = Searcher::open(data).map_err(|error| error.to_string())?;
    let found = searcher.search(&request).map_err(|error| error.to_string())?;
    Ok(found.results.into_iter().map(|hit| hit.url).collect())
}

async fn other(
    query: &str,
    engine: &Engine,
    config: &Config,
    web: &dyn Web,
) -> Result<Vec<String>, String> {
    let lang = config.crawl.lang.map(|lang| lang.to_string());
    let url = address(&engine.url, query, lang.as_deref())?;
    let answer = single::get(web, url, config, MAX_BODY, engine.timeout.0).await;
    let body = answer.map_err(|nothing| match nothing {
        Nothing::Status(403) => {
            "status 403 (SearXNG gives JSON only where its settings list that format)".into()
        }
        other => other.to_string(),
    })?;
    let body = body.body;
    let answer: Answer = serde_json::from_slice(&body)
        .map_err(|error| format!("no answer as SearXNG gives them: {error}"))?;
    Ok(answer.results.into_iter().filter_map(|row| row.url).collect())
}

/// Where an engine is asked.
fn address(base: &str, query: &str, lang: Option<&str>) -> Result<String, String> {
    let mut url = Url::parse(base).map_err(|error| format!("`{base}` is no address: {error}"))?;
    if !url.path().ends_with("/search") {
        let path = format!("{}/search", url.path().trim_end_matches('/'));
        url.set_path(&path);
    }
    url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
    if let Some(lang) = lang {
        url.query_pairs_mut().append_pair("language", lang);
    }
    Ok(url.into())
}

/// Puts lists together: a page is worth the more, the higher and the more often it stands in them.
fn fuse(lists: Vec<(String, Result<Vec<String>, String>)>, most: usize) -> Named {
    let mut named = Named::default();
    let mut pages: Vec<Page> = Vec::new();
    let mut places: HashMap<UrlId, usize> = HashMap::new();
    for (engine, list) in lists {
        let mut answer = EngineAnswer { engine: engine.clone(), ..EngineAnswer::default() };
        let urls = list.unwrap_or_else(|error| {
            answer.error = Some(error);
            Vec::new()
        });
        let addresses = urls.into_iter().filter_map(|url| normal::parse(&url).ok());
        for (place, address) in addresses.take(MOST).enumerate() {
            answer.results += 1;
            let at = *places.entry(address.id).or_insert(pages.len());
            if at == pages.len() {
                pages.push(Page { url: address.request, worth: 0.0, engines: Vec::new() });
            }
            let page = &mut pages[at];
            if !page.engines.iter().any(|(_, known)| *known == engine) {
                page.worth += 1.0 / (SLOPE + (place + 1) as f64);
                page.engines.push((place, engine.clone()));
            }
        }
        named.answers.push(answer);
    }
    pages.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    named.seeds = pages.into_iter().take(most).map(Page::seed).collect();
    named
}

/// A page that engines name.
struct Page {
    url: String,
    worth: f64,
    /// In which place each engine has it.
    engines: Vec<(usize, String)>,
}

impl Page {
    fn seed(mut self) -> HuntSeed {
        self.engines.sort();
        let engines = self.engines.into_iter().map(|(_, engine)| engine).collect();
        HuntSeed { url: self.url, engines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(engine: &str, urls: &[&str]) -> (String, Result<Vec<String>, String>) {
        (engine.into(), Ok(urls.iter().map(|url| (*url).to_owned()).collect()))
    }

    #[test]
    fn what_two_engines_name_comes_before_what_one_names() {
        let named = fuse(
            vec![
                list("a", &["http://x.test/1", "http://x.test/both"]),
                list("b", &["http://x.test/2", "http://X.test/both"]),
                ("c".into(), Err("it is down".into())),
            ],
            2,
        );
        let urls: Vec<&str> = named.seeds.iter().map(|seed| &*seed.url).collect();
        assert_eq!(urls, ["http://x.test/both", "http://x.test/1"]);
        assert_eq!(named.seeds[0].engines, ["a", "b"]);
        let errors: Vec<Option<&str>> =
            named.answers.iter().map(|answer| answer.error.as_deref()).collect();
        assert_eq!(errors, [None, None, Some("it is down")]);
        assert_eq!(named.answers[0].results, 2);
    }

    #[test]
    fn what_is_no_page_is_left_out() {
        let named = fuse(vec![list("a", &["javascript:1", "ftp://x.test/", "http://x.test/"])], 9);
        assert_eq!(named.seeds.len(), 1);
        assert_eq!(named.answers[0].results, 1);
    }

    #[test]
    fn an_engine_is_asked_where_searxng_answers() {
        let asked = |base| address(base, "wolf & spider", Some("es")).expect("an address");
        assert_eq!(
            asked("https://s.test"),
            "https://s.test/search?q=wolf+%26+spider&format=json&language=es"
        );
        assert!(asked("https://s.test/engine/").starts_with("https://s.test/engine/search?q="));
        assert!(asked("https://s.test/search").starts_with("https://s.test/search?q="));
        assert!(address("s.test", "wolf", None).is_err());
    }
}
