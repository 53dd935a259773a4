//! How well do two sets of keywords match at best? Exactly, and quickly for the many pairs that have
//! little to do with each other.

use super::bits;
use hashbrown::HashMap;

/// What each keyword of one table counts against each of another, prepared for many questions.
pub(super) struct Matching {
    /// What any pair counts at least.
    least: f32,
    /// What a pair counts above that, row by row.
    more: Vec<Vec<f32>>,
    /// For a row that only one column counts for, and that counts for no other: that column.
    only: Vec<Option<usize>>,
    /// Those of these rows whose pair counts as much as a pair can.
    whole: u32,
    /// Rows and columns where there is a choice.
    open_rows: u32,
    open_columns: u32,
    solved: HashMap<(u32, u32), f32>,
}

/// Rows that are held against many columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    rows: u32,
    /// The columns of those whose pair counts as much as a pair can.
    whole: u32,
    /// Those whose pair counts less.
    part: u32,
    open: u32,
}

impl Matching {
    pub(super) fn new(
        rows: usize,
        columns: usize,
        weight: &mut dyn FnMut(usize, usize) -> f32,
    ) -> Matching {
        let mut more: Vec<Vec<f32>> = Vec::with_capacity(rows);
        let mut least = f32::INFINITY;
        for row in 0..rows {
            let line: Vec<f32> =
                (0..columns).map(|column| weight(row, column).clamp(0.0, 1.0)).collect();
            least = line.iter().copied().fold(least, f32::min);
            more.push(line);
        }
        more.iter_mut().flatten().for_each(|weight| *weight -= least);
        let in_row = |row: usize| (0..columns).filter(|&c| more[row][c] > 0.0).collect::<Vec<_>>();
        let in_column = |column: usize| (0..rows).filter(|&r| more[r][column] > 0.0).count();
        let mut only = vec![None; rows];
        let (mut open_rows, mut open_columns) = (0, 0);
        for (row, only) in only.iter_mut().enumerate() {
            match in_row(row)[..] {
                [] => {}
                [column] if in_column(column) == 1 => *only = Some(column),
                ref several => {
                    open_rows |= 1 << row;
                    open_columns |= several.iter().fold(0, |set, column| set | 1_u32 << column);
                }
            }
        }
        let mut whole = 0;
        for (row, column) in only.iter().enumerate() {
            if column.is_some_and(|column: usize| more[row][column] == 1.0 - least) {
                whole |= 1 << row;
            }
        }
        Matching { least, more, only, whole, open_rows, open_columns, solved: HashMap::new() }
    }

    /// Prepares rows for many questions.
    pub(super) fn rows(&self, rows: u32) -> Rows {
        let column = |row: usize| self.only.get(row).copied().flatten();
        let whole = bits(u64::from(rows & self.whole)).filter_map(column);
        let has_one = |row: &usize| column(*row).is_some();
        let part = bits(u64::from(rows & !self.open_rows & !self.whole)).filter(has_one);
        Rows {
            rows,
            whole: whole.fold(0, |set, column| set | 1 << column),
            part: part.fold(0, |set, row| set | 1 << row),
            open: rows & self.open_rows,
        }
    }

    /// The largest sum over pairs, each keyword in at most one of them.
    pub(super) fn best(&mut self, rows: Rows, columns: u32) -> f32 {
        let pairs = rows.rows.count_ones().min(columns.count_ones());
        // Every other pair counts the least, so as many pairs as possible are always best.
        let mut sum = self.least * pairs as f32;
        sum += (1.0 - self.least) * (rows.whole & columns).count_ones() as f32;
        for row in bits(u64::from(rows.part)) {
            if let Some(column) = self.only.get(row).copied().flatten()
                && columns >> column & 1 == 1
            {
                sum += self.more[row][column];
            }
        }
        let key = (rows.open, columns & self.open_columns);
        if key.0 != 0 && key.1 != 0 {
            sum += match self.solved.get(&key) {
                Some(&known) => known,
                None => {
                    let best = self.assign(key.0, key.1);
                    self.solved.insert(key, best);
                    best
                }
            };
        }
        sum
    }

