//! What is left of a page's structure? Its nodes in document order, in one arena.
//!
//! A node's descendants are the nodes between it and `end`, so a subtree is a range and every question
//! about it is a loop. Nothing is ever moved: this is not the tree of the HTML standard (misnested
//! formatting is not repaired), but blocks, lists, tables and links come out as a reader sees them.

use super::hints::Hints;
use super::tag::Tag;
use crate::Limits;
use std::ops::Range;

/// Bytes of a page with one node, or one byte of text, in pages that have many.
const BYTES_OF_NODE: usize = 24;
const BYTES_OF_TEXT: usize = 2;

/// Bytes of a class that is kept; longer ones are generated.
const LONGEST_CLASS: usize = 40;

/// Elements of a path, the innermost ones.
const LONGEST_PATH: usize = 16;

/// One element or one run of text.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The element, or [`Tag::Text`].
    pub(crate) tag: Tag,
    /// Nobody sees its text.
    pub(crate) hidden: bool,
    /// White space counts.
    pub(crate) pre: bool,
    /// What its names say.
    pub(crate) hints: Hints,
    /// The element it stands in.
    pub(crate) parent: u32,
    /// One past its last descendant.
    pub(crate) end: u32,
    /// Its text, the `alt` of an image, or the language of code, in [`Tree::text`].
    text: (u32, u32),
    /// The link it opens, counted from 1; 0 for none.
    link: u32,
}

/// A link as it stands in the page.
#[derive(Clone, Debug)]
pub(crate) struct RawLink {
    /// The address as written, entities decoded.
    pub(crate) href: String,
    /// The `rel` attribute as written.
    pub(crate) rel: String,
    /// The construct.
    pub(crate) kind: lycosa_model::LinkKind,
    /// The nodes that make its anchor.
    pub(crate) nodes: Range<u32>,
    /// `alt` of an `area`.
    pub(crate) alt: String,
}

/// An address beside the links: of a resource, of a form, or only written down.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// The address as written, entities decoded.
    pub(crate) href: String,
    /// The `rel` attribute as written.
    pub(crate) rel: String,
    /// The construct.
    pub(crate) kind: lycosa_model::LinkKind,
}

/// The nodes of a page and all their text.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Nodes in document order; the first is the root.
    pub(crate) nodes: Vec<Node>,
    /// Links in document order.
    pub(crate) links: Vec<RawLink>,
    /// Further addresses, when they are wanted.
    pub(crate) named: Vec<Named>,
    /// The first class of the elements that have one, in document order, when they are wanted.
    classes: Vec<(u32, Box<str>)>,
    /// Images that say what they show and their addresses as written, when they are wanted.
    pub(crate) images: Vec<(u32, String)>,
    text: String,
}

impl Tree {
    pub(crate) fn new() -> Tree {
        let mut tree = Tree {
            nodes: Vec::new(),
            links: Vec::new(),
            named: Vec::new(),
            images: Vec::new(),
            classes: Vec::new(),
            text: String::new(),
        };
        tree.push(Tag::Root, 0);
        tree
    }

    /// Takes the memory that a page of so many bytes is likely to need, so that what it has is not copied
    /// again and again while it grows.
    pub(crate) fn make_room(&mut self, bytes: usize, limits: &Limits) {
        self.nodes.reserve((bytes / BYTES_OF_NODE).min(limits.max_nodes));
        self.text.reserve((bytes / BYTES_OF_TEXT).min(limits.max_text_bytes));
    }

    /// Bytes of all text.
    pub(crate) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// Adds an element under `parent` and gives its number. Hidden and preformatted are inherited.
    pub(crate) fn push(&mut self, tag: Tag, parent: u32) -> u32 {
        let index = self.len();
        let (hidden, pre) = match self.nodes.get(parent as usize) {
            Some(node) => (node.hidden, node.pre),
            None => (false, false),
        };
        self.nodes.push(Node {
            tag,
            hidden: hidden || tag.hides_text(),
            pre: pre || matches!(tag, Tag::Pre | Tag::Textarea | Tag::Xmp | Tag::Plaintext),
            hints: Hints::default(),
            parent,
            end: index + 1,
            text: (0, 0),
            link: 0,
        });
        index
    }

    /// Gives a node its text.
    pub(crate) fn set_text(&mut self, index: u32, from: usize) {
        let range = (from as u32, self.text.len() as u32);
        if let Some(node) = self.nodes.get_mut(index as usize) {
            node.text = range;
        }
    }

    /// Marks a node as the opening of the link added last.
    pub(crate) fn set_link(&mut self, index: u32) {
        let number = self.links.len() as u32;
        if let Some(node) = self.nodes.get_mut(index as usize) {
            node.link = number;
        }
    }

    /// The buffer that [`Tree::set_text`] takes from.
    pub(crate) fn buffer(&mut self) -> &mut String {
        &mut self.text
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The text of a node: of a run of text, the `alt` of an image, or the language of code.
    pub(crate) fn text(&self, index: usize) -> &str {
        let (from, to) = self.nodes[index].text;
        self.text.get(from as usize..to as usize).unwrap_or("")
    }

    /// The link that a node opens.
    pub(crate) fn link(&self, index: usize) -> Option<usize> {
        (self.nodes[index].link as usize).checked_sub(1)
    }

    /// Notes the first of the classes of the element that was added last.
    pub(crate) fn set_class(&mut self, index: u32, classes: &str) {
        let first = classes.split_ascii_whitespace().next();
        if let Some(class) = first.filter(|class| class.len() <= LONGEST_CLASS) {
            self.classes.push((index, class.into()));
        }
    }

    /// The elements around a node, the innermost last, each with its class, as `ul.nav/li/a`.
    pub(crate) fn path(&self, index: u32) -> String {
        let mut elements = Vec::new();
        let mut at = index;
        while at != 0
            && elements.len() < LONGEST_PATH
            && let Some(node) = self.nodes.get(at as usize)
        {
            let mut element = format!("{:?}", node.tag).to_ascii_lowercase();
            if let Ok(place) = self.classes.binary_search_by_key(&at, |(node, _)| *node) {
                element.push('.');
                // A class may say anything, and nothing in it is a border of elements.
                element.extend(self.classes[place].1.chars().filter(|c| *c != '/'));
            }
            elements.push(element);
            at = node.parent;
        }
        elements.reverse();
        elements.join("/")
    }

    /// A node and its descendants.
    pub(crate) fn subtree(&self, index: usize) -> Range<usize> {
        index..self.nodes[index].end as usize
    }
}
