//! How much prose is in an element?

use crate::count::count_bytes;
use crate::html::{Tag, Tree};

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

fn letters_of(text: &str) -> u32 {
    let plain = count_bytes(text, |byte| byte.is_ascii_alphanumeric());
    let count = if text.is_ascii() {
        plain
    } else {
        plain + text.chars().filter(|c| !c.is_ascii() && c.is_alphanumeric()).count()
    };
    u32::try_from(count).unwrap_or(u32::MAX)
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
    /// dropped weighs nothing.
    pub(super) fn of(tree: &Tree, sizes: &Sizes, dropped: &[bool]) -> Weights {
        let count = tree.nodes.len();
        let mut own = vec![(0_u32, 0_u32); count];
        let mut block_of = vec![0_u32; count];
        let mut in_link = vec![false; count];
        let mut index = 1;
        while index < count {
            let node = &tree.nodes[index];
            if node.hidden || dropped.get(index).is_some_and(|dropped| *dropped) {
                index = (node.end as usize).max(index + 1);
                continue;
            }
            let parent = node.parent as usize;
            in_link[index] = in_link[parent] || node.tag == Tag::A;
            block_of[index] = match node.tag.is_block() || matches!(node.tag, Tag::Td | Tag::Th) {
                true => index as u32,
                false => block_of[parent],
            };
            if node.tag == Tag::Text {
                let (all, linked) = &mut own[block_of[index] as usize];
                *all = all.saturating_add(sizes.letters[index]);
                if in_link[index] {
                    *linked = linked.saturating_add(sizes.letters[index]);
                }
            }
            index += 1;
        }
        let mut of = vec![0.0_f32; count];
        for index in (0..count).rev() {
            let (all, linked) = own[index];
            if all >= MIN_LETTERS && linked * 2 < all {
                let prose = (all - linked) as f32;
                of[index] += prose * (prose / LONG_BLOCK).min(1.0);
            }
            if index > 0 {
                let weight = of[index];
                of[tree.nodes[index].parent as usize] += weight;
            }
        }
        Weights { of }
    }
}
