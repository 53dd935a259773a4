//! How does a pattern become a sentence? Slots are filled from a small cast, by the dice.

use super::words::{Edition, Frame, Subject};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The dice of one page.
pub(super) type Dice = ChaCha8Rng;

/// One of several; every list of words is non-empty, which a test checks.
pub(super) fn pick<'a, T: ?Sized>(dice: &mut Dice, from: &[&'a T]) -> &'a T {
    from[dice.random_range(0..from.len())]
}

/// `count` of several, none twice, in the order of the dice.
pub(super) fn draw<'a>(dice: &mut Dice, from: &[&'a str], count: usize) -> Vec<&'a str> {
    let mut pool = from.to_vec();
    let count = count.min(pool.len());
    for place in 0..count {
        let other = dice.random_range(place..pool.len());
        pool.swap(place, other);
    }
    pool.truncate(count);
    pool
}

/// Who and where: the same persons and places all through one article.
pub(super) struct Scene<'a> {
    edition: &'a Edition,
    frame: &'a Frame,
    subject: &'a Subject,
    who: String,
    friend: String,
    place: String,
    town: String,
    year: u16,
    month: &'static str,
}

impl<'a> Scene<'a> {
    pub(super) fn cast(
        dice: &mut Dice,
        edition: &'a Edition,
        frame: &'a Frame,
        subject: &'a Subject,
    ) -> Scene<'a> {
        Scene {
            edition,
            frame,
            subject,
            who: person(dice, frame),
            friend: person(dice, frame),
            place: join(dice, frame.town),
            town: join(dice, frame.town),
            year: dice.random_range(1961..2019),
            month: pick(dice, &frame.months),
        }
    }

    /// Writes the pattern with its slots filled, first letter in upper case.
    pub(super) fn write(&self, dice: &mut Dice, pattern: &str, out: &mut String) {
        let start = out.len();
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let (slot, after) = after.split_once('}').unwrap_or((after, ""));
            self.fill(dice, slot, out);
            rest = after;
        }
        out.push_str(rest);
        capitalise(out, start);
    }

    /// [`Scene::write`] into a text of its own.
    pub(super) fn say(&self, dice: &mut Dice, pattern: &str) -> String {
        let mut out = String::with_capacity(pattern.len() + 32);
        self.write(dice, pattern, &mut out);
        out
    }

    fn fill(&self, dice: &mut Dice, slot: &str, out: &mut String) {
        match slot {
            "the" => insert(out, self.subject.the),
            "name" => out.push_str(self.subject.name),
            "who" => out.push_str(&self.who),
            "friend" => out.push_str(&self.friend),
            "place" => out.push_str(&self.place),
            "town" => out.push_str(&self.town),
            // The cells of a table differ; in running text towns and years stay the same.
            "elsewhere" => out.push_str(&join(dice, self.frame.town)),
            "past" => push_number(out, dice.random_range(1990..2024)),
            "month" => out.push_str(self.month),
            "thing" => out.push_str(pick(dice, self.edition.things)),
            "year" => push_number(out, self.year),
            "n" => push_number(out, dice.random_range(3..10)),
            "many" => push_number(out, dice.random_range(21..99)),
            unknown => debug_assert!(false, "no slot is called {unknown}"),
        }
    }
}

fn push_number(out: &mut String, number: u16) {
    out.push_str(&number.to_string());
}

/// Inserts a noun with its article. Spanish joins `de` and `a` with a following `el`.
fn insert(out: &mut String, noun: &str) {
    let joins = |word: &str| {
        out.strip_suffix(word).is_some_and(|before| before.is_empty() || before.ends_with(' '))
    };
    match noun.strip_prefix("el ") {
        Some(bare) if joins("de ") || joins("De ") => {
            out.truncate(out.len() - 2);
            out.push_str("el ");
            out.push_str(bare);
        }
        Some(bare) if joins("a ") || joins("A ") => {
            out.truncate(out.len() - 1);
            out.push_str("l ");
            out.push_str(bare);
        }
        _ => out.push_str(noun),
    }
}

fn capitalise(out: &mut String, start: usize) {
    let Some(first) = out[start..].chars().next() else {
        return;
    };
    if first.is_lowercase() {
        let upper: String = first.to_uppercase().collect();
        out.replace_range(start..start + first.len_utf8(), &upper);
    }
}

/// An invented person.
pub(super) fn person(dice: &mut Dice, frame: &Frame) -> String {
    let given = pick(dice, frame.given);
    let mut name = String::from(given);
    name.push(' ');
    name.push_str(&join(dice, frame.surname));
    name
}

fn join(dice: &mut Dice, parts: (&[&str], &[&str])) -> String {
    let mut name = String::from(pick(dice, parts.0));
    name.push_str(pick(dice, parts.1));
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(before: &str, noun: &str) -> String {
        let mut out = before.to_owned();
        insert(&mut out, noun);
        out
    }

    #[test]
    fn spanish_joins_de_and_a_with_the_article() {
        assert_eq!(joined("Lo que sabe de ", "el jazz"), "Lo que sabe del jazz");
        assert_eq!(joined("De ", "el queso"), "Del queso");
        assert_eq!(joined("llegar a ", "el viento"), "llegar al viento");
        assert_eq!(joined("A ", "el piano"), "Al piano");
    }

    #[test]
    fn other_words_and_other_articles_stay_apart() {
        assert_eq!(joined("habla de ", "los coros"), "habla de los coros");
        assert_eq!(joined("sobre ", "el ritmo"), "sobre el ritmo");
        assert_eq!(joined("entiende ", "el ritmo"), "entiende el ritmo");
        // `para ` ends in the letters of `a ` but is a word of its own.
        assert_eq!(joined("para ", "el pan"), "para el pan");
    }

    #[test]
    fn drawing_takes_nothing_twice() {
        let mut dice = lycosa_runtime::dice(1, "draw");
        let mut drawn = draw(&mut dice, &["a", "b", "c", "d"], 9);
        drawn.sort_unstable();
        assert_eq!(drawn, ["a", "b", "c", "d"]);
    }
}
