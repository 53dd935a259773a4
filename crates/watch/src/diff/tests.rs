use super::*;
use proptest::prelude::*;

#[test]
fn a_reader_sees_the_words_that_differ_and_a_few_around_them() {
    let long = "so much text that nobody wants to read all of it again and again";
    let old = format!("{long}\nThe price of one ticket is ten euros for everybody.\n{long}");
    let new = format!("{long}\nThe price of one ticket is twelve euros for everybody.\n{long}");
    let shown = plain(&diff(&old, &new));
    let expected = "… to read all of it again and again The price of one ticket is [-ten-] {+twelve+} euros for \
                    everybody. so much text that nobody wants to read …";
    assert!(shown.contains("ticket is [-ten-] {+twelve+} euros for"), "{shown}");
    assert!(shown.len() < expected.len() + 40, "{shown}");
    assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
}

#[test]
fn lines_that_come_and_go_are_shown_as_lines() {
    let shown = plain(&diff("one\ntwo\nthree", "one\nthree\nfour"));
    assert_eq!(shown, "one [-two-] three {+four+}");
    assert_eq!(diff("one\ntwo", "one\n\n  two "), []);
    assert_eq!(plain(&diff("", "all of it")), "{+all of it+}");
}

#[test]
fn however_much_has_changed_the_difference_is_short_and_has_both_sides() {
    let old: String = (0..60_000).map(|n| format!("a{n} ")).collect();
    let new: String = (0..60_000).map(|n| format!("b{n}\n")).collect();
    let pieces = diff(&old, &new);
    let bytes: usize = pieces.iter().map(|piece| piece.text.len()).sum();
    assert!(bytes <= MAX_DIFF, "{bytes}");
    for kind in [PieceKind::Removed, PieceKind::Added, PieceKind::Gap] {
        assert!(pieces.iter().any(|piece| piece.kind == kind), "{kind:?}");
    }
}

proptest! {
    #[test]
    fn texts_of_other_words_differ_and_the_difference_has_a_bound(
        old in "[a-c \n]{0,60}",
        new in "[a-c \n]{0,60}",
    ) {
        let pieces = diff(&old, &new);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        if words(&old) != words(&new) {
            prop_assert!(!pieces.is_empty());
        }
        // Both texts can be told from a short difference.
        let side = |kind: PieceKind| {
            let of_side = pieces.iter().filter(|piece| piece.kind == kind || piece.kind == PieceKind::Same);
            of_side.flat_map(|piece| words(&piece.text)).collect::<Vec<_>>()
        };
        if !pieces.is_empty() && pieces.iter().all(|piece| piece.kind != PieceKind::Gap) {
            prop_assert_eq!(side(PieceKind::Removed), words(&old));
            prop_assert_eq!(side(PieceKind::Added), words(&new));
        }
    }
}
