//! `lycosa lexicon`: documents and occurrences of words.

use crate::cli::{Common, Lexicon};
use crate::commands::search;
use crate::failure::{Ending, Failure};
use crate::output;

pub(crate) fn run(common: &Common, args: Lexicon) -> Result<Ending, Failure> {
    let searcher = search::open(&common.data())?;
    let rows = match args.top {
        Some(count) => searcher.lexicon_top(count)?,
        None => searcher.lexicon(&args.words)?,
    };
    if common.json {
        output::json(&rows)?;
    } else {
        output::line(format!("{:24} {:>10} {:>12}", "word", "documents", "occurrences"));
        for row in &rows {
            let word = if row.word == row.folded {
                row.word.clone()
            } else {
                format!("{} ({})", row.word, row.folded)
            };
            output::line(format!("{word:24} {:>10} {:>12}", row.documents, row.occurrences));
        }
    }
    let found = rows.iter().any(|row| row.documents > 0);
    Ok(if found { Ending::Done } else { Ending::Partial })
}
