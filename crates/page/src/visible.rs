//! What does a reader see? Text with a line per block.

use crate::extract::Main;
use crate::html::{Tag, Tree};
use crate::space::fold_space;

/// Text that is put together from runs and breaks.
#[derive(Default)]
pub(crate) struct Lines {
    out: String,
    space: bool,
    tab: bool,
}

impl Lines {
    /// Appends a run of text whose inner white space is folded.
    pub(crate) fn text(&mut self, text: &str) {
        let trimmed = text.trim_start_matches(' ');
        if trimmed.is_empty() {
            self.space |= !text.is_empty();
            return;
        }
        let at_start = self.out.is_empty() || self.out.ends_with('\n');
        if self.tab && !at_start {
            self.out.push('\t');
        } else if (self.space || trimmed.len() < text.len()) && !at_start {
            self.out.push(' ');
        }
        self.tab = false;
        let word = trimmed.trim_end_matches(' ');
        self.out.push_str(word);
        self.space = word.len() < trimmed.len();
    }

    /// Appends preformatted text as it is.
    pub(crate) fn pre(&mut self, text: &str) {
        if self.space && !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push(' ');
        }
        self.space = false;
        self.tab = false;
        self.out.push_str(text);
    }

    /// Ends the line, if anything stands on it.
    pub(crate) fn end_line(&mut self) {
        let kept = self.out.trim_end_matches(|c: char| c.is_whitespace() && c != '\n').len();
        self.out.truncate(kept);
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.space = false;
        self.tab = false;
    }

    /// Begins a cell of a table.
    pub(crate) fn cell(&mut self) {
        self.tab = true;
    }

    /// Where the next text will stand.
    fn position(&self) -> usize {
        self.out.len()
    }

    /// The text, without white space at its ends.
    pub(crate) fn finish(mut self) -> String {
        let kept = self.out.trim_end().len();
        self.out.truncate(kept);
        self.out
    }
}

/// The visible text and where each link stands in it.
pub(crate) struct Visible {
    /// The text, a line per block; the cells of a row are parted by tabs.
    pub(crate) text: String,
    /// Start and end of each link of the tree, in bytes of the text.
    pub(crate) places: Vec<(usize, usize)>,
}

impl Visible {
    /// The visible text; with `places` also where the links stand in it.
    pub(crate) fn of(tree: &Tree, places: bool) -> Visible {
        if !places {
            return Visible { text: walk(tree, 0, |_| false, |_, _| {}), places: Vec::new() };
        }
        let mut marks: Vec<(u32, usize, bool)> = Vec::with_capacity(tree.links.len() * 2);
        for (number, link) in tree.links.iter().enumerate() {
            marks.push((link.nodes.start, number, true));
            marks.push((link.nodes.end, number, false));
        }
        marks.sort_by_key(|(node, number, _)| (*node, *number));
        let mut marks = marks.into_iter().peekable();
        let mut places = vec![(0, 0); tree.links.len()];
        let text = walk(
            tree,
            0,
            |_| false,
            |node, at| {
                while let Some((_, number, is_start)) =
                    marks.next_if(|(mark, ..)| *mark as usize <= node)
                {
                    if is_start {
                        places[number].0 = at;
                    } else {
                        places[number].1 = at;
                    }
                }
            },
        );
        for (start, end) in &mut places {
            *start = (*start).min(text.len());
            *end = (*end).clamp(*start, text.len());
        }
        Visible { text, places }
    }
}

/// The main text, a line per block.
pub(crate) fn main_text(tree: &Tree, main: &Main) -> String {
    walk(tree, main.root, |node| main.drops(node), |_, _| {})
}

/// Walks over a subtree and writes its visible text. `skip` leaves out an element with all that is in
/// it; `at` is told each node (and the one past the last) with the place in the text.
fn walk(
    tree: &Tree,
    root: usize,
    skip: impl Fn(usize) -> bool,
    mut at: impl FnMut(usize, usize),
) -> String {
    let out = String::with_capacity(tree.text_bytes());
    let mut lines = Lines { out, ..Lines::default() };
    let mut open: Vec<(usize, bool)> = Vec::new();
    let range = tree.subtree(root);
    let mut index = range.start;
    while index < range.end {
        while let Some((_, is_block)) = open.pop_if(|(end, _)| *end <= index) {
            if is_block {
                lines.end_line();
            }
        }
        at(index, lines.position());
        let node = &tree.nodes[index];
        if node.hidden || skip(index) {
            // Links inside still want their places.
            if node.tag.is_block() {
                lines.end_line();
            }
            let end = node.end as usize;
            for hidden in index + 1..end {
                at(hidden, lines.position());
            }
            index = end.max(index + 1);
            continue;
        }
        match node.tag {
            Tag::Text if node.pre => lines.pre(tree.text(index)),
            Tag::Text => lines.text(tree.text(index)),
            Tag::Br => lines.end_line(),
            Tag::Td | Tag::Th => {
                lines.cell();
                open.push((node.end as usize, false));
            }
            tag if tag.is_block() => {
                lines.end_line();
                open.push((node.end as usize, true));
            }
            _ => {}
        }
        index += 1;
    }
    at(range.end, lines.position());
    lines.finish()
}

/// The words of the first heading.
pub(crate) fn first_heading(tree: &Tree, limit: usize) -> String {
    let headings = (1..tree.nodes.len())
        .filter(|index| tree.nodes[*index].tag.heading().is_some() && !tree.nodes[*index].hidden);
    for index in headings {
        let text = inner_text(tree, index, limit);
        if !text.is_empty() {
            return text;
        }
    }
    String::new()
}

/// The text of a subtree on one line without what is hidden or dropped in it, no longer than `limit`.
pub(crate) fn shown_text(tree: &Tree, main: &Main, index: usize, limit: usize) -> String {
    let mut out = String::new();
    let range = tree.subtree(index);
    let mut at = range.start;
    while at < range.end && out.len() < limit {
        let node = &tree.nodes[at];
        if node.hidden || (at > index && main.drops(at)) {
            at = (node.end as usize).max(at + 1);
            continue;
        }
        if node.tag == Tag::Text {
            fold_space(tree.text(at), &mut out, limit);
        } else if node.tag == Tag::Br || node.tag.is_block() {
            out.push(' ');
        }
        at += 1;
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All text of a subtree on one line, hidden or not, no longer than `limit`.
pub(crate) fn inner_text(tree: &Tree, index: usize, limit: usize) -> String {
    range_text(tree, tree.subtree(index), limit)
}

/// All text of some nodes on one line, no longer than `limit`.
pub(crate) fn range_text(tree: &Tree, nodes: std::ops::Range<usize>, limit: usize) -> String {
    let mut out = String::new();
    for index in nodes.start..nodes.end.min(tree.nodes.len()) {
        let node = &tree.nodes[index];
        if out.len() >= limit {
            break;
        }
        if node.tag == Tag::Text {
            fold_space(tree.text(index), &mut out, limit);
        } else if (node.tag.is_block() || matches!(node.tag, Tag::Br | Tag::Td | Tag::Th))
            && !out.is_empty()
        {
            out.push(' ');
        }
    }
    let mut folded = String::with_capacity(out.len());
    for word in out.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// Plain text with its lines trimmed; an empty line parts paragraphs.
pub(crate) fn plain(text: &str, limit: usize) -> String {
    let text = &text[..text.floor_char_boundary(limit)];
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for line in text.lines() {
        let line = line.trim_end();
        if line.is_empty() {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push('\n');
            gap = false;
        }
        out.extend(line.chars().filter(|c| *c != '\0'));
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}
