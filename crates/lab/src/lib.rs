//! Which web do we practise on, and how well do we do? A replayed web (archives), a synthetic one (a
//! function of a seed), and studies that measure the search.

pub mod collection;
pub mod documents;
pub mod evaluation;
pub mod replay;
pub mod simulator;
pub mod studies;
pub mod synthetic;
pub mod wordnet;
