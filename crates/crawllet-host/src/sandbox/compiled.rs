//! Which modules are compiled before they are needed? Those that are built in, once for each host, by the compiler that
//! takes its time.
//!
//! What it makes lies in the folder of the state, under a seal that only this host can make: code is run from there
//! that nobody looks at again. A file with another seal, of another version of this program or for another machine is
//! as good as none.

use super::guest;
use crate::host::Host;
use lycosa_crawllet::guests::{self, Guest};
use ring::{digest, hmac};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use wasmtime::{Engine, Module};

/// The hidden command by which the program starts itself as a compiler: a name, and bytes of memory.
pub const COMMAND: &str = "sandbox-compile";

/// Bytes of compiled code at most.
const MAX_CODE: u64 = 32 << 20;

/// Bytes of a seal.
const SEAL: usize = 32;

/// A module that was compiled before.
pub struct Compiled {
    /// Its code.
    pub code: Vec<u8>,
    /// Bytes of memory that it was compiled for.
    pub room: u64,
}

/// Where compiled modules lie.
pub struct Shelf {
    folder: PathBuf,
    program: PathBuf,
    key: hmac::Key,
    room: u64,
}

impl Shelf {
    /// That of a host.
    pub fn of(host: &Host) -> Shelf {
        let secret = host.secrets.first().map(|secret| secret.to_text()).unwrap_or_default();
        let key = digest::digest(&digest::SHA256, format!("compiled modules {secret}").as_bytes());
        Shelf {
            folder: host.state.folder().join("compiled"),
            program: host.program.clone(),
            key: hmac::Key::new(hmac::HMAC_SHA256, key.as_ref()),
            room: u64::from(host.config.limits.limits().mem_mib) << 20,
        }
    }

    fn path(&self, guest: &Guest) -> PathBuf {
        self.folder.join(guest.name)
    }

    /// What a seal is made over: the code, and what it is the code of.
    fn sealed(&self, guest: &Guest, code: &[u8]) -> Vec<u8> {
        let module = digest::digest(&digest::SHA256, guest.wasm);
        let version = env!("CARGO_PKG_VERSION").as_bytes();
        [module.as_ref(), &self.room.to_le_bytes(), version, code].concat()
    }

    /// The code of a guest, with a key in its slot; none if there is none that we made.
    pub fn take(&self, guest: &Guest, key: &[u8; 32]) -> Option<Compiled> {
        let mut bytes = Vec::new();
        fs::File::open(self.path(guest)).ok()?.take(MAX_CODE).read_to_end(&mut bytes).ok()?;
        let (code, seal) = bytes.split_at_checked(bytes.len().checked_sub(SEAL)?)?;
        hmac::verify(&self.key, &self.sealed(guest, code), seal).ok()?;
        Some(Compiled { code: guests::patched(code, key).ok()?, room: self.room })
    }

    /// Compiles a guest and puts it there.
    ///
    /// # Errors
    /// If it cannot be compiled or written.
    pub fn put(&self, guest: &Guest) -> io::Result<()> {
        let path = self.path(guest);
        // Others may be at it.
        let draft = path.with_extension(format!("{}.tmp", std::process::id()));
        let made = Command::new(&self.program)
            .args([COMMAND, guest.name, &self.room.to_string()])
            .env_clear()
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()?;
        if !made.status.success() || made.stdout.len() as u64 > MAX_CODE - SEAL as u64 {
            return Err(io::Error::other(format!("{} cannot be compiled", guest.name)));
        }
        let seal = hmac::sign(&self.key, &self.sealed(guest, &made.stdout));
        write(&draft, &[&made.stdout, seal.as_ref()]).and_then(|()| fs::rename(&draft, &path))
    }

    /// Puts all there that are built in.
    ///
    /// # Errors
    /// If one cannot be compiled or written.
    pub fn fill(&self) -> io::Result<()> {
        guests::ALL.iter().try_for_each(|guest| self.put(guest))
    }
}

fn write(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))
}

/// Compiles the guest that is named to standard output.
pub fn main(arguments: &[String]) -> ExitCode {
    match compile(arguments) {
        Some(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    }
}

fn compile(arguments: &[String]) -> Option<io::Result<()>> {
    let [name, room] = arguments else { return None };
    let engine = guest::engine(room.parse().ok()?, true).ok()?;
    let code = engine.precompile_module(guests::by_name(name)?.wasm).ok()?;
    Some(io::stdout().lock().write_all(&code))
}

/// Code that was compiled before; none if it is not for this program or this machine.
#[allow(unsafe_code, reason = "compiled code cannot be loaded without")]
pub(super) fn load(engine: &Engine, code: &[u8]) -> Option<Module> {
    // SAFETY: the code must come from wasmtime unchanged. It was made by `compile` from a module that is built in, and
    // the parent, from whom alone it comes, has looked at its seal. Only the key in its data is another one, and data
    // is never run.
    unsafe { Module::deserialize(engine, code) }.ok()
}
