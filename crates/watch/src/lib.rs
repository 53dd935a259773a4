//! What is a watch, when is it looked at, what is new, and how is it told?
//!
//! Pure: pages, time and chance come in as arguments. Files, network and mail are the program's.

mod compare;
mod delivery;
pub mod diff;
mod edit;
pub mod feed;
mod hook;
mod part;
mod plan;
pub mod schedule;
mod watch;

pub use compare::{Found, MAX_ITEMS, MAX_TEXT, PageSeen, Seen, Sight, compare};
pub use delivery::{Attempt, Channel, Delivery, HOOK_ENTRIES, MAIL_ENTRIES, PAUSES};
pub use hook::{HookSecret, ROTATION, SECRET_BYTES, sign};
pub use part::{PART_HINT, Selector};
pub use plan::{BEST, MOST_BEST, MOST_PAGES, PAGES, Plan, Subject, Wrong};
pub use watch::{Item, KEPT_CHECKS, KEPT_ENTRIES, Secret, Watch};
