//! What does a text mean? Words, their folded forms, and how alike two texts are. Pure.

mod fold;

pub use fold::fold;
