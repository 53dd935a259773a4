//! What does a page say about its making? Who wrote it, when, and under which headings.
//!
//! A page says so in many places. The more a place is made for programs, the more it is believed:
//! JSON-LD, `article:` properties, microdata, `meta` names, `time` elements, headers. Where places of one
//! kind disagree, as the dates in a list of articles do, none of them speaks for the page.

mod clock;
mod facts;
mod ld;
mod place;

pub(crate) use clock::Clock;

use crate::date;
use crate::extract::Main;
use crate::html::{Attr, Attrs, Hints, Tag, Tree};
use crate::space::fold_space;
use crate::visible;
use ld::Thing;
use lycosa_model::Tick;
use place::{Field, Place};

/// What is told while the page is read.
#[derive(Debug, Default)]
pub(crate) struct About {
    things: Vec<Thing>,
    /// JSON of the script that is open.
    json: Option<String>,
    json_bytes: usize,
    dates: Vec<Dated>,
    /// Names in `meta` elements, all of the kind that came first.
    authors: Vec<String>,
    author_kind: String,
    /// The first element that is marked as the author's name.
    author: Option<u32>,
    /// What is told to programs, when that is wanted.
    facts: Option<Box<facts::Raw>>,
}

/// A date, what it is of, and where it stands: an element of the tree, or the head.
#[derive(Clone, Copy, Debug)]
struct Dated {
    at: Tick,
    of: Field,
    place: Place,
    node: u32,
}

/// What came of it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Told {
    pub(crate) headings: String,
    pub(crate) byline: String,
    pub(crate) published: Option<Tick>,
    pub(crate) modified: Option<Tick>,
}

/// Dates of one page that are looked at.
const MAX_DATES: usize = 256;
/// Names in a byline.
const MAX_AUTHORS: usize = 16;
/// Bytes of a byline.
const MAX_BYLINE: usize = 256;
/// Bytes of all headings.
const MAX_HEADINGS: usize = 16 << 10;

impl About {
    /// Ready to be told; with `facts`, in full.
    pub(crate) fn new(facts: bool) -> About {
        About { facts: facts.then(Box::default), ..About::default() }
    }

    /// Whether what it tells programs is wanted.
    pub(crate) fn wants_facts(&self) -> bool {
        self.facts.is_some()
    }

    /// What the page tells programs, when that was wanted. `resolve` makes addresses absolute.
    pub(crate) fn facts(
        &mut self,
        resolve: impl FnMut(&str) -> Option<String>,
    ) -> Option<Box<lycosa_model::Facts>> {
        self.end_script();
        let raw = self.facts.take()?;
        Some(Box::new(raw.tell(&self.things, resolve)))
    }

    /// Reads a `link` element.
    pub(crate) fn take_link(&mut self, attrs: &Attrs) {
        if let Some(facts) = &mut self.facts {
            facts.take_link(attrs);
        }
    }

    /// Reads a `meta` element.
    pub(crate) fn take_meta(&mut self, attrs: &Attrs) {
        let Some(content) = attrs.get(Attr::Content) else {
            return;
        };
        if let Some(facts) = &mut self.facts {
            facts.take_meta(attrs, content);
        }
        let names = [Attr::Property, Attr::Name, Attr::Itemprop, Attr::HttpEquiv];
        for name in names.into_iter().filter_map(|attr| attrs.get(attr)) {
            match place::of_meta(name.trim()) {
                Some((Field::Author, _)) => self.add_author(name.trim(), content),
                Some((of, place)) => self.add_date(content, of, place, 0),
                None => continue,
            }
            return;
        }
    }

    fn add_author(&mut self, kind: &str, name: &str) {
        if self.authors.is_empty() {
            self.author_kind = kind.to_ascii_lowercase();
        }
        if self.authors.len() < MAX_AUTHORS && self.author_kind.eq_ignore_ascii_case(kind) {
            self.authors.push(name.to_owned());
        }
    }

    /// Reads an element that is no `meta`; `node` is its place in the tree.
    pub(crate) fn take_element(&mut self, tag: Tag, attrs: &Attrs, node: u32) {
        let date = attrs.get(Attr::Datetime).or_else(|| attrs.get(Attr::Content));
        if let Some(marks) = attrs.get(Attr::Itemprop) {
            for mark in marks.split_ascii_whitespace() {
                match (place::of_itemprop(mark), date) {
                    (Some(Field::Author), _) => self.author = self.author.or(Some(node)),
                    (Some(of), Some(date)) => return self.add_date(date, of, Place::Item, node),
                    _ => {}
                }
            }
        }
        if let (Tag::Time, Some(date)) = (tag, date) {
            let (of, place) = place::of_time(attrs);
            self.add_date(date, of, place, node);
        }
    }

