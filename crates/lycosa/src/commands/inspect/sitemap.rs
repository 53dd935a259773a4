//! `lycosa inspect sitemap`: which pages does a sitemap or a feed name?

use super::{batch, file_url, read_row, read_source, show};
use crate::cli::{Common, InspectSitemap};
use crate::failure::{Ending, Failure};
use lycosa_model::Tick;
use lycosa_page::sitemap::{self, Kind, Limits, Sitemap};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Row {
    file: PathBuf,
    url: Option<String>,
    content_type: Option<String>,
}

pub(super) fn run(common: &Common, args: &InspectSitemap) -> Result<Ending, Failure> {
    if args.batch {
        return batch(&args.file, |row: Row| match read_row(&row.file) {
            Ok(body) => {
                let url = row.url.unwrap_or_else(|| file_url(&row.file));
                view(&url, &read(&body, row.content_type.as_deref(), &url))
            }
            Err(error) => error,
        });
    }
    let body = read_source(&args.file)?;
    let url = args.url.clone().unwrap_or_else(|| file_url(Path::new(&args.file)));
    let sitemap = read(&body, args.content_type.as_deref(), &url);
    show(common, &view(&url, &sitemap))?;
    Ok(if sitemap.kind == Kind::Unknown { Ending::Partial } else { Ending::Done })
}

fn read(body: &[u8], content_type: Option<&str>, url: &str) -> Sitemap {
    sitemap::read(body, content_type, url, &Limits::default())
}

fn view(url: &str, sitemap: &Sitemap) -> Value {
    let entries: Vec<Value> = sitemap
        .entries
        .iter()
        .map(|entry| {
            json!({
                "url": entry.url,
                "lastmod": entry.lastmod.and_then(written),
                "priority": entry.priority.map(tenths),
                "changefreq": entry.changefreq.map(|freq| freq.name()),
            })
        })
        .collect();
    json!({
        "url": url,
        "kind": sitemap.kind.name(),
        "entries": entries,
        "faults": sitemap.faults,
    })
}

/// A moment as sitemaps write it, in UTC.
fn written(at: Tick) -> Option<String> {
    let at = jiff::Timestamp::from_millisecond(i64::try_from(at.0).ok()?).ok()?;
    Some(at.to_string())
}

/// 0.8 is 0.8, also where a wider number shows how it is stored.
fn tenths(number: f32) -> f64 {
    (f64::from(number) * 1e4).round() / 1e4
}
