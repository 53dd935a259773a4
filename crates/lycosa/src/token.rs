//! Where is the token that opens the server's doors?

use crate::config::{Config, Serve};
use crate::failure::Failure;
use lycosa_interface::web::{Guard, Reach, Terms, Token};
use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Its name in the data folder.
const FILE: &str = "token";

/// A token and the file that it is in. The token itself is never shown.
pub(crate) struct TokenFile {
    pub(crate) path: PathBuf,
    token: Token,
}

impl TokenFile {
    /// Reads the token; makes one, for its owner's eyes only, when there is none.
    pub(crate) fn open(config: &Config, data: &Path) -> Result<TokenFile, Failure> {
        let path = config.serve.token_file.clone().unwrap_or_else(|| data.join(FILE));
        let token = match std::fs::read_to_string(&path) {
            Ok(text) => read(&path, &text)?,
            Err(error) if error.kind() == ErrorKind::NotFound => make(&path)?,
            Err(error) => return Err(failed("read", &path, &error)),
        };
        Ok(TokenFile { path, token })
    }

    /// The guard of a server at this address.
    pub(crate) fn guard(&self, address: SocketAddr, serve: &Serve) -> Guard {
        let reach = if address.ip().is_loopback() { Reach::ThisMachine } else { Reach::Others };
        let terms = Terms {
            reach,
            hosts: serve.hosts.clone(),
            requests_per_second: serve.requests_per_second,
            burst: serve.burst,
        };
        Guard::new(&self.token, terms)
    }
}

/// A guard whose token nobody knows.
pub(crate) fn for_nobody(reach: Reach) -> Result<Guard, Failure> {
    Ok(Guard::new(&random()?, Terms::new(reach)))
}

fn random() -> Result<Token, Failure> {
    Token::random().ok_or_else(|| Failure::new("the system gives no random numbers"))
}

fn read(path: &Path, text: &str) -> Result<Token, Failure> {
    let token = Token::new(text.trim()).ok_or_else(|| {
        Failure::new(format!("there is no token in {}", path.display()))
            .hint("16 characters without spaces at least; remove the file to get a new one")
    })?;
    if std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0) {
        tracing::warn!("others on this machine may read {}: chmod 600 it", path.display());
    }
    Ok(token)
}

fn make(path: &Path) -> Result<Token, Failure> {
    let token = random()?;
    let written = || -> std::io::Result<()> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        // Written aside first: half a token would be in the way of every later start.
        let mut new = path.as_os_str().to_owned();
        new.push(format!(".new-{}", std::process::id()));
        let new = Path::new(&new);
        // One that a killed process of the same number left.
        drop(std::fs::remove_file(new));
        let whole = || -> std::io::Result<()> {
            let mut file =
                std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(new)?;
            writeln!(file, "{}", token.reveal())?;
            file.sync_all()?;
            // Does not replace that of another server that was quicker.
            std::fs::hard_link(new, path)
        };
        let made = whole();
        drop(std::fs::remove_file(new));
        made
    };
    match written() {
        Ok(()) => Ok(token),
        // Another server on the same folder was quicker.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let text =
                std::fs::read_to_string(path).map_err(|error| failed("read", path, &error))?;
            read(path, &text)
        }
        Err(error) => Err(failed("write", path, &error)),
    }
}

fn failed(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot {what} the token {}: {error}", path.display()))
        .hint("[serve] token_file in the configuration names another file")
}
