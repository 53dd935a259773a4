//! What did the person ask for?
//!
//! Words, "phrases", `-not`, `OR`, parentheses, `begin*` and filters. Words stand side by side, `OR` binds
//! its two neighbours. There is no wrong query: an open quote or parenthesis ends with the text, a filter
//! that makes no sense is read as words, what is too long is cut, and a note says what was done.

mod filter;
mod lex;

pub(crate) use filter::Filter;

use filter::Reading;
use lex::{Lexer, Piece};
use lycosa_knowledge::analysis::word_indices;
use lycosa_model::{Lang, QueryNote};
use std::ops::Range;

/// Bytes of a query that are read.
pub const MAX_QUERY: usize = 8_192;
/// Words of a query that are read, those of phrases among them.
pub const MAX_WORDS: usize = 512;
/// Filters of a query that are read.
const MAX_FILTERS: usize = 16;
/// A question of so many words is prose: its quotes, signs and parentheses are punctuation.
const PROSE: usize = 24;
/// Parentheses inside each other that are read.
const MAX_NESTING: usize = 8;
/// Beginnings of words that are read; others are words.
const MAX_PREFIXES: usize = 8;
/// Words, phrases and groups that are excluded; others are left out.
const MAX_EXCLUDED: usize = 32;
/// Letters that must stand before a `*`.
const MIN_PREFIX: usize = 2;

/// One word, and where it stands in the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) at: Range<usize>,
}

/// A part of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A word.
    Word(Word),
    /// The beginning of a word.
    Prefix(Word),
    /// Two words or more, in this order.
    Phrase(Vec<Word>),
    /// A condition that is no word of the text.
    Filter(Filter),
    /// All of these.
    All(Vec<Node>),
    /// One of these.
    Any(Vec<Node>),
    /// Not this.
    Not(Box<Node>),
}

/// A query, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// What the page should have, and what it must not.
    pub(crate) nodes: Vec<Node>,
    /// What was repaired.
    pub(crate) notes: Vec<QueryNote>,
}

impl Asked {
    /// Whether nothing is asked for at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every word that should be in the page, in the order of the query.
    pub(crate) fn wanted(&self) -> Vec<&Word> {
        let mut words = Vec::new();
        for node in &self.nodes {
            node.wanted(&mut words);
        }
        words
    }

    /// All its words, also those that a page must not have.
    pub(crate) fn words(&self) -> Vec<&Word> {
        let mut words = Vec::new();
        for node in &self.nodes {
            node.words(&mut words);
        }
        words
    }

    /// Whether it is words, and perhaps conditions that are none.
    pub(crate) fn is_plain(&self) -> bool {
        self.nodes.iter().all(|node| match node {
            Node::Filter(Filter::Title(_) | Filter::Address(_)) => false,
            Node::Word(_) | Node::Filter(_) => true,
            _ => false,
        })
    }

    /// Whether some filter keeps to a language.
    pub(crate) fn names_language(&self, lang: Lang) -> bool {
        let names =
            |node: &Node| matches!(node, Node::Filter(Filter::Lang(named)) if *named == lang);
        self.nodes.iter().any(|node| node.any(&names))
    }

    /// Whether some filter keeps to sites, so that many results of one are what was asked for.
    pub(crate) fn names_sites(&self) -> bool {
        let mut nodes = self.nodes.iter();
        nodes.any(|node| node.any(&|node| matches!(node, Node::Filter(Filter::Site(_)))))
    }
}

impl Node {
    fn wanted<'a>(&'a self, words: &mut Vec<&'a Word>) {
        match self {
            Node::Word(word) | Node::Prefix(word) => words.push(word),
            Node::Phrase(phrase) => words.extend(phrase),
            Node::Filter(Filter::Title(title)) => words.extend(title),
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| node.wanted(words)),
            Node::Filter(_) | Node::Not(_) => {}
        }
    }

    fn words<'a>(&'a self, words: &mut Vec<&'a Word>) {
        match self {
            Node::Not(node) => node.words(words),
            Node::Filter(Filter::Address(address)) => words.extend(address),
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| node.words(words)),
            node => node.wanted(words),
        }
    }

    /// Whether `test` holds for this or for some part of it that is not negated.
    fn any(&self, test: &impl Fn(&Node) -> bool) -> bool {
        match self {
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().any(|node| node.any(test)),
            node => test(node),
        }
    }
}

