//! T4: modules that mean no good. Each ends within its limits with a named reason, and the host goes on.

use crate::engine::{Engine, Harvest, little};
use crate::front::{ALL, Front, Running, Setup};
use crate::upstream::Upstream;
use lycosa_crawllet::engine::Reason;
use lycosa_crawllet::limits::Limits;
use std::time::{Duration, Instant};

/// Longer than any of the limits below, on a slow machine.
const LONG: Duration = Duration::from_secs(60);

const IMPORTS: &str = r#"
    (import "clp1" "fetch" (func $fetch (param i32 i32) (result i32)))
    (import "clp1" "read" (func $read (param i32 i32 i32) (result i32)))
    (import "clp1" "meta" (func $meta (param i32 i32 i32) (result i32)))
    (import "clp1" "emit" (func $emit (param i32 i32) (result i32)))
    (import "clp1" "budget" (func $budget (param i32) (result i32)))
    (import "clp1" "log" (func $log (param i32 i32)))"#;

pub(crate) const EXPORTS: &str = r#"
    (func (export "clp_abi") (result i32) (i32.const 1))
    (func (export "clp_alloc") (param i32) (result i32) (i32.const 65536))
    (func (export "clp_init") (param i32 i32) (result i32) (i32.const 0))"#;

/// A module whose `clp_run` is `run`, with `more` beside it.
pub(crate) fn module(run: &str, more: &str) -> String {
    format!(
        "(module {IMPORTS} (memory (export \"memory\") 4) {more} {EXPORTS}
           (func (export \"clp_run\") (result i32) (local $i i32) (local $n i32) {run}))"
    )
}

/// A function that is hard to compile: many blocks, with tables of jumps out of all that are open, and values that live
/// across them, so that the work grows faster than the code.
pub(crate) fn bombs(count: usize) -> String {
    let depth = 600;
    let table: String = (0..depth).map(|n| format!("{n} ")).collect();
    let step = |n: usize| {
        format!(
            "(local.set {n} (call $budget (local.get {})))
             (if (local.get {n}) (then (br_table {table} (local.get {n}))))",
            (n * 7) % 200
        )
    };
    let steps: String = (1..=200).map(step).collect();
    let locals = "(local i32)".repeat(200);
    let (open, close) = ("(block ".repeat(depth), ")".repeat(depth));
    let bomb =
        format!("(func (param i32) (result i32) {locals} {open}{steps}{close}(local.get 7))");
    bomb.repeat(count)
}

fn host() -> Running {
    Front::Alone.start(Upstream::small().at, &Setup::default()).unwrap()
}

/// Runs it, and then something ordinary, to see that nobody was harmed.
fn run(host: &Running, wat: &str, limits: Limits) -> Harvest {
    let started = Instant::now();
    let engine = Engine::new(host);
    let harvest = engine.run_wat(wat, limits);
    assert!(started.elapsed() < LONG, "it took {:?}", started.elapsed());
    let after = engine.run_wat(&module("(i32.const 0)", ""), little());
    assert_eq!(after.reason(), Reason::Done, "the host goes on");
    harvest
}

#[test]
fn an_endless_loop_ends_with_its_fuel_under_every_front() {
    let web = Upstream::small();
    let wat = module("(loop $l (br $l)) (i32.const 0)", "");
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let harvest = run(&host, &wat, Limits { fuel: 50_000_000, ..little() });
        assert_eq!(harvest.reason(), Reason::Fuel, "{front:?}");
    }
}

#[test]
fn an_endless_loop_with_much_fuel_ends_by_the_clock_with_signs_of_life() {
    let host = host();
    let limits = Limits { cpu_ms: 60_000, fuel: 1 << 60, wall_s: 6, ..little() };
    let harvest = run(&host, &module("(loop $l (br $l)) (i32.const 0)", ""), limits);
    assert_eq!(harvest.reason(), Reason::Time);
    assert!(harvest.progress >= 1, "silence is not sent for longer than five seconds");
}

#[test]
fn deep_recursion_is_a_trap() {
    let more =
        "(func $down (param i32) (result i32) (i32.add (call $down (local.get 0)) (i32.const 1)))";
    let harvest = run(&host(), &module("(call $down (i32.const 1))", more), little());
    assert_eq!(harvest.reason(), Reason::Trap);
    assert!(harvest.logs.concat().contains("stack"), "{:?}", harvest.logs);
}

#[test]
fn memory_grows_to_the_grant_and_no_further() {
    // Grows until it is refused, and traps if it got more than 16 MiB.
    let wat = module(
        "(loop $l (br_if $l (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
         (if (i32.gt_u (memory.size) (i32.const 256)) (then unreachable)) (i32.const 0)",
        "",
    );
    assert_eq!(run(&host(), &wat, little()).reason(), Reason::Done);
}

#[test]
fn a_memory_that_begins_too_large_is_refused() {
    let wat = format!(
        "(module (memory (export \"memory\") 1000) {EXPORTS} (func (export \"clp_run\") (result i32) (i32.const 0)))"
    );
    assert_eq!(run(&host(), &wat, little()).reason(), Reason::Memory);
}

#[test]
fn tables_do_not_grow_beyond_their_limit() {
    let wat = module(
        "(loop $l (br_if $l (i32.ne (table.grow $t (ref.null func) (i32.const 1000)) (i32.const -1))))
         (if (i32.gt_u (table.size $t) (i32.const 10000)) (then unreachable)) (i32.const 0)",
        "(table $t 1 funcref)",
    );
    assert_eq!(run(&host(), &wat, little()).reason(), Reason::Done);
}

#[test]
fn modules_of_the_wrong_shape_are_never_run() {
    let host = host();
    let engine = Engine::new(&host);
    let run = "(func (export \"clp_run\") (result i32) (i32.const 0))";
    let memory = "(memory (export \"memory\") 1)";
    let many: String = (0..20_001).map(|_| "(func)").collect();
    for (what, wat) in [
        (
            "wasi",
            format!(
                "(module (import \"wasi_snapshot_preview1\" \"fd_write\" (func)) {memory} {EXPORTS} {run})"
            ),
        ),
        (
            "extra import",
            format!(
                "(module (import \"clp1\" \"open\" (func (param i32))) {memory} {EXPORTS} {run})"
            ),
        ),
        (
            "imported memory",
            format!("(module (import \"clp1\" \"fetch\" (memory 1)) {EXPORTS} {run})"),
        ),
        (
            "signature",
            format!(
                "(module (import \"clp1\" \"fetch\" (func (param i64 i32) (result i32))) {memory} {EXPORTS} {run})"
            ),
        ),
        (
            "signature",
            format!(
                "(module (import \"clp1\" \"log\" (func (param i32 i32) (result i32))) {memory} {EXPORTS} {run})"
            ),
        ),
        ("start", format!("(module {memory} {EXPORTS} {run} (func $s) (start $s))")),
        ("missing", format!("(module {memory} {EXPORTS})")),
        ("missing", format!("(module (memory 1) {EXPORTS} {run})")),
        ("export", format!("(module {memory} {EXPORTS} {run} (func (export \"more\")))")),
        (
            "export",
            format!(
                "(module {memory} {EXPORTS} (func (export \"clp_run\") (result i64) (i64.const 0)))"
            ),
        ),
        ("functions", format!("(module {memory} {EXPORTS} {run} {many})")),
        (
            "tables",
            format!(
                "(module {memory} {EXPORTS} {run} (table 1 funcref) (table 1 funcref) (table 1 funcref))"
            ),
        ),
        ("table", format!("(module {memory} {EXPORTS} {run} (table 10001 funcref))")),
        ("memory", format!("(module {memory} (memory 1) {EXPORTS} {run})")),
        ("threads", format!("(module (memory (export \"memory\") 1 1 shared) {EXPORTS} {run})")),
        (
            "vectors",
            format!("(module {memory} {EXPORTS} {run} (func (drop (v128.const i64x2 0 0))))"),
        ),
    ] {
        let harvest = engine.run_wat(&wat, little());
        assert_eq!(harvest.reason(), Reason::Trap, "{what}");
        assert!(harvest.logs.concat().contains("host: "), "{what}: {:?}", harvest.logs);
    }
    assert_eq!(engine.run_wat(&module("(i32.const 0)", ""), little()).reason(), Reason::Done);
}

#[test]
fn bytes_that_are_no_module_are_refused() {
    let host = host();
    let engine = Engine::new(&host);
    let good = wat::parse_str(module("(i32.const 0)", "")).unwrap();
    let half = &good[..good.len() / 2];
    let mut flipped = good.clone();
    flipped[9] ^= 0xff;
    for bytes in [b"hello".as_slice(), &[0; 100], half, &flipped, b"\0asm\x0d\0\x01\0"] {
        assert_eq!(engine.run_module(bytes, little()).reason(), Reason::Trap);
    }
}

#[test]
fn code_that_is_hard_to_compile_ends_within_the_compilers_limits() {
    let host = host();
    let started = Instant::now();
    let harvest = Engine::new(&host)
        .run_wat(&module("(i32.const 0)", &bombs(4)), Limits { wall_s: 60, ..little() });
    let reason = harvest.reason();
    // A quick machine may be done before the limit.
    assert!(matches!(reason, Reason::Time | Reason::Memory | Reason::Done), "{reason:?}");
    println!("compile bomb: {reason:?} after {:?}, {:?}", started.elapsed(), harvest.logs);
    assert!(started.elapsed() < LONG);
    assert_eq!(
        Engine::new(&host).run_wat(&module("(i32.const 0)", ""), little()).reason(),
        Reason::Done
    );
}

#[test]
fn a_function_that_is_too_long_is_not_compiled() {
    let body = "(local.set $i (i32.add (local.get $i) (i32.const 1)))".repeat(60_000);
    let wat = module(&format!("{body} (i32.const 0)"), "");
    assert_eq!(run(&host(), &wat, little()).reason(), Reason::Trap);
}

/// A record with a body of 4 MiB, a number below 24, and any tag.
const RECORD: &str = r#"(data (i32.const 1000) "\01\ab\01\61/\02\18\c8\03\01\04\80\05\5a\00\40\00\00")
    (data (i32.const 4195322) "\06\58\20sha256sha256sha256sha256sha256sh\07\80\08\80\09\00\0a\00\0b\48tagtagta")"#;

#[test]
fn a_flood_of_records_ends_at_the_granted_output() {
    let host = host();
    let run = "(loop $l (i32.store8 (i32.const 4195364) (local.get $n))
                 (local.set $n (i32.add (local.get $n) (i32.const 1)))
                 (drop (call $emit (i32.const 1000) (i32.const 4194375))) (br $l)) (i32.const 0)";
    let engine = Engine::new(&host);
    // Room for the record from the start, since its end is data.
    let text = module(run, RECORD)
        .replace("(memory (export \"memory\") 4)", "(memory (export \"memory\") 70)");
    let wat = wat::parse_str(text).unwrap();
    for compressed in [false, true] {
        // The chain of tags is not right, so no reader is asked; the owner's log knows the reason.
        let (path, bytes, _) = engine.upload(&wat, [0; 32], little(), compressed, None);
        assert_eq!(engine.post(&path, &bytes).0, 200);
        let jobs = host.jobs();
        let job = jobs.last().unwrap();
        assert_eq!(job["reason"], "output", "compressed: {compressed}, {job}");
        assert!(job["sent"].as_u64().unwrap() < 16 << 20, "{job}");
    }
}

