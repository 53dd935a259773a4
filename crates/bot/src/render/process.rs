//! Where is the browser, how is it started, and how is it ended for sure?

use super::cdp::Cdp;
use super::{RenderError, RenderSettings};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::json;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// Names under which Linux distributions install the browser.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];
/// Time for the browser to answer for the first time.
const START: Duration = Duration::from_secs(30);
/// Time for its processes to go away.
const END: Duration = Duration::from_secs(5);
/// What the browser puts behind its temporary folder to name a socket, but for six letters.
const SOCKET: &str = "/org.chromium.Chromium.abcdef/SingletonSocket";
/// Bytes of the longest name that the system takes for a socket.
const MAX_SOCKET: usize = 107;
/// Where its folder is made when the temporary folder of our own has too long a name.
const SHORT: &str = "/tmp";
/// How the name of its folder begins.
const PREFIX: &str = "lycosa-render-";
/// Bytes of the browser's complaints that an error repeats.
const COMPLAINT: usize = 600;

/// Runs the browser with our pipes as its descriptors 3 and 4, which a shell can arrange without
/// unsafe code. The shell stays: when we are killed, the browser ends because its pipe closes, and the
/// shell removes the profile.
const SCRIPT: &str = "\"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>\"$0/complaints\"; rm -rf -- \"$0\"";

/// What the browser may not do, whatever a page wants: use the network by itself (no name resolves, and
/// the proxy is the discard port), call home, keep anything, or ask the user.
const FLAGS: [&str; 26] = [
    "--headless",
    "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-dev-shm-usage",
    "--disable-features=HttpsUpgrades,Translate,OptimizationHints,MediaRouter",
    "--disable-gpu",
    "--disable-hang-monitor",
    "--deny-permission-prompts",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
];

