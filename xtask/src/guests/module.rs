//! What is in a module of WebAssembly, and is it what a host accepts?
//!
//! Enough of the binary format to list imports and exports and to leave out what no host needs.

use anyhow::{Context, Result, bail};

/// The only module that is imported from, and its functions.
const IMPORTS: (&str, &[&str]) = ("clp1", &["budget", "emit", "fetch", "log", "meta", "read"]);

/// What is exported, sorted.
const EXPORTS: &[&str] = &["clp_abi", "clp_alloc", "clp_init", "clp_run", "memory"];

/// Where the engine puts its key: behind this mark.
const KEY_MARK: &[u8] = b"CLP1-MAC-KEY-SLOT";
const KEY_BYTES: usize = 32;

const HEADER: &[u8] = b"\0asm\x01\0\0\0";

const CUSTOM: u8 = 0;
const IMPORT: u8 = 2;
const EXPORT: u8 = 7;
const START: u8 = 8;

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.0.split_first().context("the module ends too early")?;
        self.0 = rest;
        Ok(*first)
    }

    /// A number in LEB128.
    fn number(&mut self) -> Result<usize> {
        let mut number = 0_usize;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        bail!("a number of more than 32 bits")
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(length).context("the module ends too early")?;
        self.0 = rest;
        Ok(head)
    }

    fn name(&mut self) -> Result<&'a str> {
        let length = self.number()?;
        Ok(std::str::from_utf8(self.take(length)?)?)
    }
}

/// The sections of a module: kind and content.
fn sections(module: &[u8]) -> Result<Vec<(u8, &[u8])>> {
    let mut bytes = Bytes(module.strip_prefix(HEADER).context("not a module")?);
    let mut sections = Vec::new();
    while !bytes.0.is_empty() {
        let kind = bytes.byte()?;
        let length = bytes.number()?;
        sections.push((kind, bytes.take(length)?));
    }
    Ok(sections)
}

/// Module and name of each import.
fn imports(content: &[u8]) -> Result<Vec<(&str, &str)>> {
    let mut bytes = Bytes(content);
    let mut found = Vec::new();
    for _ in 0..bytes.number()? {
        let import = (bytes.name()?, bytes.name()?);
        match bytes.byte()? {
            0 => {
                bytes.number()?;
            }
            _ => bail!("{}.{} is no function", import.0, import.1),
        }
        found.push(import);
    }
    Ok(found)
}

/// Name, and the whole entry, of each export.
fn exports(content: &[u8]) -> Result<Vec<(&str, &[u8])>> {
    let mut bytes = Bytes(content);
    let mut found = Vec::new();
    for _ in 0..bytes.number()? {
        let entry = bytes.0;
        let name = bytes.name()?;
        bytes.byte()?;
        bytes.number()?;
        found.push((name, &entry[..entry.len() - bytes.0.len()]));
    }
    Ok(found)
}

/// The module without custom sections, and without exports that only a linker asks for.
pub(super) fn slim(module: &[u8]) -> Result<Vec<u8>> {
    let mut out = HEADER.to_vec();
    for (kind, content) in sections(module)? {
        match kind {
            CUSTOM => {}
            EXPORT => {
                let mut wanted = exports(content)?;
                wanted.retain(|(name, _)| EXPORTS.contains(name));
                let mut content = Vec::new();
                push_number(&mut content, wanted.len());
                wanted.iter().for_each(|(_, entry)| content.extend_from_slice(entry));
                push_section(&mut out, kind, &content);
            }
            _ => push_section(&mut out, kind, content),
        }
    }
    Ok(out)
}

fn push_section(out: &mut Vec<u8>, kind: u8, content: &[u8]) {
    out.push(kind);
    push_number(out, content.len());
    out.extend_from_slice(content);
}

fn push_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 128 {
        out.push((number & 127) as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Whether a host takes the module and an engine can put its key into it.
pub(super) fn check(module: &[u8], most: usize) -> Result<()> {
    if module.len() > most {
        bail!("{} bytes, more than {most}", module.len());
    }
    let mut exported = Vec::new();
    for (kind, content) in sections(module)? {
        match kind {
            START => bail!("it has a start function"),
            CUSTOM => bail!("it has a custom section"),
            IMPORT => {
                for (from, name) in imports(content)? {
                    if from != IMPORTS.0 || !IMPORTS.1.contains(&name) {
                        bail!("it imports {from}.{name}");
                    }
                }
            }
            EXPORT => exported.extend(exports(content)?.into_iter().map(|(name, _)| name)),
            _ => {}
        }
    }
    exported.sort_unstable();
    if exported != EXPORTS {
        bail!("it exports {}", exported.join(", "));
    }
    let mut marks = module.windows(KEY_MARK.len()).enumerate().filter(|(_, w)| *w == KEY_MARK);
    match (marks.next(), marks.next()) {
        (Some((at, _)), None) => {
            let slot = module.get(at + KEY_MARK.len()..).and_then(|rest| rest.get(..KEY_BYTES));
            match slot {
                Some(slot) if slot.iter().all(|byte| *byte == 0) => Ok(()),
                _ => bail!("there is no room for a key behind its mark"),
            }
        }
        (None, _) => bail!("it has no room for a key"),
        _ => bail!("the mark of the key stands in it more than once"),
    }
}

#[cfg(test)]
mod tests;
