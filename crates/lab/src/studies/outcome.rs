//! What comes out of a study, and what can go wrong in one?

use super::plot::Drawing;
use crate::collection::CollectionError;
use lycosa_segments::SegmentsError;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// What a study found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The study.
    pub study: &'static str,
    /// Numbers, or lists of them, by name.
    pub figures: Map<String, Value>,
    /// The same for a person at a terminal.
    pub text: String,
    /// What is odd about what was measured.
    pub warnings: Vec<String>,
    /// Files by their name: tables, runs, a report, plots.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Outcome {
    pub(crate) fn figure(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.figures.insert(name.into(), value.into());
    }

    pub(crate) fn file(&mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.files.push((name.into(), content.into()));
    }

    /// A plot as `name.svg` and `name.png`.
    pub(crate) fn plot(&mut self, name: &str, drawing: &Drawing) {
        self.file(format!("{name}.svg"), drawing.svg());
        match drawing.png() {
            Some(png) => self.file(format!("{name}.png"), png),
            None => self.warnings.push(format!("{name}.svg is too large to be drawn as PNG")),
        }
    }

    /// Writes the files into a folder, which is made if need be, and tells their paths.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, StudyError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| StudyError::Unwritable { path, source }
        };
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
        let mut paths = Vec::new();
        for (name, content) in &self.files {
            let path = folder.join(name);
            std::fs::write(&path, content).map_err(failed(&path))?;
            paths.push(path);
        }
        Ok(paths)
    }
}

/// Whether files can be written into a folder, which is made if need be.
///
/// # Errors
/// When it cannot be made or written to.
pub fn check_folder(folder: &Path) -> Result<(), StudyError> {
    let failed = |source| StudyError::Unwritable { path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    tempfile::tempfile_in(folder).map(drop).map_err(failed)
}

/// How far a study is, for whoever waits.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// What is being done.
    pub what: &'a str,
    /// So many are done.
    pub done: usize,
    /// Of so many.
    pub of: usize,
}

/// Why a study cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// A folder is no collection.
    #[error(transparent)]
    Collection(#[from] CollectionError),
    /// The index cannot be written or asked.
    #[error(transparent)]
    Segments(#[from] SegmentsError),
    /// The reference cannot be built or asked.
    #[error("the reference failed: {0}")]
    Reference(#[from] tantivy::TantivyError),
    /// There is no room for an index.
    #[error("no temporary folder: {0}")]
    Temporary(std::io::Error),
    /// A file of the results cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no such strategy.
    #[error("{0}")]
    Strategy(lycosa_strategy::UnknownStrategy),
    /// A strategy did better than one that knows everything: something is wrong.
    #[error("{0}: labels have reached a strategy, or the judge is wrong")]
    AboveOracle(String),
    /// There is too little to draw from.
    #[error("{0}")]
    TooLittle(String),
    /// Web and topics have nothing to do with each other.
    #[error("{0}")]
    NotInTheWeb(String),
    /// The program that runs crawllets is not there.
    #[error("no crawllet-host at {}", .0.display())]
    NoHost(PathBuf),
    /// A part of the study of crawllets does not run.
    #[error("{0}")]
    Crawllets(String),
    /// Two crawls of one site brought different pages.
    #[error("{0}")]
    Differs(String),
}

impl StudyError {
    /// What a person can do about it.
    pub fn hint(&self) -> &str {
        match self {
            StudyError::Collection(error) => error.hint(),
            StudyError::Segments(error) => error.hint(),
            StudyError::Reference(_) | StudyError::Temporary(_) => {
                "check free space and TMPDIR: indexes are made there"
            }
            StudyError::Unwritable { .. } => "choose another folder with --out",
            StudyError::Strategy(unknown) => &unknown.hint,
            StudyError::AboveOracle(_) => "report this: it is a fault of the lab",
            StudyError::TooLittle(_) => "crawl or import more pages first",
            StudyError::NotInTheWeb(_) => {
                "name the archives that the topics were judged on, all of them: --web may be repeated"
            }
            StudyError::NoHost(_) => {
                "build it with `cargo build --release -p crawllet-host`, or name it with --host-binary FILE"
            }
            StudyError::Crawllets(_) => "try again on an idle machine; if it stays, report it",
            StudyError::Differs(_) => {
                "report this: no figure is told unless all crawls bring the same pages"
            }
        }
    }
}
