//! What is one URL, may it be asked, and when? The rules of the frontier, without the frontier.
//!
//! Everything here is pure: no I/O, nothing async, and time comes in as an argument. The broker keeps
//! the state and asks these functions; `lycosa inspect url` and `inspect robots` show what they say.
//!
//! | module | the question |
//! |---|---|
//! | [`normal`] | when are two addresses one URL? |
//! | [`whatwg`] | what does the URL standard make of a text? |
//! | [`usual`] | what is an address that needs no parser? |
//! | [`scope`] | does a URL belong to this crawl? |
//! | [`exclusions`] | what does a person want left alone? |
//! | [`robots`] | does the site allow it, and by which line? |
//! | [`politeness`] | when may the site be asked next? |
//! | [`retry`] | when is a failed URL tried again, and when is it given up? |
//! | [`revisit`] | when is a page visited again, and when is it gone? |
//! | [`traps`] | does a site go on for ever here? |
//! | [`variants`] | which addresses are likely to be the same page? |
//! | [`maybe`] | was this fingerprint met, maybe? |
//! | [`kiss`] | which bot is dismissed? |

mod domain;
pub mod exclusions;
#[cfg(test)]
mod fuzz;
pub mod kiss;
pub mod maybe;
pub mod normal;
mod percent;
pub mod politeness;
pub mod retry;
pub mod revisit;
pub mod robots;
pub mod scope;
mod surt;
pub mod traps;
pub mod usual;
pub mod variants;
pub mod whatwg;

pub use domain::registrable_domain;
pub use exclusions::{Exclusions, NoExclusion};
pub use normal::{Address, UrlError};
pub use robots::{Robots, Verdict};
pub use scope::{Scope, ScopeKind};
pub use surt::surt;
