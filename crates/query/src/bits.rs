//! Which documents of a segment? One bit for each.

use tantivy::DocId;

/// A set of documents of one segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    documents: u32,
}

impl Bits {
    /// No document of so many.
    pub(crate) fn none(documents: u32) -> Bits {
        Bits { words: vec![0; documents.div_ceil(64) as usize], documents }
    }

    /// All documents of so many.
    pub(crate) fn all(documents: u32) -> Bits {
        let mut bits = Bits::none(documents);
        bits.invert();
        bits
    }

    /// Adds a document; one that the segment does not have is left out.
    #[inline]
    pub(crate) fn add(&mut self, document: DocId) {
        if let Some(word) = self.words.get_mut((document / 64) as usize) {
            *word |= 1 << (document % 64);
        }
    }

    /// Takes a document out.
    pub(crate) fn remove(&mut self, document: DocId) {
        if let Some(word) = self.words.get_mut((document / 64) as usize) {
            *word &= !(1 << (document % 64));
        }
    }

    /// Whether a document is in.
    #[inline]
    pub(crate) fn has(&self, document: DocId) -> bool {
        let word = self.words.get((document / 64) as usize);
        word.is_some_and(|word| word >> (document % 64) & 1 == 1)
    }

    /// Keeps what is in both.
    pub(crate) fn and(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Adds what is in the other.
    pub(crate) fn or(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Takes out what is in the other, and says how many were in both.
    pub(crate) fn take_out(&mut self, other: &Bits) -> usize {
        let mut both = 0;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            both += (*word & other).count_ones() as usize;
            *word &= !other;
        }
        both
    }

    /// What was out is in, and the other way round.
    pub(crate) fn invert(&mut self) {
        for word in &mut self.words {
            *word = !*word;
        }
        let rest = self.documents % 64;
        if rest > 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << rest) - 1;
        }
    }

    /// How many are in.
    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Those that are in, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = DocId> + '_ {
        self.words.iter().zip(0_u32..).flat_map(|(word, place)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let lowest = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(place * 64 + lowest)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn bits(documents: u32, from: &BTreeSet<u32>) -> Bits {
        let mut bits = Bits::none(documents);
        from.iter().for_each(|document| bits.add(*document));
        bits
    }

    proptest! {
        #[test]
        fn it_is_a_set(
            documents in 1..200_u32,
            a in proptest::collection::btree_set(0..200_u32, 0..40),
            b in proptest::collection::btree_set(0..200_u32, 0..40),
        ) {
            let known = |set: &BTreeSet<u32>| -> BTreeSet<u32> {
                set.iter().copied().filter(|document| *document < documents.div_ceil(64) * 64).collect()
            };
            let (a, b) = (known(&a), known(&b));
            let read = |bits: &Bits| bits.iter().collect::<BTreeSet<u32>>();
            let (mut both, mut either) = (bits(documents, &a), bits(documents, &a));
            both.and(&bits(documents, &b));
            either.or(&bits(documents, &b));
            prop_assert_eq!(read(&both), a.intersection(&b).copied().collect());
            prop_assert_eq!(read(&either), a.union(&b).copied().collect());
            prop_assert_eq!(either.count(), read(&either).len());
            let mut rest = bits(documents, &a);
            prop_assert_eq!(rest.take_out(&bits(documents, &b)), both.count());
            prop_assert_eq!(read(&rest), a.difference(&b).copied().collect());
            let mut others = both.clone();
            others.invert();
            let expected = (0..documents).filter(|document| !both.has(*document)).collect();
            prop_assert_eq!(read(&others), expected);
            prop_assert_eq!(Bits::all(documents).count(), documents as usize);
            for document in a {
                both.remove(document);
            }
            prop_assert_eq!(both.count(), 0);
        }
    }
}
