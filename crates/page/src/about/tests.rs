use crate::tests::document;
use crate::{Input, Limits, Reading, read};
use lycosa_model::message::Parts;
use lycosa_model::{Document, Headers, Tick, UrlId};

const TEXT: &str = "<p>The keeper of the lighthouse wrote about gulls, tides and weather, and about \
                    everything that nobody had read before the winter came.</p>";

/// A page with this head and this body.
fn page(head: &str, body: &str) -> Document {
    document(&format!("<html><head>{head}</head><body>{body}{TEXT}{TEXT}{TEXT}</body></html>"))
}

fn dates(document: &Document) -> (Option<u64>, Option<u64>) {
    let day = |at: Option<Tick>| at.map(|at| at.0 / 86_400_000);
    (day(document.published), day(document.modified))
}

const MAY_1_2024: u64 = 19_844;

#[test]
fn dates_are_read_from_every_place_that_pages_put_them_in() {
    for head in [
        r#"<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-01T10:00:00+02:00"}</script>"#,
        "<meta property=article:published_time content='2024-05-01T08:00:00Z'>",
        "<meta itemprop=datePublished content=2024-05-01>",
        "<meta name=date content='Wed, 01 May 2024 08:00:00 GMT'>",
        "<meta name=DC.date.issued content=2024-05-01>",
        "<meta name='citation_publication_date' content='2024/05/01'>",
    ] {
        assert_eq!(dates(&page(head, "")), (Some(MAY_1_2024), None), "{head}");
    }
    for body in [
        "<time itemprop=datePublished datetime=2024-05-01>1 May</time>",
        "<time pubdate datetime=2024-05-01T10:00>1 May</time>",
        "<time class='entry-date published' datetime=2024-05-01T10:00>1 May</time>",
        "<time datetime='2024-05-01T10:00:00+02:00'>1 May</time>",
        "<span itemprop=datePublished content='2024-05-01'>1 May</span>",
        "<div class=byline><time datetime=2024-05-01>1 May</time></div>",
    ] {
        assert_eq!(dates(&page("", body)), (Some(MAY_1_2024), None), "{body}");
    }
    for head in [
        "<meta property=og:updated_time content=2024-05-01>",
        "<meta name=last-modified content='2024-05-01 10:00:00'>",
        "<meta http-equiv=last-modified content='Wed, 01 May 2024 08:00:00 GMT'>",
        r#"<script type="application/ld+json">{"@type":"WebPage","dateModified":"2024-05-01"}</script>"#,
    ] {
        assert_eq!(dates(&page(head, "")), (None, Some(MAY_1_2024)), "{head}");
    }
}

#[test]
fn the_place_that_is_made_for_programs_is_believed_before_the_others() {
    let head = "<meta name=date content=2020-01-01>\
        <meta property=article:published_time content=2021-01-01>\
        <script type=application/ld+json>{\"@type\":\"Article\",\"datePublished\":\"2024-05-01\"}</script>";
    assert_eq!(dates(&page(head, "<time datetime=2019-01-01>")).0, Some(MAY_1_2024));
}

#[test]
fn what_does_not_speak_for_the_page_gives_no_date() {
    for body in [
        // A list of articles.
        "<article><time datetime=2024-05-01></time></article><article><time datetime=2024-05-03></time></article>",
        "<div class=comments><time datetime=2024-05-01></time></div>",
        "<aside><time datetime=2024-05-01></time></aside>",
        "<ul><li><time itemprop=datePublished datetime=2024-05-01></time></ul>",
        "<template><time datetime=2024-05-01></time></template>",
        "<script type=application/ld+json>[{\"@type\":\"Article\",\"datePublished\":\"2024-05-01\"},\
         {\"@type\":\"Article\",\"datePublished\":\"2024-05-02\"}]</script>",
    ] {
        let found = page("", body);
        assert_eq!(dates(&found), (None, None), "{body}");
    }
}

#[test]
fn absurd_dates_are_refused_and_so_is_the_future_of_the_answer() {
    for date in ["1970-01-01", "1066-10-14", "2300-01-01", "0000-00-00", "soon"] {
        let head = format!("<meta name=date content='{date}'>");
        assert_eq!(dates(&page(&head, "")), (None, None), "{date}");
    }
    let html = format!("<meta name=date content=2024-05-03>{TEXT}");
    let at = |date: &str| with_headers(&html, &[("Date", date)]).published.is_some();
    assert!(!at("Wed, 01 May 2024 08:00:00 GMT"));
    assert!(at("Thu, 02 May 2024 08:00:00 GMT"), "clocks and zones are wrong by hours");
    let html = "<meta property=article:published_time content=2024-05-03>\
                <meta property=article:modified_time content=2024-05-01>";
    assert_eq!(dates(&page(html, "")).1, None, "it is not changed before it is there");
}

