//! Which fingerprints were just found? Most links lead to few pages; these are known without a look
//! into any run.

/// Fingerprints that are known for certain, each in the one slot that it belongs to; a newer one takes
/// the place of an older one.
#[derive(Debug)]
pub(super) struct Hot {
    /// A power of two of them, or none. Zero is an empty slot, so the fingerprint zero is never kept.
    slots: Vec<u64>,
}

impl Hot {
    /// Room for `slots` fingerprints, rounded up to a power of two; none keeps nothing.
    pub(super) fn with_slots(slots: usize) -> Hot {
        let slots = if slots == 0 { 0 } else { slots.next_power_of_two() };
        Hot { slots: vec![0; slots] }
    }

    /// Whether the fingerprint is kept here; a "yes" is certain.
    pub(super) fn holds(&self, fingerprint: u64) -> bool {
        fingerprint != 0 && self.slots.get(self.slot_of(fingerprint)) == Some(&fingerprint)
    }

    /// Keeps a known fingerprint.
    pub(super) fn keep(&mut self, fingerprint: u64) {
        let slot = self.slot_of(fingerprint);
        if let Some(place) = self.slots.get_mut(slot) {
            *place = fingerprint;
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        // Fresh zeroed memory costs nothing until it is used.
        self.slots = vec![0; self.slots.len()];
    }

    /// Memory that it takes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.slots.capacity() * 8
    }

    fn slot_of(&self, fingerprint: u64) -> usize {
        fingerprint as usize & self.slots.len().wrapping_sub(1)
    }
}
