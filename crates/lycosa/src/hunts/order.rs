//! What does an order mean, when the configuration says the rest?

use super::shelf::Shelf;
use crate::commands::crawl::Job;
use crate::config::Config;
use crate::failure::Failure;
use crate::units::Span;
use lycosa_frontier::{ScopeKind, normal};
use lycosa_model::Lang;
use lycosa_model::message::HuntOrder;
use lycosa_strategy::Setup;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// What a hunt does where neither a person nor the configuration says anything: agents go wherever
/// links lead, and it has an end.
pub(crate) fn apply_defaults(config: &mut Config, scope: Option<ScopeKind>) {
    let hunt = &config.hunt;
    let crawl = &mut config.crawl;
    crawl.strategy.get_or_insert_with(|| hunt.strategy.clone());
    if crawl.time.is_none() {
        crawl.pages.get_or_insert(hunt.pages);
    }
    crawl.scope = scope.unwrap_or(ScopeKind::Any);
}

/// The job that an order is.
pub(crate) fn job_of(
    order: &HuntOrder,
    base: &Config,
    data: &Path,
    (shelf, id): (&Shelf, u64),
) -> Result<Job, Failure> {
    let mut config = base.clone();
    let crawl = &mut config.crawl;
    crawl.topic = Some(order.query.trim().to_owned());
    crawl.strategy = order.strategy.clone().or(crawl.strategy.take());
    crawl.agents = order.agents.map(|agents| agents.max(1)).or(crawl.agents);
    crawl.pages = order.pages.or(crawl.pages);
    crawl.time = order.seconds.map(|seconds| Span(Duration::from_secs(seconds))).or(crawl.time);
    crawl.depth = order.depth.or(crawl.depth);
    crawl.exclude.extend(order.exclude.iter().cloned());
    crawl.check_exclusions()?;
    if let Some(lang) = &order.lang {
        let parsed = Lang::parse(lang);
        let parsed = parsed.ok_or_else(|| Failure::new(format!("`{lang}` is no language")));
        crawl.lang = Some(parsed.map_err(|failure| failure.hint("write es or en"))?);
    }
    let scope = order.scope.as_deref().map(|scope| {
        scope.parse::<ScopeKind>().map_err(|_| {
            Failure::new(format!("`{scope}` is no scope")).hint("site, domain, prefix or any")
        })
    });
    apply_defaults(&mut config, scope.transpose()?);
    if let Some(parameters) = &order.parameters {
        let mut all = serde_json::to_value(&config.strategy)?;
        merge(&mut all, parameters);
        config.strategy = serde_json::from_value(all).map_err(|error| {
            Failure::new(format!("parameters: {error}"))
                .hint("they are those of the sections [strategy.NAME] of the configuration")
        })?;
    }
    check(order, &config)?;
    let seeds = addresses(&order.urls)?;
    if !order.examples.is_empty() {
        let path = shelf.beside(id, "examples");
        std::fs::write(&path, addresses(&order.examples)?.join("\n"))
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
        config.crawl.examples = Some(path);
    }
    Ok(Job { seeds, quiet: true, ..Job::new(config, data.to_owned()) })
}

/// Addresses of pages as they are requested. Whatever else stood in their place, such as a line with the name
/// of a file of this machine, does not.
fn addresses(urls: &[String]) -> Result<Vec<String>, Failure> {
    let address = |url: &String| match normal::parse(url) {
        Ok(address) => Ok(address.request),
        Err(error) => Err(Failure::new(format!("`{url}` is no address of a page: {error}"))
            .hint("write http://… or https://…")),
    };
    urls.iter().map(address).collect()
}

