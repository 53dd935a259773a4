//! What can a person ask for?

mod check;
mod init;
mod report;
mod rotate;
mod snippets;

use crate::budget::Stop;
use crate::config::Config;
use crate::fault::{About, Trouble};
use crate::front::serve;
use crate::host::{DISABLED, Hosts};
use clap::{Parser, Subcommand};
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Where settings are when nothing else is said.
const FOLDER: &str = "/etc/crawllet";

/// Lets search engines send a crawllet: a small program that reads your site here, in a sandbox, instead of page
/// by page from outside.
#[derive(Debug, Parser)]
#[command(name = "crawllet-host", version)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make keys and settings, and print what to paste into your web server.
    Init(init::Init),
    /// Serve by itself, or behind a web server that forwards to it.
    Serve {
        /// Where.
        #[command(flatten)]
        folder: Folder,
        /// Address and port to listen at; port 0 takes a free one.
        #[arg(long, default_value = "127.0.0.1:9000")]
        listen: String,
    },
    /// Try everything through the public address, and say what is wrong.
    Check(check::Check),
    /// Who ran what here.
    Report(report::Report),
    /// Make a new key; the old one stays valid for 30 days.
    Rotate {
        /// Where.
        #[command(flatten)]
        folder: Folder,
    },
    /// Switch everything off; running crawllets end.
    Off {
        /// Where.
        #[command(flatten)]
        folder: Folder,
    },
    /// Switch it on again.
    On {
        /// Where.
        #[command(flatten)]
        folder: Folder,
    },
}

/// The folder of settings and keys.
#[derive(Debug, Clone, clap::Args)]
pub struct Folder {
    /// Folder of settings and keys.
    #[arg(long = "dir", value_name = "DIR", default_value = FOLDER)]
    pub path: PathBuf,
}

/// Does it. 0: done; 1: partly; 2: not.
///
/// # Errors
/// With a line and a hint.
pub fn run(arguments: Arguments, stop: &Arc<Stop>) -> Result<ExitCode, Trouble> {
    match arguments.command {
        Command::Init(init) => init.run(),
        Command::Serve { folder, listen } => {
            let hosts = Arc::new(Hosts::open(&folder.path, stop.clone())?);
            let authority = hosts.host().config.authority.clone();
            serve::main(hosts, &listen, stop, |address| {
                print(format_args!("serving {authority} at http://{address}"));
            })?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Check(check) => check.run(),
        Command::Report(report) => report.run(),
        Command::Rotate { folder } => rotate::rotate(&folder.path),
        Command::Off { folder } => {
            let path = folder.path.join(DISABLED);
            std::fs::write(&path, "").about(format!("writing {}", path.display()))?;
            print("off: the descriptor is gone, running crawllets end");
            Ok(ExitCode::SUCCESS)
        }
        Command::On { folder } => {
            let path = folder.path.join(DISABLED);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => print("it was on"),
                result => {
                    result.about(format!("removing {}", path.display()))?;
                    print("on");
                }
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// What the owner of `folder` pastes, with this program or another.
///
/// # Errors
/// If the settings cannot be read.
pub fn snippets(folder: &Path, program: &Path) -> Result<String, Trouble> {
    Ok(snippets::all(&Config::read(folder)?, folder, program))
}

/// A line for whoever called. If nobody reads it, it is not missed.
pub(crate) fn print(line: impl Display) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

/// What went wrong, on standard error.
pub fn tell(trouble: &Trouble) -> ExitCode {
    let _ = writeln!(io::stderr(), "error: {trouble}");
    ExitCode::from(2)
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::new(error.to_string(), "")
    }
}
