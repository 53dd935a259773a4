//! How is a table written? For a terminal, as Markdown and as comma-separated values.

/// A p-value; one that is very small is only said to be.
pub(crate) fn probability(p: f64) -> String {
    if p < 0.0001 { "<0.0001".into() } else { format!("{p:.4}") }
}

/// Rows under a head, all of them strings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Table {
        Table { head: head.iter().map(|&cell| cell.to_owned()).collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Columns that are aligned by spaces; those of numbers to the right.
    pub(crate) fn plain(&self) -> String {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let width = |column: usize| {
            all().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..self.head.len()).filter_map(width).collect();
        let starts =
            |cell: &String| cell.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c));
        let of_numbers =
            |column: usize| self.rows.iter().all(|row| row.get(column).is_none_or(starts));
        let mut text = String::new();
        for row in all() {
            let cells =
                row.iter().zip(&widths).enumerate().map(
                    |(column, (cell, width))| match of_numbers(column) {
                        true => format!("{cell:>width$}"),
                        false => format!("{cell:width$}"),
                    },
                );
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text
    }

    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> =
                cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", "---|".repeat(self.head.len()));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        line(&self.head) + &rule + &rows
    }

    pub(crate) fn csv(&self) -> String {
        let cell = |cell: &String| match cell.contains(['"', ',', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }
}
