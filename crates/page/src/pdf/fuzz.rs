//! Do any bytes break what we read of PDFs?

use super::*;
use lycosa_fuzz::Fuzz;

#[test]
fn pdfs_of_any_bytes_are_read() {
    let seeds: &[&[u8]] = &[
        b"%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R /Outlines 7 0 R /Metadata 8 0 R >> endobj\n\
          2 0 obj << /Kids [3 0 R] >> endobj\n\
          3 0 obj << /Type /Page /Contents 4 0 R /Annots [<< /A << /URI (/x) >> >>] \
          /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >> endobj\n\
          4 0 obj << /Length 44 >> stream\nBT /F 9 Tf [(gulls) -400 (tides)] TJ T* (x) ' ET /X Do\nendstream endobj\n\
          5 0 obj << /Subtype /Type0 /ToUnicode 9 0 R >> endobj\n\
          6 0 obj << /Subtype /Form >> stream\nBT /F 9 Tf <00410042> Tj ET\nendstream endobj\n\
          7 0 obj << /First 7 0 R /Title (t) >> endobj\n\
          8 0 obj << >> stream\n<dc:title><rdf:li>t</rdf:li></dc:title>\nendstream endobj\n\
          9 0 obj << >> stream\n1 beginbfrange <0041> <0050> <0061> endbfrange\nendstream endobj\n\
          trailer << /Root 1 0 R /Info << /Title (a) /ModDate (D:20240501) >> >>",
        b"%PDF-1.7 1 0 obj << /Type /ObjStm /N 2 /First 8 /Filter /ASCIIHexDecode >> stream\n\
          32203020332039203c3c2f547970652f506167653e3e>\nendstream",
    ];
    let words: &[&[u8]] = &[
        b"%PDF-1.7 ",
        b" 0 obj ",
        b" endobj ",
        b" stream\n",
        b"\nendstream ",
        b"<< ",
        b" >>",
        b"[",
        b"]",
        b"(",
        b")",
        b"\\",
        b"<",
        b">",
        b" 1 0 R ",
        b" 9 0 R ",
        b"/Type /Page ",
        b"/Kids [",
        b"/Filter /FlateDecode ",
        b"/Filter /LZWDecode ",
        b"/Filter [/ASCII85Decode /RunLengthDecode] ",
        b"/DecodeParms << /Predictor 15 /Columns 4 >> ",
        b"/Type /ObjStm /N 3 /First 9 ",
        b"/Encoding << /Differences [0 /a /uni0041 300 /b] >> ",
        b"/W [1 [500] 3 900 7] ",
        b" beginbfchar ",
        b" endbfchar ",
        b" endbfrange ",
        b" endcodespacerange ",
        b" BT ",
        b" Tj ",
        b" TJ ",
        b" cm ",
        b" Do ",
        b" q ",
        b"-9999999999999 ",
        b"0.0000001 ",
        b"trailer ",
        b"/Encrypt ",
        b"\x78\x9c",
        b"\xfe\xff",
    ];
    let wants = Wants { text: true, max_text: 1 << 16, max_links: 100 };
    Fuzz { seeds, words }.run(|bytes| {
        if let Ok(pdf) = read(bytes, wants) {
            assert!(pdf.text.len() <= wants.max_text && pdf.links.len() <= wants.max_links);
        }
    });
}
