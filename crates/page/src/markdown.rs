//! How is the content written as Markdown? CommonMark with GitHub's tables.

mod table;

use crate::extract::Main;
use crate::html::{Tag, Tree};
use crate::visible::range_text;

/// Plain text is its own Markdown.
pub(crate) fn plain(text: &str) -> String {
    text.to_owned()
}

/// Writes the content. `target` gives the address of a link of the tree, `picture` that of an image by its
/// node.
pub(crate) fn write<'u>(
    tree: &Tree,
    main: &Main,
    target: impl Fn(usize) -> Option<&'u str>,
    picture: impl Fn(usize) -> Option<&'u str>,
) -> String {
    let mut writer = Writer {
        tree,
        main,
        target,
        picture,
        out: String::new(),
        prefix: String::new(),
        line_open: false,
        space: false,
        gap: false,
        fresh: false,
        marker: None,
    };
    writer.element(main.root);
    writer.end_block();
    let kept = writer.out.trim_end().len();
    writer.out.truncate(kept);
    writer.out
}

/// Bytes of text that are enough to know whether there is any.
const ENOUGH: usize = 800;

struct Writer<'t, F, P> {
    tree: &'t Tree,
    main: &'t Main,
    target: F,
    picture: P,
    out: String,
    /// What every line begins with: quotes and the indentation of lists.
    prefix: String,
    line_open: bool,
    space: bool,
    gap: bool,
    /// A quote or an item has just begun: no empty line before its first one.
    fresh: bool,
    /// The bullet or number to write before the next line.
    marker: Option<String>,
}

impl<'u, F: Fn(usize) -> Option<&'u str>, P: Fn(usize) -> Option<&'u str>> Writer<'_, F, P> {
    /// Writes an element and its content. Recursion is as deep as the tree, which is limited.
    fn element(&mut self, index: usize) {
        let node = &self.tree.nodes[index];
        if node.hidden || self.main.drops(index) {
            return;
        }
        match node.tag {
            Tag::Text if node.pre => {
                self.inline(&self.tree.text(index).replace(['\n', '\r', '\t'], " "))
            }
            Tag::Text => self.inline(self.tree.text(index)),
            Tag::Br => self.end_line(),
            Tag::Hr => {
                self.end_block();
                self.raw("---");
                self.end_block();
            }
            Tag::Pre | Tag::Xmp | Tag::Plaintext => self.code_block(index),
            Tag::Ul | Tag::Ol | Tag::Menu => self.list(index),
            Tag::Blockquote => self.indented(index, "> "),
            Tag::Table => self.table(index),
            Tag::A => self.link(index),
            Tag::Img => self.image(index),
            Tag::B => self.wrapped(index, "**"),
            Tag::Em => self.wrapped(index, "*"),
            Tag::Code => self.code(index),
            tag => match tag.heading() {
                Some(level) => {
                    let text = self.text_of(index);
                    if !text.is_empty() {
                        self.end_block();
                        self.raw(&"######"[..level]);
                        self.raw(" ");
                        self.children(index);
                        self.end_block();
                    }
                }
                None if tag.is_block() || matches!(tag, Tag::Td | Tag::Th) => {
                    self.end_block();
                    self.children(index);
                    self.end_block();
                }
                None => self.children(index),
            },
        }
    }

    fn children(&mut self, index: usize) {
        let end = self.tree.nodes[index].end as usize;
        let mut child = index + 1;
        while child < end {
            self.element(child);
            child = (self.tree.nodes[child].end as usize).max(child + 1);
        }
    }

    fn child_elements(&self, index: usize) -> Vec<usize> {
        let end = self.tree.nodes[index].end as usize;
        let mut children = Vec::new();
        let mut child = index + 1;
        while child < end {
            children.push(child);
            child = (self.tree.nodes[child].end as usize).max(child + 1);
        }
        children
    }

    fn text_of(&self, index: usize) -> String {
        range_text(self.tree, self.tree.subtree(index), ENOUGH)
    }

