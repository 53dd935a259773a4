use super::*;
use crate::steps::Step;

#[test]
fn no_arguments_and_help_anywhere_show_the_help() {
    for words in [&[][..], &["help"], &["--help"], &["test", "-h"], &["tidy", "--help"]] {
        assert_eq!(parse(words).unwrap(), Command::Help, "{words:?}");
    }
}

#[test]
fn options_of_test_are_understood() {
    let Command::Test(options) =
        parse(&["test", "--only", "fmt,tidy", "--runner", "cargo", "--no-install"]).unwrap()
    else {
        panic!("not the test command");
    };
    assert_eq!(options.only, Some(vec![Step::Fmt, Step::Tidy]));
    assert_eq!(options.runner, RunnerChoice::Cargo);
    assert!(!options.install);
}

#[test]
fn a_wrong_word_is_named_in_the_error() {
    let message = |words: &[&str]| parse(words).unwrap_err().to_string();
    assert!(message(&["tset"]).contains("`tset`"));
    assert!(message(&["test", "--fast"]).contains("`--fast`"));
    assert!(message(&["test", "--only", "fmt,lint"]).contains("`lint`"));
    assert!(message(&["tidy", "now"]).contains("`now`"));
    assert!(message(&["test", "--only"]).contains("clippy"));
}

#[test]
fn arguments_after_the_name_belong_to_the_bench() {
    assert_eq!(
        parse(&["bench", "sieve", "--", "--help"]).unwrap(),
        Command::Bench {
            name: Some("sieve".to_owned()),
            args: vec!["--".to_owned(), "--help".to_owned()]
        }
    );
}

#[test]
fn the_help_names_every_command_and_step() {
    for word in ["test", "tidy", "docs", "fuzz", "guests", "bench"] {
        assert!(HELP.contains(&format!("\n  {word} ")), "{word}");
    }
    for step in Step::ALL {
        assert!(HELP.contains(step.name()), "{}", step.name());
    }
}
