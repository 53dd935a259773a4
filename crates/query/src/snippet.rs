//! Which passage shows best why a page was found, and where in its text do the words stand?

use crate::positions::Positions;
use hashbrown::HashMap;
use lycosa_knowledge::analysis::{Analyser, word_indices};
use std::ops::Range;

/// Letters of a snippet, about.
const LENGTH: usize = 200;
/// Letters shown before the first marked word, about.
const LEAD: usize = 50;
/// Bytes of a text that are searched for a passage.
const SCAN: usize = 64 << 10;
/// Marked words that are considered.
const MAX_HITS: usize = 512;
/// Forms that are told apart: the bits of a set.
const MAX_FORMS: usize = 64;

/// A word of the text that has one of the wanted forms.
struct Hit {
    at: Range<usize>,
    form: u64,
}

/// What is shown of a text.
pub(crate) struct Passage {
    /// The best passage as HTML: escaped, with the words that were looked for in `<mark>`.
    pub(crate) html: String,
    /// Where in the whole text these words stand.
    pub(crate) positions: Positions,
    /// Which of the texts it is.
    pub(crate) number: usize,
}

/// The best passage of the first of these texts that has a word with one of the `forms`. `None` when no text has
/// such a word. Forms must be made by the same analyser.
pub(crate) fn snippet(texts: &[&str], analyser: &Analyser, forms: &[String]) -> Option<Passage> {
    let wanted: HashMap<&str, u64> = forms
        .iter()
        .take(MAX_FORMS)
        .enumerate()
        .map(|(bit, form)| (form.as_str(), 1_u64 << bit))
        .collect();
    texts.iter().enumerate().find_map(|(number, text)| {
        let whole = text.trim();
        let text = &whole[..whole.floor_char_boundary(SCAN)];
        let mut positions = Positions::new(whole.len());
        let mut words = Words { analyser, wanted: &wanted, known: HashMap::new() };
        let mut hits = Vec::new();
        words.each(text, |hit| {
            positions.add(hit.at.start);
            if hits.len() < MAX_HITS {
                hits.push(hit);
            }
        });
        let best = best(text, &hits)?;
        for window in Positions::windows(whole, text.len()) {
            let start = window.start;
            words.each(&whole[window], |hit| positions.add(start + hit.at.start));
        }
        let html = render(text, passage(text, hits[best].at.start), &hits);
        Some(Passage { html, positions, number })
    })
}

/// The beginning of the first text that is not empty, as HTML.
pub(crate) fn beginning(texts: &[&str]) -> String {
    let mut texts = texts.iter().map(|text| text.trim());
    let text = texts.find(|text| !text.is_empty()).unwrap_or_default();
    render(text, passage(text, 0), &[])
}

/// The words that are looked for in a text.
struct Words<'a, 't> {
    analyser: &'a Analyser,
    wanted: &'a HashMap<&'a str, u64>,
    /// The same words come again and again: each is analysed once.
    known: HashMap<&'t str, u64>,
}

impl<'t> Words<'_, 't> {
    /// Each word of a part of the text that is looked for.
    fn each(&mut self, text: &'t str, mut found: impl FnMut(Hit)) {
        if self.wanted.is_empty() {
            return;
        }
        let mut form = String::new();
        for (at, word) in word_indices(text) {
            let bit = *self.known.entry(word).or_insert_with(|| {
                let has_form = self.analyser.form_into(word, &mut form);
                let bit = self.wanted.get(form.as_str()).copied();
                bit.filter(|_| has_form).unwrap_or(0)
            });
            if bit != 0 {
                found(Hit { at: at..at + word.len(), form: bit });
            }
        }
    }
}

/// The hit that begins the passage with most different words, then with most words; the first of equals.
fn best(text: &str, hits: &[Hit]) -> Option<usize> {
    let reach = LENGTH - LEAD;
    let value = |start: usize| {
        let from = hits[start].at.start;
        let until = text.floor_char_boundary(from + reach);
        let inside = hits[start..].iter().take_while(|hit| hit.at.end <= until);
        let (set, count) = inside.fold((0_u64, 0), |(set, n), hit| (set | hit.form, n + 1));
        (set.count_ones(), count)
    };
    // `max_by_key` takes the last of equals, so it walks from the end.
    (0..hits.len()).rev().max_by_key(|start| value(*start))
}

/// The range of the passage around a place, on the bounds of words.
fn passage(text: &str, at: usize) -> Range<usize> {
    let before = text[..at].char_indices().rev().take(LEAD);
    let mut start = before.last().map_or(at, |(i, _)| i);
    if start > 0 {
        // Begin after a line break if there is one, else after a space.
        let lead = &text[start..at];
        let cut = lead.rfind('\n').or_else(|| lead.find(char::is_whitespace));
        start += cut.map_or(0, |i| i + text[start + i..].chars().next().map_or(0, char::len_utf8));
    }
    let rest = &text[start..];
    let end = match rest.char_indices().nth(LENGTH) {
        None => text.len(),
        Some((limit, _)) => {
            let cut = rest[..limit].rfind(char::is_whitespace);
            // A script without spaces is cut between letters.
            start + cut.filter(|cut| start + cut > at).unwrap_or(limit)
        }
    };
    start..end
}

fn render(text: &str, range: Range<usize>, hits: &[Hit]) -> String {
    let mut out = String::with_capacity(2 * LENGTH);
    let mut at = range.start;
    if at > 0 {
        out.push('…');
    }
    let inside = |hit: &&Hit| hit.at.start >= range.start && hit.at.end <= range.end;
    for hit in hits.iter().filter(inside) {
        escape(&text[at..hit.at.start], &mut out);
        out.push_str("<mark>");
        escape(&text[hit.at.clone()], &mut out);
        out.push_str("</mark>");
        at = hit.at.end;
    }
    escape(&text[at..range.end], &mut out);
    if range.end < text.len() {
        // Not a semicolon: it may belong to an escaped character.
        out.truncate(out.trim_end_matches([' ', ',', ':', '·']).len());
        out.push('…');
    }
    out
}

/// Ends a block of text, so that a heading does not run into the paragraph below it.
fn end_block(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
    let said = out.trim_end_matches("</mark>");
    match said.chars().next_back() {
        None | Some('…') => {}
        Some('.' | '!' | '?' | ':' | ';' | ',' | '·' | '。' | '！' | '？') => out.push(' '),
        Some(_) => out.push_str(" · "),
    }
}

/// Escapes for HTML; white space and control characters become one space, the end of a block a dot.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => end_block(out),
            c if c.is_whitespace() || c.is_control() => {
                if !out.ends_with([' ', '…']) {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests;
