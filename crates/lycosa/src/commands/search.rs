//! `lycosa search`: asks the index.

use crate::cli::{Common, Search};
use crate::config::Config;
use crate::failure::{Ending, Failure};
use crate::{embeddings, output};
use lycosa_model::{Explain, Preferences, SearchRequest, SearchResponse};
use lycosa_query::{MAX_DEPTH, Searcher};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Results per query in a run file: as deep as judges look.
const RUN_DEPTH: usize = MAX_DEPTH;

pub(crate) fn run(common: &Common, args: Search) -> Result<Ending, Failure> {
    let folder = Config::load(common.config.as_deref())?.search.embeddings;
    let embedding = folder.as_deref().map(embeddings::load).transpose()?.map(Arc::new);
    let searcher = open(&common.data())?.with_embedding(embedding);
    let preferences = args.preferences().ok_or_else(|| {
        let hint = format!("{} together at most", Preferences::MOST);
        Failure::new("too many sites to raise, lower and block").hint(hint)
    })?;
    if let (Some(batch), Some(run)) = (&args.batch, &args.run) {
        return self::batch(&searcher, batch, run, (&args, &preferences));
    }
    let request = SearchRequest {
        query: args.query.unwrap_or_default(),
        limit: args.limit,
        offset: 0,
        lang: args.lang,
        site: args.site,
        explain: args.explain,
        facets: common.json,
        preferences,
    };
    let response = searcher.search(&request)?;
    if common.json {
        output::json(&response)?;
    } else {
        show(&response);
    }
    Ok(if response.results.is_empty() { Ending::Partial } else { Ending::Done })
}

/// Opens the index of a data folder.
pub(crate) fn open(data: &Path) -> Result<Searcher, Failure> {
    Searcher::open(data).map_err(|error| {
        let hint = error.hint();
        Failure::from(error).hint(hint)
    })
}

/// Prints results for a person.
pub(crate) fn show(response: &SearchResponse) {
    if let Some(suggestion) = &response.suggestion {
        output::line(format!("did you mean: {suggestion}"));
    }
    for note in &response.notes {
        output::line(format!("note: {note}"));
    }
    let pages = output::counted(response.total as u64, "page");
    let verb = if response.total == 1 { "matches" } else { "match" };
    let every = match response.complete {
        complete if complete == response.total => String::new(),
        0 => ", none with every word".to_owned(),
        complete => format!(", {complete} with every word"),
    };
    output::line(format!("{pages} {verb}{every} ({:.1} ms)", response.took_ms));
    if response.blocked > 0 {
        let pages = output::counted(response.blocked as u64, "page");
        output::line(format!("{pages} of blocked sites left out"));
    }
    for hit in &response.results {
        let lang = hit.lang.map(|lang| format!(" [{lang}]")).unwrap_or_default();
        output::line(format!("\n{:3}. {}{lang}", hit.rank, hit.title));
        output::line(format!("     {}", hit.url));
        output::line(format!("     {}", hit.plain_snippet()));
        for other in &hit.also_at {
            output::line(format!("     also at {other}"));
        }
        if hit.more_from_site > 0 {
            let more = output::counted(hit.more_from_site as u64, "more page");
            output::line(format!("     {more} from this site: add site:{}", hit.site));
        }
        if let Some(explain) = &hit.explain {
            output::line(explain_text(explain, 5).trim_end());
        }
    }
}

fn explain_text(explain: &Explain, indent: usize) -> String {
    let mut text = format!("{:indent$}{:.3}  {}\n", "", explain.value, explain.what);
    for part in &explain.parts {
        let _ = write!(text, "{}", explain_text(part, indent + 2));
    }
    text
}

/// The name of a document in a run, whose columns are kept apart by white space.
fn run_name(name: &str) -> String {
    name.replace(char::is_whitespace, "_")
}

/// Every query of a file, as a TREC run. Documents go by the name their source knows them by, if they
/// have one, else by their address.
fn batch(
    searcher: &Searcher,
    queries: &Path,
    run: &Path,
    (args, preferences): (&Search, &Preferences),
) -> Result<Ending, Failure> {
    let text = std::fs::read_to_string(queries).map_err(|error| {
        Failure::new(format!("cannot read the queries {}: {error}", queries.display()))
    })?;
    let mut out = String::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Some((id, query)) = line.split_once('\t') else {
            return Err(Failure::new(format!("{}:{}: no tab", queries.display(), number + 1))
                .hint("each line is: id, tab, query"));
        };
        let request = SearchRequest {
            query: query.into(),
            lang: args.lang,
            site: args.site.clone(),
            preferences: preferences.clone(),
            ..SearchRequest::default()
        };
        for (rank, hit) in searcher.rank(&request, RUN_DEPTH)?.into_iter().enumerate() {
            let name = run_name(hit.id.as_deref().unwrap_or(&hit.url));
            let _ = writeln!(out, "{id} Q0 {name} {} {} lycosa", rank + 1, hit.score);
        }
    }
    std::fs::write(run, out).map_err(|error| {
        Failure::new(format!("cannot write the run {}: {error}", run.display()))
    })?;
    Ok(Ending::Done)
}
