//! Which tables hold data, and how are they written?

use super::Writer;
use crate::html::Tag;
use crate::visible::range_text;

/// A larger table is written as lines.
const MAX_COLUMNS: usize = 12;
/// A longer cell shows that the table is there for the layout.
const MAX_CELL: usize = 200;

impl<'u, F: Fn(usize) -> Option<&'u str>, P: Fn(usize) -> Option<&'u str>> Writer<'_, F, P> {
    pub(super) fn table(&mut self, index: usize) {
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
                let cell = row.get(column).map(|cell| self.cell(*cell)).unwrap_or_default();
                self.out.push_str(&cell);
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

    /// What a cell holds, on one line.
    fn cell(&mut self, index: Option<usize>) -> String {
        let Some(index) = index else {
            return String::new();
        };
        let outer = std::mem::take(&mut self.out);
        let prefix = std::mem::take(&mut self.prefix);
        self.line_open = true;
        self.children(index);
        let inner = std::mem::replace(&mut self.out, outer);
        self.prefix = prefix;
        (self.line_open, self.space, self.gap) = (true, false, false);
        let line = inner.split_whitespace().collect::<Vec<_>>().join(" ");
        line.replace('|', "\\|")
    }

    /// The cells of a table of data, those without text as `None`; `None` when the table is nested, lopsided or there for the layout.
    fn rows(&self, index: usize) -> Option<Vec<Vec<Option<usize>>>> {
        let mut rows: Vec<Vec<Option<usize>>> = Vec::new();
        let range = self.tree.subtree(index);
        let mut inner = range.start + 1;
        while inner < range.end {
            let node = &self.tree.nodes[inner];
            match node.tag {
                Tag::Table => return None,
                Tag::Tr => rows.push(Vec::new()),
                Tag::Td | Tag::Th => {
                    let cells = self.tree.subtree(inner);
                    let is_large = |tag: Tag| matches!(tag, Tag::Table | Tag::Pre);
                    if cells.clone().any(|cell| is_large(self.tree.nodes[cell].tag)) {
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
                    rows.last_mut()?.push((!text.is_empty()).then_some(inner));
                    inner = (node.end as usize).max(inner + 1);
                    continue;
                }
                _ => {}
            }
            inner += 1;
        }
        rows.retain(|row| row.iter().any(Option::is_some));
        let columns = rows.iter().map(Vec::len).max()?;
        (rows.len() >= 2 && (2..=MAX_COLUMNS).contains(&columns)).then_some(rows)
    }
}
