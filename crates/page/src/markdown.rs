//! How is the content written as Markdown? CommonMark with GitHub's tables.

use crate::extract::Main;
use crate::html::{Tag, Tree};
use crate::visible::range_text;

/// Plain text is its own Markdown.
pub(crate) fn plain(text: &str) -> String {
    text.to_owned()
}

/// Writes the content. `target` gives the address of a link of the tree.
pub(crate) fn write<'u>(
    tree: &Tree,
    main: &Main,
    target: impl Fn(usize) -> Option<&'u str>,
) -> String {
    let mut writer = Writer {
        tree,
        main,
        target,
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

/// A larger table is written as lines.
const MAX_COLUMNS: usize = 12;
/// A longer cell shows that the table is there for the layout.
const MAX_CELL: usize = 200;

struct Writer<'t, F> {
    tree: &'t Tree,
    main: &'t Main,
    target: F,
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

impl<'u, F: Fn(usize) -> Option<&'u str>> Writer<'_, F> {
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
        range_text(self.tree, self.tree.subtree(index), MAX_CELL * 4)
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

    fn table(&mut self, index: usize) {
        let Some(rows) = self.rows(index) else {
            self.end_block();
            self.children(index);
            self.end_block();
            return;
        };
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        self.end_block();
        for (number, row) in rows.iter().enumerate() {
            self.raw("|");
            for column in 0..columns {
                self.out.push(' ');
                let cell = row.get(column).map_or("", String::as_str);
                for c in cell.chars() {
                    if matches!(c, '|' | '\\') {
                        self.out.push('\\');
                    }
                    self.out.push(c);
                }
                self.out.push_str(" |");
            }
            self.end_line();
            if number == 0 {
                self.raw("|");
                for _ in 0..columns {
                    self.out.push_str(" --- |");
                }
                self.end_line();
            }
        }
        self.end_block();
    }

    /// The cells of a table of data; `None` when the table is nested, lopsided or there for the layout.
    fn rows(&self, index: usize) -> Option<Vec<Vec<String>>> {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let range = self.tree.subtree(index);
        let mut inner = range.start + 1;
        while inner < range.end {
            let node = &self.tree.nodes[inner];
            match node.tag {
                Tag::Table => return None,
                Tag::Tr => rows.push(Vec::new()),
                Tag::Td | Tag::Th => {
                    let cells = self.tree.subtree(inner);
                    if cells.clone().any(|cell| self.tree.nodes[cell].tag == Tag::Table) {
                        return None;
                    }
                    let text = if self.main.drops(inner) || node.hidden {
                        String::new()
                    } else {
                        range_text(self.tree, cells, MAX_CELL * 2)
                    };
                    if text.len() > MAX_CELL {
                        return None;
                    }
                    rows.last_mut()?.push(text);
                    inner = (node.end as usize).max(inner + 1);
                    continue;
                }
                _ => {}
            }
            inner += 1;
        }
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let columns = rows.iter().map(Vec::len).max()?;
        (rows.len() >= 2 && (2..=MAX_COLUMNS).contains(&columns)).then_some(rows)
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
