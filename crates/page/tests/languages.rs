//! Is the language of a paragraph found? Measured on manuals that exist in several languages, whose
//! addresses name theirs.

use flate2::read::MultiGzDecoder;
use lycosa_model::{Lang, UrlId};
use lycosa_page::{Input, Limits, Reading, read};
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/web");
/// The manuals: where they are, and before which of their folders the language stands.
const MANUALS: [&str; 3] = [
    "http://www.debian.org/doc/manuals/",
    "http://www.debian.org/releases/",
    "http://wiki.debian.org/FreedomBox/Manual/",
];
/// Words of a paragraph that is asked about.
const WORDS: usize = 20;
/// The share that has to be right.
const RIGHT: f64 = 0.99;

/// The language in the address of a page: a folder (`/es-ES/`), or the end of a name (`.es.html`).
fn known_language(url: &str) -> Option<Lang> {
    if !MANUALS.iter().any(|manual| url.starts_with(manual)) {
        return None;
    }
    let (folders, name) = url.rsplit_once('/')?;
    let of_name =
        name.strip_suffix(".html").and_then(|stem| stem.rsplit_once('.')).map(|(_, end)| end);
    let mut codes = folders.split('/').chain(of_name);
    let is_code = |part: &&str| {
        let bytes = part.as_bytes();
        bytes.len() == 2 || (bytes.len() == 5 && bytes[2] == b'-')
    };
    codes.find(|part| is_code(part)).and_then(Lang::parse)
}

/// Gives every response of an archive to `page`: its address and its body.
fn for_each_response(path: &Path, mut page: impl FnMut(&str, &[u8])) -> std::io::Result<()> {
    let mut file = BufReader::new(MultiGzDecoder::new(BufReader::new(std::fs::File::open(path)?)));
    let mut line = String::new();
    loop {
        let (mut url, mut length, mut is_response) = (String::new(), 0, false);
        let mut seen_head = false;
        loop {
            line.clear();
            if file.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let text = line.trim_end();
            match text.split_once(": ") {
                Some(("WARC-Type", kind)) => is_response = kind == "response",
                Some(("WARC-Target-URI", target)) => url = target.to_owned(),
                Some(("Content-Length", bytes)) => length = bytes.parse().unwrap_or(0),
                _ if text.is_empty() && seen_head => break,
                _ => {}
            }
            seen_head |= !text.is_empty();
        }
        let mut block = vec![0; length];
        file.read_exact(&mut block)?;
        if is_response && let Some(end) = block.windows(4).position(|four| four == b"\r\n\r\n") {
            page(&url, &block[end + 4..]);
        }
    }
}

/// The paragraphs of a page that are long enough, with their languages.
fn paragraphs(url: &str, body: &[u8]) -> Vec<(String, Option<Lang>)> {
    let input = Input { content_type: Some("text/html"), ..Input::new(UrlId::of(url), url, body) };
    let Reading::Document(document) = read(&input, &Limits::default()) else {
        return Vec::new();
    };
    let paragraphs = document.facts.map(|facts| facts.paragraphs).unwrap_or_default();
    let is_long = |text: &str| text.split_whitespace().count() >= WORDS;
    paragraphs
        .into_iter()
        .filter(|paragraph| is_long(&paragraph.text))
        .map(|paragraph| (paragraph.text, paragraph.lang))
        .collect()
}

/// Each four words in a row, as a number.
fn shingles(text: &str) -> Vec<u64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |four: &[&str]| {
        let mut hasher = DefaultHasher::new();
        four.hash(&mut hasher);
        hasher.finish()
    };
    words.windows(4).map(number).collect()
}

#[test]
#[allow(clippy::print_stderr, reason = "the figure is the point of this test")]
fn paragraphs_of_manuals_are_in_the_language_of_their_manual() {
    let archives = ["dev-00.warc.gz", "dev-01.warc.gz", "dev-02.warc.gz"];
    let mut found: Vec<(Lang, String, String, Option<Lang>)> = Vec::new();
    for archive in archives {
        let path = Path::new(WEB).join(archive);
        if !path.exists() {
            eprintln!("skipped: ../shared/web is not here");
            return;
        }
        for_each_response(&path, |url, body| {
            if let Some(lang) = known_language(url) {
                for (text, told) in paragraphs(url, body) {
                    found.push((lang, url.to_owned(), text, told));
                }
            }
        })
        .unwrap();
    }
    // What is not translated stands in the English manual, but for the names of sections in it.
    let english: HashSet<u64> = found
        .iter()
        .filter(|(lang, ..)| *lang == Lang::EN)
        .flat_map(|(_, _, text, _)| shingles(text))
        .collect();
    let is_english = |text: &str| {
        let all = shingles(text);
        all.iter().filter(|shingle| english.contains(shingle)).count() * 2 > all.len()
    };
    let mut counts: BTreeMap<Lang, (usize, usize)> = BTreeMap::new();
    let dump = std::env::var_os("LYCOSA_LANGUAGES_DUMP");
    for (lang, url, text, told) in &found {
        let wanted = if is_english(text) { Lang::EN } else { *lang };
        let (right, all) = counts.entry(*lang).or_default();
        *all += 1;
        *right += usize::from(*told == Some(wanted));
        if dump.is_some() && *told != Some(wanted) {
            eprintln!("{wanted} {told:?} {url}\n    {text}");
        }
    }
    let (mut right, mut all) = (0, 0);
    for (lang, (good, of)) in &counts {
        eprintln!("{lang}: {good} of {of}, {:.2} %", 100.0 * *good as f64 / *of as f64);
        right += good;
        all += of;
    }
    let share = right as f64 / all as f64;
    eprintln!("languages: {right} of {all} paragraphs right, {:.2} %", 100.0 * share);
    assert!(all > 5_000 && share >= RIGHT, "{right} of {all} paragraphs are right");
}
