//! With which key and which programs does this engine send crawllets?

use crate::config::{Config, CrawlletMode};
use crate::crew;
use crate::failure::Failure;
use lycosa_bot::crawllet::{self, CrawlletSettings, Crawllets, Program};
use lycosa_bot::live::Poster;
use lycosa_crawllet::identity::EngineKeys;
use lycosa_crawllet::{cbor, guests};
use lycosa_interface::web::{KeyDirectory, KeyList};
use lycosa_model::Tick;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The name of the key in the data folder.
const FILE: &str = "crawllet.key";

/// Largest module that is read.
const MAX_MODULE: u64 = 4 << 20;

/// What is sent to a site that we know nothing of, and to one of which we have a harvest.
const AUTO: (&str, &str) = ("pages", "changed");

/// Where the key is, or will be.
pub(crate) fn key_path(config: &Config, data: &Path) -> PathBuf {
    config.crawllets.key_file.clone().unwrap_or_else(|| data.join(FILE))
}

/// The key of this engine, if it has one.
pub(crate) fn read_key(path: &Path) -> Result<Option<EngineKeys>, Failure> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Failure::new(format!("cannot read the key {}: {error}", path.display())));
        }
    };
    if std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0) {
        tracing::warn!("others on this machine may read {}: chmod 600 it", path.display());
    }
    let keys = EngineKeys::parse(&text).map_err(|fault| {
        Failure::new(format!("{} is no key: {fault}", path.display()))
            .hint("make one with: lycosa crawllet keygen --domain DOMAIN")
    })?;
    Ok(Some(keys))
}

/// Makes a key, for its owner's eyes only. One that is there is never replaced.
pub(crate) fn make_key(path: &Path, domain: &str) -> Result<EngineKeys, Failure> {
    let mut fresh = [0; 32];
    ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut fresh)
        .map_err(|_| Failure::new("the system gives no random numbers"))?;
    let keys = EngineKeys::generate(domain, fresh).map_err(|_| {
        Failure::new(format!("`{domain}` is no domain")).hint("write it as in search.example.org")
    })?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = file.map_err(|error| {
        let failure = Failure::new(format!("cannot write {}: {error}", path.display()));
        match error.kind() {
            ErrorKind::AlreadyExists => {
                failure.hint("sites know this key: move it away first if you want another")
            }
            _ => failure,
        }
    })?;
    file.write_all(keys.to_text().as_bytes())?;
    file.sync_all()?;
    Ok(keys)
}

/// What it takes to send crawllets; nothing when none are sent. Without a network nobody can be sent.
pub(crate) fn open(
    config: &Config,
    data: &Path,
    now: Tick,
) -> Result<Option<Arc<Crawllets>>, Failure> {
    let mode = config.crawllets.mode;
    if mode == CrawlletMode::Never || config.crawl.offline() {
        return Ok(None);
    }
    let path = key_path(config, data);
    let Some(keys) = read_key(&path)? else {
        return match mode {
            CrawlletMode::Only => Err(Failure::new(format!("there is no key {}", path.display()))
                .hint("make one with: lycosa crawllet keygen --domain DOMAIN")),
            _ => Ok(None),
        };
    };
    let settings = settings(config, data, keys)?;
    let poster = Poster::new(&crew::live_settings(config)?)?;
    Ok(Some(Arc::new(Crawllets::open(settings, Arc::new(poster), now))))
}

/// What is sent, and what may come back.
pub(crate) fn settings(
    config: &Config,
    data: &Path,
    keys: EngineKeys,
) -> Result<CrawlletSettings, Failure> {
    let wish = &config.crawllets;
    let (program, again) = match wish.guest.as_str() {
        "auto" => (program(config, AUTO.0)?, program(config, AUTO.1)?),
        name => (program(config, name)?, program(config, name)?),
    };
    Ok(CrawlletSettings {
        keys,
        program,
        again,
        wanted: wish.wanted(),
        compress: wish.compress,
        sign: wish.web_bot_auth,
        audit_share: wish.audit_share,
        folder: data.join(crawllet::FOLDER),
        archive: config.archive.write.then(|| data.join("archive")),
        max_spool: wish.max_harvest.0,
        max_spools: wish.max_harvests.0,
        silence: wish.silence.0,
        max_parts: wish.max_parts.max(1),
    })
}

