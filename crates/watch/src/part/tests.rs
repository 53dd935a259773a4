use super::*;
use proptest::prelude::*;

fn cut(selector: &str, html: &str) -> Option<String> {
    let selector = Selector::parse(selector).expect(selector);
    let page = selector.cut(html.as_bytes())?;
    Some(String::from_utf8(page).expect("UTF-8").replace("<div>", "|").replace("</div>\n", ""))
}

const PAGE: &str = "<!DOCTYPE html><meta charset=utf-8><title>a < b</title><script>if (a<b) '<p id=price>no</p>'</script>\
    <!-- <p id=price>no</p> --><nav class=\"top bar\"><p>menu</nav>\
    <main data-kind='shop'><p id=\"price\" class=\"big offer\">ten <b>euros</b></p><img id=pic src='a>b'>\
    <ul><li class=x>one<li class=x>two<li>three</ul><section><p class=offer>five</section></main>";

#[test]
fn parts_are_named_as_in_style_sheets() {
    let meta = "<meta charset=utf-8>";
    for (selector, part) in [
        ("#price", "|<p id=\"price\" class=\"big offer\">ten <b>euros</b></p>"),
        ("p.offer.big", "|<p id=\"price\" class=\"big offer\">ten <b>euros</b></p>"),
        ("section .offer", "|<p class=offer>five</section>"),
        ("main[data-kind=shop] b", "|<b>euros</b>"),
        ("li.x", "|<li class=x>one|<li class=x>two"),
        ("IMG", "|<img id=pic src='a>b'>"),
        ("[class=\"top", "?"),
        ("nav.bar", "|<nav class=\"top bar\"><p>menu</nav>"),
    ] {
        if part == "?" {
            assert!(Selector::parse(selector).is_err(), "{selector}");
        } else {
            assert_eq!(cut(selector, PAGE), Some(format!("{meta}{part}")), "{selector}");
        }
    }
    for nothing in ["#pric", "nav .offer", "main nav", ".off"] {
        assert_eq!(cut(nothing, PAGE), None, "{nothing}");
    }
}

#[test]
fn a_part_inside_a_part_is_told_once() {
    assert_eq!(
        cut("em.a", "<em class=a>x<em class=a>y</em></em>").as_deref(),
        Some("|<em class=a>x<em class=a>y</em></em>")
    );
    assert_eq!(cut("p", "<p>never closed").as_deref(), Some("|<p>never closed"));
}

#[test]
fn what_names_no_part_is_refused() {
    for text in [
        "",
        "  ",
        "a > b",
        "#",
        ".",
        "p:first-child",
        "*",
        "a,b",
        "[=x]",
        "a b c d e f g h i",
        "#a p.b q]",
    ] {
        assert!(Selector::parse(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn any_page_can_be_cut(html in "[<>/a-c='\" .#!-]{0,80}", name in "[a-c]") {
        let selector = Selector::parse(&name).unwrap();
        if let Some(page) = selector.cut(html.as_bytes()) {
            prop_assert!(page.len() <= html.len() + 13 * MAX_PARTS);
        }
    }

    #[test]
    fn any_text_is_a_selector_or_none(text in any::<String>()) {
        drop(Selector::parse(&text));
    }
}
