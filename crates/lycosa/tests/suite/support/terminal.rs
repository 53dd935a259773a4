//! What does a person see who runs the program in a terminal? A pseudo terminal, and as much of a screen as it
//! takes to read what is drawn on it.

use super::outside::python;
use super::{DEADLINE, text};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

/// A program in a terminal. It is killed when the test leaves it.
pub struct Terminal {
    child: Child,
    orders: Option<ChildStdin>,
    screen: Arc<(Mutex<Screen>, Condvar)>,
    reader: Option<JoinHandle<()>>,
}

/// How it ended.
#[derive(Debug)]
pub struct Ended {
    pub code: i64,
    /// Whether the terminal is set as it was before.
    pub restored: bool,
    /// What stands on the terminal.
    pub text: String,
    /// Whether the screen of the view is still there, or the cursor hidden.
    pub left_open: bool,
}

impl Terminal {
    /// Starts the program in a terminal of this size; its standard output goes to `out`, or to the terminal.
    #[track_caller]
    pub fn start(size: (u16, u16), out: Option<&Path>, program: &Command) -> Terminal {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/support/terminal.py");
        let mut command = Command::new(python());
        command.arg(script).args([size.0.to_string(), size.1.to_string()]);
        command.arg(out.map_or("-", text)).arg(program.get_program()).args(program.get_args());
        command.env("TERM", "xterm-256color").env_remove("NO_COLOR");
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("Python is here");
        let orders = child.stdin.take();
        let screen = Arc::new((Mutex::new(Screen::new(size)), Condvar::new()));
        let (shared, mut pipe) = (Arc::clone(&screen), child.stdout.take().expect("piped"));
        let reader = std::thread::spawn(move || {
            let mut bytes = vec![0; 1 << 16];
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                shared.0.lock().expect("no reader panics").draw(&bytes[..count]);
                shared.1.notify_all();
            }
            shared.0.lock().expect("no reader panics").ended = true;
            shared.1.notify_all();
        });
        Terminal { child, orders, screen, reader: Some(reader) }
    }

    /// Waits until the screen has something, and tells what is on it then.
    #[track_caller]
    pub fn shows(&self, what: &str) -> String {
        self.looks(what, |text| text.contains(what))
    }

    /// Waits until the screen is as wanted.
    #[track_caller]
    pub fn looks(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let (screen, changed) = &*self.screen;
        let guard = screen.lock().expect("no reader panics");
        let (guard, _) = changed
            .wait_timeout_while(guard, DEADLINE, |seen| !seen.ended && !wanted(&seen.text()))
            .expect("no reader panics");
        let text = guard.text();
        assert!(wanted(&text), "never seen: {what}\n{text}");
        text
    }

    /// Types.
    pub fn types(&mut self, keys: &str) {
        self.order(&json!({ "keys": keys }));
    }

    /// Changes the size of the terminal.
    pub fn resize(&mut self, rows: u16, columns: u16) {
        self.screen.0.lock().expect("no reader panics").resize((rows, columns));
        self.order(&json!({ "size": [rows, columns] }));
    }

    /// Sends the program a signal by name, as in `TERM`.
    pub fn signal(&mut self, name: &str) {
        self.order(&json!({ "signal": name }));
    }

    fn order(&mut self, order: &Value) {
        let pipe = self.orders.as_mut().expect("open until the end");
        writeln!(pipe, "{order}").expect("the terminal is there");
    }

    /// Waits for the end of the program.
    #[track_caller]
    pub fn finish(mut self) -> Ended {
        super::until("the end of the program", || self.child.try_wait().expect("our own child"));
        if let Some(reader) = self.reader.take() {
            reader.join().expect("no reader panics");
        }
        let mut said = String::new();
        let mut errors = self.child.stderr.take().expect("piped");
        errors.read_to_string(&mut said).expect("text");
        let told: Value =
            serde_json::from_str(said.trim()).unwrap_or_else(|e| panic!("{e}: {said}"));
        let screen = self.screen.0.lock().expect("no reader panics");
        Ended {
            code: told["code"].as_i64().expect("a code"),
            restored: told["restored"].as_bool().expect("a word"),
            text: screen.text(),
            left_open: screen.other.is_some() || screen.hidden,
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The script ends the program when nobody is there any more.
        drop(self.orders.take());
        drop(self.child.wait());
    }
}

/// Cells, a cursor, and the few commands that are used.
struct Screen {
    size: (u16, u16),
    rows: Vec<Vec<char>>,
    /// What is below the screen of the view.
    other: Option<Vec<Vec<char>>>,
    hidden: bool,
    row: usize,
    column: usize,
    /// Bytes that are the begin of something.
    rest: Vec<u8>,
    ended: bool,
}

impl Screen {
    fn new(size: (u16, u16)) -> Screen {
        let (row, column) = (0, 0);
        let rows = blank(size);
        let (rest, other) = (Vec::new(), None);
        Screen { size, rows, other, hidden: false, row, column, rest, ended: false }
    }

    fn text(&self) -> String {
        let rows = self.rows.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned());
        rows.collect::<Vec<_>>().join("\n")
    }

    fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
        self.rows = blank(size);
    }

    fn draw(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.rest);
        let whole = match std::str::from_utf8(&all) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&all[..error.valid_up_to()]).expect("valid so far"),
        };
        let mut left = whole;
        while let Some(c) = left.chars().next() {
            if c == '\u{1b}' {
                let Some(after) = self.command(left) else { break };
                left = after;
                continue;
            }
            self.put(c);
            left = &left[c.len_utf8()..];
        }
        let done = whole.len() - left.len();
        self.rest = all[done..].to_vec();
    }

    /// Obeys one command, and gives what is behind it; nothing when it is not whole.
    fn command<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let inside = text.strip_prefix("\u{1b}[")?;
        let end = inside.find(|c: char| ('@'..='~').contains(&c))?;
        let (values, after) = (&inside[..end], &inside[end + 1..]);
        let number = |place: usize| -> usize {
            values.split(';').nth(place).and_then(|value| value.parse().ok()).unwrap_or(1)
        };
        match (&inside[end..=end], values) {
            ("H", _) => (self.row, self.column) = (number(0) - 1, number(1) - 1),
            ("J", _) => self.rows = blank(self.size),
            ("h", "?1049") => {
                self.other = Some(std::mem::replace(&mut self.rows, blank(self.size)))
            }
            ("l", "?1049") => {
                self.rows = self.other.take().expect("a screen to go back to");
                (self.row, self.column) = (self.rows.len() - 1, 0);
            }
            (state @ ("h" | "l"), "?25") => self.hidden = state == "l",
            ("m", _) => {}
            (other, _) => panic!("a command that no test knows: {values}{other}"),
        }
        Some(after)
    }

    fn put(&mut self, c: char) {
        match c {
            '\r' => self.column = 0,
            '\n' => {
                self.row += 1;
                // What was printed is never lost to a test.
                if self.row >= self.rows.len() {
                    self.rows.push(Vec::new());
                }
            }
            _ => {
                assert!(!c.is_control(), "{c:?} is drawn");
                while self.rows.len() <= self.row {
                    self.rows.push(Vec::new());
                }
                let row = &mut self.rows[self.row];
                if row.len() <= self.column {
                    row.resize(self.column + 1, ' ');
                }
                row[self.column] = c;
                self.column += 1;
            }
        }
    }
}

fn blank((rows, columns): (u16, u16)) -> Vec<Vec<char>> {
    vec![vec![' '; columns.into()]; rows.into()]
}
