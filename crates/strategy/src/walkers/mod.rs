//! How many agents, and where do they go by chance? Wack, Bakhouya and Gaber's mobile agents: random walks
//! on the links, alone, in a group, or in a population that regulates itself by pheromone (Amin and Mikler)
//! or by how usual a meeting is (in the spirit of Bakhouya and Gaber).
//!
//! [`Colony`] walks on any [`Graph`]; `Walkers` lets one walk on what a crawl has seen.

mod colony;
mod crawl;
mod parameters;
mod saved;
mod tending;
mod walker;

pub(crate) use crawl::Walkers;

pub use colony::{Colony, Counts, Fate, Graph, Trail};
pub use parameters::{Kind, WalkerParameters};
pub use walker::{Hop, Walker};

#[cfg(test)]
mod tests;
