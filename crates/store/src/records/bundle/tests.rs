use super::*;
use lycosa_model::Rank;
use proptest::prelude::*;

fn trail() -> Trail {
    Trail {
        origin: Origin::Sitemap,
        via: Some(UrlId::of("via")),
        bot: Some(BotId::of("bot", 1)),
        at: Tick(7),
        depth: 3,
        redirects: 1,
        parent_relevance: 0.5,
        wanted_language: true,
        seed: false,
    }
}

fn bundle(urls: &[String]) -> Bundle {
    let mut bundle = Bundle::new(trail());
    for (place, url) in urls.iter().enumerate() {
        bundle.put(place as u64, UrlId::of(url), url);
    }
    bundle
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        ends in prop::collection::vec("[a-cäß/]{0,3}", 0..9),
        start in "(http://a.test/|ä{200}|)",
    ) {
        let urls: Vec<String> = ends.iter().map(|end| format!("{start}{end}")).collect();
        let bundle = bundle(&urls[..urls.len().min(PLACES as usize)]);
        let bytes = postcard::to_allocvec(&bundle).expect("write");
        prop_assert_eq!(postcard::from_bytes::<Bundle>(&bytes).expect("read"), bundle);
    }

    #[test]
    fn torn_and_foreign_rows_are_refused_or_read_but_never_worse(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        cut in any::<prop::sample::Index>(),
    ) {
        let urls = ["http://a.test/one", "http://a.test/other"].map(String::from);
        let mut row = postcard::to_allocvec(&bundle(&urls)).expect("write");
        row.truncate(cut.index(row.len()));
        row.extend(bytes);
        let _ = postcard::from_bytes::<Bundle>(&row);
    }
}

#[test]
fn of_an_address_only_what_differs_is_written() {
    let urls: Vec<String> =
        (0..8).map(|page| format!("https://www.a.test/some/long/folder/{page}.html")).collect();
    let bytes = postcard::to_allocvec(&bundle(&urls)).expect("write").len();
    let digests = 16 * urls.len();
    let most = digests + urls[0].len() + 9 * urls.len() + 60;
    assert!(bytes < most, "{bytes} bytes, {digests} of digests");
}

#[test]
fn urls_lie_by_place_and_are_taken_from_there() {
    let mut bundle = Bundle::new(trail());
    for place in [18, 21, 16, 18] {
        bundle.put(place, UrlId::of(&place.to_string()), &format!("http://a.test/{place}"));
    }
    let head = Bundle::head(Spot { rank: Rank(4), place: 21 });
    assert_eq!(head, Spot { rank: Rank(4), place: 16 });
    let places: Vec<u64> = bundle.spots(head).map(|(spot, _)| spot.place).collect();
    assert_eq!(places, [16, 18, 21]);
    assert_eq!(bundle.take(17), None);
    assert_eq!(bundle.take(18).map(|url| url.url).as_deref(), Some("http://a.test/18"));
    assert_eq!(bundle.take(18), None);
    assert!(bundle.take(16).is_some() && !bundle.is_empty());
    assert!(bundle.take(21).is_some() && bundle.is_empty());
}

#[test]
fn the_record_of_a_url_says_how_it_was_found() {
    let mut bundle = bundle(&["http://a.test/".into()]);
    let spot = Spot { rank: Rank(1), place: 8 };
    let record = bundle.take(8).expect("there").record(&bundle.trail, 2, spot);
    assert_eq!(record.url, "http://a.test/");
    assert_eq!((record.run, record.queued, record.dinit), (2, Some(spot), Tick(7)));
    assert_eq!((record.depth, record.redirects), (3, 1));
    assert_eq!((record.via, record.bot2_id), (trail().via, trail().bot));
}