    fn add_date(&mut self, text: &str, of: Field, place: Place, node: u32) {
        if self.dates.len() < MAX_DATES
            && let Some(at) = date::parse(text)
        {
            self.dates.push(Dated { at, of, place, node });
        }
    }

    /// A script begins.
    pub(crate) fn begin_script(&mut self, attrs: &Attrs) {
        let is_json = attrs.get(Attr::Type).is_some_and(|media| {
            let name = media.split(';').next().unwrap_or("").trim();
            name.eq_ignore_ascii_case("application/ld+json")
        });
        self.json = is_json.then(String::new);
    }

    /// Text of a script.
    pub(crate) fn take_script(&mut self, text: &str) {
        if let Some(json) = &mut self.json {
            let room = ld::MAX_JSON.saturating_sub(self.json_bytes);
            let piece = &text[..text.floor_char_boundary(room)];
            self.json_bytes += piece.len();
            json.push_str(piece);
        }
    }

    /// A script ends.
    pub(crate) fn end_script(&mut self) {
        if let Some(json) = self.json.take() {
            ld::read(&json, self.facts.is_some(), &mut self.things);
        }
    }

    /// What all of it says.
    pub(crate) fn tell(mut self, tree: &Tree, main: &Main, clock: &Clock, limit: usize) -> Told {
        self.end_script();
        let seen = Seen::in_content(tree, main, limit);
        self.dates.retain(|dated| clock.is_plausible(dated.at));
        self.dates.retain(|dated| dated.node == 0 || !is_beside(tree, dated.node));
        let thing = main_thing(&self.things);
        let of_thing = |date: fn(&Thing) -> Option<Tick>| {
            thing.and_then(date).filter(|at| clock.is_plausible(*at))
        };
        let published = of_thing(|thing| thing.published).or_else(|| self.best(Field::Published));
        let modified = of_thing(|thing| thing.modified).or_else(|| self.best(Field::Modified));
        let (published, modified) = clock.settle(published, modified);
        let byline = self.byline(tree, thing, seen.byline);
        Told { headings: seen.headings, byline, published, modified }
    }

    /// The date of the place that is believed most, among those whose dates agree.
    fn best(&self, of: Field) -> Option<Tick> {
        let mut dates: Vec<&Dated> = self.dates.iter().filter(|dated| dated.of == of).collect();
        dates.sort_by_key(|dated| dated.place);
        dates.chunk_by(|one, two| one.place == two.place).find_map(|same| {
            let first = same[0];
            let agree = |dated: &&Dated| day(dated.at) == day(first.at);
            (first.place.speaks_first() || same.iter().all(agree)).then_some(first.at)
        })
    }

    fn byline(&self, tree: &Tree, thing: Option<&Thing>, seen: String) -> String {
        let of_thing = thing.map(|thing| ld::resolve(&thing.author, &self.things));
        let byline = join(of_thing.iter().flatten().map(String::as_str));
        if !byline.is_empty() {
            return byline;
        }
        let byline = join(self.authors.iter().map(String::as_str));
        if !byline.is_empty() {
            return byline;
        }
        let marked = self.author.map(|node| visible::inner_text(tree, node as usize, MAX_BYLINE));
        let linked = || {
            let is_author = |rel: &str| {
                rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("author"))
            };
            let link = tree.links.iter().find(|link| {
                !link.rel.is_empty() && !link.nodes.is_empty() && is_author(&link.rel)
            })?;
            let nodes = link.nodes.start as usize..link.nodes.end as usize;
            Some(visible::range_text(tree, nodes, MAX_BYLINE))
        };
        let byline = join(marked.iter().map(String::as_str));
        if !byline.is_empty() {
            return byline;
        }
        let byline = join(linked().iter().map(String::as_str));
        if byline.is_empty() { seen } else { byline }
    }
}

/// Whether an element stands beside the content: in comments, in navigation, or in a list.
fn is_beside(tree: &Tree, node: u32) -> bool {
    let mut at = node as usize;
    while at > 0 {
        let node = &tree.nodes[at];
        let named = node.hints.has(NO_CONTENT) && !node.hints.has(Hints::BYLINE);
        if named || matches!(node.tag, Tag::Nav | Tag::Aside | Tag::Dialog | Tag::Menu | Tag::Li) {
            return true;
        }
        at = node.parent as usize;
    }
    false
}

/// Days since 1970.
fn day(at: Tick) -> u64 {
    /// Milliseconds of a day.
    const DAY: u64 = 24 * 60 * 60 * 1_000;
    at.0 / DAY
}

