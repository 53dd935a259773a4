//! What is called, and by whom? A web server (CGI), a person, or ourselves (the sandbox).

use clap::Parser;
use crawllet_host::budget::Stop;
use crawllet_host::commands::{self, Arguments};
use crawllet_host::front::cgi;
use crawllet_host::sandbox::{child, compiled};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // First of all, so that as little as possible happens before the locks are on.
    if let Some((child::COMMAND, rest)) =
        arguments.split_first().map(|(c, rest)| (c.as_str(), rest))
    {
        return child::main(rest);
    }
    if let Some((compiled::COMMAND, rest)) =
        arguments.split_first().map(|(c, rest)| (c.as_str(), rest))
    {
        return compiled::main(rest);
    }
    let stop = Arc::new(Stop::default());
    if let Err(error) = listen(&stop) {
        return commands::tell(&error.into());
    }
    if cgi::is_called() {
        return cgi::main(stop);
    }
    match commands::run(Arguments::parse(), &stop) {
        Ok(code) => code,
        Err(trouble) => commands::tell(&trouble),
    }
}

/// The word to end comes as a signal.
fn listen(stop: &Arc<Stop>) -> std::io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT])?;
    let stop = stop.clone();
    let listening = move || {
        let mut told = false;
        for _ in signals.forever() {
            stop.say();
            // Who says it twice means it.
            if std::mem::replace(&mut told, true) {
                std::process::exit(1);
            }
        }
    };
    std::thread::Builder::new().stack_size(64 << 10).spawn(listening).map(drop)
}
