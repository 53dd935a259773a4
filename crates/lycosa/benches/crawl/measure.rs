//! What did a process cost? CPU time of all its threads and, where `perf` works, instructions.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time that a crawler may take.
const PATIENCE: Duration = Duration::from_secs(540);
/// How often a process is looked at while it runs.
const LOOK: Duration = Duration::from_millis(5);

/// Clock ticks per second in `/proc` on every Linux that we know.
const TICKS: f64 = 100.0;

/// What a process cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// CPU-seconds, user and system.
    pub(crate) cpu: f64,
    /// Wall-clock seconds.
    pub(crate) wall: f64,
    /// Instructions in user mode, if they could be counted.
    pub(crate) instructions: Option<f64>,
}

/// Whether `perf stat` can count here.
pub(crate) fn has_perf() -> bool {
    let mut probe = Command::new("perf");
    probe.args(["stat", "-x,", "-e", "instructions:u,task-clock", "true"]);
    let output = probe.stdout(Stdio::null()).output();
    output.is_ok_and(|output| {
        // A virtual machine may have no counter of instructions; the clock is there everywhere.
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let clock = text.lines().any(|line| line.contains("task-clock") && !line.contains("<not"));
        output.status.success() && clock
    })
}

/// Runs a command on core 1 until it ends. With `perf` the figures are those of `perf stat`, else
/// those of `/proc`, which has hundredths of a second.
pub(crate) fn run(command: &[String], dir: &Path, perf: bool) -> Result<Cost> {
    let counts = dir.join("perf.csv");
    let mut outer = Command::new("taskset");
    outer.args(["-c", "1"]);
    if perf {
        outer.args(["perf", "stat", "-x,", "-e", "instructions:u,task-clock", "-o"]).arg(&counts);
    }
    let log = fs::File::create(dir.join("output.log"))?;
    outer.args(command).current_dir(dir).stdin(Stdio::null());
    outer.stdout(log.try_clone()?).stderr(log);
    let began = Instant::now();
    let mut child = outer.spawn().with_context(|| command.join(" "))?;
    let cpu = watch(&mut child, began)?;
    let wall = began.elapsed().as_secs_f64();
    let status = child.wait()?;
    // 1 is what crawlers say when some address of many gave nothing.
    if !status.success() && status.code() != Some(1) && status.code() != Some(8) {
        let log = fs::read_to_string(dir.join("output.log")).unwrap_or_default();
        bail!("{}: {status}\n{log}", command.join(" "));
    }
    if !perf {
        return Ok(Cost { cpu, wall, instructions: None });
    }
    let text = fs::read_to_string(&counts)?;
    let value = |event: &str| {
        let line = text.lines().find(|line| line.contains(event))?;
        line.split(',').next()?.parse::<f64>().ok()
    };
    Ok(Cost {
        cpu: value("task-clock").map_or(cpu, |ms| ms / 1000.0),
        wall,
        instructions: value("instructions"),
    })
}

/// Waits until the process has ended but is not yet forgotten, and reads its CPU time.
fn watch(child: &mut Child, began: Instant) -> Result<f64> {
    let path = format!("/proc/{}/stat", child.id());
    loop {
        let text = fs::read_to_string(&path)?;
        // The name, which may hold anything, ends with the last parenthesis.
        let fields: Vec<&str> =
            text.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
        if fields.first() == Some(&"Z") {
            let ticks = fields.iter().skip(11).take(4).filter_map(|f| f.parse::<f64>().ok());
            return Ok(ticks.sum::<f64>() / TICKS);
        }
        if began.elapsed() > PATIENCE {
            child.kill()?;
            bail!("not finished after {} s", PATIENCE.as_secs());
        }
        std::thread::sleep(LOOK);
    }
}
