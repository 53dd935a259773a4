//! The installations: how a host is started, and reached.

use crate::engine;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// A way to install a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Front {
    Alone,
    Cgi,
    Apache,
    Nginx,
}

/// Those that all tests of the protocol run under.
pub(crate) const ALL: [Front; 4] = [Front::Alone, Front::Cgi, Front::Apache, Front::Nginx];

/// A host that runs, in a folder of its own.
pub(crate) struct Running {
    pub(crate) at: SocketAddr,
    pub(crate) dir: PathBuf,
    children: Vec<Child>,
    _temp: tempfile::TempDir,
}

/// What is added to the settings.
#[derive(Default)]
pub(crate) struct Setup<'a> {
    /// Lines before all sections.
    pub(crate) top: &'a str,
    /// Replacements in the text: from, to.
    pub(crate) change: &'a [(&'a str, &'a str)],
    pub(crate) docroot: Option<&'a Path>,
}

const APACHE_MODULES: &str = "/usr/lib/apache2/modules";

/// The program, where any user can start it.
pub(crate) fn program() -> &'static Path {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        let folder = tempfile::Builder::new().prefix("crawllet-program").tempdir().unwrap().keep();
        open_to_all(&folder);
        let path = folder.join("crawllet-host");
        // Beside the original where that works, which takes no room.
        let built = Path::new(env!("CARGO_BIN_EXE_crawllet-host"));
        std::fs::hard_link(built, &path)
            .or_else(|_| std::fs::copy(built, &path).map(drop))
            .unwrap();
        path
    })
}

pub(crate) fn open_to_all(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let sbin = [PathBuf::from("/usr/sbin"), PathBuf::from("/sbin")];
    std::env::split_paths(&path).chain(sbin).any(|folder| folder.join(program).is_file())
}

fn find(program: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let sbin = [PathBuf::from("/usr/sbin"), PathBuf::from("/sbin")];
    let mut folders = std::env::split_paths(&path).chain(sbin);
    folders.find(|folder| folder.join(program).is_file()).unwrap().join(program)
}

/// Runs the program, and gives its output.
pub(crate) fn call(arguments: &[&str]) -> std::process::Output {
    Command::new(program()).args(arguments).env_remove("GATEWAY_INTERFACE").output().unwrap()
}

impl Front {
    /// A host before `upstream` that lets in the engine of key 1; none where it is not installed.
    pub(crate) fn start(self, upstream: SocketAddr, setup: &Setup<'_>) -> Option<Running> {
        let missing = match self {
            Front::Apache if !has("apache2") => Some("apache2"),
            Front::Nginx if !has("nginx") => Some("nginx"),
            Front::Nginx if !has("fcgiwrap") => Some("fcgiwrap"),
            _ => None,
        };
        if let Some(missing) = missing {
            eprintln!("skipped: no {missing}, so nothing was tried under it");
            return None;
        }
        let temp = tempfile::tempdir().unwrap();
        open_to_all(temp.path());
        let dir = temp.path().join("host");
        let allow = format!("{}={}", engine::DOMAIN, engine::keys(1).ed25519_text());
        let (folder, web) = (dir.to_str().unwrap(), format!("http://{upstream}"));
        let mut arguments = vec![
            "init",
            "--compile-later",
            "--dir",
            folder,
            "--authority",
            "site.example",
            "--upstream",
            &web,
            "--allow",
            &allow,
        ];
        if self == Front::Apache && is_root() {
            arguments.extend(["--user", "www-data"]);
        }
        if let Some(docroot) = setup.docroot {
            arguments.extend(["--docroot", docroot.to_str().unwrap()]);
        }
        let made = call(&arguments);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let path = dir.join("crawllet.toml");
        let mut text = std::fs::read_to_string(&path).unwrap();
        // Tests are many and come from one address.
        let usual = [
            ("hellos_per_minute = 10", "hellos_per_minute = 100000"),
            ("jobs_per_engine_and_day = 50", "jobs_per_engine_and_day = 100000"),
            ("jobs_per_day = 200", "jobs_per_day = 100000"),
        ];
        for (from, to) in setup.change.iter().chain(&usual) {
            text = text.replace(from, to);
        }
        std::fs::write(&path, format!("{}\n{text}", setup.top)).unwrap();
        let mut running = Running {
            at: SocketAddr::from(([127, 0, 0, 1], 0)),
            dir,
            children: vec![],
            _temp: temp,
        };
        match self {
            Front::Alone => running.alone(),
            Front::Cgi => running.cgi(),
            Front::Apache => running.apache(),
            Front::Nginx => running.nginx(),
        }
        Some(running)
    }
}

fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

