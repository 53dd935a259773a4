//! Where does the last whole gzip member of a file end?

use super::error::ArchiveError;
use super::source::Counted;
use flate2::bufread::GzDecoder;
use std::fs::File;
use std::io::{self, BufRead, ErrorKind};
use std::path::Path;

/// Walks the members of a file from its beginning and verifies each. Returns the end of the last good
/// one that ends at or before `limit`.
pub(super) fn last_whole(path: &Path, limit: u64) -> Result<u64, ArchiveError> {
    let file = File::open(path).map_err(ArchiveError::io("read", path))?;
    walk(Counted::new(Box::new(file)), limit).map_err(ArchiveError::io("read", path))
}

fn walk(mut input: Counted, limit: u64) -> io::Result<u64> {
    let mut end = 0;
    while end < limit && !input.fill_buf()?.is_empty() {
        let mut decoder = GzDecoder::new(input);
        match io::copy(&mut decoder, &mut io::sink()) {
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData
                ) =>
            {
                break;
            }
            Err(error) => return Err(error),
        }
        input = decoder.into_inner();
        if input.position() > limit {
            break;
        }
        end = input.position();
    }
    Ok(end)
}
