//! Which concept is directly above which? The lines of the diagram.

use super::Lattice;

impl Lattice {
    /// The concepts directly above each, by their places: those with the fewest pages among those that
    /// have all of its pages and more.
    pub fn covers(&self) -> Vec<Vec<usize>> {
        let mut covers = Vec::with_capacity(self.concepts.len());
        for (place, concept) in self.concepts.iter().enumerate() {
            let mut above: Vec<usize> = Vec::new();
            // Those with more pages stand before it; the nearest have the fewest.
            for higher in (0..place).rev() {
                let extent = self.concepts[higher].extent;
                let contains = extent & concept.extent == concept.extent;
                let direct = || {
                    !above.iter().any(|&near| {
                        let near = self.concepts[near].extent;
                        near & extent == near
                    })
                };
                if contains && extent != concept.extent && direct() {
                    above.push(higher);
                }
            }
            above.reverse();
            covers.push(above);
        }
        covers
    }
}
