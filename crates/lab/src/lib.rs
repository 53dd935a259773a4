//! Which web do we practise on? A replayed one (archives) and a synthetic one (a function of a seed).

pub mod replay;
pub mod synthetic;
