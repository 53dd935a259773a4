//! Who fetches? The bot: what it was leased, politely, and nothing else.

pub mod decode;
pub mod live;
