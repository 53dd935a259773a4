use super::*;

fn export_section(names: &[&str]) -> Vec<u8> {
    let mut content = vec![names.len() as u8];
    for name in names {
        content.push(name.len() as u8);
        content.extend_from_slice(name.as_bytes());
        content.extend([0, 3]);
    }
    content
}

fn import_section(module: &str, name: &str) -> Vec<u8> {
    let mut content = vec![1, module.len() as u8];
    content.extend_from_slice(module.as_bytes());
    content.push(name.len() as u8);
    content.extend_from_slice(name.as_bytes());
    content.extend([0, 0]);
    content
}

/// A module with these sections and room for a key.
fn module(sections: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut out = HEADER.to_vec();
    for (kind, content) in sections {
        push_section(&mut out, *kind, content);
    }
    push_section(&mut out, 11, &[KEY_MARK, &[0; KEY_BYTES]].concat());
    out
}

fn usual() -> Vec<(u8, Vec<u8>)> {
    vec![(IMPORT, import_section("clp1", "fetch")), (EXPORT, export_section(EXPORTS))]
}

fn fault(sections: &[(u8, Vec<u8>)]) -> String {
    check(&module(sections), 1 << 20).unwrap_err().to_string()
}

#[test]
fn what_a_linker_adds_is_left_out() {
    let names = [EXPORTS, &["__heap_base", "__data_end"]].concat();
    let made = module(&[
        (CUSTOM, vec![0; 300]),
        (IMPORT, import_section("clp1", "fetch")),
        (EXPORT, export_section(&names)),
    ]);
    assert!(check(&made, 1 << 20).is_err());
    assert_eq!(slim(&made).unwrap(), module(&usual()));
    check(&slim(&made).unwrap(), 1 << 20).unwrap();
}

#[test]
fn what_no_host_takes_is_named() {
    let with = |kind, content| [usual(), vec![(kind, content)]].concat();
    assert!(fault(&with(START, vec![0])).contains("start"));
    assert!(fault(&with(IMPORT, import_section("env", "abort"))).contains("env.abort"));
    assert!(fault(&with(IMPORT, import_section("clp1", "now"))).contains("clp1.now"));
    assert!(fault(&usual()[..1]).contains("exports"));
    assert!(fault(&with(11, KEY_MARK.to_vec())).contains("more than once"));
    assert!(check(&module(&usual()), 10).unwrap_err().to_string().contains("more than 10"));
    let without = HEADER.to_vec();
    assert!(check(&without, 10).is_err() && sections(b"\0asm").is_err());
}

#[test]
fn a_module_that_ends_too_early_is_refused() {
    let whole = module(&usual());
    for end in 0..whole.len() {
        assert!(check(&whole[..end], 1 << 20).is_err(), "{end}");
    }
}
