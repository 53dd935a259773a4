//! How do agents on many machines speak?
//!
//! A [`Bus`] has questions and answers, news for whoever listens, calls for proposals, a list of who is there, and
//! queues of work that survive the death of whoever works on them. Behind it is one process (`local`) or a cluster
//! of NATS servers (`nats://a,b,c`); the same tests hold for both.
//!
//! A message may be late, lost (news) or doubled (work). Whatever must be true is decided by a store; the bus only
//! makes it known soon.

mod bus;
mod contract;
mod error;
mod local;
mod nats;
mod presence;
mod subject;
mod wire;
mod work;

pub use bus::{Bus, Refusal, Service, Subscription};
pub use contract::{Award, Bid, Bidder, NoTaker};
pub use error::{Error, Result};
pub use local::Hub;
pub use presence::{Card, Member, Pace, Presence, Roster, State};
pub use subject::matches;
pub use wire::News;
pub use work::{Counts, Job, Parked, Pushed, Work, WorkSettings};
