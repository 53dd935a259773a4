//! Which pages are indexed? Real ones from archives; where more are needed, pages crossed from two real ones
//! of a language. Words and their frequencies stay those of real pages, which a made-up web with its few
//! hundred words cannot give, and no two pages are near-duplicates.

use crate::Failure;
use lycosa_model::message::{Entry, Parts};
use lycosa_model::{Lang, UrlId};
use lycosa_page::{Input, Limits, Reading};
use lycosa_store::archive::{self, Kind, Reader};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Lines that a crossed page takes from one page before it takes some from the other.
const STRIDE: usize = 3;

/// The archives beside the project.
pub(crate) fn shared() -> Result<Vec<PathBuf>, Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/web");
    let mut archives: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map_err(|_| "../shared/web is not here; name archives with --warc")?
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            name.is_some_and(|name| name.starts_with("dev-") && name.ends_with(".warc.gz"))
        })
        .collect();
    archives.sort();
    Ok(archives)
}

/// The first pages of the archives, spread over all of them.
pub(crate) fn read(archives: &[PathBuf], count: usize) -> Result<Vec<Entry>, Failure> {
    let mut pages = Vec::new();
    let share = count.div_ceil(archives.len().max(1));
    for path in archives {
        let before = pages.len();
        for entry in Reader::open(path, archive::Limits::default())? {
            if pages.len() - before >= share {
                break;
            }
            if let archive::Entry::Record(record) = entry? {
                pages.extend(page(&record));
            }
        }
    }
    match pages.is_empty() {
        true => Err("no pages in the archives".into()),
        false => Ok(pages),
    }
}

/// The page in a record, as a crawl reads it; one with a coding is left out.
fn page(record: &archive::Record) -> Option<Entry> {
    let response = record.http().ok().filter(|_| record.kind == Kind::Response)?;
    if response.status != 200 || response.headers.get("Content-Encoding").is_some() {
        return None;
    }
    let url = record.target_uri.as_deref()?;
    let parts = Parts { words_of_links: false, markdown: false, ..Parts::ALL };
    let input = Input::new(UrlId::of(url), url, &response.body).with_headers(&response.headers);
    match lycosa_page::read(&input.for_parts(parts), &Limits::default()) {
        Reading::Document(mut document) if !document.text.trim().is_empty() => {
            document.links = Vec::new();
            let fetched = record.date.unwrap_or_default();
            Some(Entry { document: *document, agent: "bench".into(), fetched, id: None })
        }
        _ => None,
    }
}

/// So many pages: the real ones, then crossed ones.
pub(crate) fn grown(mut pages: Vec<Entry>, count: usize, seed: u64) -> Vec<Entry> {
    pages.truncate(count);
    let mut languages: BTreeMap<Option<Lang>, Vec<usize>> = BTreeMap::new();
    for (place, page) in pages.iter().enumerate() {
        languages.entry(page.document.main_language()).or_default().push(place);
    }
    let real = pages.len();
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    while pages.len() < count {
        let number = pages.len();
        let first = number % real;
        let others = &languages[&pages[first].document.main_language()];
        let second = others[dice.random_range(0..others.len())];
        let page = crossed(&pages[first], &pages[second], number, &mut dice);
        pages.push(page);
    }
    pages
}

/// A page made of lines of two, at an address of its own.
fn crossed(first: &Entry, second: &Entry, number: usize, dice: &mut ChaCha8Rng) -> Entry {
    let mut page = first.clone();
    let document = &mut page.document;
    document.url =
        format!("{}/{number}", document.url.replacen("://", &format!("://c{}.", number % 997), 1));
    document.url_id = UrlId::of(&document.url);
    document.simhash = dice.random();
    document.text = braided(&first.document.text, &second.document.text);
    document.main = braided(&first.document.main, &second.document.main);
    // Half of either title.
    let half = |title: &str, skip: bool| -> Vec<String> {
        let words: Vec<&str> = title.split_whitespace().collect();
        let (head, tail) = words.split_at(words.len() / 2);
        (if skip { tail } else { head }).iter().map(|word| (*word).to_owned()).collect()
    };
    let mut title = half(&first.document.title, false);
    title.extend(half(&second.document.title, true));
    document.title = title.join(" ");
    page
}

/// Some lines of one text, then some of the other, as many as the first has.
fn braided(first: &str, second: &str) -> String {
    let lines = |text: &'_ str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (first, second) = (lines(first), lines(second));
    let pick = |place: usize| match (place / STRIDE) % 2 {
        0 => first.get(place),
        _ => second.get(place).or_else(|| first.get(place)),
    };
    let picked: Vec<&str> = (0..first.len()).filter_map(pick).map(String::as_str).collect();
    picked.join("\n")
}
