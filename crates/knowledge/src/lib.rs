//! What does a text mean? Words, their folded forms, and how alike two texts are. Pure.

pub mod analysis;
mod fold;
mod lines;
mod relevance;

pub use fold::fold;
pub use lines::lines;
pub use relevance::RelevanceModel;
