//! Which fingerprints were just found? Most links lead to few pages; these are known without a look
//! into any run.

/// Slots that there are room for.
const SLOTS: usize = 1 << SLOT_BITS;

/// Bits of a fingerprint that tell its slot.
const SLOT_BITS: u32 = 24;

/// Bytes of a slot: all bits of a fingerprint that do not tell the slot, so a "yes" is certain.
const BYTES: usize = (64 - SLOT_BITS as usize) / 8;

/// Fingerprints that are known for certain, each in the one slot that it belongs to; a newer one takes
/// the place of an older one.
#[derive(Debug)]
pub(super) struct Hot {
    /// Zero is an empty slot, so a fingerprint of which nothing else is left is never kept. Zeroed memory
    /// costs nothing until it is used, so a small tally takes none.
    slots: Vec<u8>,
}

impl Hot {
    /// Room for fingerprints, or for none.
    pub(super) fn new(keep: bool) -> Hot {
        Hot { slots: vec![0; if keep { SLOTS * BYTES } else { 0 }] }
    }

    /// Whether the fingerprint is kept here.
    pub(super) fn holds(&self, fingerprint: u64) -> bool {
        let (slot, rest) = parts(fingerprint);
        let (slots, _) = self.slots.as_chunks();
        rest != [0; BYTES] && slots.get(slot) == Some(&rest)
    }

    /// Keeps a known fingerprint.
    pub(super) fn keep(&mut self, fingerprint: u64) {
        let (slot, rest) = parts(fingerprint);
        let (slots, _) = self.slots.as_chunks_mut();
        if let Some(place) = slots.get_mut(slot) {
            *place = rest;
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.slots = vec![0; self.slots.len()];
    }

    /// Memory that it takes at most.
    pub(super) fn memory_bytes(&self) -> usize {
        self.slots.capacity()
    }
}

/// The slot of a fingerprint, and what is kept there.
fn parts(fingerprint: u64) -> (usize, [u8; BYTES]) {
    let [a, b, c, d, e, ..] = (fingerprint >> SLOT_BITS).to_le_bytes();
    (fingerprint as usize & (SLOTS - 1), [a, b, c, d, e])
}
