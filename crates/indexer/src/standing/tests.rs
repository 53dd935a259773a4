use super::*;
use lycosa_model::message::Entry;
use lycosa_model::{Document, LangShare, Link, LinkKind, Tick, UrlId};
use lycosa_segments::{CommitNote, WriterSettings};

fn page(url: &str, lang: Lang, links: &[(&str, &str)]) -> Entry {
    let mut document = Document::empty(UrlId::of(url), url);
    document.text = "text".into();
    document.languages = vec![LangShare { lang, share: 1.0 }];
    let link = |(url, anchor): &(&str, &str)| Link {
        url: (*url).into(),
        anchor: (*anchor).into(),
        context: String::new(),
        tag_path: String::new(),
        rel: String::new(),
        kind: LinkKind::Anchor,
    };
    document.links = links.iter().map(link).collect();
    Entry { document, agent: String::new(), fetched: Tick(0), id: None }
}

fn tie(url: &str) -> u64 {
    u64::from_be_bytes(UrlId::of(url).0[..8].try_into().unwrap())
}

#[test]
fn links_between_pages_of_the_index_tell_ranks_and_words() {
    let data = tempfile::tempdir().unwrap();
    let segments = Segments::create_or_open(data.path()).unwrap();
    let mut writer = segments.writer(WriterSettings::default()).unwrap();
    let hub = "http://hub.test/";
    let menu = [(hub, "Wolf spiders"), ("http://gone.test/", "not in the index")];
    for n in 0..5 {
        writer.put(page(&format!("http://a.test/{n}"), Lang::EN, &menu)).unwrap();
    }
    let spanish = "http://b.test/es";
    writer
        .put(page("http://b.test/", Lang::EN, &[(hub, "Spiders"), (spanish, "Las arañas")]))
        .unwrap();
    writer.put(page(spanish, Lang::ES, &[])).unwrap();
    writer.put(page(hub, Lang::EN, &[(hub, "top"), ("http://b.test/", "")])).unwrap();
    writer.commit(&CommitNote::new(Default::default())).unwrap();

    let report = find_standing(data.path()).unwrap();
    let expected = StandingReport { pages: 8, sites: 3, links: 8, linked: 3, words: 3 };
    assert_eq!(report, expected);
    let standing = segments.standing().unwrap();
    let place = |url: &str| standing.place(tie(url)).unwrap() as usize;
    assert_eq!(standing.inlinks[place(hub)], 6);
    assert_eq!(standing.page_ranks[place(hub)], 255, "most pages lead there");
    assert_eq!(standing.site_ranks[place(hub)], 255);
    assert!(standing.page_ranks[place("http://b.test/")] < 255);
    // Five pages of one site say it once, another site says a part of it.
    let hub_place = place(hub) as u32;
    assert_eq!(standing.with_anchor("wolf"), [(hub_place, 1)]);
    assert_eq!(standing.with_anchor("spider"), [(hub_place, 2)]);
    assert_eq!(standing.anchor_lengths[place(hub)], 3);
    // Words are those of the language of the page that is linked to.
    let spanish_form = Analyser::for_language(Some(Lang::ES)).form("arañas").unwrap();
    assert_eq!(standing.with_anchor(&spanish_form), [(place(spanish) as u32, 1)]);
    assert_eq!(standing.place(tie("http://a.test/1")), None, "nobody leads there");

    // A page that is gone takes its links along.
    writer.remove(UrlId::of("http://b.test/")).unwrap();
    writer.commit(&CommitNote::new(Default::default())).unwrap();
    let report = find_standing(data.path()).unwrap();
    assert_eq!((report.pages, report.links), (7, 5));
    let standing = segments.standing().unwrap();
    assert_eq!(standing.place(tie(spanish)), None);
}
