//! How is an input changed?

use crate::dice::Dice;

/// Bytes at which parsers change their mind.
const EDGES: &[u8] =
    b"\0\t\n\x0b\x0c\r \"#%&'*+,-./:;<=>?@[\\]^_`{|}~\x7f\x80\xbf\xc0\xe2\xef\xf0\xfe\xff";
/// Most changes of one input at a time.
const MAX_CHANGES: usize = 6;
/// Longest run of one word.
const MAX_RUN: usize = 512;

/// Changes inputs with the words of a format.
pub(crate) struct Mutator<'a> {
    pub(crate) words: &'a [&'a [u8]],
    /// Longest input that comes out.
    pub(crate) max: usize,
}

impl Mutator<'_> {
    /// Changes `input` a few times; `other` is one to take pieces from.
    pub(crate) fn change(&self, dice: &mut Dice, input: &mut Vec<u8>, other: &[u8]) {
        for _ in 0..1 + dice.below(MAX_CHANGES) {
            self.change_once(dice, input, other);
            input.truncate(self.max);
        }
    }

    fn change_once(&self, dice: &mut Dice, input: &mut Vec<u8>, other: &[u8]) {
        let at = dice.below(input.len() + 1);
        let piece =
            |dice: &mut Dice, from: usize, all: usize| from + dice.below((all - from).min(64) + 1);
        match dice.below(10) {
            0 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
            1 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = dice.byte();
                }
            }
            2 => insert(input, at, &[EDGES[dice.below(EDGES.len())]]),
            3 => {
                let end = piece(dice, at, input.len());
                input.drain(at..end);
            }
            4 => {
                let end = piece(dice, at, input.len());
                let copy = input[at..end].to_vec();
                let to = dice.below(input.len() + 1);
                insert(input, to, &copy);
            }
            5 => {
                let from = dice.below(other.len() + 1);
                let end = piece(dice, from, other.len());
                insert(input, at, &other[from..end]);
            }
            6 => input.truncate(at),
            7 => {
                let word = self.word(dice);
                let times = 1 + dice.below(MAX_RUN);
                let most = self.max / word.len().max(1);
                insert(input, at, &word.repeat(times.min(most)));
            }
            8 => {
                let number = NUMBERS[dice.below(NUMBERS.len())];
                insert(input, at, number.as_bytes());
            }
            _ => insert(input, at, self.word(dice)),
        }
    }

    fn word(&self, dice: &mut Dice) -> &[u8] {
        let word = self.words.get(dice.below(self.words.len())).copied();
        word.unwrap_or(&EDGES[..1])
    }
}

/// Numbers at which arithmetic breaks.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e999",
    "NaN",
    "0x7f",
    "017",
    "٣",
];

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    input.splice(at..at, bytes.iter().copied());
}