#[test]
fn what_is_no_record_ends_the_job() {
    let harvest = run(
        &host(),
        &module(
            "(call $emit (i32.const 1000) (i32.const 20))",
            "(data (i32.const 1000) \"\\01hello\")",
        ),
        little(),
    );
    assert_eq!(harvest.reason(), Reason::Trap);
}

#[test]
fn a_flood_of_words_is_cut_and_harms_nobody() {
    let run_body = "(loop $l (call $log (i32.const 0) (i32.const 100)) (local.set $n (i32.add (local.get $n) (i32.const 1)))
                 (br_if $l (i32.lt_u (local.get $n) (i32.const 100000)))) (i32.const 0)";
    let harvest = run(
        &host(),
        &module(
            run_body,
            "(data (i32.const 0) \"wordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordword\")",
        ),
        little(),
    );
    assert_eq!(harvest.reason(), Reason::Done);
    assert!(harvest.logs.concat().len() <= 8 << 10);
}

#[test]
fn who_does_not_stop_when_told_is_ended() {
    let run_body =
        "(loop $l (drop (call $fetch (i32.const 0) (i32.const 1))) (br $l)) (i32.const 0)";
    let limits = Limits { pages: 3, cpu_ms: 20_000, wall_s: 60, ..little() };
    let harvest = run(&host(), &module(run_body, "(data (i32.const 0) \"/\")"), limits);
    assert_eq!(harvest.reason(), Reason::Pages);
}

