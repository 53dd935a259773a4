//! How does a server start, and how is it killed?

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a question to a server over HTTP may take.
const HTTP_TIMEOUT: Duration = Duration::from_secs(5);

/// A server process. It is killed (SIGKILL) when this value goes.
#[derive(Debug)]
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a command whose output goes to a file.
    ///
    /// # Errors
    /// When the program cannot be started or the file not be made.
    pub fn start(command: &mut Command, log: &Path) -> io::Result<Process> {
        let out = File::options().create(true).append(true).open(log)?;
        let child = command
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(out)
            .spawn()
            .map_err(|e| io::Error::new(e.kind(), format!("{command:?}: {e}")))?;
        Ok(Process { child, log: log.to_owned() })
    }

    /// Its process number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills it (SIGKILL) and waits for its end.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// What it wrote so far, for the message of a test that fails.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.kill());
    }
}

/// Every program of this name: in the folders of `PATH`, in their order, and where systems keep their servers.
pub fn programs(name: &str) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from);
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(&path).chain(usual) {
        let Ok(file) = folder.join(name).canonicalize() else { continue };
        if file.is_file() && !found.contains(&file) {
            found.push(file);
        }
    }
    found
}

/// A port on loopback that nobody listens on now.
///
/// # Errors
/// When there is none.
pub fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The body of a GET request to a server on loopback that answers 200.
///
/// # Errors
/// When it does not answer, or with another status.
pub fn http_get(port: u16, path: &str) -> io::Result<Vec<u8>> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, HTTP_TIMEOUT)?;
    stream.set_read_timeout(Some(HTTP_TIMEOUT))?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let split = answer.windows(4).position(|four| four == b"\r\n\r\n");
    match split {
        Some(at) if answer.get(9..12) == Some(b"200") => Ok(answer.split_off(at + 4)),
        _ => Err(io::Error::other(format!("GET {path}: {}", String::from_utf8_lossy(&answer)))),
    }
}

/// Waits until something is so.
///
/// # Errors
/// When it is not so by the end of `patience`.
pub fn wait_until(
    what: &str,
    patience: Duration,
    mut is_so: impl FnMut() -> bool,
) -> io::Result<()> {
    let end = Instant::now() + patience;
    while !is_so() {
        if Instant::now() > end {
            return Err(io::Error::new(io::ErrorKind::TimedOut, format!("not in time: {what}")));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
