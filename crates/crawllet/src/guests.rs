//! Which crawllets does the engine bring along?

use crate::Fault;
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

/// What stands before the place for the key in a module.
pub const KEY_MARKER: &[u8; 17] = b"CLP1-MAC-KEY-SLOT";

/// A crawllet: a WebAssembly module, built from `crates/crawllet-guest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guest {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The module, without a key.
    pub wasm: &'static [u8],
}

/// All that are built in.
pub const ALL: &[Guest] = &[
    Guest {
        name: "pages",
        about: "brings every page whole",
        wasm: include_bytes!("../guests/pages.wasm"),
    },
    Guest {
        name: "summaries",
        about: "brings title, text, terms and simhash of every page",
        wasm: include_bytes!("../guests/summaries.wasm"),
    },
    Guest {
        name: "changed",
        about: "brings pages that are new or changed, and names those that are as they were or gone",
        wasm: include_bytes!("../guests/changed.wasm"),
    },
    Guest {
        name: "media",
        about: "walks pages, and brings files of some types whole",
        wasm: include_bytes!("../guests/media.wasm"),
    },
    Guest {
        name: "titles",
        about: "brings the title of every page; the smallest guest, to copy and to change",
        wasm: include_bytes!("../guests/titles.wasm"),
    },
];

/// The one of this name.
pub fn by_name(name: &str) -> Option<&'static Guest> {
    ALL.iter().find(|guest| guest.name == name)
}

/// The one whose module has this digest, without a key.
pub fn by_digest(sha256: &[u8; 32]) -> Option<&'static Guest> {
    digests().iter().position(|digest| digest == sha256).and_then(|at| ALL.get(at))
}

/// The digests of all modules, in their order.
pub(crate) fn digests() -> &'static [[u8; 32]] {
    static DIGESTS: OnceLock<Vec<[u8; 32]>> = OnceLock::new();
    DIGESTS.get_or_init(|| ALL.iter().map(|guest| Sha256::digest(guest.wasm).into()).collect())
}

/// The module with a key in its slot.
pub fn key_patched(guest: &Guest, key: &[u8; 32]) -> Result<Vec<u8>, Fault> {
    patched(guest.wasm, key)
}

/// Any module with a key in its slot: 32 zero bytes after the marker, which occurs exactly once.
pub fn patched(module: &[u8], key: &[u8; 32]) -> Result<Vec<u8>, Fault> {
    exchanged(module, &[0; 32], key)
}

/// The module without the key that was put into its slot.
pub(crate) fn unpatched(module: &[u8], key: &[u8; 32]) -> Result<Vec<u8>, Fault> {
    exchanged(module, key, &[0; 32])
}

fn exchanged(module: &[u8], before: &[u8; 32], after: &[u8; 32]) -> Result<Vec<u8>, Fault> {
    let mut places = module.windows(KEY_MARKER.len()).enumerate();
    let mut next = || places.find(|(_, window)| window == KEY_MARKER).map(|(at, _)| at);
    let (Some(at), None) = (next(), next()) else { return Err(Fault::KeySlot) };
    let slot = at + KEY_MARKER.len()..at + KEY_MARKER.len() + before.len();
    let mut exchanged = module.to_vec();
    match exchanged.get_mut(slot) {
        Some(slot) if *slot == before[..] => slot.copy_from_slice(after),
        _ => return Err(Fault::KeySlot),
    }
    Ok(exchanged)
}