#[test]
fn pointers_out_of_memory_are_answered_and_not_followed() {
    let run_body = "(if (i32.ne (call $fetch (i32.const -10) (i32.const 20)) (i32.const -7)) (then unreachable))
        (if (i32.ne (call $emit (i32.const 262000) (i32.const 1000)) (i32.const -7)) (then unreachable))
        (if (i32.ne (call $emit (i32.const 0) (i32.const -1)) (i32.const -4)) (then unreachable))
        (if (i32.ne (call $budget (i32.const -1)) (i32.const -7)) (then unreachable))
        (if (i32.ne (call $read (i32.const 5) (i32.const 0) (i32.const 9)) (i32.const -3)) (then unreachable))
        (if (i32.ne (call $meta (i32.const 0) (i32.const 0) (i32.const 9)) (i32.const -3)) (then unreachable))
        (local.set $n (call $fetch (i32.const 0) (i32.const 1)))
        (if (i32.ne (call $read (local.get $n) (i32.const 262143) (i32.const 9)) (i32.const -7)) (then unreachable))
        (call $log (i32.const -1) (i32.const 5)) (i32.const 0)";
    let harvest = run(&host(), &module(run_body, "(data (i32.const 0) \"/\")"), little());
    assert_eq!(harvest.reason(), Reason::Done, "{:?}", harvest.logs);
}
