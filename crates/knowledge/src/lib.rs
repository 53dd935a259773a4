//! What does a text mean? Words, their folded forms, and how alike two texts are. Pure.

pub mod analysis;
mod bag;
mod bits;
pub mod embedding;
mod fold;
pub mod graph;
pub mod lattice;
mod lines;
pub mod opic;
mod relevance;
pub mod wordnet;

pub use bag::{Bag, Word};
pub use bits::{Bits, Runs};
pub use fold::fold;
pub use lines::lines;
pub use relevance::{ByWord, MOST_RELEVANT, Profile, RelevanceModel};
