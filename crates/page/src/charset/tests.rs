use super::{choose, decode};
use encoding_rs::Encoding;

const TESTS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/html-encoding");

fn html(body: &[u8], header: Option<&str>) -> &'static str {
    choose(body, header, true, None).name()
}

#[test]
fn a_mark_beats_the_header_which_beats_the_declaration() {
    let declared = b"<meta charset=iso-8859-2>x";
    assert_eq!(html(declared, None), "ISO-8859-2");
    assert_eq!(html(declared, Some("text/html; charset=\"koi8-r\"")), "KOI8-R");
    let marked = [b"\xef\xbb\xbf".as_slice(), declared].concat();
    assert_eq!(html(&marked, Some("text/html;charset=koi8-r")), "UTF-8");
    assert_eq!(html(b"\xff\xfe<\0", None), "UTF-16LE");
}

#[test]
fn an_unknown_label_is_as_good_as_none() {
    assert_eq!(
        html(b"<meta charset=nonsense>ma\xc3\xb1ana", Some("text/html; charset=x-no")),
        "UTF-8"
    );
}

#[test]
fn what_nobody_declares_is_detected() {
    let text = "El niño comió una piña mañana, según dijo la señora en la reunión de ayer.";
    assert_eq!(html(text.as_bytes(), None), "UTF-8");
    let latin: Vec<u8> = encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
    assert_eq!(html(&latin, None), "windows-1252");
    assert_eq!(decode(&latin, encoding_rs::WINDOWS_1252), text);
    let (japanese, ..) = encoding_rs::SHIFT_JIS.encode("今日は天気がいいから散歩しましょう。");
    assert_eq!(html(&japanese, None), "Shift_JIS");
    let (chinese, ..) = encoding_rs::GBK.encode("今天天气很好，我们一起去公园散步吧。");
    assert_eq!(html(&chinese, None), "GBK");
}

#[test]
fn an_xml_declaration_counts() {
    assert_eq!(html(b"<?xml version='1.0' encoding='iso-8859-7'?><html>", None), "ISO-8859-7");
}

#[test]
fn plain_text_declares_nothing_inside() {
    assert_eq!(choose(b"<meta charset=koi8-r>", None, false, None).name(), "windows-1252");
}

/// The conformance files: `#data`, the page, `#encoding`, the label.
fn cases(file: &[u8]) -> Vec<(Vec<u8>, String)> {
    let mut cases = Vec::new();
    let mut rest = file;
    let find = |text: &[u8], what: &[u8]| text.windows(what.len()).position(|w| w == what);
    while let Some(start) = find(rest, b"#data\n") {
        rest = &rest[start + 6..];
        let Some(middle) = find(rest, b"\n#encoding\n") else {
            break;
        };
        let data = rest[..middle].to_vec();
        rest = &rest[middle + 11..];
        let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        cases.push((data, String::from_utf8_lossy(&rest[..end]).into_owned()));
    }
    cases
}

#[test]
#[allow(clippy::print_stderr, reason = "says why nothing was tested")]
fn the_conformance_cases_agree() {
    let mut total = 0;
    let mut wrong = Vec::new();
    for name in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"] {
        let Ok(file) = std::fs::read(format!("{TESTS}/{name}")) else {
            eprintln!("skipped: ../shared/conformance/html-encoding is not here");
            return;
        };
        for (number, (data, label)) in cases(&file).into_iter().enumerate() {
            total += 1;
            let wanted = Encoding::for_label(label.as_bytes()).map(Encoding::name);
            let found = html(&data, None);
            if wanted != Some(found) {
                wrong.push(format!("{name} {number}: {found}, not {label}"));
            }
        }
    }
    assert!(total > 80, "only {total} cases were read");
    assert!(wrong.is_empty(), "{} of {total}: {wrong:#?}", wrong.len());
}
