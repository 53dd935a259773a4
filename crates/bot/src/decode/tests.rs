use super::*;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;
use std::io::Write;

const TEXT: &str = "The wolf spider hunts; it does not wait. ";

/// `TEXT` twenty times over, by the reference encoder at its default settings (quality 11).
const TEXT_20_BROTLI: [u8; 46] = [
    27, 51, 3, 248, 141, 148, 171, 237, 104, 65, 229, 54, 182, 174, 231, 251, 110, 129, 157, 136,
    172, 22, 68, 18, 160, 10, 211, 56, 160, 179, 17, 72, 84, 72, 117, 79, 69, 46, 244, 125, 166,
    21, 214, 252, 98, 0,
];

/// The first 79 of 158 bytes by which the reference encoder stands for 100 MB of zeros.
const ZEROS_BROTLI: [u8; 79] = [
    203, 255, 255, 63, 248, 39, 0, 226, 177, 64, 32, 247, 254, 143, 255, 255, 127, 240, 79, 0, 196,
    97, 17, 128, 238, 253, 31, 255, 255, 255, 224, 159, 0, 136, 195, 2, 0, 221, 251, 63, 254, 255,
    255, 193, 63, 1, 16, 135, 5, 0, 186, 247, 127, 252, 255, 255, 131, 127, 2, 32, 14, 11, 0, 116,
    239, 255, 248, 255, 255, 7, 255, 4, 64, 28, 22, 0, 232, 222, 255,
];

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 3).unwrap()
}

fn headers(codings: &[&str]) -> Headers {
    let mut headers = Headers::default();
    headers.push("Content-Type", "text/html");
    for coding in codings {
        headers.push("Content-Encoding", coding.to_string());
    }
    headers
}

fn decode_as(coding: &str, body: Vec<u8>) -> Result<Bytes, FetchError> {
    decode(&headers(&[coding]), &Bytes::from(body), &DecodeLimit::default())
}

fn prose() -> Vec<u8> {
    (0..5000).flat_map(|n| format!("{TEXT}{n} ").into_bytes()).collect()
}

#[test]
fn each_coding_is_undone() {
    let text = prose();
    for (coding, body) in [
        ("gzip", gzip(&text)),
        ("x-gzip", gzip(&text)),
        ("GZIP", gzip(&text)),
        (" gzip ", gzip(&text)),
        ("deflate", zlib(&text)),
        ("deflate", raw_deflate(&text)),
        ("zstd", zstd(&text)),
        ("identity, gzip, identity", gzip(&text)),
    ] {
        assert_eq!(decode_as(coding, body).unwrap(), text, "{coding}");
    }
}

#[test]
fn brotli_is_undone() {
    let decoded = decode_as("br", TEXT_20_BROTLI.to_vec()).unwrap();
    assert_eq!(decoded, TEXT.repeat(20));
}

#[test]
fn a_body_without_coding_is_not_copied() {
    let body = Bytes::from(prose());
    for codings in [&[][..], &["identity"], &["", "identity, ,"]] {
        let decoded = decode(&headers(codings), &body, &DecodeLimit::default()).unwrap();
        assert_eq!(decoded.as_ptr(), body.as_ptr());
        assert_eq!(decoded.len(), body.len());
    }
}

#[test]
fn an_empty_body_has_nothing_to_undo() {
    for coding in ["gzip", "br", "zstd", "deflate", "identity"] {
        assert_eq!(decode_as(coding, Vec::new()).unwrap(), "");
    }
}

#[test]
fn an_empty_page_is_decoded_to_nothing() {
    for (coding, body) in [
        ("gzip", gzip(b"")),
        ("deflate", zlib(b"")),
        ("deflate", raw_deflate(b"")),
        ("zstd", zstd(b"")),
        ("br", vec![0x06]),
    ] {
        assert_eq!(decode_as(coding, body).unwrap(), "", "{coding}");
    }
}

#[test]
fn several_gzip_members_are_one_body() {
    let body = [gzip(b"first "), gzip(b"second "), gzip(b"third")].concat();
    assert_eq!(decode_as("gzip", body).unwrap(), "first second third");
}

#[test]
fn several_zstd_frames_are_one_body() {
    let body = [zstd(b"first "), zstd(b"second")].concat();
    assert_eq!(decode_as("zstd", body).unwrap(), "first second");
}

