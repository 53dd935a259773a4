//! What is new, changed or gone, compared with what is known?

#[cfg(test)]
mod tests;

use crate::diff::diff;
use crate::plan::Plan;
use crate::watch::{Item, Watch};
use lycosa_model::message::{ChangeKind, WatchCheck, WatchEntry, WatchOrder};
use lycosa_model::{Lang, Tick};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a page's text that are compared.
pub const MAX_TEXT: usize = 128 << 10;
/// Letters of a page's text that are told.
const EXCERPT: usize = 300;
/// Longest title and reason.
const MAX_TITLE: usize = 300;
/// Longest address that is watched.
const MAX_URL: usize = 4_096;
/// Pages that are known at most; further ones are not looked at.
pub const MAX_ITEMS: usize = 4_000;

/// What was seen at one address.
#[derive(Clone, Debug, PartialEq)]
pub enum Sight {
    /// A page.
    Page(PageSeen),
    /// It is not there any more, for this reason.
    Gone(String),
    /// It cannot be told, for this reason.
    Failed(String),
}

/// A page as it is now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageSeen {
    /// Its title.
    pub title: String,
    /// Its text, a line for each paragraph.
    pub text: String,
    /// Language of most of it.
    pub lang: Option<Lang>,
    /// Its score, of a query.
    pub score: Option<f32>,
    /// The agent that found it.
    pub agent: String,
}

/// What was seen of a watch, by address. What is not among it is as it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// In the order in which it is told.
    pub pages: Vec<(String, Sight)>,
    /// What is to be known of it, in words.
    pub note: Option<String>,
}

/// What follows from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// What is known now.
    pub items: BTreeMap<String, Item>,
    /// The texts of what is known now; nothing if they are as they were.
    pub texts: Option<BTreeMap<String, String>>,
    /// What could not be read.
    pub failing: BTreeMap<String, String>,
    /// What is told.
    pub entries: Vec<WatchEntry>,
    /// It in numbers.
    pub check: WatchCheck,
}

/// Compares what was seen with what the watch knows, whose texts are `texts`.
pub fn compare(
    watch: &Watch,
    plan: &Plan,
    texts: &BTreeMap<String, String>,
    seen: Seen,
    now: Tick,
) -> Found {
    let mut comparison = Comparison {
        order: &watch.order,
        plan,
        silent: !watch.baseline,
        items: watch.items.clone(),
        texts: texts.clone(),
        touched: false,
        was_failing: &watch.failing,
        failing: BTreeMap::new(),
        looked_at: seen.pages.iter().map(|(url, _)| url.clone()).collect(),
        entries: Vec::new(),
        known: watch.items.values().map(|item| item.fingerprint.clone()).collect(),
        check: WatchCheck { at: now, note: seen.note, ..WatchCheck::default() },
    };
    let mut left = Vec::new();
    for (url, sight) in seen.pages {
        if url.len() > MAX_URL {
            continue;
        }
        comparison.check.pages += 1;
        match sight {
            Sight::Page(page) => match comparison.why_not(&page) {
                None => comparison.page(url, page),
                Some(why) => left.push((url, why)),
            },
            Sight::Gone(why) => left.push((url, why)),
            Sight::Failed(why) => comparison.failed(url, why),
        }
    }
    // At the end, when it is known whether the same text is somewhere else now.
    for (url, why) in left {
        comparison.gone(&url, why);
    }
    comparison.found(watch, now)
}

/// A comparison under way.
struct Comparison<'a> {
    order: &'a WatchOrder,
    plan: &'a Plan,
    /// Whether nothing was known before.
    silent: bool,
    items: BTreeMap<String, Item>,
    texts: BTreeMap<String, String>,
    touched: bool,
    was_failing: &'a BTreeMap<String, String>,
    failing: BTreeMap<String, String>,
    looked_at: BTreeSet<String>,
    entries: Vec<WatchEntry>,
    /// Fingerprints of all texts that were known before or are now.
    known: BTreeSet<String>,
    check: WatchCheck,
}

