use super::table::Table;
use super::*;

#[test]
fn a_table_is_written_in_three_ways() {
    let mut table = Table::new(&["name", "n"]);
    table.row(vec!["a, \"b\"".into(), "7".into()]);
    table.row(vec!["c|d".into(), "10".into()]);
    assert_eq!(table.plain(), "name     n\na, \"b\"   7\nc|d     10\n");
    assert_eq!(table.markdown(), "| name | n |\n|---|---|\n| a, \"b\" | 7 |\n| c\\|d | 10 |\n");
    assert_eq!(table.csv(), "name,n\n\"a, \"\"b\"\"\",7\nc|d,10\n");
}

#[test]
fn files_are_written_where_they_shall_be() {
    let dir = tempfile::tempdir().unwrap();
    let outcome = Outcome { files: vec![("a.csv".into(), "x\n".into())], ..Outcome::default() };
    let paths = outcome.write(&dir.path().join("deep/er")).unwrap();
    assert_eq!(std::fs::read_to_string(&paths[0]).unwrap(), "x\n");
    let error = outcome.write(&paths[0]).unwrap_err();
    assert!(matches!(&error, StudyError::Unwritable { .. }), "{error}");
    assert!(error.hint().contains("--out"));
    check_folder(&dir.path().join("new")).unwrap();
    assert_eq!(
        std::fs::read_dir(dir.path().join("new")).unwrap().count(),
        0,
        "nothing is left behind"
    );
    assert!(check_folder(&paths[0]).is_err(), "before the study, not after it");
}

#[test]
fn work_costs_time_of_the_processor() {
    let (sum, ms) = cpu::timed(|| (0..20_000_000_u64).fold(0, |a: u64, b| a ^ b.rotate_left(7)));
    assert!(sum != 1 && ms > 0.0, "{ms}");
    assert!(cpu::of_process() >= cpu::of_thread());
}
