//! What do the example pages say? They are read first, to learn the topic; they are neither counted,
//! nor traced, nor followed.

use crate::config::Config;
use crate::failure::Failure;
use crate::single;
use lycosa_knowledge::{Bag, RelevanceModel, analysis};
use lycosa_model::{Term, UrlId};
use lycosa_page::{Input, Limits, Reading};
use lycosa_runtime::Web;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Words of a topic that are read.
const TOPIC_WORDS: usize = 100;

/// Examples read at most.
const MOST: usize = 1_000;

/// Reads the examples named in a file, one URL or file a line.
pub(crate) async fn read(
    list: &Path,
    config: &Config,
    web: &dyn Web,
) -> Result<Vec<Vec<Term>>, Failure> {
    let text = std::fs::read_to_string(list).map_err(|error| {
        Failure::new(format!("cannot read the examples {}: {error}", list.display()))
    })?;
    let mut examples = Vec::new();
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines.take(MOST) {
        let read = if line.starts_with("http://") || line.starts_with("https://") {
            fetch(line, config, web).await
        } else {
            read_file(line, config.fetch.max_body.0)
                .map(|body| words(line, None, &body))
                .map_err(|error| error.to_string())
        };
        match read {
            Ok(terms) => examples.push(terms),
            Err(why) => tracing::warn!("example {line} is left out: {why}"),
        }
    }
    if examples.is_empty() {
        let nothing = format!("none of the examples in {} can be read", list.display());
        if config.crawl.topic.is_none() {
            return Err(Failure::new(nothing).hint("one URL or file a line"));
        }
        tracing::warn!("{nothing}, so the words of the topic alone say what is wanted");
    }
    Ok(examples)
}

/// A file, or as much of it as a page may have.
fn read_file(path: &str, most: u64) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut body)?;
    Ok(body)
}

async fn fetch(url: &str, config: &Config, web: &dyn Web) -> Result<Vec<Term>, String> {
    let (most, timeout) = (config.fetch.max_body.0, config.fetch.timeout.0);
    let page = single::get(web, url.to_owned(), config, most, timeout).await;
    let page = page.map_err(|nothing| nothing.to_string())?;
    Ok(words(url, page.headers.get("content-type"), &page.body))
}

fn words(url: &str, content_type: Option<&str>, body: &[u8]) -> Vec<Term> {
    let input = Input { content_type, ..Input::new(UrlId::of(url), url, body) };
    match lycosa_page::read(&input, &Limits::default()) {
        Reading::Document(document) => analysis::terms_of_page(&document.title, &document.text),
        Reading::NotText { .. } => Vec::new(),
    }
}

/// A model of what is wanted.
pub(crate) fn relevance(topic: Option<&str>, examples: &[Vec<Term>]) -> RelevanceModel {
    let terms = topic.map(|topic| analysis::terms(topic, TOPIC_WORDS));
    let words = Bag::of_terms(&terms.unwrap_or_default());
    let about_something = topic.is_some() || !examples.is_empty();
    let examples = examples.iter().map(|terms| Bag::of_terms(terms)).collect();
    let model = RelevanceModel::new(words, examples);
    if about_something && !model.has_topic() {
        tracing::warn!("the topic has no words that say anything, so no page is relevant");
    }
    model
}