#[test]
fn stacked_codings_are_undone_from_the_last_to_the_first() {
    let text = prose();
    let body = zstd(&zlib(&gzip(&text)));
    assert_eq!(decode_as("gzip, deflate, zstd", body.clone()).unwrap(), text);
    let lines = headers(&["gzip", "deflate", "zstd"]);
    let limit = DecodeLimit::default();
    assert_eq!(decode(&lines, &Bytes::from(body), &limit).unwrap(), text);
}

#[test]
fn a_fourth_coding_is_refused() {
    let body = gzip(&gzip(&gzip(&gzip(b"deep"))));
    assert_eq!(decode_as("gzip, gzip, gzip, gzip", body), Err(FetchError::Encoding));
}

#[test]
fn an_unknown_coding_is_refused() {
    for coding in ["compress", "exi", "gzip;q=1", "gzip br"] {
        assert_eq!(decode_as(coding, gzip(b"text")), Err(FetchError::Encoding), "{coding}");
    }
}

#[test]
fn a_body_that_only_claims_to_be_packed_is_used_as_it_is() {
    for coding in ["gzip", "zstd"] {
        let decoded = decode_as(coding, b"<html>plain</html>".to_vec()).unwrap();
        assert_eq!(decoded, "<html>plain</html>");
    }
}

#[test]
fn a_torn_stream_delivers_what_came() {
    let text = prose();
    for (coding, packed) in [
        ("gzip", gzip(&text)),
        ("deflate", zlib(&text)),
        ("deflate", raw_deflate(&text)),
        ("br", TEXT_20_BROTLI.to_vec()),
    ] {
        let whole = decode_as(coding, packed.clone()).unwrap();
        let torn = decode_as(coding, packed[..packed.len() - 1].to_vec()).unwrap();
        assert!(!torn.is_empty() && whole.starts_with(&torn), "{coding}");
    }
}

#[test]
fn a_zstd_stream_torn_after_a_block_delivers_the_blocks_before() {
    let noise: Vec<u8> =
        (0..600_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let packed = zstd(&noise);
    let torn = decode_as("zstd", packed[..packed.len() - 1].to_vec()).unwrap();
    assert!(torn.len() >= 128 * 1024 && noise.starts_with(&torn));
}

#[test]
fn rubbish_after_the_stream_is_ignored() {
    for padding in [&[0; 16][..], b"<!-- served by -->"] {
        let body = [&gzip(b"the page")[..], padding].concat();
        assert_eq!(decode_as("gzip", body).unwrap(), "the page");
    }
}

#[test]
fn a_stream_without_one_good_byte_is_refused() {
    let mut magic_only = vec![0x1f, 0x8b];
    assert_eq!(decode_as("gzip", magic_only.clone()), Err(FetchError::Encoding));
    magic_only.extend([0xff; 40]);
    assert_eq!(decode_as("gzip", magic_only), Err(FetchError::Encoding));
    assert_eq!(decode_as("br", vec![0xff; 40]), Err(FetchError::Encoding));
    assert_eq!(decode_as("deflate", vec![0xff; 40]), Err(FetchError::Encoding));
    let zstd_magic = [0x28, 0xb5, 0x2f, 0xfd, 0xff, 0xff, 0xff];
    assert_eq!(decode_as("zstd", zstd_magic.to_vec()), Err(FetchError::Encoding));
}

#[test]
fn a_brotli_stream_with_a_large_window_is_refused() {
    // A large window (0x11) of 2^30 bytes, then the empty last block.
    let body = [0x11, 0xde];
    let mut lenient = brotli_decompressor::Decompressor::new(&body[..], 64);
    assert_eq!(lenient.read(&mut [0; 8]).unwrap(), 0, "the stream itself is well-formed");
    assert_eq!(decode_as("br", body.to_vec()), Err(FetchError::Encoding));
}

#[test]
fn a_zstd_stream_with_a_window_over_8_mib_is_refused() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(24).unwrap();
    encoder.write_all(TEXT.as_bytes()).unwrap();
    encoder.flush().unwrap();
    let body = encoder.finish().unwrap();
    assert_eq!(decode_as("zstd", body), Err(FetchError::Encoding));
}

fn zeros(packer: impl FnOnce(std::io::Take<std::io::Repeat>) -> Vec<u8>) -> Vec<u8> {
    packer(std::io::repeat(0).take(100_000_000))
}