/// A program that is built in, or in a file.
fn program(config: &Config, name: &str) -> Result<Program, Failure> {
    let mut program = match Program::built_in(name) {
        Some(program) => program,
        None if name.ends_with(".wasm") => from_file(Path::new(name))?,
        None => {
            let names: Vec<&str> = guests::ALL.iter().map(|guest| guest.name).collect();
            return Err(Failure::new(format!("there is no crawllet `{name}`"))
                .hint(format!("write auto, {} or a file *.wasm", names.join(", "))));
        }
    };
    if program.name == "media" {
        let mut params = cbor::Writer::new();
        params.map(1).uint(1).texts(&config.crawllets.media);
        program.params = params.finish();
    }
    Ok(program)
}

fn from_file(path: &Path) -> Result<Program, Failure> {
    let failed = |what: String| Failure::new(format!("cannot send {}: {what}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    if size > MAX_MODULE {
        return Err(failed(format!("it is larger than {MAX_MODULE} bytes")));
    }
    let wasm = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    // What has no place for a key is refused now and not at the first site.
    guests::patched(&wasm, &[1; 32]).map_err(|fault| failed(fault.to_string()))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Program { name, wasm: wasm.into(), params: Vec::new() })
}

/// How long others may keep the list of keys, and how long a key on it is good.
const DIRECTORY_DAYS: u64 = 30;
/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// The list of keys that a server shows to sites, if there is a key.
pub(crate) fn directory(config: &Config, data: &Path) -> Option<KeyDirectory> {
    let keys = match read_key(&key_path(config, data)) {
        Ok(keys) => keys?,
        Err(failure) => {
            tracing::warn!("no list of keys is shown: {failure}");
            return None;
        }
    };
    Some(KeyDirectory(Arc::new(move || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let signature = keys.sign_directory(now, DAY);
        KeyList { json: listed(&keys, now), signature }
    })))
}

/// The list at this moment, in seconds.
fn listed(keys: &EngineKeys, now: u64) -> String {
    // The day is enough: the text should not be another with every request.
    let today = now / DAY * DAY;
    keys.directory_json(today.saturating_sub(DAY), today + DIRECTORY_DAYS * DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_for_its_owner_alone_and_never_replaced() {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = key_path(&Config::default(), dir.path());
        assert!(read_key(&path).expect("no key").is_none());
        let keys = make_key(&path, "search.example.org").expect("made");
        let mode = std::fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let read = read_key(&path).expect("read").expect("there");
        assert_eq!(read.thumbprint(), keys.thumbprint());
        assert!(make_key(&path, "search.example.org").is_err());
        assert!(make_key(&dir.path().join("x"), "no domain").is_err());
        let list = directory(&Config::default(), dir.path()).expect("a list");
        assert!((list.0)().json.contains(&keys.thumbprint()), "{:?}", (list.0)());
        assert_eq!(listed(&keys, 86_400 * 9 + 5), listed(&keys, 86_400 * 9 + 86_399));
        assert_ne!(
            listed(&keys, 86_400 * 9),
            listed(&keys, 86_400 * 10),
            "it is good for days to come"
        );
    }

    #[test]
    fn without_a_key_auto_does_nothing_and_only_is_an_error() {
        let dir = tempfile::tempdir().expect("temp dir");
        let mut config = Config::default();
        assert!(open(&config, dir.path(), Tick(0)).expect("nothing").is_none());
        config.crawllets.mode = CrawlletMode::Only;
        let failure = open(&config, dir.path(), Tick(0)).err().expect("no key");
        assert!(failure.hint_text().is_some_and(|hint| hint.contains("keygen")));
        config.crawllets.mode = CrawlletMode::Never;
        assert!(open(&config, dir.path(), Tick(0)).expect("nothing").is_none());
    }
}