    fn open_line(&mut self) {
        if self.line_open {
            return;
        }
        if !self.fresh {
            self.flush_gap();
        }
        self.gap = false;
        self.fresh = false;
        match self.marker.take() {
            Some(marker) => {
                let outer = self.prefix.len().saturating_sub(marker.len());
                self.out.push_str(&self.prefix[..outer]);
                self.out.push_str(&marker);
            }
            None => self.out.push_str(&self.prefix),
        }
        self.line_open = true;
        self.space = false;
    }

    /// Writes the empty line that parts two blocks.
    fn flush_gap(&mut self) {
        if self.gap && !self.out.is_empty() {
            self.out.push_str(self.prefix.trim_end());
            self.out.push('\n');
        }
        self.gap = false;
    }

    fn end_line(&mut self) {
        if self.line_open {
            let kept = self.out.trim_end_matches(' ').len();
            self.out.truncate(kept);
            self.out.push('\n');
            self.line_open = false;
        }
        self.space = false;
    }

    fn end_block(&mut self) {
        self.end_line();
        self.gap = !self.out.is_empty();
    }

    fn raw(&mut self, text: &str) {
        self.open_line();
        self.out.push_str(text);
    }

    /// A run of text, white space folded, characters that mean something escaped.
    fn inline(&mut self, text: &str) {
        let trimmed = text.trim_start_matches(' ');
        if trimmed.is_empty() {
            self.space |= !text.is_empty() && self.line_open;
            return;
        }
        let starts = !self.line_open;
        self.open_line();
        if !starts
            && (self.space || trimmed.len() < text.len())
            && !self.out.ends_with([' ', '[', '('])
        {
            self.out.push(' ');
        }
        let words = trimmed.trim_end_matches(' ');
        self.space = words.len() < trimmed.len();
        escape(words, starts, &mut self.out);
    }

    fn wrapped(&mut self, index: usize, mark: &str) {
        if self.text_of(index).is_empty() || self.has_block(index) {
            self.children(index);
            return;
        }
        self.before_mark();
        self.out.push_str(mark);
        self.space = false;
        let from = self.out.len();
        self.children(index);
        self.trim_to(from);
        self.out.push_str(mark);
    }

    /// Marks stand tight around their text, so a space before goes out first.
    fn before_mark(&mut self) {
        let starts = !self.line_open;
        self.open_line();
        if !starts && self.space && !self.out.ends_with(' ') {
            self.out.push(' ');
        }
        self.space = false;
    }

    fn trim_to(&mut self, from: usize) {
        let kept = self.out.trim_end_matches(' ').len().max(from);
        self.space |= kept < self.out.len();
        self.out.truncate(kept);
    }

    fn link(&mut self, index: usize) {
        let target = self.tree.link(index).and_then(|link| (self.target)(link));
        let (Some(url), false) = (target, self.text_of(index).is_empty() || self.has_block(index))
        else {
            self.children(index);
            return;
        };
        self.before_mark();
        self.out.push('[');
        let from = self.out.len();
        self.children(index);
        self.trim_to(from);
        self.address(url);
    }

    /// The end of a link, with where it leads.
    fn address(&mut self, url: &str) {
        self.out.push_str("](");
        for c in url.chars() {
            match c {
                '(' => self.out.push_str("%28"),
                ')' => self.out.push_str("%29"),
                c => self.out.push(c),
            }
        }
        self.out.push(')');
    }

    /// An image that says what it shows.
    fn image(&mut self, index: usize) {
        let alt = self.tree.text(index).trim();
        let (Some(url), false) = ((self.picture)(index), alt.is_empty()) else {
            return;
        };
        self.before_mark();
        self.out.push_str("![");
        escape_rest(alt, &mut self.out);
        self.address(url);
    }

    fn has_block(&self, index: usize) -> bool {
        self.tree.subtree(index).skip(1).any(|inner| {
            let tag = self.tree.nodes[inner].tag;
            tag.is_block() || matches!(tag, Tag::Td | Tag::Th | Tag::Br)
        })
    }

