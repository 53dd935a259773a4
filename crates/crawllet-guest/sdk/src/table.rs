//! What was met before? A set of 64-bit hashes, each with a small number.
//!
//! Open addressing in one array: less code than a tree of the standard library, and in a module that
//! travels with every job code is what counts. The same additions give the same table.

/// Hashes with numbers.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// A power of two long, at most three quarters full; 0 is an empty place.
    places: Vec<(u64, u32)>,
    count: usize,
}

impl Table {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of a hash.
    pub fn get(&self, hash: u64) -> Option<u32> {
        let (found, number) = *self.places.get(self.place(key(hash))?)?;
        Some(number).filter(|_| found != 0)
    }

    /// Adds a hash with its number; false, and nothing is changed, when it is there.
    pub fn insert(&mut self, hash: u64, number: u32) -> bool {
        if self.count * 4 >= self.places.len() * 3 {
            let larger = vec![(0, 0); (self.places.len() * 2).max(64)];
            for (hash, number) in std::mem::replace(&mut self.places, larger) {
                if hash != 0 {
                    self.put(hash, number);
                }
            }
        }
        let is_new = self.put(key(hash), number);
        self.count += usize::from(is_new);
        is_new
    }

    /// All hashes, in no useful order.
    pub fn hashes(&self) -> impl Iterator<Item = u64> + '_ {
        self.places.iter().map(|(hash, _)| *hash).filter(|hash| *hash != 0)
    }

    fn put(&mut self, hash: u64, number: u32) -> bool {
        match self.place(hash).and_then(|place| self.places.get_mut(place)) {
            Some(place) if place.0 == 0 => {
                *place = (hash, number);
                true
            }
            _ => false,
        }
    }

    /// Where a hash stands, or would.
    fn place(&self, hash: u64) -> Option<usize> {
        let last = self.places.len().checked_sub(1)?;
        let mut at = hash as usize & last;
        while self.places[at].0 != 0 && self.places[at].0 != hash {
            at = (at + 1) & last;
        }
        Some(at)
    }
}

/// 0 marks an empty place, so what hashes to it goes by another name.
fn key(hash: u64) -> u64 {
    hash.max(1)
}

/// The hash of a text: FNV-1a, and a mix so that every bit depends on every byte.
pub fn hash(text: &str) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        sum = (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    sum = (sum ^ sum >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    sum ^ sum >> 32
}