/// The part of a query that is read.
pub(crate) fn readable(query: &str) -> &str {
    &query[..query.floor_char_boundary(MAX_QUERY)]
}

/// Takes a query apart.
pub(crate) fn parse(query: &str) -> Asked {
    let text = readable(query);
    let mut parser = Parser {
        open: vec![Group::default()],
        notes: Vec::new(),
        words_left: MAX_WORDS,
        filters_left: MAX_FILTERS,
        prefixes_left: MAX_PREFIXES,
        excluded_left: MAX_EXCLUDED,
        filters_at: Vec::new(),
    };
    if text.len() < query.len() {
        parser.note(QueryNote::Cut);
    }
    let mut lexer = Lexer::new(text);
    let mut is_plain = true;
    while let Some(piece) = lexer.next_piece() {
        is_plain &= piece.is_plain();
        parser.take(piece);
    }
    if lexer.closed_a_quote() {
        parser.note(QueryNote::OpenQuote);
    }
    let filters_at = std::mem::take(&mut parser.filters_at);
    let asked = parser.finish();
    if is_plain || asked.wanted().len() < PROSE {
        return asked;
    }
    prose(text, &asked, &filters_at)
}

/// Reads a text as prose: its words, and the filters that were found in it.
fn prose(text: &str, asked: &Asked, filters_at: &[Range<usize>]) -> Asked {
    let mut notes = vec![QueryNote::Prose];
    notes.extend(asked.notes.iter().filter(|note| matches!(note, QueryNote::Cut)));
    let is_filter = |node: &&Node| match node {
        Node::Filter(_) => true,
        Node::Not(node) => matches!(**node, Node::Filter(_)),
        _ => false,
    };
    let mut nodes: Vec<Node> = asked.nodes.iter().filter(is_filter).cloned().collect();
    let in_filter = |place: usize| filters_at.iter().any(|filter| filter.contains(&place));
    let words = word_indices(text).filter(|(start, _)| !in_filter(*start));
    for (start, word) in words.take(MAX_WORDS) {
        nodes.push(Node::Word(Word { text: word.to_owned(), at: start..start + word.len() }));
    }
    Asked { nodes, notes }
}

/// What stands inside one pair of parentheses.
#[derive(Default)]
struct Group {
    nodes: Vec<Node>,
    /// Whether `OR` stood last.
    or: bool,
    /// Whether the whole group is negated.
    not: bool,
}

struct Parser {
    /// The groups that are open, from the outside in; never empty.
    open: Vec<Group>,
    notes: Vec<QueryNote>,
    words_left: usize,
    filters_left: usize,
    prefixes_left: usize,
    excluded_left: usize,
    /// Where the filters stand.
    filters_at: Vec<Range<usize>>,
}

