//! How are the fuzz targets run for longer than the tests run them?
//!
//! A target is a test in a module `fuzz`; the tests run each for a second. Here they get the time that
//! is asked for, with other dice each time, and say what they found.

use anyhow::{Result, bail};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::metadata::Workspace;
use crate::shell::{self, Run};

/// The crate that every crate with targets depends on.
const HARNESS: &str = "lycosa-fuzz";

/// Time for each target unless said otherwise.
const SECONDS: u64 = 60;

/// What to run, and for how long.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// How the names of the wanted targets begin; all when there is none.
    pub(crate) target: Option<String>,
    /// Seconds for each target.
    pub(crate) seconds: u64,
    /// Where the dice begin; by the clock when there is none.
    pub(crate) seed: Option<u32>,
}

/// Reads `[TARGET] [--time 10m] [--seed N]`.
pub(crate) fn parse(words: &[&str]) -> Result<Options> {
    let mut options = Options { target: None, seconds: SECONDS, seed: None };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--time" => match rest.next().and_then(|text| seconds(text)) {
                Some(seconds) => options.seconds = seconds,
                None => bail!("--time needs a time, as in 90s, 10m or 2h"),
            },
            "--seed" => match rest.next().and_then(|text| text.parse().ok()) {
                Some(seed) => options.seed = Some(seed),
                None => bail!("--seed needs a number"),
            },
            other if other.starts_with('-') || options.target.is_some() => {
                bail!("unexpected argument `{other}`")
            }
            target => options.target = Some(target.to_owned()),
        }
    }
    Ok(options)
}

fn seconds(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let factor = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor).filter(|seconds| *seconds > 0)
}

/// Runs the targets, one after the other in each crate; false when one found something.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<bool> {
    let seed = options.seed.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(1, |now| now.subsec_nanos())
    });
    let uses = |package: &&crate::metadata::Package| {
        package.dependencies.iter().any(|dependency| dependency.name == HARNESS)
    };
    let mut words = vec!["test".to_owned(), "--lib".to_owned()];
    for package in workspace.packages.iter().filter(uses) {
        words.extend(["--package".to_owned(), package.name.clone()]);
    }
    let wanted = format!("fuzz::{}", options.target.as_deref().unwrap_or_default());
    words.extend(["--no-fail-fast".to_owned(), "--".to_owned(), wanted]);
    println!("{} s for each target; dice begin at {seed} (--seed {seed})", options.seconds);
    let run = Run::cargo(&[])
        .args(&words)
        .env("LYCOSA_FUZZ_SECONDS", options.seconds.to_string())
        .env("LYCOSA_FUZZ_SEED", seed.to_string());
    Ok(shell::show(workspace, &run)?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_time_and_seed_are_understood() {
        let all = Options { target: None, seconds: SECONDS, seed: None };
        assert_eq!(parse(&[]).unwrap(), all);
        let one = Options { target: Some("html".into()), seconds: 600, seed: Some(7) };
        assert_eq!(parse(&["html", "--time", "10m", "--seed", "7"]).unwrap(), one);
        assert_eq!(parse(&["--time", "2h"]).unwrap().seconds, 7200);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for words in [
            &["--time"][..],
            &["--time", "10"],
            &["--time", "0s"],
            &["--seed", "x"],
            &["a", "b"],
            &["--fast"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
