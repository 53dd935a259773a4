//! Which part of a page is its content?
//!
//! Three steps over the light tree, each one loop. *Rule out* what its element, role or name says is
//! not content, unless it holds most of the page. *Weigh* each block that is left by its prose: long
//! runs of text outside links count for more than their length. *Descend* from the root into the child
//! that holds nearly all the weight, as long as there is one; what is reached is the content, less what
//! looks like lists of links in it.

mod clutter;
mod weigh;

use crate::html::{Hints, Tag, Tree};
use std::ops::Range;
use weigh::{Runs, Sizes, Weights};

/// The content of a page: a subtree less what is dropped from it.
pub(crate) struct Main {
    /// The element that holds it.
    pub(crate) root: usize,
    dropped: Vec<bool>,
}

impl Main {
    /// Whether this node and all that is in it is no content.
    pub(crate) fn drops(&self, node: usize) -> bool {
        self.dropped.get(node).copied().unwrap_or(false)
    }
}

/// An element that holds this share of a page's prose is never ruled out by its name alone.
const MOST_OF_PROSE: f32 = 0.4;
/// A child is entered when it holds this share of the weight.
const DESCEND_SHARE: f32 = 0.75;
/// A declared body or landmark is believed when it holds this share of the weight.
const DECLARED_SHARE: f32 = 0.3;

/// An element with this share of its weight in code is a piece of code.
const ALL_CODE: f32 = 0.95;

/// A byline with more letters than this is a text.
const SHORT_BYLINE: u32 = 300;
/// A form with more letters than this wraps the page, as some frameworks do.
const LONG_FORM: u32 = 1_000;
/// Lists, blocks and headings with more of their letters in links than this are navigation.
const LINK_LIST: f32 = 0.6;
const LINK_BLOCK: f32 = 0.7;
const LINK_HEADING: f32 = 0.8;
/// A content that holds less of the page's prose than this shows that names misled us.
const TOO_LITTLE: f32 = 0.2;

/// Finds the content.
pub(crate) fn main_content(tree: &Tree) -> Main {
    let sizes = Sizes::of(tree);
    let runs = Runs::of(tree, &sizes);
    let all = Weights::of(tree, &sizes, &runs, &[]);
    let (mut main, weight) = attempt(tree, &sizes, &runs, &all, true);
    if weight < all.of[0] * TOO_LITTLE {
        let (by_elements, second) = attempt(tree, &sizes, &runs, &all, false);
        if second > weight * 2.0 {
            main = by_elements;
        }
    }
    let found = kept(tree, &sizes, &main, FEW_LETTERS);
    if found < FEW_LETTERS {
        let list = list_of_links(tree, &sizes, &all);
        if kept(tree, &sizes, &list, u32::MAX)
            > found.max(FEW_LETTERS / 4).saturating_mul(MUCH_MORE)
        {
            return list;
        }
    }
    main
}

/// A content with fewer letters than this may be what is around a list of links.
const FEW_LETTERS: u32 = 300;
/// A list of links has so many times the letters of what is around it.
const MUCH_MORE: u32 = 3;

/// The letters of a content, counted no further than `enough`.
fn kept(tree: &Tree, sizes: &Sizes, main: &Main, enough: u32) -> u32 {
    let range = tree.subtree(main.root);
    let mut letters = 0_u32;
    let mut index = range.start;
    while index < range.end && letters < enough {
        let node = &tree.nodes[index];
        if main.drops(index) {
            index = (node.end as usize).max(index + 1);
            continue;
        }
        if node.tag == Tag::Text {
            letters = letters.saturating_add(sizes.letters[index]);
        }
        index += 1;
    }
    letters
}

/// The content of a page that has hardly any prose: all that is not ruled out, or what is declared as the
/// main part of it.
fn list_of_links(tree: &Tree, sizes: &Sizes, all: &Weights) -> Main {
    let mut dropped = vec![false; tree.nodes.len()];
    rule_out(tree, sizes, all, true).iter().for_each(|range| dropped[range.start as usize] = true);
    let is_main = |index: &usize| {
        let node = &tree.nodes[*index];
        node.tag == Tag::Main || node.hints.has(Hints::MAIN)
    };
    let root = (1..tree.nodes.len()).find(is_main).unwrap_or(0);
    clutter::drop(tree, root, &mut dropped);
    Main { root, dropped }
}

/// Finds the content and tells how much prose it holds. `names` says whether classes and ids count.
fn attempt(tree: &Tree, sizes: &Sizes, runs: &Runs, all: &Weights, names: bool) -> (Main, f32) {
    let out = rule_out(tree, sizes, all, names);
    let weights = Weights::of(tree, sizes, runs, &out);
    let mut dropped = vec![false; tree.nodes.len()];
    out.iter().for_each(|range| dropped[range.start as usize] = true);
    let root = descend(tree, &weights, &dropped);
    clean(tree, sizes, root, &mut dropped);
    (Main { root, dropped }, weights.of[root])
}