impl Parser {
    fn note(&mut self, note: QueryNote) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn take(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Open { not } if self.open.len() <= MAX_NESTING => {
                self.open.push(Group { not, ..Group::default() });
            }
            Piece::Open { .. } => self.note(QueryNote::TooDeep),
            Piece::Close if self.open.len() > 1 => self.close(),
            Piece::Close => self.note(QueryNote::StrayParenthesis),
            Piece::Or => match self.open.last_mut() {
                Some(group) if !group.nodes.is_empty() => group.or = true,
                _ => self.note(QueryNote::StrayOr),
            },
            Piece::Phrase { not, at, text } => {
                let words = self.words(text, at);
                let node = phrase(words);
                self.push(node, not);
            }
            Piece::Filter { not, name, at, value, value_at } => {
                self.filter(not, (at, name), (value_at, value));
            }
            Piece::Chunk { not, at, text } => self.chunk(not, at, text),
        }
    }

    fn chunk(&mut self, not: bool, at: usize, text: &str) {
        let words = self.words(text, at);
        if not {
            // `-e-mail` excludes the pair, not each half.
            return self.push(phrase(words), true);
        }
        let prefix = text.ends_with('*') && self.prefixes_left > 0;
        let mut nodes: Vec<Node> = words.into_iter().map(Node::Word).collect();
        if prefix && let Some(Node::Word(word)) = nodes.pop_if(|node| is_prefix(node)) {
            self.prefixes_left -= 1;
            nodes.push(Node::Prefix(word));
        }
        let node = match nodes.len() {
            0 | 1 => nodes.pop(),
            _ => Some(Node::All(nodes)),
        };
        self.push(node, false);
    }

    /// Takes a filter by its name and value, each with where it begins.
    fn filter(&mut self, not: bool, (at, name): (usize, &str), (value_at, value): (usize, &str)) {
        let reading = if self.filters_left == 0 {
            self.note(QueryNote::TooManyFilters);
            Reading::Nothing
        } else {
            Filter::read(name, value, || self.words(value, value_at))
        };
        match reading {
            Reading::Filter(filter) => {
                self.filters_left -= 1;
                self.filters_at.push(at..value_at + value.len());
                self.push(Some(Node::Filter(filter)), not);
            }
            Reading::Nothing => {}
            Reading::Words(note) => {
                self.note(note);
                let words = self.words(name, at);
                let words = words.into_iter().chain(self.words(value, value_at));
                let nodes: Vec<Node> = words.map(Node::Word).collect();
                if !nodes.is_empty() {
                    self.push(Some(Node::All(nodes)), not);
                }
            }
        }
    }

    /// Adds a node to the innermost group.
    fn push(&mut self, node: Option<Node>, not: bool) {
        let Some(node) = node else { return };
        if not && self.excluded_left == 0 {
            return self.note(QueryNote::TooManyFilters);
        }
        self.excluded_left -= usize::from(not);
        let node = if not { Node::Not(Box::new(node)) } else { node };
        let Some(group) = self.open.last_mut() else { return };
        if !std::mem::take(&mut group.or) {
            return group.nodes.push(node);
        }
        match group.nodes.last_mut() {
            Some(Node::Any(nodes)) => nodes.push(node),
            Some(last) => {
                let first = std::mem::replace(last, Node::Any(Vec::new()));
                *last = Node::Any(vec![first, node]);
            }
            None => group.nodes.push(node),
        }
    }

    /// Ends the innermost group.
    fn close(&mut self) {
        let Some(mut group) = self.open.pop() else { return };
        if group.or {
            self.note(QueryNote::StrayOr);
        }
        let node = match group.nodes.len() {
            0 | 1 => group.nodes.pop(),
            _ => Some(Node::All(group.nodes)),
        };
        // A group of alternatives stays one when it is an alternative itself.
        self.push(node, group.not);
    }

    fn finish(mut self) -> Asked {
        while self.open.len() > 1 {
            self.note(QueryNote::OpenParenthesis);
            self.close();
        }
        let group = self.open.pop().unwrap_or_default();
        if group.or {
            self.note(QueryNote::StrayOr);
        }
        let mut nodes = Vec::new();
        group.nodes.into_iter().for_each(|node| flatten(node, &mut nodes));
        Asked { nodes, notes: self.notes }
    }

    fn words(&mut self, text: &str, at: usize) -> Vec<Word> {
        let mut words = Vec::new();
        for (start, word) in word_indices(text) {
            if self.words_left == 0 {
                self.note(QueryNote::TooManyWords);
                break;
            }
            self.words_left -= 1;
            let at = at + start..at + start + word.len();
            words.push(Word { text: word.to_owned(), at });
        }
        words
    }
}

/// Words of a group that stands side by side with others stand side by side with them.
fn flatten(node: Node, out: &mut Vec<Node>) {
    match node {
        Node::All(nodes) => nodes.into_iter().for_each(|node| flatten(node, out)),
        node => out.push(node),
    }
}

fn is_prefix(node: &Node) -> bool {
    matches!(node, Node::Word(word) if word.text.chars().count() >= MIN_PREFIX)
}

/// A phrase; a single word is just that.
fn phrase(mut words: Vec<Word>) -> Option<Node> {
    match words.len() {
        0 => None,
        1 => words.pop().map(Node::Word),
        _ => Some(Node::Phrase(words)),
    }
}

#[cfg(test)]
mod tests;
