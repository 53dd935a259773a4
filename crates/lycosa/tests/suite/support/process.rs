//! How is the program started, listened to and ended?

use super::DEADLINE;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often something is looked at that cannot be waited for.
const LOOK: Duration = Duration::from_millis(2);

/// The program, with these arguments.
pub fn lycosa(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lycosa"));
    command.args(arguments).env_remove("LYCOSA_SECRET").stdin(Stdio::null());
    command
}

/// Looks again and again until there is something to see.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(begun.elapsed() < DEADLINE, "never seen: {what}");
        std::thread::sleep(LOOK);
    }
}

/// A program that has ended.
#[derive(Debug)]
pub struct Ran {
    /// Its exit status; `None` when a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Asserts the exit status; a failure shows what was printed.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "out: {}\nerr: {}", self.stdout, self.stderr);
        self
    }

    /// The one JSON value on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(self.stdout.trim())
            .unwrap_or_else(|error| panic!("{error}: {}\nerr: {}", self.stdout, self.stderr))
    }

    /// The JSON values on standard output, one a line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect()
    }

    /// The lines on standard error.
    pub fn errors(&self) -> Vec<&str> {
        self.stderr.lines().collect()
    }

    /// Asserts that the program ended with 2, one line that says `what`, and a hint that says `hint`.
    #[track_caller]
    pub fn fails_with(self, what: &[&str], hint: &str) {
        let ran = self.exits(2);
        assert_eq!(ran.stdout, "", "an error is no result");
        let lines = ran.errors();
        let shape = (lines.len(), lines[0].starts_with("lycosa: "));
        assert!(matches!(shape, (1 | 2, true)), "one line and a hint: {}", ran.stderr);
        for part in what {
            assert!(lines[0].contains(part), "`{part}` is not in: {}", lines[0]);
        }
        let said = lines.get(1).copied().unwrap_or_default();
        assert_eq!(said.starts_with("hint: "), !said.is_empty(), "{}", ran.stderr);
        assert!(said.contains(hint), "`{hint}` is not in: {said}");
    }
}

/// Runs the program to its end.
#[track_caller]
pub fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Ran {
    Running::start(lycosa(arguments)).finish()
}

/// Runs the program to its end with something on standard input.
#[track_caller]
pub fn run_with_input<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>, input: &str) -> Ran {
    let mut command = lycosa(arguments);
    command.stdin(Stdio::piped());
    let mut running = Running::start(command);
    let mut pipe = running.child.stdin.take().expect("piped");
    pipe.write_all(input.as_bytes()).expect("the program reads all of it");
    drop(pipe);
    running.finish()
}

/// A program at work. It is killed when the test leaves it.
pub struct Running {
    child: Child,
    stdout: Stream,
    stderr: Stream,
}

impl Running {
    /// Starts it and listens to it.
    #[track_caller]
    pub fn start(mut command: Command) -> Running {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdout = Stream::read(child.stdout.take().expect("piped"));
        let stderr = Stream::read(child.stderr.take().expect("piped"));
        Running { child, stdout, stderr }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a line on standard output.
    #[track_caller]
    pub fn prints(&self, what: &str) -> String {
        self.stdout.wait_for(what, &self.stderr)
    }

    /// Waits for a line on standard error.
    #[track_caller]
    pub fn notes(&self, what: &str) -> String {
        self.stderr.wait_for(what, &self.stderr)
    }

    /// Whether it is still at work.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("our own child").is_none()
    }

    /// Sends it a signal by name, as in `INT`.
    #[track_caller]
    pub fn signal(&self, name: &str) {
        // The standard library only knows KILL.
        let kill = format!("kill -{name} {}", self.child.id());
        let status = Command::new("sh").args(["-c", &kill]).status().expect("a shell");
        assert!(status.success(), "{kill}");
    }

    /// Ends it at once, as `kill -9` does.
    pub fn kill(mut self) {
        self.child.kill().expect("our own child");
        self.child.wait().expect("our own child");
    }

    /// Waits for its end.
    #[track_caller]
    pub fn finish(mut self) -> Ran {
        let mut status = None;
        until("the end of the program", || {
            status = self.child.try_wait().expect("our own child");
            status
        });
        Ran {
            code: status.as_ref().and_then(ExitStatus::code),
            stdout: self.stdout.all(),
            stderr: self.stderr.all(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What a program prints, collected while it runs.
struct Stream {
    seen: Arc<(Mutex<Seen>, Condvar)>,
    reader: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Seen {
    text: String,
    ended: bool,
}

impl Stream {
    fn read(pipe: impl Read + Send + 'static) -> Stream {
        let seen = Arc::<(Mutex<Seen>, Condvar)>::default();
        let shared = Arc::clone(&seen);
        let reader = std::thread::spawn(move || {
            let mut pipe = BufReader::new(pipe);
            let mut line = Vec::new();
            while pipe.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                let mut seen = shared.0.lock().expect("no reader panics");
                seen.text.push_str(&String::from_utf8_lossy(&line));
                line.clear();
                shared.1.notify_all();
            }
            shared.0.lock().expect("no reader panics").ended = true;
            shared.1.notify_all();
        });
        Stream { seen, reader: Some(reader) }
    }

    #[track_caller]
    fn wait_for(&self, what: &str, errors: &Stream) -> String {
        let (seen, changed) = &*self.seen;
        let guard = seen.lock().expect("no reader panics");
        let (guard, _) = changed
            .wait_timeout_while(guard, DEADLINE, |seen| !seen.ended && !seen.text.contains(what))
            .expect("no reader panics");
        let line = guard.text.lines().find(|line| line.contains(what)).map(str::to_owned);
        drop(guard);
        line.unwrap_or_else(|| {
            let errors = errors.seen.0.lock().expect("no reader panics").text.clone();
            panic!("no line with `{what}`; standard error: {errors}")
        })
    }

    fn all(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            reader.join().expect("no reader panics");
        }
        self.seen.0.lock().expect("no reader panics").text.clone()
    }
}
