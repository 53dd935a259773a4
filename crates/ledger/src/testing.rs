//! How does a test get a PostgreSQL of its own?
//!
//! In a folder that goes away, reached by a socket in it, with whatever user the server accepts: it refuses root, so
//! for root it runs as another user of the system. It ends with the value. Benches and tests of other crates use it
//! too.

use crate::LedgerError;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// Where Debian keeps the programs of a server, by version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// How long a start may take, recovery included.
const START_TIME: Duration = Duration::from_secs(60);

/// How often is looked whether something has happened.
const LOOK: Duration = Duration::from_millis(10);

/// The longest path of a folder in which a socket can be made.
const MAX_PATH: usize = 80;

/// CPU time is told in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// The settings of a server whose data nobody needs after a power failure.
pub const CARELESS: &[(&str, &str)] =
    &[("fsync", "off"), ("synchronous_commit", "off"), ("full_page_writes", "off")];

/// A server that ends with this value.
pub struct Server {
    programs: PathBuf,
    settings: Vec<(String, String)>,
    user: Option<User>,
    child: Child,
    dir: TempDir,
}

#[derive(Clone, Copy)]
struct User {
    uid: u32,
    gid: u32,
}

impl Server {
    /// Starts a server with these settings; nothing when this machine has none.
    ///
    /// # Errors
    /// If there is one, and it does not start.
    pub async fn start(settings: &[(&str, &str)]) -> io::Result<Option<Server>> {
        let Some(programs) = programs() else { return Ok(None) };
        let user = if geteuid().is_root() { Some(other_user()?) } else { None };
        let dir = folder()?;
        if let Some(user) = user {
            chown(dir.path(), Some(user.uid), Some(user.gid))?;
        }
        let data = dir.path().join("data");
        let made = command(&programs.join("initdb"), user, dir.path())?
            .args(["--username=lycosa", "--auth=trust", "--no-sync", "--no-locale"])
            .args([OsStr::new("--encoding=UTF8"), OsStr::new("--pgdata"), data.as_os_str()])
            .status()?;
        if !made.success() {
            return Err(io::Error::other(format!("initdb failed: {}", log_of(dir.path()))));
        }
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let settings: Vec<(String, String)> = settings.iter().map(owned).collect();
        let child = launch(&programs, user, dir.path(), &settings)?;
        let server = Server { programs, settings, user, child, dir };
        server.answers().await?;
        Ok(Some(server))
    }

    /// The address of a database of this server.
    pub fn address(&self, database: &str) -> String {
        let folder = self.dir.path().display().to_string().replace('/', "%2F");
        format!("postgres://lycosa@{folder}/{database}")
    }

    /// Makes an empty database, and tells its address.
    ///
    /// # Errors
    /// If there is one of this name.
    pub async fn database(&self, name: &str) -> Result<String, LedgerError> {
        run(&self.address("postgres"), &format!("CREATE DATABASE \"{name}\"")).await?;
        Ok(self.address(name))
    }

    /// Kills the server with all its processes, as the end of the machine would, and starts it again.
    ///
    /// # Errors
    /// If it does not start again.
    pub async fn kill_and_restart(&mut self) -> io::Result<()> {
        self.kill()?;
        self.child = launch(&self.programs, self.user, self.dir.path(), &self.settings)?;
        self.answers().await
    }