/// The browser: the file that was named, else the first one on the path.
pub(super) fn find(named: Option<&Path>) -> Result<PathBuf, RenderError> {
    if let Some(path) = named {
        let missing = || RenderError::Missing(path.display().to_string());
        return path.is_file().then(|| path.to_owned()).ok_or_else(missing);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let candidates = NAMES.iter().flat_map(|name| folders.iter().map(move |dir| dir.join(name)));
    candidates
        .into_iter()
        .find(|file| file.is_file())
        .ok_or_else(|| RenderError::Missing(NAMES[0].into()))
}

/// A running browser. Dropping it ends it and all its processes.
pub(super) struct Browser {
    pub(super) cdp: Cdp,
    group: Option<Pid>,
    child: Child,
    /// The page that was ended last. While it goes away its memory still counts, and no other page
    /// shall pay for it.
    ended: AtomicI32,
    /// Removed when the browser is dropped.
    profile: TempDir,
}

impl Browser {
    /// Starts a browser and waits until it answers.
    pub(super) async fn start(
        program: &Path,
        settings: &RenderSettings,
    ) -> Result<Browser, RenderError> {
        let start = |error: std::io::Error| RenderError::Start(error.to_string());
        let profile = folder(&std::env::temp_dir()).map_err(start)?;
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(SCRIPT).arg(profile.path()).arg(program).args(FLAGS);
        command.arg(format!("--user-data-dir={}", profile.path().join("profile").display()));
        command.arg(format!("--user-agent={}", settings.user_agent));
        if is_root() {
            // The sandbox does not work for root, who is usually in a container of its own.
            command.arg("--no-sandbox");
        }
        command.arg("about:blank");
        // What the browser leaves in its temporary folder goes with the profile.
        command.env("TMPDIR", profile.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.process_group(0).kill_on_drop(true);
        let mut child = command.spawn().map_err(start)?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(RenderError::Start("its pipes are closed".into()));
        };
        let cdp = Cdp::start(to, from);
        let browser = Browser { cdp, group, child, ended: AtomicI32::new(0), profile };
        let hello = browser.cdp.call("", "Browser.getVersion", json!({}));
        match tokio::time::timeout(START, hello).await {
            Ok(Ok(version)) => {
                tracing::debug!(product = version["product"].as_str(), "the browser is there");
                Ok(browser)
            }
            Ok(Err(error)) => Err(RenderError::Start(browser.complaint(&error.to_string()))),
            Err(_) => Err(RenderError::Start(browser.complaint("it does not answer"))),
        }
    }

    /// The end of what the browser complained of.
    fn complaint(&self, otherwise: &str) -> String {
        let text = std::fs::read(self.profile.path().join("complaints")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let text = text.trim();
        let mut from = text.len().saturating_sub(COMPLAINT);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        if text.is_empty() { otherwise.to_owned() } else { text[from..].to_owned() }
    }

    /// Keeps the browser's memory within bounds: ends its largest page when all its processes together
    /// hold more than `limit` bytes. Tells whether it did.
    pub(super) fn keep_within(&self, limit: u64) -> bool {
        let Some(group) = self.group else { return false };
        let members = members(group);
        let ended = self.ended.load(Ordering::Relaxed);
        let going = members.iter().any(|member| member.pid == ended);
        if going || members.iter().map(|member| member.bytes).sum::<u64>() <= limit {
            return false;
        }
        let pages = members.iter().filter(|member| member.is_page);
        match pages.max_by_key(|member| member.bytes).and_then(|member| Pid::from_raw(member.pid)) {
            Some(pid) => {
                self.ended.store(pid.as_raw_nonzero().get(), Ordering::Relaxed);
                // Whoever is gone already needs no signal.
                let _ = kill_process(pid, Signal::KILL);
            }
            None => self.kill(),
        }
        true
    }

    /// Ends the browser and waits until nothing of it is left.
    pub(super) async fn end(mut self) {
        self.kill();
        let gone = async {
            // Whether it ended well is of no interest any more.
            let _ = self.child.wait().await;
            while self.group.is_some_and(|group| !members(group).is_empty()) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let _ = tokio::time::timeout(END, gone).await;
    }

    /// Ends all its processes at once.
    pub(super) fn kill(&self) {
        if let Some(group) = self.group {
            // They may have ended by themselves.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A new folder in `parent` for all that the browser keeps, or a shorter one: the browser dies when the
/// name of its socket is too long.
fn folder(parent: &Path) -> std::io::Result<TempDir> {
    let random = 6;
    let length = parent.as_os_str().len() + 1 + PREFIX.len() + random + SOCKET.len();
    let parent = if length > MAX_SOCKET { Path::new(SHORT) } else { parent };
    tempfile::Builder::new().prefix(PREFIX).rand_bytes(random).tempdir_in(parent)
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0)
}

/// A process of a group.
struct Member {
    pid: i32,
    bytes: u64,
    is_page: bool,
}

/// The processes of a group, as far as they can be seen.
fn members(group: Pid) -> Vec<Member> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let number = group.as_raw_nonzero().get();
    let member = |pid: i32| {
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
        // The name may hold anything, so we count from its closing bracket: state, parent, group.
        let theirs: i32 = stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()?;
        if theirs != number {
            return None;
        }
        let status = std::fs::read_to_string(folder.join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
        let kilobytes: u64 = line.trim().split(' ').next()?.parse().ok()?;
        let command = std::fs::read(folder.join("cmdline")).ok()?;
        // The browser rewrites this line, so words may be parted by blanks.
        let mut words = command.split(|byte| matches!(byte, 0 | b' '));
        let is_page = words.any(|word| word == b"--type=renderer");
        Some(Member { pid, bytes: kilobytes << 10, is_page })
    };
    let names = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    names.filter_map(member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browsers_folder_has_a_name_that_leaves_room_for_its_socket() {
        let usual = tempfile::tempdir_in(SHORT).expect("a folder");
        let made = folder(usual.path()).expect("a folder");
        assert_eq!(made.path().parent(), Some(usual.path()));
        let long = usual.path().join("x".repeat(60));
        std::fs::create_dir(&long).expect("a folder");
        let made = folder(&long).expect("a folder");
        assert_eq!(made.path().parent(), Some(Path::new(SHORT)));
    }
}
