//! Do any bytes break what we unpack?

use crate::decode::{DecodeLimit, decode};
use bytes::Bytes;
use lycosa_fuzz::Fuzz;
use lycosa_model::Headers;

#[test]
fn bodies_of_any_coding_and_bytes_are_unpacked_within_limits() {
    let seeds: &[&[u8]] = &[
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x04\0\x43\xbe\xb7\xe8\x01\0\0\0",
        b"\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello",
        b"\x0b\x02\x80hello\x03",
        b"x\x9c\xcbH\xcd\xc9\xc9\x07\0\x06,\x02\x15",
        b"\x1b\xff\xff\x07",
    ];
    let words: &[&[u8]] = &[
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
        b"\x50\x2a\x4d\x18",
        b"x\x9c",
        b"\0\0\xff\xff",
        b"\x03",
        b"\xff\xff\xff\xff",
        b"\x1b",
        b"\x11",
        b"\x4b\x04\0",
    ];
    let limit = DecodeLimit { max_bytes: 1 << 20, max_ratio: 200, ratio_from_bytes: 64 << 10 };
    let codings = ["gzip", "deflate", "br", "zstd", "gzip, br", "zstd,gzip,deflate", "nonsense"];
    Fuzz { seeds, words }.run(|bytes| {
        let body = Bytes::copy_from_slice(bytes);
        for coding in codings {
            let mut headers = Headers::default();
            headers.push("Content-Encoding", coding);
            if let Ok(decoded) = decode(&headers, &body, &limit) {
                assert!(decoded.len() <= limit.for_body(bytes.len()).max(bytes.len()));
            }
        }
    });
}
