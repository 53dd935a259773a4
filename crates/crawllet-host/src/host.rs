//! What does the host know when a request comes?
//!
//! The owner's settings, the keys, the descriptor that follows from both, and the folder of what it remembers.
//! All of it is read from files, and read again when they change.

use crate::budget::Stop;
use crate::config::{Config, FILE};
use crate::fault::{About, Trouble};
use crate::state::State;
use lycosa_crawllet::descriptor::{ABI, Admit, CLP, Descriptor, RUN, SiteKey};
use lycosa_crawllet::identity::SiteSecret;
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// Name of the file with the keys.
pub const KEYS: &str = "keys.json";

/// Name of the file whose presence switches everything off.
pub const DISABLED: &str = "disabled";

/// The largest file of keys.
const MAX_KEYS_FILE: u64 = 64 << 10;

/// A key with its time, as it is kept.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptKey {
    /// The secret, as `SiteSecret` writes it.
    pub secret: String,
    /// Valid from, in seconds since 1970.
    pub nbf: u64,
    /// Valid until.
    pub exp: u64,
}

/// Everything that a request is answered from.
pub struct Host {
    /// Folder of settings and keys.
    pub folder: PathBuf,
    /// Settings.
    pub config: Config,
    /// What it remembers.
    pub state: State,
    /// Keys, newest first.
    pub secrets: Vec<SiteSecret>,
    /// What engines read first.
    pub descriptor: Descriptor,
    /// Its bytes, which are part of every handshake.
    pub descriptor_bytes: Vec<u8>,
    /// The program that is started as a sandbox: this one.
    pub program: PathBuf,
    /// Said when the host is to end.
    pub stop: Arc<Stop>,
}

impl Host {
    /// Reads everything in `folder`.
    ///
    /// # Errors
    /// If something is missing or wrong, with a hint.
    pub fn open(folder: &Path, stop: Arc<Stop>) -> Result<Host, Trouble> {
        let config = Config::read(folder)?;
        let keys = read_keys(folder)?;
        let wrong =
            |error| Trouble::new(format!("{KEYS}: {error}"), "`crawllet-host init` makes new keys");
        let mut secrets = Vec::new();
        for key in &keys {
            secrets.push(SiteSecret::parse(&key.secret).map_err(wrong)?);
        }
        let now_s = now_ms() / 1000;
        let descriptor = describe(&config, &keys, &secrets, now_s);
        let descriptor_bytes = descriptor.to_json().into_bytes();
        Descriptor::parse(&descriptor_bytes).map_err(|error| {
            Trouble::new(
                format!("{FILE} makes no descriptor: {error}"),
                "fewer or shorter prefixes help",
            )
        })?;
        let folder_of_state = config.state(folder);
        let state = State::open(&folder_of_state)
            .about(format!("preparing {}", folder_of_state.display()))?;
        let program = std::env::current_exe().about("finding this program")?;
        let folder = folder.to_owned();
        Ok(Host { folder, config, state, secrets, descriptor, descriptor_bytes, program, stop })
    }

    /// Whether the owner switched it off.
    pub fn is_off(&self) -> bool {
        self.folder.join(DISABLED).exists()
    }

    /// The path of HELLO and UPLOAD.
    pub fn endpoint(&self) -> &str {
        &self.descriptor.endpoint
    }
}

