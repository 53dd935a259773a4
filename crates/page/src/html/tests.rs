//! Are the events those of the HTML standard? html5gum says which they are.

mod oracle;

use super::attrs::{Attr, Attrs};
use super::tag::Tag;
use super::tokens::{self, Mode, Sink};
use proptest::prelude::*;

/// Writes down what it is told. Elements nest as if every tag were right.
#[derive(Default)]
pub(super) struct Log {
    events: Vec<String>,
    foreign: usize,
    resources: bool,
}

impl Sink for Log {
    fn text(&mut self, text: &str) {
        self.events.push(format!("text {text:?}"));
    }

    fn start(&mut self, tag: Tag, attrs: &Attrs, self_closing: bool) -> Option<Mode> {
        let attrs: Vec<String> =
            attrs.iter().map(|(attr, value)| format!("{attr:?}={value:?}")).collect();
        self.events.push(format!("<{tag:?} {}>{self_closing}", attrs.join(" ")));
        match tag {
            Tag::Svg | Tag::Math => {
                self.foreign += 1;
                None
            }
            Tag::Title | Tag::Textarea => Some(Mode::RcData),
            Tag::Style | Tag::Xmp | Tag::Iframe | Tag::OtherRaw => Some(Mode::RawText),
            Tag::Script => Some(Mode::ScriptData),
            Tag::Plaintext => Some(Mode::PlainText),
            _ => None,
        }
    }

    fn end(&mut self, tag: Tag) {
        self.events.push(format!("</{tag:?}>"));
        if matches!(tag, Tag::Svg | Tag::Math) {
            self.foreign = self.foreign.saturating_sub(1);
        }
    }

    fn comment(&mut self, text: &str) {
        self.events.push(format!("comment {text:?}"));
    }

    fn doctype(&mut self, system: &str) {
        if !system.is_empty() {
            self.events.push(format!("doctype {system:?}"));
        }
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn wants_resources(&self) -> bool {
        self.resources
    }

    fn in_foreign(&self) -> bool {
        self.foreign > 0
    }

    fn reads(&self, _: Attr) -> bool {
        true
    }
}

fn ours(html: &str, resources: bool) -> Vec<String> {
    let mut log = Log { resources, ..Log::default() };
    tokens::read(html, &mut log);
    log.events
}

fn theirs(html: &str, resources: bool) -> Vec<String> {
    let mut log = Log { resources, ..Log::default() };
    oracle::read(html, &mut log);
    log.events
}

fn check(html: &str) {
    for resources in [false, true] {
        assert_eq!(ours(html, resources), theirs(html, resources), "{html:?}");
    }
}

#[test]
fn every_odd_construct_reads_as_the_standard_says() {
    for html in [
        "a < b <3 </ <// </> </3> <? x > y",
        "<!-- a --> <!--> <!---> <!----> <!----!> <!-- --!> <!-- --!- --> <!-- a -- b --->c",
        "<!--a",
        "<!--a-",
        "<!--a--",
        "<!--a--!",
        "<!--",
        "<!",
        "<!x>y",
        "<!doctype",
        "<",
        "<!doctype html><!DOCTYPE html SYSTEM 'a.dtd'><!doctype x PUBLIC \"p\" \"s\">z",
        "<a href=1 href=2 HREF='3'>x</A b=c>",
        "<a href>",
        "<a href=>x",
        "<a href = ' v '>x",
        "<a/href=1/>x<br/>y<br / >",
        "<a =href=1>",
        "<a \"href=1>",
        "<a href=\"1\"rel=2>x",
        "<a href='1",
        "<a href=1",
        "<a ",
        "<a",
        "</a",
        "</",
        "<title>a</titles>b</TITLE c>d",
        "<title>&amp;<b>&lt;</title >x",
        "<textarea></textarea/>x",
        "<style>&amp;</style\n>",
        "<script>a</script >b",
        "<script><!--a</script>b",
        "<script><!--<script>a</script>b--></script>c",
        "<script><!--<script </script/></script>c",
        "<script><!--><script></script>d",
        "<script><!-- a --><script></script>e",
        "<script><!--<scripty></script>f",
        "<script><!-<script></script>g",
        "<script>a",
        "<script></scrip",
        "<xmp><b></xmp>",
        "<svg><![CDATA[a]]b]]>c</svg><![CDATA[d]]>e",
        "<svg><![CDATA[a",
        "<plaintext>a</plaintext>",
        "&amp &ampx; &am; &notit; &notin; &#65;&#x41;&#x; &# & &#0; &#x110000; &#xd800; &#128; &#9;",
        "<a href='?a=1&copy=2&copy;&copyx&copy;=&amp=&lt'>&copy=&copyx",
        "a\r\nb\rc\n<a href='\r\n'>\r</a>",
        "a\0b<a\0 hr\0ef=1 href='\0'><title>\0</title><!-- \0 -->",
        "<IMG SRC=a ALT=\"é\">é<p class=ü>",
        "text<!-- c -->more<b>x",
    ] {
        check(html);
    }
}

/// Pieces of which soup is made.
const PIECES: &[&str] = &[
    "<",
    ">",
    "/",
    "!",
    "-",
    "--",
    "-->",
    "<!--",
    "<!",
    "=",
    "\"",
    "'",
    " ",
    "\n",
    "\r",
    "\t",
    "\u{c}",
    "\0",
    "&",
    ";",
    "#",
    "x",
    "a",
    "script",
    "<script",
    "</script",
    "<title>",
    "</title",
    "<a href",
    "</a>",
    "<svg>",
    "</svg>",
    "<![CDATA[",
    "]]>",
    "<style>",
    "</style>",
    "&amp",
    "&lt;",
    "&#6",
    "&not",
    "it",
    "1",
    "é",
    "\u{feff}",
    "?",
    "<textarea",
    "</textarea>",
    "doctype",
    "SYSTEM ",
    "<br/",
    "A",
    "rel",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn soup_reads_as_the_standard_says(pieces in prop::collection::vec(0..PIECES.len(), 0..24)) {
        let html: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        check(&html);
    }
}
