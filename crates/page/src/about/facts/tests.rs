use crate::tests::document;
use lycosa_model::{Alternate, Facts, Feed, Lang};

fn facts(html: &str) -> Facts {
    *document(html).facts.expect("they were asked for")
}

#[test]
fn open_graph_is_read_by_property_and_by_name() {
    let found = facts(
        "<meta property=og:title content=' The  tide '><meta name=og:type content=article>\
         <meta property=og:image content=/a.jpg><meta property=og:image content=/b.jpg>\
         <meta property=OG:site_name content=Gulls><meta property=article:section content=Sea>\
         <meta property=fb:app_id content=1><meta property=og: content=x><meta property=og:url content=''>",
    );
    let found: Vec<(&str, &str)> =
        found.open_graph.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(
        found,
        [
            ("article:section", "Sea"),
            ("image", "/a.jpg"),
            ("site_name", "Gulls"),
            ("title", "The tide"),
            ("type", "article"),
        ]
    );
}

#[test]
fn the_key_fields_of_json_ld_are_read() {
    let found = facts(
        r#"<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
        {"@type":["NewsArticle","Article"],"headline":"The tide","description":"About\nit",
         "author":[{"@type":"Person","name":"Ana"},"Bo",{"@id":"c"}],"publisher":{"name":"Gulls"},
         "datePublished":"2024-05-01","dateModified":"2024-05-02T00:00:00Z",
         "mainEntityOfPage":"https://a.test/tide","image":[{"url":"https://a.test/1.jpg"},"https://a.test/2.jpg"]},
        {"@type":"Person","@id":"c","name":"Cleo"},
        {"@type":"BreadcrumbList","itemListElement":[
          {"@type":"ListItem","position":2,"item":{"@id":"/sea","name":"Sea"}},
          {"@type":"ListItem","position":"1","name":"Home"}]}]}</script>
        <script type="text/javascript">{"@type":"Thing","name":"a script"}</script>"#,
    );
    let [article, person, crumbs] = &found.json_ld[..] else {
        panic!("three things: {:?}", found.json_ld);
    };
    assert_eq!(article.types, ["NewsArticle", "Article"]);
    assert_eq!((article.headline.as_str(), article.description.as_str()), ("The tide", "About it"));
    assert_eq!(article.author, ["Ana", "Bo", "Cleo"]);
    assert_eq!(article.publisher, ["Gulls"]);
    assert_eq!(article.published.map(|at| at.0), Some(1_714_521_600_000));
    assert_eq!(article.modified.map(|at| at.0), Some(1_714_608_000_000));
    assert_eq!(article.url, "https://a.test/tide");
    assert_eq!(article.image, ["https://a.test/1.jpg", "https://a.test/2.jpg"]);
    assert_eq!(person.name, "Cleo");
    assert_eq!(crumbs.breadcrumb, ["Home", "Sea"]);
}

#[test]
fn languages_and_feeds_have_absolute_addresses() {
    let found = facts(
        "<base href=/es/><link rel=alternate hreflang=en-GB href=../en/tide>\
         <link rel=alternate hreflang=x-default href=http://b.test/>\
         <link rel=alternate hreflang=fr href='mailto:a@b.test'>\
         <link rel=alternate type=application/rss+xml title=' All  news ' href=feed.xml>\
         <template><link rel=alternate hreflang=de href=/de></template>",
    );
    let alternate = |lang: &str, url: &str| Alternate { lang: lang.into(), url: url.into() };
    assert_eq!(
        found.alternates,
        [alternate("en-GB", "http://site.test/en/tide"), alternate("x-default", "http://b.test/")]
    );
    assert_eq!(
        found.feeds,
        [Feed {
            url: "http://site.test/es/feed.xml".into(),
            title: "All news".into(),
            media_type: "application/rss+xml".into()
        }]
    );
}

#[test]
fn each_paragraph_has_its_language() {
    let found = facts(
        "<p>The river rises in the northern hills and runs for two hundred miles before the sea.</p>\
         <p>El pueblo celebra cada verano una fiesta en honor de su patrona con bailes en la plaza.</p>\
         <p>42</p>",
    );
    let langs: Vec<Option<Lang>> =
        found.paragraphs.iter().map(|paragraph| paragraph.lang).collect();
    assert_eq!(langs, [Some(Lang::EN), Some(Lang::ES), None]);
    assert!(found.paragraphs[1].text.starts_with("El pueblo") && found.paragraphs[2].text == "42");
}
