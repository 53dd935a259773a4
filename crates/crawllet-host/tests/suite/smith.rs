//! T4 again: modules that nobody wrote. Their interface is right and their code is drawn, with a fixed seed; each is
//! refused, or runs and ends within its limits with a named reason.

use crate::engine::{Engine, little};
use crate::front::{Front, Setup};
use crate::hostile::module;
use crate::upstream::Upstream;
use arbitrary::Unstructured;
use lycosa_crawllet::engine::Reason;
use lycosa_crawllet::limits::Limits;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use wasmparser::{ExternalKind, Parser, Payload};

/// How many are drawn, and what each may take on a slow machine.
const MODULES: u64 = 60;
const LONG: Duration = Duration::from_secs(30);

fn config() -> wasm_smith::Config {
    let shape = module("(i32.const 0)", "");
    wasm_smith::Config {
        allow_start_export: false,
        module_shape: Some(wat::parse_str(shape).unwrap()),
        max_memories: 1,
        max_memory32_bytes: 8 << 20,
        max_tables: 2,
        max_table_elements: 5_000,
        max_instructions: 400,
        exceptions_enabled: false,
        reference_types_enabled: false,
        extended_const_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        relaxed_simd_enabled: false,
        simd_enabled: false,
        tail_call_enabled: false,
        threads_enabled: false,
        ..wasm_smith::Config::default()
    }
}

/// Bytes for one module: splitmix64 of its number.
fn drawn(number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed;
    let step = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).to_le_bytes()
    };
    (0..1024).flat_map(step).collect()
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// The module with bodies for what is called before `clp_run`: drawn ones would seldom get as far.
fn with_beginning(module: &[u8]) -> Vec<u8> {
    let (mut imported, mut fixed, mut bodies, mut place) = (0, BTreeMap::new(), Vec::new(), 0..0);
    for payload in Parser::new(0).parse_all(module) {
        match payload.unwrap() {
            Payload::ImportSection(imports) => {
                imported = imports.into_imports().count();
            }
            Payload::ExportSection(exports) => {
                for export in exports.into_iter().flatten() {
                    let answer: u8 = match export.name {
                        "clp_abi" => 1,
                        "clp_alloc" | "clp_init" => 0,
                        _ => continue,
                    };
                    assert_eq!(export.kind, ExternalKind::Func);
                    // No locals, i32.const, end.
                    fixed.insert(export.index as usize - imported, vec![0, 0x41, answer, 0x0b]);
                }
            }
            Payload::CodeSectionStart { range, .. } => place = range,
            Payload::CodeSectionEntry(body) => bodies.push(module[body.range()].to_vec()),
            _ => {}
        }
    }
    let mut section = leb(bodies.len());
    for (number, body) in bodies.iter().enumerate() {
        let body = fixed.get(&number).unwrap_or(body);
        section.extend(leb(body.len()));
        section.extend(body);
    }
    // Before the section stand its kind and its length, which is as long as it is.
    let length = (1..=5).find(|length| module[place.start - length - 1] == 10).unwrap();
    let head = &module[..place.start - length];
    [head, &leb(section.len()), &section, &module[place.end..]].concat()
}

#[test]
fn drawn_modules_are_refused_or_end_with_a_named_reason_and_the_host_goes_on() {
    let host = Front::Alone.start(Upstream::small().at, &Setup::default()).unwrap();
    let engine = Engine::new(&host);
    let limits = Limits { fuel: 20_000_000, ..little() };
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    let mut refused = 0;
    let mut words = BTreeSet::new();
    for number in 0..MODULES {
        let bytes = drawn(number);
        let drawn = wasm_smith::Module::new(config(), &mut Unstructured::new(&bytes)).unwrap();
        let module = with_beginning(&drawn.to_bytes());
        let started = Instant::now();
        let harvest = engine.run_module(&module, limits);
        assert!(started.elapsed() < LONG, "module {number} took {:?}", started.elapsed());
        let said = harvest.logs.concat();
        refused += usize::from(["compiled", "malformed"].iter().any(|word| said.contains(word)));
        *ends.entry(harvest.reason().name()).or_default() += 1;
        words.insert(said);
    }
    println!("drawn modules: {ends:?}, {refused} of them refused");
    // All have run to their end in one way or another: none was killed, none was without a word.
    assert!(ends.keys().all(|name| ["done", "suspended", "trap", "fuel", "memory"].contains(name)));
    assert_eq!(host.jobs().len() as u64, MODULES);
    assert!(refused < MODULES as usize / 2, "most are run, or nothing is shown");
    assert!(ends.len() >= 2, "they do different things: {words:?}");
    assert_eq!(engine.run_wat(&module("(i32.const 0)", ""), limits).reason(), Reason::Done);
}
