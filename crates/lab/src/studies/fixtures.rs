//! What do tests of studies crawl?

use crate::simulator::{ParsedWeb, Topic};
use crate::synthetic::{Naming, Shape, SyntheticWeb};

/// A small web that we made ourselves.
pub(super) fn web() -> ParsedWeb {
    let dir = tempfile::tempdir().unwrap();
    SyntheticWeb::new(7, Shape::demo(), Naming::plain()).export_warc(dir.path()).unwrap();
    let mut files: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.to_string_lossy().contains(".warc"));
    files.sort();
    ParsedWeb::read(&files, &|_| ()).unwrap()
}

/// All pages of one site are relevant; the crawl begins at it, or at another one.
pub(super) fn stars(web: &ParsedWeb) -> Topic {
    let of_site: Vec<String> = web
        .pages
        .iter()
        .map(|page| web.targets[page.target as usize].address.clone())
        .filter(|address| address.contains("//stars."))
        .collect();
    let elsewhere =
        web.targets.iter().find(|target| target.address.contains("//sailing.")).unwrap();
    let text = serde_json::json!({
        "topic": "stars", "query": "stars telescope galaxy", "examples": &of_site[1..4],
        "seeds": [of_site[0]], "seeds_d2": [elsewhere.address], "relevant": &of_site[4..]
    });
    serde_json::from_value(text).unwrap()
}
