//! How do those who watch tell people and programs?

use crate::units::Span;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// Watches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Watch {
    /// Whether webhooks may go to private and loopback addresses.
    pub(crate) allow_private: bool,
    /// Address at which others reach the server, for links in mail, as in `https://search.example`.
    pub(crate) server: Option<String>,
    /// Who takes mail.
    pub(crate) smtp: Option<Smtp>,
}

/// A server that takes mail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Smtp {
    /// Its name.
    pub(crate) host: String,
    /// Its port; the usual one of the kind of security if nothing is said.
    #[serde(default)]
    pub(crate) port: Option<u16>,
    #[serde(default)]
    pub(crate) security: Security,
    /// Who the mail is from, as in `Lycosa <watch@example.org>`.
    pub(crate) from: String,
    /// Who we are.
    #[serde(default)]
    pub(crate) user: Option<String>,
    /// File with the password.
    #[serde(default)]
    pub(crate) password_file: Option<PathBuf>,
    /// How long each step may take.
    #[serde(default = "patience")]
    pub(crate) timeout: Span,
}

fn patience() -> Span {
    Span(Duration::from_secs(30))
}

/// How a connection to it is kept from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Security {
    /// Not at all.
    None,
    /// After a greeting.
    #[default]
    Starttls,
    /// From the beginning.
    Tls,
}
