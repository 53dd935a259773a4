//! Which studies are there? Each measures one thing, beside a reference, and tells it as figures, a table
//! and files.

pub mod cpu;
pub mod crawllets;
pub mod du;
pub mod ir;
pub mod known_item;
pub mod myspiders;
mod outcome;
mod parallel;
mod plot;
pub mod reference;
pub mod strategies;
mod table;
pub mod wack;

pub use outcome::{Outcome, Progress, StudyError, check_folder};

/// The seed of whatever is drawn, unless another one is given.
pub const SEED: u64 = 7;

/// A study by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Study {
    /// What `lycosa lab run` calls it.
    pub name: &'static str,
    /// The question that it answers.
    pub question: &'static str,
    /// What it needs.
    pub needs: &'static str,
}

/// All studies.
pub const STUDIES: [Study; 9] = [
    Study {
        name: "ir",
        question: "does the search find what people judged relevant, and does it beat tantivy alone?",
        needs: "--collection DIR: folders with corpus.jsonl.gz, queries.tsv and qrels.tsv",
    },
    Study {
        name: "known-item",
        question: "is a page found by the words of its title?",
        needs: "--data DIR: a data folder with an index",
    },
    Study {
        name: "strategies",
        question: "which strategy finds most of a topic, and what does it cost?",
        needs: "--web WARC and --topics FILE: an archived web, and what people say belongs to each topic",
    },
    Study {
        name: "myspiders",
        question: "do adaptive spiders find more than a queue does, and what do their parts add?",
        needs: "--web WARC and --topics FILE: an archived web, and what people say belongs to each topic",
    },
    Study {
        name: "du-table1",
        question: "does the threshold of a contract-net team matter?",
        needs: "--web WARC and --topics FILE: an archived web and what is relevant in it",
    },
    Study {
        name: "du-table2",
        question: "what do crawlers save that talk to each other, and what does it cost?",
        needs: "--web WARC and --topics FILE: an archived web and what is relevant in it",
    },
    Study {
        name: "du-figures",
        question: "how do teams of crawlers do over time, beside one shared queue?",
        needs: "--web WARC and --topics FILE: an archived web and what is relevant in it",
    },
    Study {
        name: "wack-figure1",
        question: "do more walkers see a web sooner, what does it cost, and how many live?",
        needs: "--web WARC: an archived web of some thousand pages",
    },
    Study {
        name: "crawllets",
        question: "what is saved by sending the crawler to the site, and does a modern crawler catch up?",
        needs: "crawllet-host beside this program, or --host-binary FILE; --site DIR for a real site",
    },
];

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;
