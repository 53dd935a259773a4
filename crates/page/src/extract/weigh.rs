//! How much prose is in an element?

use crate::count::count_bytes;
use crate::html::{Tag, Tree};
use std::ops::Range;

/// Letters (and digits) of every subtree, all and those inside links. Hidden text does not count.
pub(super) struct Sizes {
    pub(super) letters: Vec<u32>,
    pub(super) link_letters: Vec<u32>,
}

impl Sizes {
    pub(super) fn of(tree: &Tree) -> Sizes {
        let count = tree.nodes.len();
        let mut letters = vec![0_u32; count];
        let mut link_letters = vec![0_u32; count];
        // Children come after their parents, so one loop from the end adds everything up.
        for index in (0..count).rev() {
            let node = &tree.nodes[index];
            if node.tag == Tag::Text && !node.hidden {
                letters[index] = letters_of(tree.text(index));
            }
            if node.tag == Tag::A {
                link_letters[index] = letters[index];
            }
            if index > 0 {
                let parent = node.parent as usize;
                letters[parent] = letters[parent].saturating_add(letters[index]);
                link_letters[parent] = link_letters[parent].saturating_add(link_letters[index]);
            }
        }
        Sizes { letters, link_letters }
    }
}

/// Most runs of text are a few words, for which anything clever takes longer to set up than to do.
const SHORT: usize = 64;

/// One for each letter and digit of ASCII.
const IS_LETTER: [u8; 256] = {
    let mut is_letter = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        is_letter[byte as usize] = byte.is_ascii_alphanumeric() as u8;
        byte += 1;
    }
    is_letter
};

fn letters_of(text: &str) -> u32 {
    let (plain, is_ascii) = if text.len() <= SHORT {
        let (mut plain, mut all) = (0, 0);
        for byte in text.bytes() {
            plain += usize::from(IS_LETTER[usize::from(byte)]);
            all |= byte;
        }
        (plain, all.is_ascii())
    } else {
        (count_bytes(text, |byte| byte.is_ascii_alphanumeric()), text.is_ascii())
    };
    let count = if is_ascii {
        plain
    } else {
        plain + text.chars().filter(|c| !c.is_ascii() && c.is_alphanumeric()).count()
    };
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Where the text of a page stands: of each visible run of text with letters its number, the block that it
/// stands directly in (inline elements do not count), and whether it is part of a link.
pub(super) struct Runs(Vec<Run>);

struct Run {
    node: u32,
    block: u32,
    in_link: bool,
}

impl Runs {
    pub(super) fn of(tree: &Tree, sizes: &Sizes) -> Runs {
        // The block of each node, and whether it is part of a link.
        let mut places = vec![(0_u32, false); tree.nodes.len()];
        let mut runs = Vec::new();
        for (index, node) in tree.nodes.iter().enumerate().skip(1) {
            // Whatever is in a hidden element is hidden, and has no letters.
            let (block, in_link) = places[node.parent as usize];
            if node.tag == Tag::Text {
                if sizes.letters[index] > 0 {
                    runs.push(Run { node: index as u32, block, in_link });
                }
            } else if node.tag.is_block() || matches!(node.tag, Tag::Td | Tag::Th) {
                places[index] = (index as u32, in_link);
            } else {
                places[index] = (block, in_link || node.tag == Tag::A);
            }
        }
        Runs(runs)
    }
}

/// The weight of every subtree.
pub(super) struct Weights {
    pub(super) of: Vec<f32>,
}

/// Shorter blocks are labels, not prose.
const MIN_LETTERS: u32 = 20;
/// Blocks longer than this count no more than their length for each further letter.
const LONG_BLOCK: f32 = 400.0;

impl Weights {
    /// Weighs each block by the text that stands directly in it (inline elements included). What is
    /// dropped, which is some subtrees in their order, weighs nothing.
    pub(super) fn of(tree: &Tree, sizes: &Sizes, runs: &Runs, dropped: &[Range<u32>]) -> Weights {
        let count = tree.nodes.len();
        let mut own = vec![(0_u32, 0_u32); count];
        let mut dropped = dropped.iter();
        let mut next = dropped.next();
        for run in &runs.0 {
            while next.is_some_and(|range| range.end <= run.node) {
                next = dropped.next();
            }
            if next.is_some_and(|range| range.start <= run.node) {
                continue;
            }
            let letters = sizes.letters[run.node as usize];
            let (all, linked) = &mut own[run.block as usize];
            *all = all.saturating_add(letters);
            if run.in_link {
                *linked = linked.saturating_add(letters);
            }
        }
        let mut of = vec![0.0_f32; count];
        for index in (0..count).rev() {
            let (all, linked) = own[index];
            if all >= MIN_LETTERS && linked * 2 < all {
                let prose = (all - linked) as f32;
                of[index] += prose * (prose / LONG_BLOCK).min(1.0);
            }
            let weight = of[index];
            if index > 0 && weight > 0.0 {
                of[tree.nodes[index].parent as usize] += weight;
            }
        }
        Weights { of }
    }
}
