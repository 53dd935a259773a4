//! Who holds which domain, and what waits there?
//!
//! The frontier of a crawl with many machines. Agents find URLs and offer them, take domains on lease with the
//! URLs that wait there, and tell how it went. What they share is one port, [`Frontier`], with two
//! implementations that pass the same tests: [`Postgres`] for many machines and [`Embedded`] for one.
//!
//! | module | the question |
//! |---|---|
//! | [`port`] | what may be asked of a frontier? |
//! | [`words`] | what is said about URLs, domains and bots? |
//! | [`slot`] | to which part of the frontier does a domain belong? |
//! | [`seen`] | which links need no question at all? |
//! | [`embedded`] | how does it lie in one folder? |
//! | [`postgres`] | how does it lie in databases that many share? |
//! | [`testing`] | how does a test get a PostgreSQL of its own? |

mod code;
pub mod embedded;
mod error;
pub mod port;
pub mod postgres;
pub mod seen;
pub mod slot;
pub mod testing;
pub mod words;

pub use embedded::Embedded;
pub use error::LedgerError;
pub use port::Frontier;
pub use postgres::Postgres;
pub use seen::Seen;
pub use slot::{DomainKey, PageKey, SLOTS, Slot};
pub use words::{
    Blob, Completed, Completion, DomainDone, Found, Grant, Held, Lease, NewCopy, Owner, PageDone,
    Sighting, Stage, Stats, Stuck, Sweep, Swept, Task, UrlEntry, Work,
};

use std::path::Path;
use std::sync::Arc;

/// Opens the frontier at a place: a connection string (`postgres://user@host/database`), or a folder.
///
/// # Errors
/// If it cannot be reached or read, or was written by a newer program.
pub async fn open(place: &str) -> Result<Arc<dyn Frontier>, LedgerError> {
    if postgres::is_address(place) {
        return Ok(Arc::new(Postgres::open(place).await?));
    }
    if let Some((scheme, _)) = place.split_once("://") {
        return Err(LedgerError::Place { scheme: scheme.to_owned() });
    }
    Ok(Arc::new(Embedded::open(Path::new(place))?))
}
