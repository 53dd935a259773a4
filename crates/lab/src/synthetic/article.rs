//! What does an article say? A pure function of seed, site and number, before it becomes HTML.

use super::grammar::{Dice, Scene, draw, person, pick};
use super::place;
use super::shape::Shape;
use jiff::ToSpan;
use jiff::civil::{Date, DateTime, date};
use lycosa_runtime::dice;
use rand::RngExt;

/// Sentences that come between the facts.
const FILLERS: usize = 9;
/// Items of the list of advice.
const TIPS: usize = 4;
/// Rows of a table.
const ROWS: usize = 4;

/// An article in plain text.
pub(super) struct Article {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) author: String,
    pub(super) date: Date,
    pub(super) intro: String,
    /// Heading and paragraph.
    pub(super) parts: Vec<(&'static str, String)>,
    pub(super) tips: Vec<String>,
    /// Rows of the topic's table; some articles have none.
    pub(super) rows: Vec<[String; 3]>,
}

fn page_dice(seed: u64, site: &str, article: usize, purpose: &str) -> Dice {
    dice(seed, &format!("synthetic/{site}/{article}/{purpose}"))
}

fn scene<'a>(seed: u64, shape: &'a Shape, site: usize, article: usize, name: &str) -> Scene<'a> {
    Scene::cast(
        &mut page_dice(seed, name, article, "cast"),
        shape.edition(site),
        shape.frame(site),
        place::subject(shape, site, article),
    )
}

/// The title alone, which other pages need as the words of their links.
pub(super) fn title(seed: u64, shape: &Shape, site: usize, article: usize) -> String {
    let name = shape.name(site);
    let mut dice = page_dice(seed, &name, article, "title");
    let pattern = place::angle(shape, site, article).title;
    scene(seed, shape, site, article, &name).say(&mut dice, pattern)
}

/// The day of an article.
pub(super) fn day(seed: u64, site: &str, article: usize) -> Date {
    let first = date(2019, 1, 1);
    let days: i64 = page_dice(seed, site, article, "day").random_range(0..2000);
    first.checked_add(days.days()).unwrap_or(first)
}

/// A day as HTTP writes it.
pub(super) fn http_date(day: Date) -> String {
    day.at(12, 0, 0, 0).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Reads a date as HTTP writes it now.
pub(super) fn parse_http_date(text: &str) -> Option<DateTime> {
    DateTime::strptime("%a, %d %b %Y %H:%M:%S GMT", text).ok()
}

/// The whole article.
pub(super) fn article(seed: u64, shape: &Shape, site: usize, article: usize) -> Article {
    let name = shape.name(site);
    let (edition, frame) = (shape.edition(site), shape.frame(site));
    let (subject, angle) =
        (place::subject(shape, site, article), place::angle(shape, site, article));
    let scene = scene(seed, shape, site, article, &name);
    let mut dice = page_dice(seed, &name, article, "body");

    let intro = pick(&mut dice, &angle.intros);
    let intro = scene.say(&mut dice, intro);

    let facts = draw(&mut dice, &subject.facts, subject.facts.len());
    let pool: Vec<&str> = edition.asides.iter().chain(frame.remarks).copied().collect();
    let fillers = draw(&mut dice, &pool, FILLERS);
    let mut fillers = fillers.chunks(FILLERS / facts.len());
    let parts = angle
        .headings
        .iter()
        .zip(&facts)
        .map(|(heading, fact)| {
            let mut text = String::with_capacity(512);
            scene.write(&mut dice, fact, &mut text);
            for filler in fillers.next().unwrap_or_default() {
                text.push(' ');
                scene.write(&mut dice, filler, &mut text);
            }
            (*heading, text)
        })
        .collect();

    let tips = draw(&mut dice, edition.tips, TIPS)
        .into_iter()
        .map(|tip| scene.say(&mut dice, tip))
        .collect();
    let rows = if article.is_multiple_of(3) { ROWS } else { 0 };
    let cells = edition.table.2;
    let rows = (0..rows).map(|_| cells.map(|cell| scene.say(&mut dice, cell))).collect();

    Article {
        title: title(seed, shape, site, article),
        description: scene.say(&mut dice, frame.description),
        author: person(&mut dice, frame),
        date: day(seed, &name, article),
        intro,
        parts,
        tips,
        rows,
    }
}
