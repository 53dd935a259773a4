use super::*;
use crate::diff::plain;
use lycosa_model::message::WatchOrder;

/// A watch and the texts of what it knows.
struct Kept {
    watch: Watch,
    texts: BTreeMap<String, String>,
    now: u64,
}

impl Kept {
    fn new(order: &str) -> Kept {
        let order: WatchOrder = serde_json::from_str(order).expect("an order");
        let watch = Watch { id: 1, uid: "u".into(), order, ..Watch::default() };
        Kept { watch, texts: BTreeMap::new(), now: 0 }
    }

    /// Looks at these pages and tells what is told of them.
    fn look(&mut self, pages: Vec<(&str, Sight)>) -> Vec<String> {
        self.now += 1;
        let now = Tick(self.now);
        let plan = Plan::of(&self.watch.order).expect("a plan");
        let pages = pages.into_iter().map(|(url, sight)| (url.to_owned(), sight)).collect();
        let seen = Seen { pages, note: None };
        let found = compare(&self.watch, &plan, &self.texts, seen, now);
        if let Some(texts) = &found.texts {
            self.texts.clone_from(texts);
        }
        let told =
            found.entries.iter().map(|it| format!("{} {}", it.change.name(), it.url)).collect();
        self.watch.take(found, now, now);
        told
    }
}

fn page(text: &str) -> Sight {
    Sight::Page(PageSeen { title: "T".into(), text: text.into(), ..PageSeen::default() })
}

fn gone() -> Sight {
    Sight::Gone("404".into())
}

fn failed() -> Sight {
    Sight::Failed("timeout".into())
}

const NOTHING: [String; 0] = [];

#[test]
fn what_is_there_to_begin_with_is_not_told_and_what_comes_later_is_told_once() {
    let mut kept = Kept::new(r#"{"site":"https://x.test/"}"#);
    assert_eq!(
        kept.look(vec![("a", page("one")), ("b", page("two")), ("c", page("three"))]),
        NOTHING
    );
    assert!(kept.watch.baseline);
    let now = || vec![("a", page("one")), ("b", page("zwei")), ("c", gone()), ("d", page("four"))];
    assert_eq!(kept.look(now()), ["changed b", "new d", "gone c"]);
    assert_eq!(kept.look(now()), NOTHING);
    assert_eq!(kept.watch.entries.iter().map(|it| it.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(plain(&kept.watch.entries[0].diff), "[-two-] {+zwei+}");
    assert_eq!(kept.look(vec![("c", page("three"))]), ["new c"], "it has come back");
    assert_eq!(kept.watch.counted, 4);
}

#[test]
fn a_site_that_is_down_is_no_beginning_and_no_end() {
    let mut kept = Kept::new(r#"{"site":"https://x.test/"}"#);
    assert_eq!(kept.look(vec![("a", failed())]), NOTHING);
    assert!(!kept.watch.baseline);
    kept.look(vec![("a", page("one"))]);
    assert!(kept.watch.baseline);
    assert_eq!(kept.look(vec![("a", failed())]), NOTHING, "errors are told to those who want them");
    assert_eq!(kept.watch.failing.len(), 1);
    assert_eq!(kept.look(vec![("a", page("one"))]), NOTHING);
    assert!(kept.watch.failing.is_empty());
}

#[test]
fn an_error_is_told_once_until_the_page_can_be_read_again() {
    let mut kept = Kept::new(r#"{"page":"https://x.test/","tell":["error"]}"#);
    kept.look(vec![("a", page("one"))]);
    assert_eq!(kept.look(vec![("a", failed())]), ["error a"]);
    assert_eq!(kept.look(vec![("a", failed())]), NOTHING);
    assert_eq!(kept.look(vec![("a", page("two"))]), NOTHING, "changes are not wanted");
    assert_eq!(kept.look(vec![("a", failed())]), ["error a"]);
}

#[test]
fn the_same_text_at_another_address_is_nothing_new() {
    let mut kept = Kept::new(r#"{"query":"x"}"#);
    kept.look(vec![("a", page("one"))]);
    assert_eq!(
        kept.look(vec![("b", page("one")), ("c", page("two")), ("d", page("two"))]),
        ["new c"]
    );
    assert_eq!(kept.look(vec![("b", page("three"))]), ["changed b"], "it is known nevertheless");
    assert_eq!(kept.look(vec![("a", gone()), ("e", page("one"))]), ["gone a"]);
    let why = &kept.watch.entries.last().expect("an entry").why;
    assert!(why.ends_with("the same text is at e"), "{why}");
}

#[test]
fn texts_to_ignore_and_to_require_decide_what_counts() {
    let mut kept =
        Kept::new(r#"{"site":"https://x.test/","require":["Heron"],"ignore":["visitor"]}"#);
    kept.look(vec![("a", page("a heron\nYou are visitor 7")), ("b", page("an owl"))]);
    assert_eq!(kept.watch.items.len(), 1);
    assert_eq!(kept.look(vec![("a", page("a heron\nyou are VISITOR 8"))]), NOTHING);
    assert_eq!(kept.look(vec![("b", page("an owl and a heron"))]), ["new b"]);
    assert_eq!(kept.look(vec![("a", page("a stork"))]), ["gone a"]);
}

#[test]
fn only_pages_of_the_language_count() {
    let mut kept = Kept::new(r#"{"site":"https://x.test/","lang":"es"}"#);
    let spanish = |text: &str, lang| {
        Sight::Page(PageSeen { text: text.into(), lang: Some(lang), ..PageSeen::default() })
    };
    kept.look(vec![("a", spanish("uno", Lang::ES))]);
    assert_eq!(
        kept.look(vec![("b", spanish("one", Lang::EN)), ("c", spanish("dos", Lang::ES))]),
        ["new c"]
    );
}

#[test]
fn spaces_are_no_change_and_long_texts_have_an_end() {
    let mut kept = Kept::new(r#"{"page":"https://x.test/"}"#);
    kept.look(vec![("a", page("one  two\n\nthree"))]);
    assert_eq!(kept.look(vec![("a", page(" one two \nthree\n"))]), NOTHING);
    let long = "ñ".repeat(MAX_TEXT);
    assert_eq!(kept.look(vec![("a", page(&long))]), ["changed a"]);
    assert!(kept.texts["a"].len() <= MAX_TEXT);
}

#[test]
fn pages_without_text_are_not_all_the_same_and_no_page_speaks_to_a_terminal() {
    let mut kept = Kept::new(r#"{"site":"https://x.test/"}"#);
    kept.look(vec![("a", page(""))]);
    assert_eq!(kept.look(vec![("a", page("")), ("b", page(""))]), ["new b"]);
    assert_eq!(kept.look(vec![("c", page("red \u{1b}[31m text \u{202e}"))]), ["new c"]);
    assert_eq!(kept.watch.entries.last().expect("an entry").text, "red [31m text");
}
