//! What did the person ask for? Words, "phrases", -not, `site:` and `lang:`.
//!
//! There is no wrong query: an open quote ends with the text, a filter that makes no sense is read as
//! words, and what is too long is cut.

use lycosa_knowledge::analysis::word_indices;
use lycosa_model::Lang;
use lycosa_segments::site_filter;
use std::ops::Range;

/// Bytes of a query that are read.
pub const MAX_QUERY: usize = 2_000;
/// Words of a query that are read, those of phrases among them.
pub const MAX_WORDS: usize = 64;
/// Filters of a query that are read.
const MAX_FILTERS: usize = 16;

/// A query, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Words that should be in the page.
    pub(crate) words: Vec<Word>,
    /// Phrases, each as its words.
    pub(crate) phrases: Vec<Vec<String>>,
    /// Words and phrases that must not be there.
    pub(crate) not: Vec<Vec<String>>,
    /// Sites of which one must match.
    pub(crate) sites: Vec<String>,
    /// Sites that must not match.
    pub(crate) not_sites: Vec<String>,
    /// Languages of which one must match.
    pub(crate) langs: Vec<Lang>,
    /// Languages that must not match.
    pub(crate) not_langs: Vec<Lang>,
}

/// One word, and where it stands in the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) at: Range<usize>,
}

impl Asked {
    /// Whether nothing is asked for at all.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Asked::default()
    }

    /// Every word that should be in the page, those of phrases too.
    pub(crate) fn wanted(&self) -> impl Iterator<Item = &str> {
        let words = self.words.iter().map(|word| word.text.as_str());
        words.chain(self.phrases.iter().flatten().map(String::as_str))
    }
}

/// The part of a query that is read.
pub(crate) fn readable(query: &str) -> &str {
    &query[..query.floor_char_boundary(MAX_QUERY)]
}

/// Takes a query apart.
pub(crate) fn parse(query: &str) -> Asked {
    let query = readable(query);
    let mut reader =
        Reader { asked: Asked::default(), words_left: MAX_WORDS, filters_left: MAX_FILTERS };
    let mut at = 0;
    while let Some(c) = query[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let after = &query[at + c.len_utf8()..];
        let sign = matches!(c, '-' | '+' | '−') && !after.starts_with(char::is_whitespace);
        let not = sign && c != '+';
        if sign {
            at += c.len_utf8();
        }
        let rest = &query[at..];
        match rest.chars().next() {
            Some(quote) if is_quote(quote) => {
                let inside = &rest[quote.len_utf8()..];
                let end = inside.find(is_quote).unwrap_or(inside.len());
                reader.phrase(&inside[..end], at + quote.len_utf8(), not);
                let closing = inside[end..].chars().next().map_or(0, char::len_utf8);
                at += quote.len_utf8() + end + closing;
            }
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || is_quote(c));
                let end = end.unwrap_or(rest.len());
                reader.chunk(&rest[..end], at, not);
                at += end;
            }
        }
    }
    reader.asked
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»' | '＂')
}

struct Reader {
    asked: Asked,
    words_left: usize,
    filters_left: usize,
}

impl Reader {
    fn chunk(&mut self, chunk: &str, at: usize, not: bool) {
        if let Some((name, value)) = chunk.split_once(':')
            && self.filter(name, value, not)
        {
            return;
        }
        let words = self.take(chunk, at);
        if not {
            // `-e-mail` excludes the pair, not each half.
            self.push_not(words);
        } else {
            self.asked.words.extend(words);
        }
    }

    fn phrase(&mut self, phrase: &str, at: usize, not: bool) {
        let words = self.take(phrase, at);
        if not {
            self.push_not(words);
        } else if words.len() == 1 {
            self.asked.words.extend(words);
        } else if !words.is_empty() {
            let words = words.into_iter().map(|word| word.text).collect();
            self.asked.phrases.push(words);
        }
    }

    fn push_not(&mut self, words: Vec<Word>) {
        if !words.is_empty() {
            let words = words.into_iter().map(|word| word.text).collect();
            self.asked.not.push(words);
        }
    }

    /// Takes a filter; false when it is none.
    fn filter(&mut self, name: &str, value: &str, not: bool) -> bool {
        if name.eq_ignore_ascii_case("site") {
            let Some(site) = site_filter(value) else {
                return value.is_empty();
            };
            let list = if not { &mut self.asked.not_sites } else { &mut self.asked.sites };
            push_some(list, site, &mut self.filters_left);
            return true;
        }
        if name.eq_ignore_ascii_case("lang") {
            let Some(lang) = Lang::parse(value) else {
                return value.is_empty();
            };
            let list = if not { &mut self.asked.not_langs } else { &mut self.asked.langs };
            push_some(list, lang, &mut self.filters_left);
            return true;
        }
        false
    }

    fn take(&mut self, text: &str, at: usize) -> Vec<Word> {
        let words: Vec<Word> = word_indices(text)
            .take(self.words_left)
            .map(|(start, word)| Word {
                text: word.to_owned(),
                at: at + start..at + start + word.len(),
            })
            .collect();
        self.words_left -= words.len();
        words
    }
}

fn push_some<T>(list: &mut Vec<T>, value: T, left: &mut usize) {
    if *left > 0 {
        *left -= 1;
        list.push(value);
    }
}

#[cfg(test)]
mod tests;
