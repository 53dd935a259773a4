//! What does a person read when something cannot be done? One clear line and a hint.

use std::fmt;

/// How the operating system and the store say that there is no room.
const FULL: [&str; 2] = ["No space left", "the disk is full"];

/// An error for a person. The program prints it and exits with 2.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>) -> Failure {
        let what = what.into();
        let is_full = FULL.iter().any(|words| what.contains(words));
        let hint = is_full.then(|| "make room, or use another --data".to_owned());
        Failure { what, hint }
    }

    /// Adds what to do about it.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        let mut what = error.to_string();
        // Causes that the message does not already tell.
        let mut cause = error.source();
        while let Some(source) = cause {
            let text = source.to_string();
            if !what.contains(&text) {
                what = format!("{what}: {text}");
            }
            cause = source.source();
        }
        Failure::new(what)
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Done: 0.
    Done,
    /// Nothing found, or only a part: 1.
    Partial,
}
