//! What does a server do that speaks the S3 protocol?

use crate::process::{Process, free_port, http_get, programs, wait_until};
use std::io;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// How long a server may take to answer first; Python reads a lot before.
const START: Duration = Duration::from_secs(60);

/// How often a start is tried: a free port may be taken by somebody else.
const STARTS: usize = 3;

/// The name and the secret that these servers accept.
pub const ACCESS: (&str, &str) = ("tester", "tester-secret");

/// Which server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Moto,
    Rclone,
}

/// A server of the S3 protocol with one bucket, `test`. Killed when it goes.
#[derive(Debug)]
pub struct S3 {
    kind: Kind,
    process: Option<Process>,
    port: u16,
    folder: TempDir,
}

impl S3 {
    /// `moto`, which knows conditional writes and ranges and keeps everything in memory; nothing when the
    /// Python of the tests (`LYCOSA_TEST_PYTHON`) does not have it.
    ///
    /// # Errors
    /// When it does not start.
    pub fn moto() -> io::Result<Option<S3>> {
        let Some(python) = std::env::var_os("LYCOSA_TEST_PYTHON") else { return Ok(None) };
        let probe = ["-c", "import moto.server, flask"];
        if !Command::new(python).args(probe).output()?.status.success() {
            return Ok(None);
        }
        Self::start(Kind::Moto).map(Some)
    }

    /// `rclone serve s3` over a folder: it ignores `If-None-Match`, and what it has outlives it. Nothing when it
    /// is not on this machine.
    ///
    /// # Errors
    /// When it does not start.
    pub fn rclone() -> io::Result<Option<S3>> {
        if programs("rclone").is_empty() {
            return Ok(None);
        }
        Self::start(Kind::Rclone).map(Some)
    }

    fn start(kind: Kind) -> io::Result<S3> {
        let mut tries = 0;
        loop {
            tries += 1;
            let folder = tempfile::Builder::new().prefix("s3").tempdir()?;
            std::fs::create_dir_all(folder.path().join("data/test"))?;
            let mut server = S3 { kind, process: None, port: free_port()?, folder };
            match server.revive() {
                Ok(()) => return Ok(server),
                Err(error) if tries == STARTS => return Err(error),
                Err(_) => {}
            }
        }
    }

    /// Where it is: `http://127.0.0.1:PORT`.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Where rclone has the files of its bucket.
    pub fn files(&self) -> PathBuf {
        self.folder.path().join("data/test")
    }

    /// Kills it (SIGKILL). What moto had is lost with it.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn kill(&mut self) -> io::Result<()> {
        match self.process.take() {
            Some(mut process) => process.kill(),
            None => Ok(()),
        }
    }

    /// Starts it again on its port, and waits until it answers.
    ///
    /// # Errors
    /// When it does not start.
    pub fn revive(&mut self) -> io::Result<()> {
        let port = self.port;
        let mut command = match self.kind {
            Kind::Moto => {
                let python = std::env::var_os("LYCOSA_TEST_PYTHON").unwrap_or("python3".into());
                let mut command = Command::new(python);
                let code = "import sys; from moto.server import main; main(sys.argv[1:])";
                command.args(["-c", code, "-H", "127.0.0.1", "-p", &port.to_string()]);
                command
            }
            Kind::Rclone => {
                let program = programs("rclone").into_iter().next().unwrap_or("rclone".into());
                let mut command = Command::new(program);
                command.args(["serve", "s3", "--config", "/dev/null", "--vfs-cache-mode", "off"]);
                command.args(["--addr", &format!("127.0.0.1:{port}")]);
                command.args(["--auth-key", &format!("{},{}", ACCESS.0, ACCESS.1)]);
                command.arg(self.folder.path().join("data"));
                command
            }
        };
        let mut process = Process::start(&mut command, &self.folder.path().join("log"))?;
        let up = wait_until("a server of S3", START, || {
            process.has_ended() || TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        if up.is_err() || process.has_ended() {
            return Err(io::Error::other(format!("{:?}: {}", self.kind, process.log())));
        }
        self.process = Some(process);
        if self.kind == Kind::Moto {
            // Its own door for tests: it checks no signatures, and a bucket needs none either.
            http_get(port, "/moto-api/")?;
            make_bucket(port)?;
        }
        Ok(())
    }
}

fn make_bucket(port: u16) -> io::Result<()> {
    use std::io::{Read, Write};
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(
        stream,
        "PUT /test HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential=tester/20260101/us-east-1/s3/aws4_request, \
         SignedHeaders=host, Signature=0\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if answer.get(9..12) == Some("200") {
        return Ok(());
    }
    Err(io::Error::other(format!("moto made no bucket: {answer}")))
}