    /// The Hungarian method (Kuhn, Munkres) on the open rows and columns.
    fn assign(&self, rows: u32, columns: u32) -> f32 {
        let (rows, columns): (Vec<usize>, Vec<usize>) =
            (bits(u64::from(rows)).collect(), bits(u64::from(columns)).collect());
        let (few, many, turned) = match rows.len() <= columns.len() {
            true => (rows, columns, false),
            false => (columns, rows, true),
        };
        let weight = |one: usize, other: usize| match turned {
            false => self.more[few[one]][many[other]],
            true => self.more[many[other]][few[one]],
        };
        // Places count from 1; place 0 stands for nobody.
        let (mut row_price, mut column_price) =
            (vec![0.0_f32; few.len() + 1], vec![0.0_f32; many.len() + 1]);
        let mut held_by = vec![0; many.len() + 1];
        for row in 1..=few.len() {
            let mut way = vec![0; many.len() + 1];
            let mut gap = vec![f32::INFINITY; many.len() + 1];
            let mut used = vec![false; many.len() + 1];
            held_by[0] = row;
            let mut at = 0;
            while held_by[at] != 0 {
                used[at] = true;
                let (holder, mut least, mut next) = (held_by[at], f32::INFINITY, 0);
                for column in (1..=many.len()).filter(|&column| !used[column]) {
                    let cost = -weight(holder - 1, column - 1);
                    let reduced = cost - row_price[holder] - column_price[column];
                    if reduced < gap[column] {
                        (gap[column], way[column]) = (reduced, at);
                    }
                    if gap[column] < least {
                        (least, next) = (gap[column], column);
                    }
                }
                for column in 0..=many.len() {
                    if used[column] {
                        row_price[held_by[column]] += least;
                        column_price[column] -= least;
                    } else {
                        gap[column] -= least;
                    }
                }
                at = next;
            }
            while at != 0 {
                held_by[at] = held_by[way[at]];
                at = way[at];
            }
        }
        let held = held_by.iter().enumerate().skip(1).filter(|(_, holder)| **holder != 0);
        held.map(|(column, holder)| weight(holder - 1, column - 1)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop, prop_assert, proptest};

    /// Tries every way.
    fn slow(weights: &[Vec<f32>], row: usize, taken: u32) -> f32 {
        let Some(line) = weights.get(row) else { return 0.0 };
        let without = slow(weights, row + 1, taken);
        let with = line.iter().enumerate().filter(|(column, _)| taken >> column & 1 == 0);
        with.map(|(column, weight)| weight + slow(weights, row + 1, taken | 1 << column))
            .fold(without, f32::max)
    }

    proptest! {
        #[test]
        fn the_best_matching_is_found(
            (weights, rows, columns) in (1usize..5, 1usize..6).prop_flat_map(|(rows, columns)| {
                let weight = prop::sample::select(vec![0.001_f32, 0.001, 0.001, 0.5, 0.75, 1.0]);
                let line = prop::collection::vec(weight, columns);
                (prop::collection::vec(line, rows), 0..1_u32 << rows, 0..1_u32 << columns)
            })
        ) {
            let mut matching =
                Matching::new(weights.len(), weights[0].len(), &mut |row, column| weights[row][column]);
            let part: Vec<Vec<f32>> = bits(u64::from(rows))
                .map(|row| bits(u64::from(columns)).map(|column| weights[row][column]).collect())
                .collect();
            let (found, best) = (matching.best(matching.rows(rows), columns), slow(&part, 0, 0));
            prop_assert!((found - best).abs() < 1e-4, "{found} {best}");
        }
    }

    use proptest::strategy::Strategy as _;
}