/// The descriptor that follows from settings and keys.
fn describe(config: &Config, keys: &[KeptKey], secrets: &[SiteSecret], now_s: u64) -> Descriptor {
    let live = |(key, _): &(&KeptKey, &SiteSecret)| key.exp > now_s;
    let all: Vec<_> = keys.iter().zip(secrets).filter(live).collect();
    let public = |(key, secret): &(&KeptKey, &SiteSecret)| SiteKey::of(secret, key.nbf, key.exp);
    let mut descriptor = Descriptor {
        clp: CLP,
        endpoint: RUN.to_owned(),
        authority: config.authority.clone(),
        keys: all.iter().map(public).collect(),
        admit: match (config.open, config.web_bot_auth) {
            (true, _) => Admit::Open,
            (false, true) => Admit::WebBotAuth,
            (false, false) => Admit::Allowlist,
        },
        abi: vec![ABI],
        limits: config.limits.limits(),
        scope: config.scope.clone(),
        deny: config.deny.clone(),
        fs: config.files.is_some(),
        contact: Some(config.contact.clone()).filter(|contact| !contact.is_empty()),
        sig: None,
    };
    // Signed by the key before, as long as that is known to anybody.
    if let [_, (_, earlier), ..] = all.as_slice() {
        descriptor.sign(earlier);
    }
    descriptor
}

/// Reads the keys, newest first.
///
/// # Errors
/// If they are missing or damaged.
pub fn read_keys(folder: &Path) -> Result<Vec<KeptKey>, Trouble> {
    let path = folder.join(KEYS);
    let what = format!("reading {}", path.display());
    let file = std::fs::File::open(&path).about(&what)?;
    let mut bytes = Vec::new();
    file.take(MAX_KEYS_FILE).read_to_end(&mut bytes).about(&what)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        Trouble::new(format!("{}: {error}", path.display()), "`crawllet-host init` makes new keys")
    })
}

/// Writes the keys, in one step, for nobody else to read. The new file belongs to whom the old one belonged.
///
/// # Errors
/// If the folder cannot be written.
pub fn write_keys(folder: &Path, keys: &[KeptKey]) -> io::Result<()> {
    let (path, beside) = (folder.join(KEYS), folder.join("keys.new"));
    let mut file = std::fs::OpenOptions::new();
    let mut file = file.write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(&serde_json::to_vec_pretty(keys)?)?;
    file.sync_all()?;
    if let Ok(before) = std::fs::metadata(&path) {
        use std::os::unix::fs::MetadataExt;
        std::os::unix::fs::chown(&beside, Some(before.uid()), Some(before.gid()))?;
    }
    std::fs::rename(beside, path)
}

/// The host of a long-running service: read again when its files change.
pub struct Hosts {
    folder: PathBuf,
    stop: Arc<Stop>,
    now: Mutex<(Stamp, Arc<Host>)>,
}

type Stamp = [Option<(SystemTime, u64)>; 2];

fn stamp(folder: &Path) -> Stamp {
    [FILE, KEYS].map(|name| {
        let meta = std::fs::metadata(folder.join(name)).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    })
}

impl Hosts {
    /// Reads the files for the first time.
    ///
    /// # Errors
    /// If something is missing or wrong, with a hint.
    pub fn open(folder: &Path, stop: Arc<Stop>) -> Result<Hosts, Trouble> {
        let host = Host::open(folder, stop.clone())?;
        let now = Mutex::new((stamp(folder), Arc::new(host)));
        Ok(Hosts { folder: folder.to_owned(), stop, now })
    }

    /// The host by the files as they are. While they make no sense, by those before.
    pub fn host(&self) -> Arc<Host> {
        let mut now = match self.now.lock() {
            Ok(now) => now,
            Err(poisoned) => poisoned.into_inner(),
        };
        let found = stamp(&self.folder);
        if found != now.0 {
            now.0 = found;
            if let Ok(host) = Host::open(&self.folder, self.stop.clone()) {
                now.1 = Arc::new(host);
            }
        }
        now.1.clone()
    }
}

/// Milliseconds since 1970.
pub fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// Bytes that nobody can foresee.
///
/// # Errors
/// If the system has none.
pub fn fresh<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let full = SystemRandom::new().fill(&mut bytes);
    full.map_err(|_| io::Error::other("the system has no random numbers"))?;
    Ok(bytes)
}

/// SHA-256.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    digest.copy_from_slice(ring::digest::digest(&ring::digest::SHA256, bytes).as_ref());
    digest
}
