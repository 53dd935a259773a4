//! Which words and forms has a document, how often, and where? One pass over its text tells all.

use super::Analyser;
use super::vocabulary::{NO_FORM, Vocabulary};
use super::words::Cut;
use lycosa_model::Lang;
use std::ops::Range;

/// What a piece of text counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Its words and its forms.
    Both,
    /// Its words alone.
    Words,
    /// Its forms alone.
    Forms,
}

/// Takes the texts of one document after the other. What it learnt of words it keeps from one to the
/// next, within bounds.
pub struct Tally {
    vocabulary: Vocabulary,
    /// Of the language of the document, and the place of that in the vocabulary.
    analyser: Analyser,
    language: usize,
    /// How often each form came up, by its number; zeros between two documents.
    words: Group,
    forms: Group,
    /// The number of the form at each position; [`NO_FORM`] for a stop word.
    sequence: Vec<u32>,
    /// Positions ordered by form; kept for its room.
    positions: Vec<u32>,
}

/// Counts by number, and the numbers that have one.
#[derive(Default)]
struct Group {
    counts: Vec<u32>,
    /// In the order of their first appearance.
    seen: Vec<u32>,
}

impl Group {
    fn add(&mut self, number: u32) {
        let count = &mut self.counts[number as usize];
        if *count == 0 {
            self.seen.push(number);
        }
        *count = count.saturating_add(1);
    }

    fn clear(&mut self) {
        for number in self.seen.drain(..) {
            self.counts[number as usize] = 0;
        }
    }
}

impl Default for Tally {
    fn default() -> Tally {
        let mut vocabulary = Vocabulary::default();
        Tally {
            language: vocabulary.language(None),
            vocabulary,
            analyser: Analyser::for_language(None),
            words: Group::default(),
            forms: Group::default(),
            sequence: Vec::new(),
            positions: Vec::new(),
        }
    }
}

impl Tally {
    /// Begins a document in a language.
    pub fn begin(&mut self, lang: Option<Lang>) {
        self.words.clear();
        self.forms.clear();
        self.sequence.clear();
        self.vocabulary.trim();
        self.language = self.vocabulary.language(lang);
        if self.analyser.lang() != lang {
            self.analyser = Analyser::for_language(lang);
        }
    }

    /// Adds a piece of text. Its positions follow those of the piece before it.
    pub fn add(&mut self, text: &str, counts: Counts) {
        self.add_parts(text, [(0..text.len(), counts)]);
    }

    /// Adds parts of a text, each as [`Tally::add`] does.
    pub fn add_parts(
        &mut self,
        text: &str,
        parts: impl IntoIterator<Item = (Range<usize>, Counts)>,
    ) {
        let cut = Cut::of(text);
        for (part, counts) in parts {
            self.add_part(&cut, part, counts);
        }
    }

    fn add_part(&mut self, cut: &Cut<'_>, part: Range<usize>, counts: Counts) {
        let Tally { vocabulary, analyser, language, words, forms, sequence, .. } = self;
        cut.each(part, |places| {
            let found = vocabulary.look_up_at(analyser, *language, cut.text, places);
            if words.counts.len() < vocabulary.len() {
                words.counts.resize(vocabulary.len(), 0);
                forms.counts.resize(vocabulary.len(), 0);
            }
            if counts != Counts::Forms && found.folded != NO_FORM {
                words.add(found.folded);
            }
            if counts != Counts::Words {
                sequence.push(found.form);
                if found.form != NO_FORM {
                    forms.add(found.form);
                }
            }
        });
    }

    /// Hands out every folded word since [`Tally::begin`] with its count.
    pub fn words(&self, mut take: impl FnMut(&str, u32)) {
        for number in &self.words.seen {
            take(self.vocabulary.form(*number), self.words.counts[*number as usize]);
        }
    }

    /// Hands out every form with its positions in rising order, then begins with the position 0 again.
    pub fn forms(&mut self, mut take: impl FnMut(&str, &[u32])) {
        // Counts become the places where the positions of each form begin, and then where they end.
        let mut all = 0;
        for number in &self.forms.seen {
            let count = &mut self.forms.counts[*number as usize];
            (*count, all) = (all, all + *count);
        }
        self.positions.clear();
        self.positions.resize(all as usize, 0);
        for (position, number) in self.sequence.drain(..).enumerate() {
            if number != NO_FORM {
                let place = &mut self.forms.counts[number as usize];
                self.positions[*place as usize] = position as u32;
                *place += 1;
            }
        }
        let mut from = 0;
        for number in &self.forms.seen {
            let to = self.forms.counts[*number as usize] as usize;
            take(self.vocabulary.form(*number), &self.positions[from..to]);
            from = to;
        }
        self.forms.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Places = BTreeMap<String, Vec<u32>>;

    fn forms(tally: &mut Tally) -> Places {
        let mut places = Places::new();
        tally.forms(|form, positions| {
            assert!(places.insert(form.to_owned(), positions.to_vec()).is_none(), "{form}");
        });
        places
    }

    fn counts(tally: &Tally) -> BTreeMap<String, u32> {
        let mut counts = BTreeMap::new();
        tally.words(|word, count| assert!(counts.insert(word.to_owned(), count).is_none()));
        counts
    }

    #[test]
    fn a_title_and_a_text_share_their_words_but_not_their_positions() {
        let mut tally = Tally::default();
        tally.begin(Some(Lang::EN));
        tally.add("The Connections", Counts::Both);
        assert_eq!(forms(&mut tally), Places::from([("connect".into(), vec![1])]));
        tally.add("Connected, the connection", Counts::Both);
        tally.add("menu", Counts::Words);
        tally.add("connects", Counts::Forms);
        assert_eq!(forms(&mut tally), Places::from([("connect".into(), vec![0, 2, 3])]));
        let expected = [("connected", 1), ("connection", 1), ("connections", 1), ("menu", 1)];
        let expected = expected.into_iter().chain([("the", 2)]).map(|(w, n)| (w.to_owned(), n));
        assert_eq!(counts(&tally), expected.collect());
        tally.begin(None);
        assert!(forms(&mut tally).is_empty() && counts(&tally).is_empty());
    }

    proptest! {
        #[test]
        fn it_counts_what_the_analyser_says(
            pages in proptest::collection::vec(("(en|es|--)", "([A-Ca-c]{1,2}s?|the|los|ñ|[.']| ){0,60}"), 1..4)
        ) {
            let mut tally = Tally::default();
            for (lang, text) in pages {
                let lang = Lang::parse(&lang);
                let mut places = Places::new();
                Analyser::for_language(lang).analyse(&text, &mut |form, at| {
                    places.entry(form.to_owned()).or_default().push(at as u32);
                });
                let mut expected = BTreeMap::new();
                Analyser::for_language(None).analyse(&text, &mut |word, _| {
                    *expected.entry(word.to_owned()).or_default() += 1;
                });
                tally.begin(lang);
                tally.add(&text, Counts::Both);
                prop_assert_eq!(forms(&mut tally), places);
                prop_assert_eq!(counts(&tally), expected);
            }
        }
    }
}
