use super::{Pdf, Unreadable, Wants, read};
use crate::{Input, Limits, Reading};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lycosa_model::{Lang, UrlId};
use proptest::prelude::*;
use std::io::Write as _;

const WANTS: Wants = Wants { text: true, max_text: 1 << 20, max_links: 100 };

fn text(data: &[u8]) -> String {
    read(data, WANTS).unwrap().text
}

/// Objects with their numbers as a file, with a table of contents; the first is the catalog, the second
/// the tree of pages.
fn file(objects: &[(u32, Vec<u8>)], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects {
        places.push((*number, out.len()));
        out.extend(format!("{number} 0 obj\n").bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let table = out.len();
    out.extend(b"xref\n0 1\n0000000000 65535 f \n");
    for (number, place) in places {
        out.extend(format!("{number} 1\n{place:010} 00000 n \n").bytes());
    }
    out.extend(
        format!("trailer\n<< /Root 1 0 R /Size 99 {trailer} >>\nstartxref\n{table}\n%%EOF").bytes(),
    );
    out
}

fn stream(dict: &str, data: &[u8]) -> Vec<u8> {
    let mut out = format!("<< {dict} /Length {} >>\nstream\n", data.len()).into_bytes();
    out.extend(data);
    out.extend(b"\nendstream");
    out
}

fn deflated(dict: &str, data: &[u8]) -> Vec<u8> {
    stream(&format!("{dict} /Filter /FlateDecode"), &zlib(data))
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

const CATALOG: &str = "<< /Type /Catalog /Pages 2 0 R >>";
const TREE: &str = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
const PAGE: &str = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R \
                    /Resources << /Font << /F1 5 0 R >> >> >>";
const FONT: &str =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

/// A file of one page with this content.
fn page(content: Vec<u8>) -> Vec<u8> {
    page_with(CATALOG, PAGE, FONT, content, "", &[])
}

fn page_with(
    catalog: &str,
    page: &str,
    font: &str,
    content: Vec<u8>,
    trailer: &str,
    more: &[(u32, Vec<u8>)],
) -> Vec<u8> {
    let mut objects = vec![
        (1, catalog.into()),
        (2, TREE.into()),
        (3, page.into()),
        (4, content),
        (5, font.into()),
    ];
    objects.extend_from_slice(more);
    file(&objects, trailer)
}

const SENTENCES: &str = "BT /F1 12 Tf 72 720 Td 14 TL (The keeper wrote about gulls) Tj T* \
    (and about tides.) Tj 0 -40 Td (The winter came.) Tj ET";

#[test]
fn lines_become_paragraphs() {
    let data = page(stream("", SENTENCES.as_bytes()));
    assert_eq!(text(&data), "The keeper wrote about gulls and about tides.\nThe winter came.");
}

#[test]
fn streams_are_unpacked_whatever_their_filters_are() {
    let wanted = "The keeper wrote about gulls and about tides.\nThe winter came.";
    assert_eq!(text(&page(deflated("", SENTENCES.as_bytes()))), wanted);
    let hex: String = SENTENCES.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(text(&page(stream("/Filter /ASCIIHexDecode", hex.as_bytes()))), wanted);
    let twice = zlib(hex.as_bytes());
    let filters = "/Filter [/FlateDecode /ASCIIHexDecode]";
    assert_eq!(text(&page(stream(filters, &twice))), wanted);
    let runs: Vec<u8> = SENTENCES
        .as_bytes()
        .chunks(128)
        .flat_map(|chunk| std::iter::once(chunk.len() as u8 - 1).chain(chunk.iter().copied()))
        .collect();
    assert_eq!(text(&page(stream("/Filter /RunLengthDecode", &runs))), wanted);
    // A row of sixteen bytes, each as the difference from the one above.
    let mut rows = Vec::new();
    let mut above = [0_u8; 16];
    for chunk in SENTENCES.as_bytes().chunks(16) {
        let mut row = [b' '; 16];
        row[..chunk.len()].copy_from_slice(chunk);
        rows.push(2);
        rows.extend(row.iter().zip(above).map(|(now, above)| now.wrapping_sub(above)));
        above = row;
    }
    let parameters = "/DecodeParms << /Predictor 12 /Columns 16 >>";
    assert_eq!(text(&page(deflated(parameters, &rows))), wanted);
}

#[test]
fn lzw_and_ascii_85_are_undone() {
    // The example of the standard: 45 45 45 45 45 65 45 45 45 66.
    let packed = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
    let mut budget = super::filter::Budget { left: 100 };
    let dict = |filter: &str| {
        let data = format!("<< /Filter /{filter} >>");
        match super::object::Reader::new(data.as_bytes(), 0).object() {
            Some(super::object::Object::Dict(dict)) => dict,
            other => panic!("{other:?}"),
        }
    };
    let found = super::filter::decode(&packed, &dict("LZWDecode"), &mut budget);
    assert_eq!(found.as_deref(), Some(&b"-----A---B"[..]));
    let found = super::filter::decode(b"87cURD]i,\"Ebo80~>", &dict("ASCII85Decode"), &mut budget);
    assert_eq!(found.as_deref(), Some(&b"Hello World!"[..]));
    assert_eq!(super::filter::decode(b"x", &dict("DCTDecode"), &mut budget), None);
}

#[test]
fn accents_are_read_by_encoding_by_name_and_by_map() {
    let content = b"BT /F1 12 Tf (El ni\xf1o comi\xf3 \x80 5) Tj ET".to_vec();
    assert_eq!(text(&page(stream("", &content))), "El niño comió € 5");
    let named = "<< /Type /Font /Subtype /Type1 /Encoding << /Type /Encoding \
                 /Differences [1 /ntilde /oacute 65 /fi /uni00E9] >> >>";
    let content = b"BT /F1 12 Tf (ni\\001o, acci\\002n, A\\B B) Tj ET";
    let data = page_with(CATALOG, PAGE, named, stream("", content), "", &[]);
    assert_eq!(text(&data), "niño, acción, fié é");
    let mapped = "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 6 0 R \
                  /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /DW 500 /W [1 [600 600]] >>] >>";
    let map = "begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange \
        2 beginbfchar <0001> <00f1> <0002> <0066006C> endbfchar \
        2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0041> <D83DDE00>] endbfrange endcmap";
    let content = b"BT /F1 12 Tf <0010 0001 0011 0002 0012 0020 0021> Tj ET";
    let more = [(6, deflated("", map.as_bytes()))];
    let data = page_with(CATALOG, PAGE, mapped, stream("", content), "", &more);
    assert_eq!(text(&data), "añbflcA😀");
}

#[test]
fn words_are_parted_by_where_they_stand() {
    let content = b"BT /F1 10 Tf [(gu) -20 (lls) -400 (and) -400 (tides)] TJ \
        1 0 0 1 200 0 Tm (far) Tj ET q 0 1 -1 0 500 100 cm BT /F1 10 Tf (turned) Tj ET Q";
    assert_eq!(text(&page(stream("", content))), "gulls and tides far\nturned");
    let content = b"BT /F1 10 Tf 12 TL (the light-) Tj T* (house and Anglo-) Tj T* (Saxon) Tj ET";
    assert_eq!(text(&page(stream("", content))), "the lighthouse and Anglo- Saxon");
}

#[test]
fn a_file_tells_about_itself() {
    let catalog = "<< /Type /Catalog /Pages 2 0 R /Lang (es-ES) /Outlines 10 0 R >>";
    let page = "<< /Type /Page /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> \
                /Annots [<< /A << /S /URI /URI (http://a.test/gulls) >> >> 9 0 R] >>";
    let more = [
        (8, b"<< /Title <FEFF00460061006D00ED> /Author (Ana Ruiz) /Keywords (mar, sol) /Subject (gulls) \
              /CreationDate (D:20240501103000+02'00') /ModDate (D:20240502) >>"
            .to_vec()),
        (9, b"<< /Subtype /Link /A << /S /URI /URI (/tides) >> >>".to_vec()),
        (10, b"<< /First 11 0 R /Last 12 0 R >>".to_vec()),
        (11, b"<< /Title (One) /First 13 0 R /Next 12 0 R >>".to_vec()),
        (12, b"<< /Title (Two) /Next 11 0 R >>".to_vec()),
        (13, b"<< /Title (Under one) /Next 13 0 R >>".to_vec()),
    ];
    let data =
        page_with(catalog, page, FONT, stream("", SENTENCES.as_bytes()), "/Info 8 0 R", &more);
    let Pdf { title, byline, keywords, description, published, modified, .. } =
        read(&data, WANTS).unwrap();
    assert_eq!((title.as_str(), byline.as_str()), ("Famí", "Ana Ruiz"));
    assert_eq!((keywords.as_str(), description.as_str()), ("mar, sol", "gulls"));
    assert_eq!(published.map(|at| at.0), Some(1_714_552_200_000));
    assert_eq!(modified.map(|at| at.0), Some(1_714_608_000_000));
    let Reading::Document(document) = crate::read(
        &Input::new(UrlId::of("x"), "http://site.test/a.pdf", &data),
        &Limits::default(),
    ) else {
        panic!("not read");
    };
    assert_eq!(document.media_type, "application/pdf");
    assert_eq!(document.headings, "One\nUnder one\nTwo");
    let links: Vec<&str> = document.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(links, ["http://a.test/gulls", "http://site.test/tides"]);
    assert_eq!(document.main, document.text);
    assert_eq!(document.facts.unwrap().pages, Some(1));
    assert_eq!(document.languages[0].lang, Lang::EN, "the text is believed before the claim");
}

#[test]
fn xmp_tells_what_the_information_does_not() {
    let catalog = "<< /Type /Catalog /Pages 2 0 R /Metadata 7 0 R >>";
    let xmp = "<x:xmpmeta><rdf:Description xmp:CreateDate=\"2024-05-01T10:00:00Z\">\
        <dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Gulls &amp; tides</rdf:li></rdf:Alt></dc:title>\
        <dc:creator><rdf:Seq><rdf:li>Ana</rdf:li><rdf:li>Bo</rdf:li></rdf:Seq></dc:creator>";
    let more = [(7, stream("/Type /Metadata", xmp.as_bytes()))];
    let data = page_with(catalog, PAGE, FONT, stream("", SENTENCES.as_bytes()), "", &more);
    let pdf = read(&data, WANTS).unwrap();
    assert_eq!((pdf.title.as_str(), pdf.byline.as_str()), ("Gulls & tides", "Ana, Bo"));
    assert_eq!(pdf.published.map(|at| at.0), Some(1_714_557_600_000));
    // Without either, the first line is the title.
    let data = page(stream("", SENTENCES.as_bytes()));
    assert!(read(&data, WANTS).unwrap().title.starts_with("The keeper"));
}

#[test]
fn objects_in_streams_of_objects_are_found() {
    let inner = format!("{TREE} {PAGE} {FONT}");
    let (tree, page) = (0, TREE.len() + 1);
    let font = page + PAGE.len() + 1;
    let head = format!("2 {tree} 3 {page} 5 {font} ");
    let packed = format!("{head}{inner}");
    let dict = format!("/Type /ObjStm /N 3 /First {}", head.len());
    let objects = [
        (1, CATALOG.into()),
        (4, deflated("", SENTENCES.as_bytes())),
        (9, deflated(&dict, packed.as_bytes())),
    ];
    assert!(text(&file(&objects, "")).starts_with("The keeper"));
}

#[test]
fn a_broken_table_a_missing_trailer_and_a_cut_file_are_read() {
    let whole = page(deflated("", SENTENCES.as_bytes()));
    let table = whole.windows(4).position(|four| four == b"xref").unwrap();
    let mut broken = whole.clone();
    broken[table..].fill(b'7');
    assert!(text(&broken).starts_with("The keeper"));
    assert!(text(&whole[..table]).starts_with("The keeper"));
    // The font is lost, and with it the text, but there is a page.
    let font = whole.windows(7).position(|seven| seven == b"5 0 obj").unwrap();
    assert_eq!(read(&whole[..font], WANTS).unwrap().pages, 1);
    let wrong_length = page(
        String::from_utf8(stream("", SENTENCES.as_bytes()))
            .unwrap()
            .replace("/Length 1", "/Length 9")
            .into(),
    );
    assert!(text(&wrong_length).starts_with("The keeper"));
}

#[test]
fn a_tree_that_bites_its_tail_ends() {
    let cyclic = [
        (1, CATALOG.into()),
        (2, b"<< /Type /Pages /Kids [3 0 R 2 0 R 6 0 R] >>".to_vec()),
        (3, PAGE.into()),
        (4, stream("", SENTENCES.as_bytes())),
        (5, FONT.into()),
        (6, b"<< /Type /Pages /Kids [2 0 R 6 0 R 3 0 R 7 0 R] >>".to_vec()),
        (7, b"7 0 R".to_vec()),
    ];
    let pdf = read(&file(&cyclic, ""), WANTS).unwrap();
    assert_eq!(pdf.pages, 1);
    // A drawing that draws itself.
    let page_dict = "<< /Type /Page /Contents 4 0 R /Resources << /XObject << /X 6 0 R >> >> >>";
    let form = "/Subtype /Form /Resources << /XObject << /X 6 0 R >> /Font << /F1 5 0 R >> >>";
    let more = [(6, stream(form, b"BT /F1 9 Tf (again ) Tj ET /X Do /X Do"))];
    let data = page_with(CATALOG, page_dict, FONT, stream("", b"/X Do"), "", &more);
    let times = text(&data).matches("again").count();
    assert!((2..200).contains(&times), "{times} times");
}

#[test]
fn what_is_encrypted_says_so() {
    let data = page_with(CATALOG, PAGE, FONT, stream("", b"x"), "/Encrypt 9 0 R", &[]);
    assert_eq!(read(&data, WANTS).unwrap_err(), Unreadable::Encrypted);
    let input = Input::new(UrlId::of("x"), "http://site.test/a.pdf", &data);
    let Reading::NotText { media_type, why, .. } = crate::read(&input, &Limits::default()) else {
        panic!("it was read");
    };
    assert_eq!((media_type.as_str(), why.as_deref()), ("application/pdf", Some("it is encrypted")));
    assert_eq!(read(b"%PDF-1.7 and nothing else", WANTS).unwrap_err(), Unreadable::Broken);
    assert_eq!(read(b"no PDF", WANTS).unwrap_err(), Unreadable::Broken);
}

#[test]
fn bombs_are_unpacked_no_further_than_the_budget() {
    // 300 MiB of spaces in 300 KiB, then text; as content, and as objects.
    let mut bomb = ZlibEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..300 {
        bomb.write_all(&[b' '; 1 << 20]).unwrap();
    }
    bomb.write_all(SENTENCES.as_bytes()).unwrap();
    let bomb = bomb.finish().unwrap();
    let data = page(stream("/Filter /FlateDecode", &bomb));
    assert_eq!(text(&data), "", "what lies behind the budget is left off");
    let more: Vec<(u32, Vec<u8>)> = (10..30)
        .map(|number| (number, stream("/Type /ObjStm /N 9 /First 9 /Filter /FlateDecode", &bomb)))
        .collect();
    let data = page_with(CATALOG, PAGE, FONT, stream("", SENTENCES.as_bytes()), "", &more);
    assert_eq!(read(&data, WANTS).unwrap().pages, 1);
    let twice = zlib(&bomb);
    let data = page(stream("/Filter [/FlateDecode /FlateDecode]", &twice));
    assert_eq!(text(&data), "");
}

#[test]
fn deep_and_endless_objects_are_cut() {
    let deep = [b"[".repeat(100_000), b"<<".repeat(100_000), b"(".repeat(100_000)];
    for object in deep {
        let data =
            page_with(CATALOG, PAGE, FONT, stream("", SENTENCES.as_bytes()), "", &[(9, object)]);
        let _ = read(&data, WANTS);
    }
    let many = b"1 0 obj (".repeat(50_000);
    let data = [b"%PDF-1.4\n".to_vec(), many].concat();
    let _ = read(&data, WANTS);
    let limited = Wants { max_text: 10, ..WANTS };
    let data = page(stream("", SENTENCES.as_bytes()));
    assert!(read(&data, limited).unwrap().text.len() <= 10);
}

proptest! {
    #[test]
    fn a_file_with_changed_bytes_is_read_or_not(
        changes in proptest::collection::vec((0.0_f64..1.0, any::<u8>()), 1..40), cut in 0.0_f64..1.5,
    ) {
        let mut data = page(deflated("", SENTENCES.as_bytes()));
        let length = data.len() as f64;
        for (place, byte) in changes {
            data[(place * length) as usize] = byte;
        }
        data.truncate((cut * length) as usize);
        let _ = read(&data, WANTS);
    }

    #[test]
    fn content_of_any_words_is_run(content in "([A-Za-z*'\"<>\\[\\]()/ .0-9-]| Tj | TJ | Tf | BT | cm | q | Q | /F1 12 Tf | Do | ID | EI ){0,80}") {
        let _ = read(&page(stream("", content.as_bytes())), WANTS);
    }
}
