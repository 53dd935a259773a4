//! What does the HTML of a page hold? One pass of the tokenizer into a light tree.

mod attrs;
mod build;
mod code;
mod hints;
mod raw;
mod references;
mod resources;
mod shown;
mod tag;
#[cfg(test)]
mod tests;
mod tokens;
mod tree;

pub(crate) use attrs::{Attr, Attrs};
pub(crate) use hints::Hints;
pub(crate) use tag::Tag;
pub(crate) use tree::{Named, RawLink, Tree};

use crate::Limits;
use crate::about::About;
use crate::facts::Facts;

/// Appends a text with its character references decoded.
pub(crate) fn decode_references(text: &str, out: &mut String) {
    references::decode(text, false, out);
}

/// What is wanted of a page beside its links and facts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wants {
    /// The tree.
    pub(crate) tree: bool,
    /// What only Markdown shows: addresses of images, languages of code.
    pub(crate) markdown: bool,
    /// What it says about its making; the tree is needed to understand it.
    pub(crate) about: bool,
    /// What it tells programs.
    pub(crate) facts: bool,
    /// The classes of elements.
    pub(crate) classes: bool,
}

/// Reads the text of a page. What it says about its making is `None` when it is not wanted.
pub(crate) fn parse(
    html: &str,
    limits: &Limits,
    wants: Wants,
) -> (Tree, Facts, Option<Box<About>>) {
    let mut builder = build::Builder::new(limits, wants.tree);
    builder.wants_markdown = wants.markdown;
    builder.wants_classes = wants.classes;
    builder.about = (wants.about || wants.facts).then(|| Box::new(About::new(wants.facts)));
    if wants.tree {
        builder.tree.make_room(html.len(), limits);
    }
    tokens::read(html, &mut builder);
    builder.finish()
}