fn bombs() -> Vec<(&'static str, Vec<u8>)> {
    let gzip_bomb = zeros(|mut source| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        std::io::copy(&mut source, &mut encoder).unwrap();
        encoder.finish().unwrap()
    });
    let zstd_bomb = zeros(|source| zstd::encode_all(source, 1).unwrap());
    assert!(gzip_bomb.len() < 1_000_000 && zstd_bomb.len() < 100_000);
    vec![
        ("gzip, gzip", gzip(&gzip_bomb)),
        ("gzip", gzip_bomb),
        ("zstd", zstd_bomb),
        ("br", ZEROS_BROTLI.to_vec()),
    ]
}

#[test]
fn a_hundred_megabytes_of_zeros_are_a_bomb_by_size_and_by_ratio() {
    let by_size = DecodeLimit { max_bytes: 10_000_000, max_ratio: u64::MAX, ratio_from_bytes: 0 };
    let by_ratio = DecodeLimit { max_bytes: u64::MAX, max_ratio: 20, ratio_from_bytes: 1_000_000 };
    for (coding, body) in bombs() {
        let (headers, body) = (headers(&[coding]), Bytes::from(body));
        for limit in [&by_size, &by_ratio] {
            assert_eq!(decode(&headers, &body, limit), Err(FetchError::Bomb), "{coding}");
        }
    }
}

#[test]
fn the_output_never_holds_more_than_its_limit() {
    let mut out = Output::new(100_000);
    let mut pushed = 0;
    while out.push(&[7; 999]).is_ok() {
        pushed += 999;
        assert!(out.bytes.capacity() <= 100_000);
    }
    assert_eq!((out.bytes.len(), pushed), (100_000, 99_900));
    assert_eq!(out.push(&[]), Ok(()));
    assert_eq!(out.push(&[7]), Err(FetchError::Bomb));
}

#[test]
fn of_a_bomb_the_beginning_can_be_had() {
    for (coding, body) in bombs() {
        let body = Bytes::from(body);
        let start = decode_start(&headers(&[coding]), &body, 100_000).unwrap();
        assert!(start.len() == 100_000 && start.iter().all(|byte| *byte == 0), "{coding}");
    }
    let prose = Bytes::from(prose());
    assert_eq!(decode_start(&headers(&[]), &prose, 10).unwrap(), prose[..10]);
    assert_eq!(decode_start(&headers(&["br"]), &Bytes::new(), 10).unwrap(), "");
    assert_eq!(decode_start(&headers(&["br"]), &prose, 10), Err(FetchError::Encoding));
}

#[test]
fn a_body_of_exactly_the_limit_passes() {
    let text = vec![b'x'; 50_000];
    let mut limit = DecodeLimit { max_bytes: 50_000, max_ratio: 1, ratio_from_bytes: 50_000 };
    let (headers, body) = (headers(&["gzip"]), Bytes::from(gzip(&text)));
    assert_eq!(decode(&headers, &body, &limit).unwrap(), text);
    limit.max_bytes = 49_999;
    assert_eq!(decode(&headers, &body, &limit), Err(FetchError::Bomb));
}

const SMALL: DecodeLimit =
    DecodeLimit { max_bytes: 20_000, max_ratio: 50, ratio_from_bytes: 2_000 };

fn any_coding() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate, gzip"])
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_within_limits(
        coding in any_coding(),
        body in prop::collection::vec(any::<u8>(), 0..600),
        magic in prop::sample::select(vec![
            &b""[..], b"\x1f\x8b\x08\x00\0\0\0\0\0\x03", b"\x28\xb5\x2f\xfd", b"\x78\x9c", b"\x1b",
        ]),
    ) {
        let body = Bytes::from([magic, &body].concat());
        if let Ok(decoded) = decode(&headers(&[coding]), &body, &SMALL) {
            prop_assert!(decoded.len() <= SMALL.for_body(body.len()).max(body.len()));
        }
    }

    #[test]
    fn a_damaged_stream_is_decoded_within_limits(
        text in prop::collection::vec(prop::sample::select(b"abc <>\0".to_vec()), 0..4000),
        which in 0usize..4,
        at in any::<prop::sample::Index>(),
        flip in any::<u8>(),
    ) {
        let (coding, mut body) = match which {
            0 => ("gzip", gzip(&text)),
            1 => ("deflate", zlib(&text)),
            2 => ("deflate", raw_deflate(&text)),
            _ => ("zstd", zstd(&text)),
        };
        let at = at.index(body.len());
        body[at] ^= flip;
        let body = Bytes::from(body);
        if let Ok(decoded) = decode(&headers(&[coding]), &body, &SMALL) {
            prop_assert!(decoded.len() <= SMALL.for_body(body.len()).max(body.len()));
            if flip == 0 {
                prop_assert_eq!(decoded, text);
            }
        }
    }
}
