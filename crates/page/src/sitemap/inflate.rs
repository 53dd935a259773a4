//! Is it still packed? `.gz` files come as they are, or unpacked on the way, or packed twice.

use super::list::List;
use flate2::bufread::MultiGzDecoder;
use std::borrow::Cow;
use std::io::Read;

/// Layers of gzip that are undone.
const MAX_LAYERS: usize = 2;
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The bytes without gzip around them, at most `max_bytes`. What breaks off is used as far as it goes.
pub(super) fn unpack<'b>(body: &'b [u8], max_bytes: usize, list: &mut List) -> Cow<'b, [u8]> {
    let mut body = Cow::Borrowed(body);
    for _ in 0..MAX_LAYERS {
        if !body.starts_with(&MAGIC) {
            break;
        }
        let mut out = Vec::new();
        let room = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
        let result = MultiGzDecoder::new(&body[..]).take(room).read_to_end(&mut out);
        // Rubbish behind a whole member is common and harmless; without any output it is no gzip.
        if result.is_err() {
            list.fault("its gzip data are broken");
        }
        body = Cow::Owned(out);
    }
    if body.len() > max_bytes {
        list.fault(format!("only the first {max_bytes} bytes are read"));
        match &mut body {
            Cow::Borrowed(bytes) => *bytes = &bytes[..max_bytes],
            Cow::Owned(bytes) => bytes.truncate(max_bytes),
        }
    }
    body
}
