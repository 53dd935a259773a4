//! Who is linked to? PageRank over a graph that fits in memory.

/// Share of the visitors of a page who follow one of its links; the others begin anew anywhere.
pub(crate) const DAMPING: f64 = 0.85;
/// The ranks are good when a round changes them by less than this in all.
const TOLERANCE: f64 = 1e-6;
/// Rounds at most; 0.85 to this power is far below the tolerance.
const MAX_ROUNDS: usize = 100;

/// A directed graph: for each node, the nodes that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Where the targets of each node begin; one more than there are nodes.
    begins: Vec<usize>,
    targets: Vec<u32>,
}

impl Graph {
    /// The graph with so many nodes and these edges, from and to. An edge that comes again counts once, one
    /// from a node to itself or to a node that is none counts for nothing.
    pub fn new(nodes: usize, mut edges: Vec<(u32, u32)>) -> Graph {
        edges.retain(|(from, to)| from != to && (*from as usize) < nodes && (*to as usize) < nodes);
        edges.sort_unstable();
        edges.dedup();
        let mut begins = vec![0; nodes + 1];
        for (from, _) in &edges {
            begins[*from as usize + 1] += 1;
        }
        for node in 0..nodes {
            begins[node + 1] += begins[node];
        }
        Graph { begins, targets: edges.into_iter().map(|(_, to)| to).collect() }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.begins.len() - 1
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.targets.len()
    }

    /// Where a node leads to.
    fn targets(&self, node: usize) -> &[u32] {
        &self.targets[self.begins[node]..self.begins[node + 1]]
    }

    /// How many nodes lead to each.
    pub fn inlinks(&self) -> Vec<u32> {
        let mut counts = vec![0_u32; self.nodes()];
        for target in &self.targets {
            counts[*target as usize] += 1;
        }
        counts
    }

    /// The share of random visitors at each node; all shares add up to 1. Visitors of a node that leads
    /// nowhere begin anew.
    pub fn page_rank(&self) -> Vec<f64> {
        let nodes = self.nodes();
        let mut ranks = vec![1.0 / nodes.max(1) as f64; nodes];
        let mut next = vec![0.0; nodes];
        for _ in 0..MAX_ROUNDS {
            let mut lost = 0.0;
            next.fill(0.0);
            for (node, rank) in ranks.iter().enumerate() {
                let targets = self.targets(node);
                if targets.is_empty() {
                    lost += rank;
                }
                let share = DAMPING * rank / targets.len() as f64;
                for target in targets {
                    next[*target as usize] += share;
                }
            }
            let anew = (1.0 - DAMPING + DAMPING * lost) / nodes as f64;
            let mut change = 0.0;
            for (new, old) in next.iter_mut().zip(&ranks) {
                *new += anew;
                change += (*new - old).abs();
            }
            std::mem::swap(&mut ranks, &mut next);
            if change < TOLERANCE {
                break;
            }
        }
        ranks
    }
}

/// Ranks on a scale from 0 to 1: the highest is 1, and one that is ten times smaller is as far below as the
/// next that is ten times smaller again. A rank below the average counts for nothing.
pub fn scaled(ranks: &[f64]) -> Vec<f32> {
    let average = 1.0 / ranks.len().max(1) as f64;
    let log = |rank: f64| (rank / average).ln().max(0.0);
    let most = ranks.iter().copied().map(log).fold(0.0, f64::max);
    let scale = if most > 0.0 { 1.0 / most } else { 0.0 };
    ranks.iter().map(|rank| (log(*rank) * scale) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_that_all_lead_to_has_most() {
        let graph = Graph::new(4, vec![(0, 3), (1, 3), (2, 3), (3, 0), (1, 3), (2, 2), (0, 9)]);
        assert_eq!((graph.nodes(), graph.edges()), (4, 4));
        assert_eq!(graph.inlinks(), [1, 0, 0, 3]);
        let ranks = graph.page_rank();
        // Worked by hand: r1 = r2 = 0.0375, r0 = 0.0375 + 0.85 r3, r3 = 0.0375 + 0.85 (r0 + r1 + r2).
        let (small, expected) = (0.0375, (0.0375 * 1.85 + 0.85 * 2.0 * 0.0375) / (1.0 - 0.7225));
        assert!((ranks[1] - small).abs() < 1e-6 && (ranks[2] - small).abs() < 1e-6);
        assert!((ranks[3] - expected).abs() < 1e-6, "{ranks:?}, {expected}");
        let scaled = scaled(&ranks);
        assert_eq!((scaled[3], scaled[1]), (1.0, 0.0));
        assert!(scaled[0] > 0.5 && scaled[0] < 1.0);
    }

    #[test]
    fn nothing_has_no_rank() {
        assert!(Graph::new(0, vec![(0, 0)]).page_rank().is_empty());
        assert_eq!(scaled(&Graph::new(3, Vec::new()).page_rank()), [0.0; 3]);
    }

    proptest! {
        #[test]
        fn ranks_are_shares_and_stand_still(
            nodes in 1..20_usize,
            edges in proptest::collection::vec((0..20_u32, 0..20_u32), 0..60),
        ) {
            let graph = Graph::new(nodes, edges);
            let ranks = graph.page_rank();
            prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            // What flows to each node is what it has.
            let lost: f64 = (0..nodes).filter(|n| graph.targets(*n).is_empty()).map(|n| ranks[n]).sum();
            for node in 0..nodes {
                let flows = (0..nodes).filter(|n| graph.targets(*n).contains(&(node as u32)));
                let flow: f64 = flows.map(|n| ranks[n] / graph.targets(n).len() as f64).sum();
                let expected = (1.0 - DAMPING + DAMPING * lost) / nodes as f64 + DAMPING * flow;
                prop_assert!((ranks[node] - expected).abs() < 1e-5);
            }
        }
    }
}
