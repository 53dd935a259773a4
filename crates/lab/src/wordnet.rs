//! Where is WordNet? In the files of the system, or where somebody says.

use flate2::read::MultiGzDecoder;
use lycosa_knowledge::wordnet::{MAX_WORDNET, WordNet, WordNetError};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where Debian's package `wordnet-base` puts it.
pub const SYSTEM: &str = "/usr/share/wordnet";

/// Why WordNet cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not what it should be.
    #[error("{}: {source}", path.display())]
    Malformed {
        /// Where.
        path: PathBuf,
        /// Why.
        source: WordNetError,
    },
}

impl LoadError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            LoadError::Unreadable { .. } => {
                "name a folder with data.noun, or the XML file of Open English WordNet"
            }
            LoadError::Malformed { source, .. } => source.hint(),
        }
    }
}

/// Reads WordNet: a folder with `data.noun` and `noun.exc`, or an XML file (LMF), which may be compressed
/// (`.gz`). Without a path, the system's; `None` when the system has none.
pub fn load(path: Option<&Path>) -> Result<Option<WordNet>, LoadError> {
    let Some(path) = path else {
        let system = Path::new(SYSTEM);
        return match system.join("data.noun").exists() {
            true => folder(system).map(Some),
            false => Ok(None),
        };
    };
    if path.is_dir() {
        return folder(path).map(Some);
    }
    let malformed = |source| LoadError::Malformed { path: path.to_owned(), source };
    WordNet::from_lmf(&bytes(path)?).map(Some).map_err(malformed)
}

fn folder(path: &Path) -> Result<WordNet, LoadError> {
    let data = bytes(&path.join("data.noun"))?;
    let exceptions = path.join("noun.exc");
    // Open English WordNet comes without irregular plurals.
    let exceptions = if exceptions.exists() { bytes(&exceptions)? } else { Vec::new() };
    let malformed = |source| LoadError::Malformed { path: path.to_owned(), source };
    WordNet::from_wndb(&data, &exceptions).map_err(malformed)
}

/// A file, uncompressed, up to one byte more than is read of it.
fn bytes(path: &Path) -> Result<Vec<u8>, LoadError> {
    let failed = |source| LoadError::Unreadable { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(failed)?;
    let limit = MAX_WORDNET as u64 + 1;
    let mut bytes = Vec::new();
    match path.extension().is_some_and(|end| end == "gz") {
        true => MultiGzDecoder::new(file).take(limit).read_to_end(&mut bytes),
        false => file.take(limit).read_to_end(&mut bytes),
    }
    .map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use lycosa_knowledge::wordnet::Relation;
    use std::io::Write as _;

    const DATA: &str = "00000001 03 n 01 animal 0 000 | lives\n\
                        00000002 03 n 01 wolf 0 001 @ 00000001 n 0000 | howls\n";
    const LMF: &str = "<LexicalResource><LexicalEntry><Lemma writtenForm=\"wolf\" partOfSpeech=\"n\"/>\
                       <Sense synset=\"w\"/></LexicalEntry><Synset id=\"w\" partOfSpeech=\"n\"/>\
                       </LexicalResource>";

    #[test]
    fn a_folder_and_a_compressed_file_are_read() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("data.noun"), DATA).unwrap();
        let wordnet = load(Some(dir.path())).unwrap().unwrap();
        assert_eq!(wordnet.relation("wolf", "animal"), Relation::IsA);
        assert_eq!(wordnet.relation("wolves", "animal"), Relation::None);
        std::fs::write(dir.path().join("noun.exc"), "wolves wolf\n").unwrap();
        let wordnet = load(Some(dir.path())).unwrap().unwrap();
        assert_eq!(wordnet.relation("wolves", "animal"), Relation::IsA);
        let packed = dir.path().join("oewn.xml.gz");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(LMF.as_bytes()).unwrap();
        std::fs::write(&packed, encoder.finish().unwrap()).unwrap();
        assert_eq!(load(Some(&packed)).unwrap().unwrap().words(), 1);
    }

    #[test]
    fn what_is_not_there_or_torn_is_said_with_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let error = load(Some(&dir.path().join("none"))).unwrap_err();
        assert!(error.to_string().contains("none") && error.hint().contains("data.noun"));
        std::fs::write(dir.path().join("data.noun"), &DATA[..60]).unwrap();
        let error = load(Some(dir.path())).unwrap_err();
        assert!(error.to_string().contains("line 2 of data.noun"), "{error}");
    }
}
