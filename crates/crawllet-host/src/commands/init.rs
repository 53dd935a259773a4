//! How is a site set up? Keys, settings, and what to paste.

use super::{Folder, print, snippets};
use crate::config::{Config, FILE};
use crate::fault::{About, Trouble};
use crate::host::{Host, KEYS, KeptKey, fresh, now_ms, write_keys};
use crate::sandbox::compiled::Shelf;
use crate::state::{FOLDERS, State};
use clap::Args;
use lycosa_crawllet::guests;
use lycosa_crawllet::identity::{SiteSecret, unbase64};
use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// How long a key is valid: two years, in seconds.
pub(super) const KEY_LIFE_S: u64 = 2 * 365 * 86_400;

/// Keys are valid a little earlier than they are made, for clocks that are slow, in seconds.
pub(super) const KEY_LEAD_S: u64 = 600;

/// What is wanted.
#[derive(Debug, Args)]
pub struct Init {
    #[command(flatten)]
    folder: Folder,
    /// Name of the site as visitors write it, with its port if it is not the usual one.
    #[arg(long, value_name = "HOST[:PORT]")]
    authority: String,
    /// The web server, from this machine: http://ADDRESS[:PORT] or unix:PATH.
    #[arg(long, default_value = "http://127.0.0.1:80")]
    upstream: String,
    /// Visitors reach the site by http:// and not by https://.
    #[arg(long)]
    plain_http: bool,
    /// Folder of plain files that the web server shows as `/`: those are then read instead of asked for.
    #[arg(long, value_name = "DIR")]
    docroot: Option<PathBuf>,
    /// An engine that may come, with its Ed25519 public key in base64url. Can be given several times.
    #[arg(long, value_name = "DOMAIN=KEY")]
    allow: Vec<String>,
    /// Any engine may come.
    #[arg(long)]
    open: bool,
    /// Engines may come whose own domain lists their key (Web Bot Auth).
    #[arg(long, conflicts_with = "open")]
    web_bot_auth: bool,
    /// How engines reach you, as in mailto:me@example.org.
    #[arg(long, default_value = "")]
    contact: String,
    /// Compile the crawllets that are built in after their first long job, and not now.
    #[arg(long)]
    compile_later: bool,
    /// User of the web server, who owns keys and state then. Needs root.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

impl Init {
    pub(super) fn run(self) -> Result<ExitCode, Trouble> {
        let folder = self.folder.path.clone();
        let path = folder.join(FILE);
        if path.exists() || folder.join(KEYS).exists() {
            let hint = "edit crawllet.toml, use `rotate` for a new key, or choose another --dir";
            return Err(Trouble::new(format!("{} is set up already", folder.display()), hint));
        }
        let text = self.settings()?;
        let config = Config::parse(&text)
            .map_err(|what| Trouble::new(what, "see `crawllet-host init --help`"))?;
        let owner = self.user.as_deref().map(user).transpose()?;

        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o755)
            .create(&folder)
            .about(format!("making {}", folder.display()))?;
        std::fs::write(&path, text).about(format!("writing {}", path.display()))?;
        let secret = SiteSecret::generate(fresh()?)
            .map_err(|fault| Trouble::new(fault.to_string(), "try again"))?;
        let nbf = (now_ms() / 1000).saturating_sub(KEY_LEAD_S);
        let key = KeptKey { secret: secret.to_text(), nbf, exp: nbf + KEY_LIFE_S };
        write_keys(&folder, &[key]).about(format!("writing {}", folder.join(KEYS).display()))?;
        let state = config.state(&folder);
        State::open(&state).about(format!("making {}", state.display()))?;
        if !self.compile_later {
            // What cannot be compiled now is compiled after its first long job.
            let _ = Shelf::of(&Host::open(&folder, Arc::default())?).fill();
        }
        if let Some((uid, gid)) = owner {
            give(&folder.join(KEYS), uid, gid)?;
            give(&state, uid, gid)?;
            for name in FOLDERS {
                give(&state.join(name), uid, gid)?;
            }
            for guest in guests::ALL {
                let path = state.join("compiled").join(guest.name);
                if path.exists() {
                    give(&path, uid, gid)?;
                }
            }
        }
        let program = std::env::current_exe().about("finding this program")?;
        let folder = folder.canonicalize().about(format!("looking at {}", folder.display()))?;
        print(format_args!("# set up in {}\n", folder.display()));
        print(snippets::all(&config, &folder, &program));
        let (scheme, authority) = (&config.scheme, &config.authority);
        let dir = folder.display();
        print(format_args!(
            "# --- then: crawllet-host check --dir {dir} --url {scheme}://{authority}"
        ));
        if config.engines.is_empty() && !config.open && !config.web_bot_auth {
            print(
                "# nobody is let in yet: add an [[engine]] to crawllet.toml, or set web_bot_auth or open",
            );
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The text of `crawllet.toml`: what was said, and all defaults, to be changed.
    fn settings(&self) -> Result<String, Trouble> {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let scheme = if self.plain_http { "http" } else { "https" };
        let mut text = format!(
            "authority = {}\nscheme = \"{scheme}\"\nupstream = {}\ncontact = {}\n\
             # Any engine that proves its key may come; its domain is taken on its word.\nopen = {}\n\
             # Engines may come whose own domain lists their key.\nweb_bot_auth = {}\n\
             # Path prefixes that crawllets may ask for, and those that they may not.\n\
             scope = [\"/\"]\ndeny = []\n\
             # Pause between two pages; without it that of robots.txt.\n# delay = \"100ms\"\n\
             max_body = \"8MiB\"\n# Set it when `serve` stands behind a proxy.\nbehind_proxy = false\n\n\
             # What one crawllet may use.\n[limits]\ncpu = \"10s\"\nmemory = \"64MiB\"\noutput = \"256MiB\"\n\
             pages = 5000\nwall = \"300s\"\nmodule = \"1MiB\"\n\n\
             # What all may use together.\n[quota]\njobs = 1\njobs_per_engine_and_day = 50\n\
             jobs_per_day = 200\ncpu_per_day = \"30m\"\nhellos_per_minute = 10\nconnections = 64\n",
            quoted(&self.authority),
            quoted(&self.upstream),
            quoted(&self.contact),
            self.open,
            self.web_bot_auth,
        );
        if let Some(docroot) = &self.docroot {
            let docroot =
                docroot.canonicalize().about(format!("looking at {}", docroot.display()))?;
            crate::site::files::usable(&docroot).map_err(|what| {
                let hint = "leave out --docroot: pages are then asked for by HTTP";
                Trouble::new(format!("{}: {what}", docroot.display()), hint)
            })?;
            let docroot = quoted(&docroot.display().to_string());
            text.push_str(&format!(
                "\n# Pages that are plain files are read.\n[files]\ndocroot = {docroot}\n\
                 prefixes = [\"/\"]\nindex = \"index.html\"\n"
            ));
        }
        for pair in &self.allow {
            let wrong = || {
                let hint = "write --allow DOMAIN=KEY, as `lycosa crawllet keygen` prints it";
                Trouble::new(format!("`{pair}` is no engine"), hint)
            };
            let (domain, key) = pair.split_once('=').ok_or_else(wrong)?;
            unbase64(key).map_err(|_| wrong())?;
            let (domain, key, token) =
                (quoted(domain), quoted(key), quoted(&crate::config::token()));
            text.push_str(&format!(
                "\n[[engine]]\ndomain = {domain}\nkey = {key}\ntoken = {token}\n"
            ));
        }
        Ok(text)
    }
}

fn give(path: &Path, uid: u32, gid: u32) -> Result<(), Trouble> {
    chown(path, Some(uid), Some(gid)).about(format!("giving {} away", path.display()))
}

/// User and group by name.
fn user(name: &str) -> Result<(u32, u32), Trouble> {
    let text = std::fs::read_to_string("/etc/passwd").about("reading /etc/passwd")?;
    let found = text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let known = fields.next()?;
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        (known == name).then_some((uid, gid))
    });
    let hint = "on Debian it is www-data";
    found.ok_or_else(|| Trouble::new(format!("no user {name}"), hint))
}
