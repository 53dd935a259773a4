use super::{words, Summaries};
use crawllet_sdk::cbor::{Reader, Writer};
use crawllet_sdk::mock::{Answer, Site};
use crawllet_sdk::record::Kind;

const PAGE: &str = "<html lang=en><title>Wolf spiders</title><meta name=description content='On Lycosa'>\
    <meta name=robots content='NoArchive'><script>no('words')</script><h1>Spiders</h1><p>The spider sees \
    the spider.<p>Ünder <a href=/b rel=next>the <b>stone</b></a></p><noscript>no</noscript>";

#[test]
fn a_page_comes_as_its_summary_with_all_links() {
    let site = Site::new().with("/", Answer::html(PAGE)).with("/b", Answer::html(PAGE));
    let run = site.crawl(&mut Summaries::default());
    let record = &run.records[0];
    assert_eq!(record.kind, Kind::Page as u64);
    assert_eq!(record.sha256, crawllet_sdk::sha256::sha256(PAGE.as_bytes()));
    assert_eq!(record.in_links, [("/b".to_owned(), "the stone".to_owned())]);
    // Also where another page named it before.
    assert_eq!(run.records[1].in_links, record.in_links);
    let (mut texts, mut terms, mut simhash) = (Vec::new(), Vec::new(), 0);
    let read = Reader::new(&record.body).map(|key, reader| match key {
        4 => reader.uint().map(|number| simhash = number),
        5 => reader.array(|reader| {
            let (mut term, mut at) = (("", 0), 0);
            reader.array(|reader| {
                match at {
                    0 => term.0 = reader.text()?,
                    _ => term.1 = reader.uint()?,
                }
                at += 1;
                Ok(())
            })?;
            terms.push(term);
            Ok(())
        }),
        _ => reader.text().map(|text| texts.push((key, text))),
    });
    assert_eq!(read, Ok(()));
    let text = "Spiders\nThe spider sees the spider.\nÜnder the stone";
    let expected = [(1, "Wolf spiders"), (2, text), (3, "en"), (6, "On Lycosa"), (7, "NoArchive")];
    assert_eq!(texts, expected);
    assert_eq!(terms[..3], [("the", 3), ("spider", 2), ("spiders", 2)]);
    assert!(terms.contains(&("ünder", 1)) && simhash != 0);
}

#[test]
fn the_job_says_how_long_a_text_may_be() {
    let mut params = Writer::new();
    params.map(1).uint(1).uint(9);
    let site = Site::new().with("/", Answer::html("<p>éééééé")).with_params(&params.finish());
    let run = site.crawl(&mut Summaries::default());
    let mut text = "";
    let read = Reader::new(&run.records[0].body).map(|key, reader| match key {
        2 => reader.text().map(|found| text = found),
        _ => reader.skip(),
    });
    assert_eq!((read, text), (Ok(()), "éééé"));
}

#[test]
fn texts_that_are_nearly_the_same_have_near_fingerprints() {
    let word = |number: u32| format!("w{} ", number.wrapping_mul(2_654_435_761) % 997);
    let text: String = (0..600).map(word).collect();
    let other: String = (5_000..5_600).map(word).collect();
    let changed = text.replacen("w", "x", 3);
    let of = |text: &str| words::of("", text, 0).simhash;
    let distance = |a: u64, b: u64| (a ^ b).count_ones();
    assert!(distance(of(&text), of(&changed)) <= 6);
    assert!(distance(of(&text), of(&other)) >= 14);
    assert_eq!(of(""), 0);
}
