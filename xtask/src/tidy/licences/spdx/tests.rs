use super::*;

fn ask(text: &str) -> Result<bool, Unreadable> {
    allowed(text, |name| ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].contains(&name))
}

#[test]
fn one_good_choice_is_enough_for_or() {
    for text in ["MIT", "GPL-3.0 OR MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "GPL-3.0 / MIT"] {
        assert_eq!(ask(text), Ok(true), "{text}");
    }
    assert_eq!(ask("GPL-3.0 OR AGPL-3.0"), Ok(false));
}

#[test]
fn and_needs_every_part() {
    assert_eq!(ask("MIT AND ISC"), Ok(true));
    assert_eq!(ask("MIT AND GPL-3.0"), Ok(false));
}

#[test]
fn and_binds_tighter_than_or() {
    assert_eq!(ask("MIT OR GPL-3.0 AND GPL-2.0"), Ok(true));
    assert_eq!(ask("(MIT OR GPL-3.0) AND GPL-2.0"), Ok(false));
    assert_eq!(ask("(MIT OR GPL-3.0) AND ISC"), Ok(true));
}

#[test]
fn an_exception_belongs_to_its_licence() {
    assert_eq!(ask("Apache-2.0 WITH LLVM-exception"), Ok(true));
    assert_eq!(ask("Apache-2.0"), Ok(false));
    assert_eq!(ask("MIT WITH LLVM-exception"), Ok(false));
}

#[test]
fn what_cannot_be_read_is_not_allowed() {
    let cases = [
        ("", Unreadable::NameExpected),
        ("MIT OR", Unreadable::NameExpected),
        ("MIT WITH", Unreadable::NameExpected),
        ("OR MIT", Unreadable::NameExpected),
        ("(MIT", Unreadable::Parenthesis),
        ("MIT)", Unreadable::Parenthesis),
        ("MIT ISC", Unreadable::Leftover),
    ];
    for (text, why) in cases {
        assert_eq!(ask(text), Err(why), "{text}");
    }
    assert_eq!(ask(&"(".repeat(1000)), Err(Unreadable::TooDeep));
}
