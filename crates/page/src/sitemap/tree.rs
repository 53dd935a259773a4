//! What do the elements say? One pass over the tags, without a stack: an entry begins where the next
//! one begins, whatever was left open.

use super::list::List;
use super::scan::{Event, Name, Scanner, attribute, unescape};
use super::{ChangeFreq, Entry, Kind};
use crate::date;

/// Bytes of one field that are looked at; longer than every address that counts.
const MAX_FIELD: usize = 16 * 1024;
/// Alternate addresses of one entry.
const MAX_ALTERNATES: usize = 1_000;

/// Reads XML. The text begins with `<`.
pub(super) fn read(text: &str, list: &mut List) -> Kind {
    let mut reader = Reader::default();
    for event in Scanner::new(text) {
        match event {
            Event::Open { name, attributes, empty } => {
                if reader.kind.is_none() && name.is("html") {
                    list.fault("it is an HTML page");
                    return Kind::Unknown;
                }
                reader.open(name, attributes, empty, list);
            }
            Event::Close(name) => reader.close(name, list),
            Event::Text(text) => reader.text(&unescape(text)),
            Event::Raw(text) => reader.text(text),
            Event::Torn => reader.torn = true,
        }
    }
    reader.finish(list)
}

/// A field of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Address,
    Changed,
    Created,
    Frequency,
    Priority,
    /// RSS: an id that may be an address.
    Guid,
}

/// An entry that is being read.
#[derive(Debug, Default)]
struct Item {
    address: String,
    guid: String,
    /// Text beside all fields; some sites forget the `loc`.
    bare: String,
    alternates: Vec<String>,
    created: Option<lycosa_model::Tick>,
    facts: Entry,
}

#[derive(Debug, Default)]
struct Reader<'t> {
    kind: Option<Kind>,
    /// The outermost element, until it is closed.
    root: Option<Name<'t>>,
    /// The prefix that entries carry; elements with another are extensions.
    prefix: Option<&'t str>,
    item: Option<Item>,
    field: Option<(Field, String)>,
    /// An element of no concern that we are in, and how often it stands in itself.
    foreign: Option<(Name<'t>, usize)>,
    without_address: usize,
    torn: bool,
}

impl<'t> Reader<'t> {
    fn open(&mut self, name: Name<'t>, attributes: &str, empty: bool, list: &mut List) {
        self.end_field();
        if self.kind.is_none() {
            self.begin(name, attributes, list);
        }
        let Some(kind) = self.kind else { return };
        if self.is_entry(kind, name) {
            self.end_item(list);
            self.prefix = Some(name.prefix);
            if !empty {
                self.item = Some(Item::default());
            }
            return;
        }
        if let Some((outer, depth)) = &mut self.foreign {
            *depth += usize::from(*outer == name && !empty);
            return;
        }
        let Some(item) = &mut self.item else { return };
        if name.is("link") && item.link(kind, attributes) {
            return;
        }
        let ours = self.prefix == Some(name.prefix) || (kind == Kind::Rss && name.is("date"));
        match field(kind, name).filter(|_| ours) {
            Some(field) if !empty => self.field = Some((field, String::new())),
            None if !empty => self.foreign = Some((name, 1)),
            _ => {}
        }
    }

    /// Looks at elements until one tells what the file is.
    fn begin(&mut self, name: Name<'t>, attributes: &str, list: &mut List) {
        let roots = [
            ("urlset", Kind::UrlSet),
            ("sitemapindex", Kind::Index),
            ("rss", Kind::Rss),
            ("rdf", Kind::Rss),
            ("feed", Kind::Atom),
        ];
        if let Some((_, kind)) = roots.iter().find(|(root, _)| name.is(root)) {
            self.kind = Some(*kind);
            self.root = Some(name);
            if let Some(base) = attribute(attributes, "xml:base") {
                list.rebase(&base);
            }
            return;
        }
        self.kind = [Kind::UrlSet, Kind::Index, Kind::Rss, Kind::Atom]
            .into_iter()
            .find(|kind| name.is(entry_name(*kind)));
        if self.kind.is_some() {
            list.fault("the outermost element is missing");
        }
    }

    fn is_entry(&self, kind: Kind, name: Name<'_>) -> bool {
        name.is(entry_name(kind)) && self.prefix.is_none_or(|prefix| prefix == name.prefix)
    }

    fn close(&mut self, name: Name<'t>, list: &mut List) {
        self.end_field();
        if self.root.is_some_and(|root| root == name) {
            self.root = None;
        }
        if self.kind.is_some_and(|kind| self.is_entry(kind, name)) {
            self.end_item(list);
        }
        if let Some((outer, depth)) = &mut self.foreign
            && *outer == name
        {
            *depth -= 1;
            if *depth == 0 {
                self.foreign = None;
            }
        }
    }

