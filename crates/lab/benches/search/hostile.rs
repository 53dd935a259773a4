//! Does any query break it, and what does the worst one cost?

use crate::{Failure, Options};
use lycosa_lab::evaluation::percentile;
use lycosa_lab::studies::cpu;
use lycosa_model::SearchRequest;
use lycosa_model::message::Entry;
use lycosa_query::Searcher;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the language of queries is made of, and what looks like it.
const PIECES: [&str; 40] = [
    "\"",
    "\"\"",
    "(",
    ")",
    "((",
    "))",
    "-",
    "--",
    "+",
    "OR",
    "AND",
    "NOT",
    "or",
    "|",
    "site:",
    "-site:",
    "lang:",
    "lang:xx",
    "intitle:",
    "inurl:",
    "filetype:",
    "after:",
    "before:",
    "after:2020-13-99",
    "agent:",
    "*",
    "a*",
    "?",
    "~",
    "^2",
    ":",
    "::",
    "\\",
    "\u{0}",
    "\t\n",
    "%00",
    "<script>",
    "🕷",
    "\u{202e}",
    "e\u{301}",
];
/// Characters of the longest text without spaces.
const LONGEST: usize = 20_000;
/// Letters of a query that are shown.
const SHOWN: usize = 60;

fn text(pages: &[Entry], dice: &mut ChaCha8Rng) -> String {
    let page = &pages[dice.random_range(0..pages.len())].document;
    let words: Vec<&str> = page.text.split_whitespace().take(2_000).collect();
    let word = |dice: &mut ChaCha8Rng| match words.len() {
        0 => "word",
        count => words[dice.random_range(0..count)],
    };
    let piece = |dice: &mut ChaCha8Rng| PIECES[dice.random_range(0..PIECES.len())];
    match dice.random_range(0..9) {
        // Operators without sense.
        0 => (0..dice.random_range(1..30)).map(|_| piece(dice)).collect(),
        1 => (0..dice.random_range(1..30)).map(|_| piece(dice)).collect::<Vec<_>>().join(" "),
        // Operators among words.
        2 | 3 => {
            let one = |dice: &mut ChaCha8Rng| match dice.random() {
                true => piece(dice).to_owned() + word(dice),
                false => word(dice).to_owned() + piece(dice),
            };
            (0..dice.random_range(1..12)).map(|_| one(dice)).collect::<Vec<_>>().join(" ")
        }
        // Whatever letters there are.
        4 => {
            let letter = |dice: &mut ChaCha8Rng| char::from_u32(dice.random_range(0..0x11_0000));
            (0..dice.random_range(1..200)).filter_map(|_| letter(dice)).collect()
        }
        // Thousands of words.
        5 => words.join(" "),
        // Deep parentheses, open quotes.
        6 => format!("{}{}", "(".repeat(dice.random_range(1..3_000)), word(dice)),
        7 => format!(
            "\"{} {}",
            words.iter().take(300).copied().collect::<Vec<_>>().join(" "),
            piece(dice)
        ),
        // One word without end.
        _ => word(dice).repeat(LONGEST / word(dice).len().max(1)),
    }
}

pub(crate) fn run(searcher: &Searcher, pages: &[Entry], options: &Options) -> Result<(), Failure> {
    let mut dice = ChaCha8Rng::seed_from_u64(options.seed);
    let (mut costs, mut slowest) = (Vec::new(), (0.0, String::new()));
    for _ in 0..options.malformed {
        let mut request =
            SearchRequest { query: text(pages, &mut dice), ..SearchRequest::default() };
        // Some want very much, or very deep.
        (request.limit, request.offset) = match dice.random_range(0..10) {
            0 => (usize::MAX, usize::MAX),
            1 => (100, 900),
            2 => (0, 0),
            _ => (10, 0),
        };
        request.explain = dice.random_range(0..10) == 0;
        let search = AssertUnwindSafe(|| searcher.search(&request));
        let (answer, ms) = cpu::timed(|| catch_unwind(search));
        let shown: String = request.query.chars().take(SHOWN).collect();
        match answer {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(format!("gate: {shown:?} is an error: {error}").into()),
            Err(_) => return Err(format!("gate: it panics on {:?}", request.query).into()),
        }
        if ms > slowest.0 {
            slowest = (
                ms,
                format!("{shown:?}, {} bytes, from {} on", request.query.len(), request.offset),
            );
        }
        costs.push(ms);
    }
    let at = |share| percentile(&costs, share);
    println!("{} random and malformed queries: no error; CPU milliseconds", costs.len());
    println!("  median {:.2}, p99 {:.2}, most {:.2}", at(0.5), at(0.99), at(1.0));
    println!("  slowest: {}", slowest.1);
    Ok(())
}
