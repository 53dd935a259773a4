//! How do people and programs come in? By the search page, its JSON API, and the control door of a
//! running crawl.
//!
//! This room only asks: it holds no index and no frontier, and whatever comes out of a crawled page is
//! hostile until [`web`] has cleaned it.

pub mod control;
pub mod web;