    fn text(&mut self, text: &str) {
        let into = match (&mut self.field, &mut self.item) {
            (Some((_, value)), _) => value,
            (None, Some(item)) if self.foreign.is_none() => &mut item.bare,
            _ => return,
        };
        // Indentation is not worth keeping.
        let text = if into.is_empty() { text.trim_start() } else { text };
        let room = MAX_FIELD.saturating_sub(into.len());
        into.push_str(&text[..text.floor_char_boundary(room.min(text.len()))]);
    }

    /// A field ends with the next tag, whichever that is.
    fn end_field(&mut self) {
        if let (Some((field, value)), Some(item)) = (self.field.take(), &mut self.item) {
            item.set(field, value);
        }
    }

    fn end_item(&mut self, list: &mut List) {
        self.foreign = None;
        let Some(item) = self.item.take() else { return };
        let mut facts = item.facts;
        facts.lastmod = facts.lastmod.or(item.created);
        let id = item.guid.trim();
        let candidates = match self.kind {
            Some(Kind::Rss) if !is_address(id) => [&item.address, "", ""],
            Some(Kind::Rss) => [&item.address, id, ""],
            Some(Kind::UrlSet | Kind::Index) => [&item.address, &item.bare, ""],
            _ => [&item.address, "", ""],
        };
        match candidates.into_iter().find(|text| !text.trim().is_empty()) {
            Some(address) => {
                list.add(address, facts);
            }
            None => self.without_address += 1,
        }
        for address in &item.alternates {
            list.add(address, Entry::default());
        }
    }

    fn finish(mut self, list: &mut List) -> Kind {
        // A field that the end of the file cut off is not whole.
        self.field = None;
        if let Some(item) = &mut self.item {
            item.bare.clear();
        }
        let open = self.root.is_some() || self.item.is_some();
        if self.item.as_ref().is_some_and(|item| !item.address.is_empty()) {
            self.end_item(list);
        }
        if self.kind.is_none() {
            list.fault("it is XML, but neither a sitemap nor a feed");
        } else if self.torn || open {
            list.fault("it breaks off before its end");
        }
        if self.without_address > 0 {
            list.fault(format!("{} entries have no address", self.without_address));
        }
        self.kind.unwrap_or(Kind::Unknown)
    }
}

impl Item {
    /// Takes note of `<link href>`: the page itself in a feed, the same page in another language in a
    /// sitemap. Tells whether it was one.
    fn link(&mut self, kind: Kind, attributes: &str) -> bool {
        let Some(href) = attribute(attributes, "href") else {
            return false;
        };
        let rel = attribute(attributes, "rel").unwrap_or_default();
        if !rel.is_empty() && !rel.trim().eq_ignore_ascii_case("alternate") {
            return true;
        }
        let is_feed = matches!(kind, Kind::Rss | Kind::Atom);
        if is_feed && self.address.is_empty() {
            self.address = href.into_owned();
        } else if !is_feed && self.alternates.len() < MAX_ALTERNATES {
            self.alternates.push(href.into_owned());
        }
        true
    }

    fn set(&mut self, field: Field, value: String) {
        match field {
            Field::Address if self.address.is_empty() => self.address = value,
            Field::Guid => self.guid = value,
            Field::Changed => self.facts.lastmod = self.facts.lastmod.or(date::parse(&value)),
            Field::Created => self.created = self.created.or(date::parse(&value)),
            Field::Frequency => self.facts.changefreq = ChangeFreq::parse(&value),
            Field::Priority => {
                let number = value.trim().parse::<f32>().ok().filter(|number| number.is_finite());
                self.facts.priority = number.map(|number| number.clamp(0.0, 1.0));
            }
            Field::Address => {}
        }
    }
}

fn entry_name(kind: Kind) -> &'static str {
    match kind {
        Kind::UrlSet => "url",
        Kind::Index => "sitemap",
        Kind::Rss => "item",
        Kind::Atom | Kind::Json | Kind::Text | Kind::Unknown => "entry",
    }
}

fn field(kind: Kind, name: Name<'_>) -> Option<Field> {
    let fields: &[(&str, Field)] = match kind {
        Kind::UrlSet | Kind::Index => &[
            ("loc", Field::Address),
            ("lastmod", Field::Changed),
            ("changefreq", Field::Frequency),
            ("priority", Field::Priority),
        ],
        Kind::Rss => &[
            ("link", Field::Address),
            ("guid", Field::Guid),
            ("pubdate", Field::Changed),
            ("date", Field::Created),
        ],
        Kind::Atom | Kind::Json | Kind::Text | Kind::Unknown => &[
            ("updated", Field::Changed),
            ("modified", Field::Changed),
            ("published", Field::Created),
            ("issued", Field::Created),
        ],
    };
    fields.iter().find(|(known, _)| name.is(known)).map(|(_, field)| *field)
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}
