//! Which words stand on a generated page? Words that nobody knows, spread as those of a language are.
//!
//! Text that repeats a few sentences packs far too well. Here words are drawn by Zipf's law from a vocabulary of
//! thousands, and each page prefers some words of its own, so that it packs about as well as prose does.

use lycosa_strategy::dice::Dice;

/// Words of a vocabulary.
const WORDS: usize = 12_000;
/// Mandelbrot's correction of Zipf's law: the most frequent words are less frequent than 1 in rank.
const FLATTENED: f64 = 2.7;
/// Words that a page prefers, and how often it uses them.
const OWN: usize = 24;
const OWN_SHARE: f64 = 0.2;

const ONSETS: [&str; 22] = [
    "b", "br", "c", "ch", "d", "f", "g", "gr", "h", "l", "m", "n", "p", "pr", "qu", "r", "s", "st",
    "t", "tr", "v", "",
];
const CORES: [&str; 11] = ["a", "e", "i", "o", "u", "ea", "ou", "ai", "e", "a", "io"];
const ENDS: [&str; 14] = ["", "n", "r", "s", "t", "l", "nd", "ng", "ck", "m", "", "st", "d", ""];

/// A vocabulary with the frequency of its words.
pub(super) struct Vocabulary {
    words: Vec<String>,
    /// How often one of the words up to here is drawn, of all draws.
    up_to: Vec<f64>,
}

impl Vocabulary {
    pub(super) fn new(dice: &mut Dice) -> Vocabulary {
        let mut words: Vec<String> = Vec::with_capacity(WORDS);
        let mut known = std::collections::HashSet::new();
        while words.len() < WORDS {
            // Frequent words are short, as everywhere.
            let most = match words.len() {
                0..60 => 1,
                60..1_500 => 2,
                _ => 3,
            };
            let mut word = String::new();
            for _ in 0..=dice.below(most).max(most - 1) {
                word += ONSETS[dice.below(ONSETS.len())];
                word += CORES[dice.below(CORES.len())];
                word += ENDS[dice.below(ENDS.len())];
            }
            if known.insert(word.clone()) {
                words.push(word);
            }
        }
        let mut sum = 0.0;
        let mut up_to: Vec<f64> = Vec::with_capacity(WORDS);
        for rank in 1..=WORDS {
            sum += 1.0 / (rank as f64 + FLATTENED);
            up_to.push(sum);
        }
        up_to.iter_mut().for_each(|value| *value /= sum);
        Vocabulary { words, up_to }
    }

    pub(super) fn word(&self, dice: &mut Dice) -> &str {
        let drawn = dice.share();
        let place = self.up_to.partition_point(|value| *value <= drawn);
        &self.words[place.min(WORDS - 1)]
    }

    /// A word that is not among the frequent ones.
    pub(super) fn rare(&self, dice: &mut Dice) -> &str {
        &self.words[WORDS / 20 + dice.below(WORDS - WORDS / 20)]
    }

    /// The words that a page prefers.
    pub(super) fn topic(&self, dice: &mut Dice) -> Topic<'_> {
        Topic { vocabulary: self, own: (0..OWN).map(|_| self.rare(dice)).collect() }
    }
}

/// Whatever one page is about.
pub(super) struct Topic<'a> {
    vocabulary: &'a Vocabulary,
    own: Vec<&'a str>,
}

impl Topic<'_> {
    fn word(&self, dice: &mut Dice) -> &str {
        if dice.share() < OWN_SHARE {
            self.own[dice.below(self.own.len())]
        } else {
            self.vocabulary.word(dice)
        }
    }

    /// Some words, the first with a capital letter.
    pub(super) fn phrase(&self, words: usize, dice: &mut Dice) -> String {
        let mut text = String::new();
        for number in 0..words {
            let word = self.word(dice);
            if number == 0 {
                text.extend(word.chars().take(1).flat_map(char::to_uppercase));
                text.extend(word.chars().skip(1));
            } else {
                text.push(' ');
                text += word;
            }
        }
        text
    }

    /// Sentences of about so many bytes.
    pub(super) fn sentences(&self, bytes: usize, dice: &mut Dice) -> String {
        let mut text = String::new();
        while text.len() < bytes {
            if !text.is_empty() {
                text.push(' ');
            }
            let words = 5 + dice.below(16);
            let mut sentence = self.phrase(words, dice);
            match dice.below(8) {
                0 => sentence += &format!(", {}", self.phrase(3, dice).to_lowercase()),
                1 => sentence += &format!(" ({})", 1_950 + dice.below(75)),
                2 => sentence += &format!(" {}", dice.below(1_000)),
                _ => {}
            }
            text += &sentence;
            text.push('.');
        }
        text
    }
}
