//! What does the HTML of a page hold? One pass of the tokenizer into a light tree.

mod attrs;
mod build;
mod hints;
mod raw;
mod references;
mod resources;
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
use crate::facts::Facts;

/// Reads the text of a page. Without `wants_tree` only links and facts are kept.
pub(crate) fn parse(html: &str, limits: &Limits, wants_tree: bool) -> (Tree, Facts) {
    let mut builder = build::Builder::new(limits, wants_tree);
    if wants_tree {
        builder.tree.make_room(html.len(), limits);
    }
    tokens::read(html, &mut builder);
    builder.finish()
}
