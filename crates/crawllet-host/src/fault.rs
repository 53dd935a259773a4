//! What is told to a person when something does not work?

/// One clear line, and what to do about it.
#[derive(Debug)]
pub struct Trouble {
    /// What is wrong.
    pub what: String,
    /// What helps.
    pub hint: String,
}

impl Trouble {
    /// A line and a hint.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Trouble {
        Trouble { what: what.into(), hint: hint.into() }
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.what)?;
        if !self.hint.is_empty() {
            write!(f, "\n  hint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Trouble {}

/// Says which file an error is about.
pub trait About<T> {
    /// `what` names the act, as in `reading /etc/crawllet/crawllet.toml`.
    ///
    /// # Errors
    /// The error, with its place.
    fn about(self, what: impl std::fmt::Display) -> Result<T, Trouble>;
}

impl<T> About<T> for std::io::Result<T> {
    fn about(self, what: impl std::fmt::Display) -> Result<T, Trouble> {
        self.map_err(|error| {
            let hint = match error.kind() {
                std::io::ErrorKind::PermissionDenied => {
                    "run it as the user of the web server, or with sudo"
                }
                std::io::ErrorKind::NotFound => "`crawllet-host init` makes what is missing",
                std::io::ErrorKind::AddrInUse => "choose another address with --listen",
                _ => "",
            };
            Trouble::new(format!("{what}: {error}"), hint)
        })
    }
}