    fn code(&mut self, index: usize) {
        let text = self.text_of(index);
        if text.is_empty() {
            return;
        }
        self.before_mark();
        let mark = if text.contains('`') { "``" } else { "`" };
        let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        for part in [mark, pad, &text, pad, mark] {
            self.out.push_str(part);
        }
    }

    fn code_block(&mut self, index: usize) {
        let mut text = String::new();
        for inner in self.tree.subtree(index) {
            match self.tree.nodes[inner].tag {
                Tag::Text => text.push_str(self.tree.text(inner)),
                Tag::Br => text.push('\n'),
                _ => {}
            }
        }
        let text = text.trim_matches(['\n', '\r']);
        if text.trim().is_empty() {
            return;
        }
        let fence = if text.contains("```") { "~~~~" } else { "```" };
        self.end_block();
        self.raw(fence);
        let language = self.code_language(index).unwrap_or_default().to_owned();
        self.out.push_str(&language);
        self.end_line();
        for line in text.lines() {
            self.open_line();
            self.out.push_str(line);
            self.out.push('\n');
            self.line_open = false;
        }
        self.raw(fence);
        self.end_block();
    }

    /// The language that a block of code, something in it, or what it stands in is said to be in.
    fn code_language(&self, index: usize) -> Option<&str> {
        /// Elements around a block of code that may name it.
        const AROUND: usize = 3;
        let nodes = &self.tree.nodes;
        let named = |at: usize| {
            let names = matches!(nodes[at].tag, Tag::Pre | Tag::Code | Tag::Div);
            Some(self.tree.text(at)).filter(|language| names && !language.is_empty())
        };
        let around = std::iter::successors(Some(index), |at| Some(nodes[*at].parent as usize));
        let inside = self.tree.subtree(index).find_map(named);
        inside.or_else(|| around.skip(1).take(AROUND).take_while(|at| *at > 0).find_map(named))
    }

    fn indented(&mut self, index: usize, prefix: &str) {
        self.end_block();
        let before = self.prefix.len();
        self.flush_gap();
        self.fresh = true;
        self.prefix.push_str(prefix);
        self.children(index);
        self.end_block();
        self.fresh = false;
        self.prefix.truncate(before);
    }

    fn list(&mut self, index: usize) {
        let nested = self.prefix.ends_with("  ") && !self.gap;
        if nested {
            self.end_line();
        } else {
            self.end_block();
        }
        let ordered = self.tree.nodes[index].tag == Tag::Ol;
        let mut number = 0;
        for child in self.child_elements(index) {
            if self.tree.nodes[child].tag != Tag::Li {
                self.element(child);
                continue;
            }
            if self.main.drops(child) || self.text_of(child).is_empty() {
                continue;
            }
            number += 1;
            self.flush_gap();
            self.fresh = true;
            let marker = if ordered { format!("{number}. ") } else { "- ".to_owned() };
            let before = self.prefix.len();
            self.prefix.extend(std::iter::repeat_n(' ', marker.len()));
            self.marker = Some(marker);
            self.children(child);
            self.marker = None;
            self.end_line();
            self.gap = false;
            self.fresh = false;
            self.prefix.truncate(before);
        }
        self.gap = !nested && !self.out.is_empty();
    }
}

/// Escapes what Markdown would read as its own.
fn escape(text: &str, starts_line: bool, out: &mut String) {
    if starts_line {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        match text.as_bytes().get(digits) {
            Some(b'.' | b')') if digits > 0 => {
                out.push_str(&text[..digits]);
                out.push('\\');
                escape_rest(&text[digits..], out);
                return;
            }
            Some(b'#' | b'>' | b'-' | b'+' | b'=' | b'~' | b'|') if digits == 0 => out.push('\\'),
            _ => {}
        }
    }
    escape_rest(text, out);
}

fn escape_rest(text: &str, out: &mut String) {
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<') {
            out.push('\\');
        }
        out.push(c);
    }
}

#[cfg(test)]
mod tests;