/// Whether it can be hunted at all.
fn check(order: &HuntOrder, config: &Config) -> Result<(), Failure> {
    if order.query.trim().is_empty() && order.examples.is_empty() {
        return Err(Failure::new("there is nothing to look for")
            .hint("put words into `query`, or pages into `examples`"));
    }
    if order.query.trim().is_empty() && order.urls.is_empty() {
        return Err(Failure::new("without words no search engine can be asked where to begin")
            .hint("put words into `query`, or pages to begin with into `urls`"));
    }
    config.crawl.check_agents()?;
    let setup = Setup { parameters: config.strategy.clone(), ..Setup::default() };
    match lycosa_strategy::by_name(config.crawl.strategy(), &setup) {
        Ok(_) => Ok(()),
        Err(unknown) => Err(Failure::new(unknown.to_string()).hint(unknown.hint)),
    }
}

/// Puts one value over another, object by object.
fn merge(into: &mut Value, over: &Value) {
    match (into, over) {
        (Value::Object(into), Value::Object(over)) => {
            for (key, value) in over {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, over) => *into = over.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn made(order: Value) -> Result<Job, Failure> {
        let dir = tempfile::tempdir().expect("a folder");
        let shelf = Shelf::new(dir.path());
        let order: HuntOrder = serde_json::from_value(order).expect("an order");
        shelf.add(order.clone(), "", true).expect("kept");
        job_of(&order, &Config::default(), dir.path(), (&shelf, 1))
    }

    #[test]
    fn what_an_order_does_not_say_has_a_sensible_value() {
        let crawl = made(json!({"query": " sea birds "})).expect("a job").config.crawl;
        assert_eq!(crawl.topic.as_deref(), Some("sea birds"));
        assert_eq!((crawl.strategy(), crawl.pages), ("infospiders", Some(500)));
        assert_eq!(crawl.scope, ScopeKind::Any);
        let crawl = made(json!({"query": "x", "seconds": 60, "scope": "site"})).expect("a job");
        assert_eq!((crawl.config.crawl.pages, crawl.config.crawl.scope), (None, ScopeKind::Site));
    }

    #[test]
    fn parameters_of_a_strategy_are_taken_and_unknown_ones_refused() {
        let order = |theta: Value| json!({"query": "x", "parameters": {"infospiders": theta}});
        let job = made(order(json!({"theta": 4.0}))).expect("a job");
        let taken = serde_json::to_value(&job.config.strategy).expect("json");
        assert_eq!(taken["infospiders"]["theta"], 4.0);
        let failure = made(order(json!({"teta": 4.0}))).err().expect("refused");
        assert!(failure.to_string().contains("teta"), "{failure}");
    }

    #[test]
    fn no_file_of_this_machine_is_read_as_an_example() {
        let dir = tempfile::tempdir().expect("a folder");
        let shelf = Shelf::new(dir.path());
        let examples = vec!["http://x.test/a\n/etc/passwd".to_owned()];
        let order = HuntOrder { query: "x".into(), examples, ..HuntOrder::default() };
        shelf.add(order.clone(), "", true).expect("kept");
        let job = job_of(&order, &Config::default(), dir.path(), (&shelf, 1)).expect("a job");
        let list =
            std::fs::read_to_string(job.config.crawl.examples.expect("a list")).expect("read");
        assert_eq!(list.lines().count(), 1, "{list}");
        assert!(list.starts_with("http://x.test/"), "{list}");
    }

    #[test]
    fn an_order_that_cannot_be_carried_out_is_refused_with_a_hint() {
        for (order, what) in [
            (json!({}), "nothing to look for"),
            (json!({"query": "x", "strategy": "dance"}), "dance"),
            (json!({"query": "x", "urls": ["/etc/passwd"]}), "/etc/passwd"),
            (json!({"query": "x", "examples": ["/etc/passwd"]}), "/etc/passwd"),
            (json!({"examples": ["http://x.test/"]}), "where to begin"),
            (json!({"query": "x", "agents": 100_000_000}), "too many"),
            (json!({"query": "x", "lang": "klingon"}), "klingon"),
            (json!({"query": "x", "scope": "moon"}), "moon"),
            (json!({"query": "x", "exclude": ["a.test", "*/*"]}), "*/*"),
        ] {
            let failure = made(order).err().expect("refused");
            assert!(failure.to_string().contains(what), "{failure}");
            assert!(failure.hint_text().is_some(), "{failure}");
        }
    }
}