    /// Kills the server with all its processes.
    ///
    /// # Errors
    /// If one of them cannot be killed.
    pub fn kill(&mut self) -> io::Result<()> {
        let children = children_of(self.child.id())?;
        self.child.kill()?;
        self.child.wait()?;
        for child in &children {
            signal(*child, Signal::KILL);
        }
        // The next one does not start while one of them still has the shared memory.
        let begin = Instant::now();
        while children.iter().any(|child| is_alive(*child)) {
            if begin.elapsed() > START_TIME {
                return Err(io::Error::other("a process of the server does not end"));
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// The CPU time that all processes of the server have used, also those that have ended.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn cpu(&self) -> io::Result<Duration> {
        let own = Stat::of(self.child.id())?;
        let mut ticks = own.own + own.of_ended;
        for child in children_of(self.child.id())? {
            // One that has ended meanwhile is counted with its parent the next time.
            ticks += Stat::of(child).map_or(0, |stat| stat.own);
        }
        Ok(Duration::from_secs_f64(ticks as f64 / TICKS_PER_SECOND))
    }

    async fn answers(&self) -> io::Result<()> {
        let begin = Instant::now();
        while let Err(error) = tokio_postgres::connect(&self.address("postgres"), NoTls).await {
            if begin.elapsed() > START_TIME {
                let log = log_of(self.dir.path());
                return Err(io::Error::other(format!("the server does not start: {error}\n{log}")));
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        signal(self.child.id(), Signal::QUIT);
        // It ends its own processes; if it was killed already, this returns at once.
        let _ = self.child.wait();
    }
}

/// Runs statements in a database.
///
/// # Errors
/// If it cannot be reached, or one of them fails.
pub async fn run(address: &str, statements: &str) -> Result<(), LedgerError> {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await?;
    let driver = tokio::spawn(connection);
    let done = client.batch_execute(statements).await;
    drop(client);
    // What could go wrong with the connection, the statement tells.
    let _ = driver.await;
    Ok(done?)
}

/// Lets time pass for the frontier in a database, by making everything in it so much older.
///
/// # Errors
/// If the database cannot be reached.
pub async fn let_pass(address: &str, time: Duration) -> Result<(), LedgerError> {
    let by = format!("interval '{} ms'", time.as_millis());
    let statements = format!(
        "UPDATE domain SET next_at = next_at - {by}, ready_at = ready_at - {by}, \
           lease_until = lease_until - {by}; \
         UPDATE url SET again_at = again_at - {by}, dlast = dlast - {by}, dinit = dinit - {by}; \
         UPDATE work SET since = since - {by}; UPDATE ip_gate SET next_at = next_at - {by}"
    );
    run(address, &statements).await
}

/// The folder with `initdb` and `postgres`: the newest version of Debian's, or on the path.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let mut folders: Vec<PathBuf> = versions.map(|entry| entry.path()).collect();
    folders.sort_by_key(version);
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let folders = folders.iter().rev().map(|folder| folder.join("bin"));
    folders
        .chain(std::env::split_paths(&on_path))
        .find(|folder| ["initdb", "postgres"].iter().all(|name| folder.join(name).is_file()))
}

/// Somebody who is not root.
fn other_user() -> io::Result<User> {
    let users = fs::read_to_string("/etc/passwd")?;
    let user = |wanted: &str| {
        users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let is_wanted = fields.next() == Some(wanted);
            let (uid, gid) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
            is_wanted.then_some(User { uid, gid })
        })
    };
    user("postgres")
        .or_else(|| user("nobody"))
        .ok_or_else(|| io::Error::other("root may not run a server, and there is no other user"))
}

/// A folder that any user can get at, with a path that is short enough for a socket.
fn folder() -> io::Result<TempDir> {
    let fits = |path: &Path| {
        let open = |folder: &Path| {
            fs::metadata(folder).is_ok_and(|about| about.permissions().mode() & 0o1 != 0)
        };
        path.as_os_str().len() < MAX_PATH && path.ancestors().all(open)
    };
    let usual = std::env::temp_dir();
    let base = if fits(&usual) { usual } else { PathBuf::from("/tmp") };
    tempfile::Builder::new().prefix("lycosa-db-").tempdir_in(base)
}

fn launch(
    programs: &Path,
    user: Option<User>,
    dir: &Path,
    settings: &[(String, String)],
) -> io::Result<Child> {
    let mut command = command(&programs.join("postgres"), user, dir)?;
    command.arg("-D").arg(dir.join("data")).arg("-k").arg(dir).args(["-c", "listen_addresses="]);
    for (name, value) in settings {
        command.arg("-c").arg(format!("{name}={value}"));
    }
    command.spawn()
}

/// A program of the server, whose words go to the log in the folder.
fn command(program: &Path, user: Option<User>, dir: &Path) -> io::Result<Command> {
    let log = File::options().create(true).append(true).open(dir.join("log"))?;
    let mut command = Command::new(program);
    command.current_dir(dir).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    if let Some(user) = user {
        command.uid(user.uid).gid(user.gid);
    }
    Ok(command)
}

fn log_of(dir: &Path) -> String {
    fs::read_to_string(dir.join("log")).unwrap_or_default()
}

fn signal(process: u32, signal: Signal) {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    if let Some(process) = process {
        // One that has ended needs no signal.
        let _ = kill_process(process, signal);
    }
}

/// What the system tells of a process.
struct Stat {
    state: char,
    parent: u32,
    /// Ticks that it used itself.
    own: u64,
    /// Ticks that its children used, of those that have ended.
    of_ended: u64,
}

impl Stat {
    fn of(process: u32) -> io::Result<Stat> {
        let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
        let odd = || io::Error::other("the system tells something else about processes");
        // The name is in brackets and may hold anything.
        let (_, rest) = text.rsplit_once(')').ok_or_else(odd)?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        let all = || {
            Some(Stat {
                state: fields.first()?.chars().next()?,
                parent: u32::try_from(number(1)?).ok()?,
                own: number(11)? + number(12)?,
                of_ended: number(13)? + number(14)?,
            })
        };
        all().ok_or_else(odd)
    }
}

fn children_of(process: u32) -> io::Result<Vec<u32>> {
    let mut children = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Some(id) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if Stat::of(id).is_ok_and(|stat| stat.parent == process) {
            children.push(id);
        }
    }
    Ok(children)
}

/// Whether a process still has anything; nobody may ever fetch the rest of it.
fn is_alive(process: u32) -> bool {
    Stat::of(process).is_ok_and(|stat| stat.state != 'Z')
}
