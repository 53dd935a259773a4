//! What is printed? Results on standard output, everything else on standard error.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is where printing happens")]

mod held;
mod plain;

pub(crate) use held::{held, hold, is_holding, release};
pub(crate) use plain::plain;

use crate::failure::Failure;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::OnceLock;
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload;

/// Prints a line of the result. A reader that has gone away is no error.
pub(crate) fn line(text: impl AsRef<str>) {
    let mut out = std::io::stdout().lock();
    drop(writeln!(out, "{}", text.as_ref()));
}

/// Prints a line for the person at the terminal.
pub(crate) fn note(text: impl AsRef<str>) {
    drop(writeln!(held::Errors, "{}", text.as_ref()));
}

/// A number and what there is so many of, as in `1 page` and `2 pages`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    let ending = match number {
        1 => "",
        _ if what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{number} {what}{ending}")
}

/// Prints a value as one line of JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    line(serde_json::to_string(value)?);
    Ok(())
}

/// Prints an error and its hint.
pub(crate) fn failure(failure: &Failure) -> ExitCode {
    match failure.hint_text() {
        Some(hint) => note(format!("lycosa: {failure}\nhint: {hint}")),
        None => note(format!("lycosa: {failure}")),
    }
    ExitCode::from(2)
}

/// Prints help and version, or what is wrong with the command line in one line with a suggestion.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{
        DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion,
    };
    match error.kind() {
        DisplayHelp | DisplayVersion => {
            line(error.render().to_string().trim_end());
            return ExitCode::SUCCESS;
        }
        DisplayHelpOnMissingArgumentOrSubcommand => {
            note(error.render().to_string().trim_end());
            return ExitCode::from(2);
        }
        _ => {}
    }
    let text = error.render().to_string();
    let mut what = String::new();
    for row in text.lines().take_while(|row| !row.starts_with("Usage:")) {
        let row = row.trim();
        let row = row.strip_prefix("error: ").unwrap_or(row);
        if !row.is_empty() && !row.starts_with("For more information") {
            let joint = match what.as_str() {
                "" => "",
                told if told.ends_with(':') => " ",
                _ => "; ",
            };
            what = format!("{what}{joint}{row}");
        }
    }
    note(format!("lycosa: {what}\nhint: lycosa --help, or lycosa COMMAND --help"));
    ExitCode::from(2)
}

/// Changes how much is logged; set when logging starts.
static SET_LEVEL: OnceLock<Box<dyn Fn(Level) + Send + Sync>> = OnceLock::new();

/// Starts logging on standard error: warnings, more with `-v`.
pub(crate) fn log(verbose: u8) {
    let level = match verbose {
        0 => Level::WARN,
        1 => Level::INFO,
        _ => Level::DEBUG,
    };
    let (filter, handle) = reload::Layer::new(LevelFilter::from_level(level));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(|| held::Errors)
        // A log file is no place for colours.
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .without_time();
    let set_level = Box::new(move |level: Level| {
        // The subscriber lives as long as the program.
        drop(handle.reload(LevelFilter::from_level(level)));
    });
    // Only a second call could fail, and there is none.
    drop(SET_LEVEL.set(set_level));
    let subscriber = tracing_subscriber::registry().with(filter).with(lines);
    drop(tracing::subscriber::set_global_default(subscriber));
}

/// Logs from this level on, from now on.
pub(crate) fn set_level(level: Level) {
    if let Some(set_level) = SET_LEVEL.get() {
        set_level(level);
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_no_plural() {
        assert_eq!(counted(1, "page"), "1 page");
        assert_eq!(counted(0, "page"), "0 pages");
        assert_eq!(counted(2, "address"), "2 addresses");
    }
}
