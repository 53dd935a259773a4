//! What stands at a path? Paths are made from numbers and read back into them; nothing is looked up.

use super::faults::{self, Fault};
use super::shape::{Shape, canonical_number};
use super::words::{Angle, SECTIONS, SUBJECTS_PER_SECTION, Subject};

/// What a path of a site stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Front,
    Robots,
    Section(usize),
    Article(usize),
    Fault(Fault),
    Nothing,
}

/// The path of a section. Sections beyond those of the topic repeat them with a number.
pub(super) fn section_path(shape: &Shape, site: usize, section: usize) -> String {
    let slug = shape.edition(site).sections[section % SECTIONS].slug;
    match section / SECTIONS {
        0 => format!("/{slug}/"),
        round => format!("/{slug}-{round}/"),
    }
}

/// The name of a section.
pub(super) fn section_name(shape: &Shape, site: usize, section: usize) -> String {
    let name = shape.edition(site).sections[section % SECTIONS].name;
    match section / SECTIONS {
        0 => name.to_owned(),
        round => format!("{name} {}", round + 1),
    }
}

/// The section that lists an article.
pub(super) fn section_of(shape: &Shape, article: usize) -> usize {
    article % shape.sections().max(1)
}

/// The path of an article. Its number is part of the name, so that the path alone says which it is.
pub(super) fn article_path(shape: &Shape, site: usize, article: usize) -> String {
    let mut path = section_path(shape, site, section_of(shape, article));
    path.push_str(subject(shape, site, article).slug);
    path.push('-');
    path.push_str(&article.to_string());
    path
}

/// What an article is about. Articles of one section take its subjects by turns.
pub(super) fn subject(shape: &Shape, site: usize, article: usize) -> &'static Subject {
    let sections = shape.sections().max(1);
    let first = (article % sections) % SECTIONS * SUBJECTS_PER_SECTION;
    let turn = article / sections % SUBJECTS_PER_SECTION;
    &shape.edition(site).subjects[first + turn]
}

/// How an article looks at its subject.
pub(super) fn angle(shape: &Shape, site: usize, article: usize) -> &'static Angle {
    let angles = &shape.frame(site).angles;
    let round = article / shape.sections().max(1) / SUBJECTS_PER_SECTION;
    &angles[round % angles.len()]
}

/// Reads a path.
pub(super) fn place(shape: &Shape, site: usize, path: &str) -> Place {
    match path {
        "/" => return Place::Front,
        "/robots.txt" => return Place::Robots,
        _ => {}
    }
    if let Some(fault) = faults::fault_at(shape, site, path) {
        return Place::Fault(fault);
    }
    let found = if path.ends_with('/') {
        read_section(shape, site, path).map(Place::Section)
    } else {
        read_article(shape, site, path).map(Place::Article)
    };
    found.unwrap_or(Place::Nothing)
}

fn read_section(shape: &Shape, site: usize, path: &str) -> Option<usize> {
    let slug = path.strip_prefix('/')?.strip_suffix('/')?;
    let sections = &shape.edition(site).sections;
    let known = |slug: &str| sections.iter().position(|section| section.slug == slug);
    let section = match known(slug) {
        Some(section) => section,
        None => {
            let (slug, round) = slug.rsplit_once('-')?;
            let round = canonical_number(round).filter(|round| *round > 0)?;
            round * SECTIONS + known(slug)?
        }
    };
    (section < shape.sections()).then_some(section)
}

fn read_article(shape: &Shape, site: usize, path: &str) -> Option<usize> {
    let article = canonical_number(path.rsplit_once('-')?.1)?;
    (article < shape.articles() && article_path(shape, site, article) == path).then_some(article)
}