/// The subtrees that are not content by their own declaration, in their order.
fn rule_out(tree: &Tree, sizes: &Sizes, weights: &Weights, names: bool) -> Vec<Range<u32>> {
    let mut dropped = Vec::new();
    let most = weights.of[0].max(1.0) * MOST_OF_PROSE;
    let mut index = 1;
    while index < tree.nodes.len() {
        let node = &tree.nodes[index];
        let is_minor = weights.of[index] < most;
        let out = node.hidden
            || match node.tag {
                Tag::Nav | Tag::Footer | Tag::Aside | Tag::Menu | Tag::Dialog => is_minor,
                Tag::Button | Tag::Select | Tag::Option | Tag::Textarea | Tag::Label => true,
                Tag::Form | Tag::Fieldset => is_minor && sizes.letters[index] < LONG_FORM,
                Tag::Figcaption => true,
                Tag::Text | Tag::Br => false,
                _ => {
                    let hints = node.hints;
                    let named = hints.has(Hints::LANDMARK)
                        || hints.has(Hints::COMMENTS)
                        || names
                            && (hints.has(Hints::CAPTION)
                                || (hints.has(Hints::BYLINE)
                                    && sizes.letters[index] < SHORT_BYLINE)
                                || (hints.has(Hints::BOILERPLATE) && !hints.has(Hints::BODY)));
                    named && is_minor
                }
            };
        if out {
            dropped.push(index as u32..node.end);
            index = node.end as usize;
        } else {
            index += 1;
        }
    }
    dropped
}

/// Goes from the root, or from a declared content element, to where the weight parts.
fn descend(tree: &Tree, weights: &Weights, dropped: &[bool]) -> usize {
    let mut at = declared(tree, weights, dropped).unwrap_or(0);
    let code = clutter::code_weights(tree, weights);
    // A long piece of code outweighs the text around it, but is not all that the page says.
    let is_code = |index: usize| {
        code.as_ref().is_some_and(|code| code[index] >= weights.of[index] * ALL_CODE)
    };
    loop {
        let total = weights.of[at];
        let end = tree.nodes[at].end as usize;
        let mut child = at + 1;
        let mut next = None;
        while child < end {
            let node = &tree.nodes[child];
            if node.tag != Tag::Text
                && !dropped[child]
                && weights.of[child] > 0.0
                && weights.of[child] >= total * DESCEND_SHARE
            {
                next = Some(child);
                break;
            }
            child = (node.end as usize).max(child + 1);
        }
        match next {
            Some(child) if is_container(tree.nodes[child].tag) && !is_code(child) => at = child,
            _ => return at,
        }
    }
}

/// Whether content can be a whole element of this kind; a lone paragraph is entered no further.
fn is_container(tag: Tag) -> bool {
    !matches!(tag, Tag::P | Tag::Text | Tag::Pre | Tag::Blockquote | Tag::Li | Tag::Tr)
        && tag.heading().is_none()
}

/// The element that the author declares as content, if it holds enough to be believed: the heaviest body of
/// an article, else the heaviest article, else the heaviest landmark.
fn declared(tree: &Tree, weights: &Weights, dropped: &[bool]) -> Option<usize> {
    let least = weights.of[0] * DECLARED_SHARE;
    let (mut body, mut article, mut main) = (None, None, None);
    let mut index = 1;
    while index < tree.nodes.len() {
        let node = &tree.nodes[index];
        let weight = weights.of[index];
        // Nothing weighs more than what it stands in.
        if dropped[index] || weight <= 0.0 || weight < least {
            index = node.end as usize;
            continue;
        }
        let places = [
            (node.hints.has(Hints::BODY), &mut body),
            (node.tag == Tag::Article, &mut article),
            (node.tag == Tag::Main || node.hints.has(Hints::MAIN), &mut main),
        ];
        for (_, best) in places.into_iter().filter(|(is_one, _)| *is_one) {
            if best.is_none_or(|best| weight > weights.of[best]) {
                *best = Some(index);
            }
        }
        index += 1;
    }
    // Of many articles none is the content, unless it holds most of what they say.
    let article = article.filter(|article: &usize| {
        let all = weight_of_articles(tree, weights, dropped);
        weights.of[*article] >= all * MOST_OF_ARTICLES
    });
    body.or(article).or(main)
}

/// An article that is the content holds this share of what all articles say.
const MOST_OF_ARTICLES: f32 = 0.5;

/// What all articles say, those in others not counted again.
fn weight_of_articles(tree: &Tree, weights: &Weights, dropped: &[bool]) -> f32 {
    let mut sum = 0.0;
    let mut index = 1;
    while index < tree.nodes.len() {
        let node = &tree.nodes[index];
        let is_article = node.tag == Tag::Article;
        if is_article && !dropped[index] {
            sum += weights.of[index];
        }
        index = if is_article || dropped[index] {
            (node.end as usize).max(index + 1)
        } else {
            index + 1
        };
    }
    sum
}

/// Drops lists of links and the like from the content.
fn clean(tree: &Tree, sizes: &Sizes, root: usize, dropped: &mut [bool]) {
    let range = tree.subtree(root);
    let mut index = range.start + 1;
    while index < range.end {
        let node = &tree.nodes[index];
        if dropped[index] {
            index = (node.end as usize).max(index + 1);
            continue;
        }
        let letters = sizes.letters[index];
        let linked = || sizes.link_letters[index] as f32 / letters.max(1) as f32;
        let out = match node.tag {
            Tag::Text => false,
            Tag::Ul | Tag::Ol | Tag::Table | Tag::Dl => {
                let is_list = letters < 2_000 && linked() > LINK_LIST;
                if is_list && clutter::is_announced(tree, sizes, index) {
                    // A list that the text speaks of belongs to it, with all its entries.
                    index = node.end as usize;
                    continue;
                }
                is_list
            }
            Tag::Div | Tag::Section | Tag::P | Tag::Li => letters < 400 && linked() > LINK_BLOCK,
            tag if tag.heading().is_some() => {
                // A heading that leads to itself, or to the whole of what follows it, is no navigation.
                linked() > LINK_HEADING
                    && !clutter::has_own_place(tree, index)
                    && !clutter::is_title(tree, sizes, root, index)
            }
            _ => clutter::is(tree, index),
        };
        if out {
            dropped[index] = true;
            index = (node.end as usize).max(index + 1);
        } else {
            index += 1;
        }
    }
}