fn with_headers(html: &str, headers: &[(&str, &str)]) -> Document {
    let mut all = Headers::default();
    all.push("Content-Type", "text/html");
    headers.iter().for_each(|(name, value)| all.push((*name).to_owned(), (*value).to_owned()));
    let url = "http://page.test/";
    let input = Input::new(UrlId::of(url), url, html.as_bytes()).with_headers(&all);
    match read(&input, &Limits::default()) {
        Reading::Document(document) => *document,
        Reading::NotText { .. } => unreachable!("it is HTML"),
    }
}

#[test]
fn a_file_that_lies_on_its_server_for_long_is_as_old_as_that_says() {
    let date = ("Date", "Wed, 01 May 2024 08:00:00 GMT");
    let changed = |header| dates(&with_headers(TEXT, &[date, ("Last-Modified", header)])).1;
    assert_eq!(changed("Wed, 24 Apr 2024 08:00:00 GMT"), Some(MAY_1_2024 - 7));
    assert_eq!(changed("Wed, 01 May 2024 07:59:58 GMT"), None, "it is made for each answer");
    assert_eq!(changed("Wed, 08 May 2024 08:00:00 GMT"), None);
}

#[test]
fn a_byline_is_read_from_every_place_that_pages_put_it_in() {
    for head in [
        r#"<script type="application/ld+json">{"@type":"BlogPosting","author":{"@type":"Person","name":"Ana  Ruiz"}}</script>"#,
        r#"<script type="application/ld+json">{"@graph":[{"@type":"Article","author":{"@id":"a"}},{"@type":"Person","@id":"a","name":"Ana Ruiz"}]}</script>"#,
        "<meta name=author content='Ana Ruiz'>",
        "<meta name=author content='By Ana Ruiz'><meta name=parsely-author content='A. Ruiz'>",
        "<meta property=article:author content='https://social.test/ana'><a rel=author href=/ana>Ana Ruiz</a>",
    ] {
        assert_eq!(page(head, "").byline, "Ana Ruiz", "{head}");
    }
    for body in [
        "<span itemprop=author>by <a href=/ana>Ana Ruiz</a></span>",
        "<a rel='nofollow author' href=/ana>Ana Ruiz</a>",
        "<p class=byline>By Ana Ruiz | 1 May 2024</p>",
        "<div class=author>Por Ana Ruiz</div>",
    ] {
        assert_eq!(page("", body).byline, "Ana Ruiz", "{body}");
    }
    let two =
        "<meta name=citation_author content='Ruiz, Ana'><meta name=citation_author content=Bo>";
    assert_eq!(page(two, "").byline, "Ruiz, Ana, Bo");
    assert_eq!(page("", "<p class=byline>1 May 2024</p>").byline, "");
}

#[test]
fn headings_are_those_of_the_content_in_their_order() {
    let html = format!(
        "<header><h1>The <b>lighthouse</b></h1></header><nav><h2>Menu</h2></nav>\
         <main><h2>Gulls<a href=#gulls>¶</a></h2>{TEXT}<h3><a href=/tides>Tides</a></h3>{TEXT}{TEXT}\
         <h2 hidden>Nothing</h2></main>\
         <div class=comments><h3>Comments</h3><p>Nice.</p></div><footer><h4>About us</h4></footer>"
    );
    assert_eq!(document(&html).headings, "The lighthouse\nGulls\nTides");
}

#[test]
fn headings_have_a_bound() {
    let html =
        format!("<article>{}</article>", format!("<h2>Gulls and tides</h2>{TEXT}").repeat(5_000));
    let headings = document(&html).headings;
    assert!(headings.len() <= super::MAX_HEADINGS && headings.lines().count() > 500);
}

#[test]
fn a_crawl_that_does_not_ask_for_it_gets_none_of_it() {
    let html = "<meta name=author content=Ana><meta name=date content=2024-05-01><h1>Gulls</h1>";
    let url = "http://page.test/";
    let parts = Parts { about: false, ..Parts::ALL };
    let mut input = Input::new(UrlId::of(url), url, html.as_bytes()).for_parts(parts);
    input.content_type = Some("text/html");
    let Reading::Document(found) = read(&input, &Limits::default()) else {
        unreachable!("it is HTML");
    };
    assert_eq!((found.headings.as_str(), found.byline.as_str()), ("", ""));
    assert_eq!(dates(&found), (None, None));
}