impl Running {
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.at)
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.dir.join("state")
    }

    /// The reasons of all jobs so far, as the owner reads them.
    pub(crate) fn reasons(&self) -> Vec<String> {
        self.jobs().iter().map(|job| job["reason"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn jobs(&self) -> Vec<serde_json::Value> {
        let log = std::fs::read_to_string(self.state().join("log.jsonl")).unwrap_or_default();
        let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.filter(|entry: &serde_json::Value| entry["what"] == "job").collect()
    }

    /// The process of a host that serves by itself.
    pub(crate) fn process(&mut self) -> &mut Child {
        self.children.first_mut().unwrap()
    }

    fn alone(&mut self) {
        let mut child = Command::new(program())
            .args(["serve", "--dir", self.dir.to_str().unwrap(), "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        self.at = line.trim().rsplit_once("http://").unwrap().1.parse().unwrap();
        self.children.push(child);
    }

    /// A web server of a few lines that calls the program as RFC 3875 says.
    fn cgi(&mut self) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        self.at = listener.local_addr().unwrap();
        let dir = self.dir.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let dir = dir.clone();
                std::thread::spawn(move || {
                    let _ = cgi(stream, &dir);
                });
            }
        });
    }

    fn apache(&mut self) {
        let (at, folder) = (free(), self.dir.parent().unwrap().to_owned());
        let modules = ["mpm_event", "authz_core", "alias", "env", "cgid"];
        let load: String = modules
            .map(|name| format!("LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so\n"))
            .concat();
        let root = folder.display();
        let user = if is_root() { "User www-data\nGroup www-data\n" } else { "" };
        let config = format!(
            "{load}{user}ServerName site.example\nListen {at}\nPidFile {root}/apache.pid\n\
             DefaultRuntimeDir {root}\nErrorLog {root}/error.log\nScriptSock {root}/cgid.sock\n\
             {}",
            snippet(&self.dir, "Apache")
        );
        let path = folder.join("apache.conf");
        std::fs::write(&path, config).unwrap();
        let child = Command::new(find("apache2"))
            .args(["-f", path.to_str().unwrap(), "-DFOREGROUND"])
            .process_group(0)
            .spawn()
            .unwrap();
        self.children.push(child);
        self.at = at;
        self.wait(&folder.join("error.log"));
    }

    fn nginx(&mut self) {
        let (at, folder) = (free(), self.dir.parent().unwrap().to_owned());
        let (root, socket) = (folder.display(), folder.join("fcgiwrap.sock"));
        let wrap = Command::new(find("fcgiwrap"))
            .args(["-c", "16", "-s", &format!("unix:{}", socket.display())])
            .process_group(0)
            .spawn()
            .unwrap();
        self.children.push(wrap);
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while std::os::unix::net::UnixStream::connect(&socket).is_err() {
            assert!(std::time::Instant::now() < until, "fcgiwrap does not start");
            std::thread::yield_now();
        }
        let user = if is_root() { "user root;\n" } else { "" };
        let location = snippet(&self.dir, "nginx + fcgiwrap")
            .replace("/run/fcgiwrap.socket", socket.to_str().unwrap())
            .replace("include fastcgi_params", "include /etc/nginx/fastcgi_params");
        let config = format!(
            "{user}daemon off;\npid {root}/nginx.pid;\nerror_log {root}/error.log;\n\
             events {{ worker_connections 1024; }}\nhttp {{ access_log off;\n\
             client_body_temp_path {root}/body; proxy_temp_path {root}/proxy; fastcgi_temp_path {root}/fastcgi;\n\
             uwsgi_temp_path {root}/uwsgi; scgi_temp_path {root}/scgi;\n\
             server {{ listen {at} backlog=1024; {location} }} }}\n"
        );
        let path = folder.join("nginx.conf");
        std::fs::write(&path, config).unwrap();
        let child = Command::new(find("nginx"))
            .args(["-c", path.to_str().unwrap()])
            .process_group(0)
            .spawn()
            .unwrap();
        self.children.push(child);
        self.at = at;
        self.wait(&folder.join("error.log"));
    }

    /// Until the server takes connections.
    fn wait(&self, log: &Path) {
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while TcpStream::connect(self.at).is_err() {
            let said = std::fs::read_to_string(log).unwrap_or_default();
            assert!(std::time::Instant::now() < until, "the web server does not start: {said}");
            std::thread::yield_now();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.children {
            // The whole group: servers have children of their own, and fcgiwrap forgets its.
            let group = rustix::process::Pid::from_child(child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
            let _ = child.wait();
        }
    }
}

/// The lines that `init` prints for a web server: what the owner pastes is what is tested.
fn snippet(dir: &Path, heading: &str) -> String {
    let text = crawllet_host::commands::snippets(dir, program()).unwrap();
    let start = text.find(&format!("# --- {heading}")).unwrap();
    let rest = &text[start + 5..];
    rest.split("# ---").next().unwrap().lines().skip(1).collect::<Vec<_>>().join("\n")
}

fn cgi(mut stream: TcpStream, dir: &Path) -> std::io::Result<()> {
    let mut from = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    from.read_line(&mut line)?;
    let mut words = line.split(' ');
    let (method, target) =
        (words.next().unwrap_or("").to_owned(), words.next().unwrap_or("").to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut length = 0;
    loop {
        let mut header = String::new();
        if from.read_line(&mut header)? <= 2 {
            break;
        }
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut child = Command::new(program())
        .env_clear()
        .envs([
            ("GATEWAY_INTERFACE", "CGI/1.1"),
            ("REQUEST_METHOD", &method),
            ("SCRIPT_NAME", path),
        ])
        .envs([("QUERY_STRING", query), ("CONTENT_LENGTH", &length.to_string())])
        .env("REMOTE_ADDR", stream.peer_addr()?.ip().to_string())
        .env("CRAWLLET_DIR", dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut to = child.stdin.take().unwrap();
    let feeding = std::thread::spawn(move || {
        let _ = std::io::copy(&mut from.take(length), &mut to);
    });
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut head = String::from("HTTP/1.1 ");
    out.read_line(&mut line)?;
    let status = line.rsplit_once("Status: ").map_or("500 Failed\r\n", |(_, rest)| rest).to_owned();
    head.push_str(&status);
    head.push_str("Connection: close\r\n");
    while out.read_line(&mut head)? > 2 {}
    stream.write_all(head.as_bytes())?;
    let mut buffer = [0; 8 << 10];
    loop {
        let read = out.read(&mut buffer)?;
        if read == 0 || stream.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    drop(out);
    child.wait()?;
    drop(stream);
    let _ = feeding.join();
    Ok(())
}
