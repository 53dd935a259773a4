//! What does the HTML of a page hold? One pass of the tokenizer into a light tree.

mod build;
mod emitter;
mod hints;
mod resources;
mod tag;
mod tree;

pub(crate) use build::fold_space;
pub(crate) use emitter::{Attr, Attrs};
pub(crate) use hints::Hints;
pub(crate) use tag::Tag;
pub(crate) use tree::{Named, RawLink, Tree};

use crate::Limits;
use crate::facts::Facts;
use html5gum::Tokenizer;

/// Reads the text of a page.
pub(crate) fn parse(html: &str, limits: &Limits) -> (Tree, Facts) {
    let mut builder = build::Builder::new(limits);
    let feeder = emitter::Feeder::new(&mut builder);
    let Ok(()) = Tokenizer::new_with_emitter(html, feeder).finish();
    builder.finish()
}
