//! How does a web server call us for one request? RFC 3875: environment, standard input, standard output.

use super::{Head, Reply, phrase};
use crate::budget::Stop;
use crate::host::Host;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Where settings are when the environment does not say.
const FOLDER: &str = "/etc/crawllet";

/// After the longest job nothing should take longer than this; a process that hangs is ended.
const GRACE: Duration = Duration::from_secs(60);

/// Bytes of a refused body that are read, and thrown away.
const MAX_UNREAD: u64 = 16 << 20;

/// Whether we were called by a web server.
pub fn is_called() -> bool {
    std::env::var_os("GATEWAY_INTERFACE").is_some()
}

/// Answers the one request.
pub fn main(stop: Arc<Stop>) -> ExitCode {
    let folder =
        std::env::var_os("CRAWLLET_DIR").map_or_else(|| PathBuf::from(FOLDER), PathBuf::from);
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let head = head(&variable);
    let mut reply = Stdout(io::stdout());
    let host = match Host::open(&folder, stop) {
        Ok(host) => host,
        Err(trouble) => {
            // The owner finds it in the server's log; the world learns nothing.
            let _ = writeln!(io::stderr(), "crawllet-host: {trouble}");
            let _ = crate::door::plain(&mut reply, 503, "not set up");
            return ExitCode::from(2);
        }
    };
    let most = host.config.limits.wall.0 + GRACE;
    let watchdog = std::thread::Builder::new().spawn(move || {
        std::thread::sleep(most);
        std::process::exit(2);
    });
    if watchdog.is_err() {
        return ExitCode::from(2);
    }
    let mut body = io::stdin().lock().take(head.length.unwrap_or(u64::MAX));
    let handled = crate::door::handle(&host, &head, &mut body, &mut reply);
    // What a refusal left unread: some servers cut the answer of a program that ends before it has read all.
    let rest = io::copy(&mut body.take(MAX_UNREAD), &mut io::sink());
    match handled.and(rest) {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(1),
    }
}

/// The head of the request by the variables of the server.
pub(crate) fn head(variable: &dyn Fn(&str) -> String) -> Head {
    // What the client asked for, if the server tells; else its parts, which servers cut in different ways.
    let uri = variable("REQUEST_URI");
    let (path, query) = match uri.split_once('?') {
        Some((path, query)) => (path.to_owned(), query.to_owned()),
        None if !uri.is_empty() => (uri, variable("QUERY_STRING")),
        None => (variable("SCRIPT_NAME") + &variable("PATH_INFO"), variable("QUERY_STRING")),
    };
    Head {
        method: variable("REQUEST_METHOD"),
        path,
        query,
        length: variable("CONTENT_LENGTH").parse().ok(),
        address: variable("REMOTE_ADDR").parse().ok(),
    }
}

struct Stdout(io::Stdout);

impl Reply for Stdout {
    fn begin(
        &mut self,
        status: u16,
        headers: &[(&str, &str)],
        length: Option<u64>,
    ) -> io::Result<()> {
        let mut head = format!("Status: {status} {}\r\n", phrase(status));
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(length) = length {
            head.push_str(&format!("Content-Length: {length}\r\n"));
        }
        head.push_str("\r\n");
        self.send(head.as_bytes())
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)?;
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head_of(variables: &[(&str, &str)]) -> Head {
        head(&|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map_or_else(String::new, |(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_path_is_found_however_the_server_cuts_it() {
        let run = "/.well-known/crawllet/run";
        for variables in [
            [("REQUEST_URI", "/.well-known/crawllet/run?s=1"), ("QUERY_STRING", "s=1")],
            [("SCRIPT_NAME", run), ("QUERY_STRING", "s=1")],
        ] {
            let head = head_of(&variables);
            assert_eq!((head.path.as_str(), head.query.as_str()), (run, "s=1"));
        }
        let cut = [("SCRIPT_NAME", "/.well-known/crawllet"), ("PATH_INFO", "/run")];
        assert_eq!(head_of(&cut).path, run);
    }

    #[test]
    fn a_body_of_unknown_length_is_no_mistake() {
        assert_eq!(head_of(&[("CONTENT_LENGTH", "")]).length, None);
        assert_eq!(head_of(&[("CONTENT_LENGTH", "12")]).length, Some(12));
    }
}
