//! Which pages does a PDF have, in which order?

use super::file::File;
use super::object::{Dict, Object};
use std::collections::HashSet;
use std::rc::Rc;

/// Pages of one file that are read.
const MAX_PAGES: usize = 5_000;
/// Nodes of the tree inside each other.
const MAX_DEPTH: usize = 32;

/// A page, with the resources that it has or inherits.
pub(super) struct Page {
    pub(super) dict: Dict,
    pub(super) resources: Rc<Dict>,
}

/// A node of the tree that is still to be looked at.
struct Node {
    object: Object,
    resources: Rc<Dict>,
    depth: usize,
}

/// A walk over the tree of pages. Where there is none, whatever says that it is a page is one.
pub(super) struct Walk {
    open: Vec<Node>,
    seen: HashSet<u32>,
    found: usize,
    /// Numbers of objects that may be pages, the first one last; `None` as long as there is a tree.
    others: Option<Vec<u32>>,
}

impl Walk {
    pub(super) fn new(catalog: &Dict) -> Walk {
        let root = catalog.get("Pages").cloned();
        let node = |object| Node { object, resources: Rc::default(), depth: 0 };
        Walk {
            open: root.map(node).into_iter().collect(),
            seen: HashSet::new(),
            found: 0,
            others: None,
        }
    }

    /// The next page.
    pub(super) fn next(&mut self, file: &File<'_>) -> Option<Page> {
        if self.found >= MAX_PAGES {
            return None;
        }
        let page = self.next_of_tree(file).or_else(|| match self.found {
            0 => self.next_of_others(file),
            _ if self.others.is_some() => self.next_of_others(file),
            _ => None,
        })?;
        self.found += 1;
        Some(page)
    }

    fn next_of_tree(&mut self, file: &File<'_>) -> Option<Page> {
        while let Some(Node { object, resources, depth }) = self.open.pop() {
            if let Object::Ref(number) = object
                && !self.seen.insert(number)
            {
                continue;
            }
            let Some(Object::Dict(dict)) = file.resolve(&object) else {
                continue;
            };
            let resources = file.dict(&dict, "Resources").map_or(resources, Rc::new);
            let Some(Object::Array(kids)) = file.lookup(&dict, "Kids") else {
                return Some(Page { dict, resources });
            };
            if depth < MAX_DEPTH {
                // Only what is referred to can be told from itself.
                let kids = kids.into_iter().filter(|kid| matches!(kid, Object::Ref(_)));
                let kids: Vec<Object> = kids.take(MAX_PAGES).collect();
                let node =
                    |object| Node { object, resources: Rc::clone(&resources), depth: depth + 1 };
                self.open.extend(kids.into_iter().rev().map(node));
            }
        }
        None
    }

    fn next_of_others(&mut self, file: &File<'_>) -> Option<Page> {
        let others = self.others.get_or_insert_with(|| {
            let mut numbers = file.numbers();
            numbers.reverse();
            numbers
        });
        while let Some(number) = others.pop() {
            if let Some(Object::Dict(dict)) = file.get(number)
                && dict.name("Type") == Some("Page")
            {
                let resources = file.dict(&dict, "Resources").unwrap_or_default();
                return Some(Page { dict, resources: Rc::new(resources) });
            }
        }
        None
    }
}