impl Comparison<'_> {
    /// Why a page is none of those that are watched, if so.
    fn why_not(&self, page: &PageSeen) -> Option<String> {
        if self.plan.lang.is_some_and(|lang| page.lang != Some(lang)) {
            return Some("it is in another language".into());
        }
        let text = format!("{}\n{}", page.title, page.text).to_lowercase();
        let missing = self.order.require.iter().find(|part| !text.contains(&part.to_lowercase()));
        missing.map(|part| format!("it does not have “{part}”"))
    }

    fn page(&mut self, url: String, page: PageSeen) {
        let title = cut(&clean(page.title.trim()), MAX_TITLE);
        let text = compared(&page.text, &self.order.ignore);
        let fingerprint = match text.is_empty() {
            // Pages without text are not all the same.
            true => fingerprint(&format!("\0{url}\0{title}")),
            false => fingerprint(&text),
        };
        let entry = |change, diff| WatchEntry {
            number: 0,
            change,
            url: url.clone(),
            title: if title.is_empty() { url.clone() } else { title.clone() },
            at: Tick(0),
            text: excerpt(&text),
            diff,
            score: page.score,
            agent: page.agent.clone(),
            why: String::new(),
        };
        match self.items.get(&url) {
            Some(item) if item.fingerprint == fingerprint => return,
            Some(_) => {
                let old = self.texts.get(&url).map_or("", String::as_str);
                self.entries.push(entry(ChangeKind::Changed, diff(old, &text)));
            }
            None if self.items.len() >= MAX_ITEMS => {
                let note = format!("more than {MAX_ITEMS} pages; the others are left out");
                self.check.note.get_or_insert(note);
                return;
            }
            // The same text at another address is nothing new.
            None if self.known.contains(&fingerprint) => {}
            None => self.entries.push(entry(ChangeKind::New, Vec::new())),
        }
        self.known.insert(fingerprint.clone());
        self.items.insert(url.clone(), Item { fingerprint, title });
        self.texts.insert(url, text);
        self.touched = true;
    }

    fn gone(&mut self, url: &str, why: String) {
        let Some(item) = self.items.remove(url) else { return };
        let text = self.texts.remove(url).unwrap_or_default();
        self.touched = true;
        let other = self.items.iter().find(|(_, other)| other.fingerprint == item.fingerprint);
        let why = match other {
            Some((other, _)) => format!("{why}; the same text is at {other}"),
            None => why,
        };
        self.entries.push(WatchEntry {
            number: 0,
            change: ChangeKind::Gone,
            url: url.to_owned(),
            title: if item.title.is_empty() { url.to_owned() } else { item.title },
            at: Tick(0),
            text: excerpt(&text),
            diff: Vec::new(),
            score: None,
            agent: String::new(),
            why: cut(&why, MAX_TITLE),
        });
    }

    fn failed(&mut self, url: String, why: String) {
        self.check.errors += 1;
        let why = cut(&why, MAX_TITLE);
        let title = self.items.get(&url).map(|item| item.title.clone()).filter(|t| !t.is_empty());
        let was_failing = self.was_failing.contains_key(&url);
        self.failing.insert(url.clone(), why.clone());
        // It is told once, and again only after the page could be read in between.
        if was_failing {
            return;
        }
        self.entries.push(WatchEntry {
            number: 0,
            change: ChangeKind::Error,
            title: title.unwrap_or_else(|| url.clone()),
            url,
            at: Tick(0),
            text: String::new(),
            diff: Vec::new(),
            score: None,
            agent: String::new(),
            why,
        });
    }

    fn found(mut self, watch: &Watch, now: Tick) -> Found {
        // A site that is down is no beginning.
        let saw_something = self.check.pages > self.check.errors || self.check.pages == 0;
        self.check.baseline = self.silent && saw_something;
        if self.silent {
            self.entries.clear();
        }
        for entry in &self.entries {
            match entry.change {
                ChangeKind::New => self.check.new += 1,
                ChangeKind::Changed => self.check.changed += 1,
                ChangeKind::Gone => self.check.gone += 1,
                ChangeKind::Error => {}
            }
        }
        self.entries.retain(|entry| self.plan.tell.contains(&entry.change));
        for (entry, number) in self.entries.iter_mut().zip(watch.counted + 1..) {
            (entry.number, entry.at) = (number, now);
        }
        // What is known and was not looked at is as it was.
        let others = watch.failing.iter().filter(|(url, _)| self.items.contains_key(*url));
        for (url, why) in others.filter(|(url, _)| !self.looked_at.contains(*url)) {
            self.failing.insert(url.clone(), why.clone());
        }
        Found {
            items: self.items,
            texts: self.touched.then_some(self.texts),
            failing: self.failing,
            entries: self.entries,
            check: self.check,
        }
    }
}

/// The lines that count, with single spaces.
fn compared(text: &str, ignore: &[String]) -> String {
    let ignore: Vec<String> = ignore.iter().map(|part| part.to_lowercase()).collect();
    let mut kept = String::new();
    for line in text.lines() {
        let line = clean(line).split_whitespace().collect::<Vec<_>>().join(" ");
        let lower = if ignore.is_empty() { String::new() } else { line.to_lowercase() };
        if line.is_empty() || ignore.iter().any(|part| lower.contains(part)) {
            continue;
        }
        if kept.len() + line.len() >= MAX_TEXT {
            kept.push_str(&line[..line.floor_char_boundary(MAX_TEXT - kept.len())]);
            break;
        }
        kept.push_str(&line);
        kept.push('\n');
    }
    kept
}

/// Text without what a terminal would obey, or what reorders it.
fn clean(text: &str) -> String {
    let keeps = |c: &char| match c {
        '\t' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        c => !c.is_control(),
    };
    text.chars().filter(keeps).collect()
}

fn fingerprint(text: &str) -> String {
    data_encoding::HEXLOWER.encode(&blake3::hash(text.as_bytes()).as_bytes()[..16])
}

fn cut(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn excerpt(text: &str) -> String {
    cut(&text.replace('\n', " "), EXCERPT).trim().to_owned()
}
