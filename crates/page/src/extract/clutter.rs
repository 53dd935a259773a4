//! What stands in the content but is none of it? Signs to link to a heading, and the numbers of lines.

use super::weigh::{Sizes, Weights};
use crate::html::{Tag, Tree};

/// Drops all clutter of a subtree.
pub(super) fn drop(tree: &Tree, root: usize, dropped: &mut [bool]) {
    for index in tree.subtree(root) {
        dropped[index] |= is(tree, index);
    }
}

/// Whether an element is clutter.
pub(super) fn is(tree: &Tree, index: usize) -> bool {
    match tree.nodes[index].tag {
        Tag::A => leads_to_own_place(tree, index) && !has_words(tree, index),
        Tag::Pre => stands_in_cell(tree, index) && is_numbering(tree, index),
        _ => false,
    }
}

/// Whether a link leads to a place on the same page.
fn leads_to_own_place(tree: &Tree, index: usize) -> bool {
    tree.link(index).is_some_and(|link| tree.links[link].href.starts_with('#'))
}

fn has_words(tree: &Tree, index: usize) -> bool {
    let is_shown = |inner: usize| {
        let is_text = matches!(tree.nodes[inner].tag, Tag::Text | Tag::Img);
        is_text && tree.text(inner).chars().any(char::is_alphanumeric)
    };
    tree.subtree(index).any(is_shown)
}

/// Whether a heading holds a link to a place on the same page, with words.
pub(super) fn has_own_place(tree: &Tree, index: usize) -> bool {
    tree.subtree(index).any(|inner| {
        tree.nodes[inner].tag == Tag::A && leads_to_own_place(tree, inner) && has_words(tree, inner)
    })
}

/// Letters of an article in a list beside its title.
const ENTRY: u32 = 60;

/// Whether a heading is the title of an article in a list of articles that say something.
pub(super) fn is_title(tree: &Tree, sizes: &Sizes, root: usize, index: usize) -> bool {
    /// Elements between the article and its title.
    const BETWEEN: usize = 4;
    let parents = std::iter::successors(Some(index), |at| Some(tree.nodes[*at].parent as usize));
    let mut around = parents.skip(1).take(BETWEEN).take_while(|at| *at > root);
    around
        .find(|at| tree.nodes[*at].tag == Tag::Article)
        .is_some_and(|at| sizes.letters[at] > sizes.link_letters[at] + ENTRY)
}

/// Whether an element stands in the cell of a table, or nearly.
fn stands_in_cell(tree: &Tree, index: usize) -> bool {
    /// Elements between the cell and its content.
    const BETWEEN: usize = 3;
    let parents = std::iter::successors(Some(index), |at| Some(tree.nodes[*at].parent as usize));
    parents.skip(1).take(BETWEEN).any(|at| matches!(tree.nodes[at].tag, Tag::Td | Tag::Th))
}

/// Whether a text is nothing but numbers, each one more than the one before.
fn is_numbering(tree: &Tree, index: usize) -> bool {
    let mut text = String::new();
    for inner in tree.subtree(index) {
        match tree.nodes[inner].tag {
            Tag::Text => text.push_str(tree.text(inner)),
            tag if tag == Tag::Br || tag.is_block() => text.push(' '),
            _ => {}
        }
    }
    let mut last: Option<u64> = None;
    for word in text.split_whitespace() {
        match (word.parse::<u64>(), last) {
            (Ok(number), None) => last = Some(number),
            (Ok(number), Some(before)) if number == before + 1 => last = Some(number),
            _ => return false,
        }
    }
    last.is_some()
}

/// The weight of code in every subtree; `None` where there is none.
pub(super) fn code_weights(tree: &Tree, weights: &Weights) -> Option<Vec<f32>> {
    if !tree.nodes.iter().any(|node| node.tag == Tag::Pre) {
        return None;
    }
    let mut of = vec![0.0; tree.nodes.len()];
    for index in (1..tree.nodes.len()).rev() {
        if tree.nodes[index].tag == Tag::Pre {
            of[index] = weights.of[index];
        }
        of[tree.nodes[index].parent as usize] += of[index];
    }
    Some(of)
}

/// Letters of a sentence that announces a list.
const ANNOUNCEMENT: u32 = 20;

/// Whether what stands before a list is a sentence that ends with a colon.
pub(super) fn is_announced(tree: &Tree, sizes: &Sizes, index: usize) -> bool {
    let Some(before) = before(tree, sizes, index) else {
        return false;
    };
    let is_sentence = matches!(tree.nodes[before].tag, Tag::P | Tag::Text)
        && sizes.letters[before] >= ANNOUNCEMENT
        && sizes.link_letters[before] * 2 < sizes.letters[before];
    let texts = tree.subtree(before).rev().filter(|inner| tree.nodes[*inner].tag == Tag::Text);
    let mut texts = texts.map(|inner| tree.text(inner).trim_end());
    is_sentence && texts.find(|text| !text.is_empty()).is_some_and(|text| text.ends_with(':'))
}

/// The element or run of text before an element, in the same one; what has no letters does not count.
fn before(tree: &Tree, sizes: &Sizes, index: usize) -> Option<usize> {
    /// Elements without letters that are passed over.
    const EMPTY: usize = 4;
    let parent = tree.nodes[index].parent;
    let mut at = index;
    for _ in 0..EMPTY {
        at = at.checked_sub(1).filter(|at| *at > parent as usize)?;
        // The last node before it is deep in the element before it.
        while tree.nodes[at].parent != parent {
            at = tree.nodes[at].parent as usize;
            if at <= parent as usize {
                return None;
            }
        }
        if sizes.letters[at] > 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests;