/// The thing that the page is: an article before a page before anything else. Several of one rank that
/// have different dates are parts of a list.
fn main_thing(things: &[Thing]) -> Option<&Thing> {
    let rank = |thing: &Thing| {
        let is = |end: &str| thing.types.iter().any(|name| name.ends_with(end));
        match () {
            () if is("Article") || is("Posting") || is("Report") => Some(0),
            () if is("Page") => Some(1),
            () if thing.published.is_some() => Some(2),
            () => None,
        }
    };
    let best = things.iter().filter_map(rank).min()?;
    let mut same = things.iter().filter(|thing| rank(thing) == Some(best));
    let first = same.next()?;
    let agree = |thing: &Thing| thing.published == first.published && thing.url == first.url;
    same.all(agree).then_some(first)
}

/// Names parted by commas, without what is no name: addresses and handles.
fn join<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut out = String::new();
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        let name = name.trim().trim_end_matches(',');
        let name = behind(&BY, name).unwrap_or(name).to_owned();
        let is_name = !name.is_empty()
            && !name.contains("://")
            && !name.starts_with(['@', '/'])
            && !name.starts_with("www.")
            && name.chars().any(char::is_alphabetic);
        if is_name && !seen.contains(&name) && seen.len() < MAX_AUTHORS {
            if !out.is_empty() {
                out.push_str(", ");
            }
            fold_space(&name, &mut out, MAX_BYLINE);
            seen.push(name);
        }
    }
    out.truncate(out.trim_end_matches([' ', ',']).len());
    out
}

/// The words that stand before the name of an author, in the languages that we meet most.
const BY: [&str; 5] = ["written by ", "by ", "posted by ", "escrito por ", "por "];
/// Those that begin names as well, as in `Von Neumann`.
const MAYBE_BY: [&str; 2] = ["von ", "par "];

/// Who is named behind one of these words at the beginning.
fn behind<'t>(words: &[&str], text: &'t str) -> Option<&'t str> {
    let is_by = |by: &&&str| text.get(..by.len()).is_some_and(|head| head.eq_ignore_ascii_case(by));
    words.iter().find(is_by).map(|by| text[by.len()..].trim())
}

/// What is seen in the content: its headings, and a line that says who wrote it.
struct Seen {
    headings: String,
    byline: String,
}

impl Seen {
    fn in_content(tree: &Tree, main: &Main, limit: usize) -> Seen {
        let mut seen = Seen { headings: String::new(), byline: String::new() };
        let content = tree.subtree(main.root);
        let mut title = None;
        let mut has_title = false;
        let mut index = 1;
        while index < tree.nodes.len() {
            let node = &tree.nodes[index];
            let end = (node.end as usize).max(index + 1);
            if node.tag == Tag::Text {
                index += 1;
                continue;
            }
            if seen.byline.is_empty() && node.hints.has(Hints::BYLINE) && !node.hidden {
                seen.byline = byline_in(tree, index);
            }
            if node.tag.heading().is_some() && !node.hidden && !node.hints.has(NO_CONTENT) {
                if content.contains(&index) {
                    has_title |= node.tag == Tag::H1;
                    seen.add(&visible::shown_text(tree, main, index, limit));
                } else if title.is_none() && node.tag == Tag::H1 && index < content.start {
                    title = Some(index);
                }
                index = end;
            } else {
                index = if main.drops(index) { end } else { index + 1 };
            }
        }
        // The title often stands above what holds the text.
        if let (Some(title), false) = (title, has_title) {
            let below = std::mem::take(&mut seen.headings);
            seen.add(&visible::shown_text(tree, main, title, limit));
            seen.add(&below);
        }
        seen
    }

    fn add(&mut self, heading: &str) {
        let heading = heading.trim_end_matches(['¶', '#', '§', ' ']);
        let room = MAX_HEADINGS.saturating_sub(self.headings.len());
        if heading.is_empty() || heading.len() >= room {
            return;
        }
        if !self.headings.is_empty() {
            self.headings.push('\n');
        }
        self.headings.push_str(heading);
    }
}

/// Names that say that a heading is not one of the content.
const NO_CONTENT: Hints = Hints::BOILERPLATE.and(Hints::COMMENTS).and(Hints::LANDMARK);

/// A name behind `by` in an element that is named as a byline, up to what is no part of it.
fn byline_in(tree: &Tree, index: usize) -> String {
    let text = visible::inner_text(tree, index, MAX_BYLINE);
    let Some(name) = behind(&BY, &text).or_else(|| behind(&MAYBE_BY, &text)) else {
        return String::new();
    };
    let end =
        name.find(|c: char| c.is_ascii_digit() || matches!(c, '|' | '•' | '·' | '—' | ':' | '('));
    let name = name[..end.unwrap_or(name.len())].trim_end();
    // The month of a date that was cut off, and the comma before it.
    let name = name.split(" on ").next().unwrap_or(name);
    join(std::iter::once(name.split(" - ").next().unwrap_or(name)))
}

#[cfg(test)]
mod tests;
