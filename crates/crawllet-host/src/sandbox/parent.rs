//! How does the parent start a child, and learn what became of it?

use super::BASE_ADDRESS_SPACE;
use super::child::{COMMAND, FOR_MANY_JOBS, MAX_MEMORY, PIPE};
use super::compiled::Compiled;
use super::pipe::{Message, Numbers};
use std::io::{self, BufReader, BufWriter, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

/// What a run may use.
pub type Terms = Numbers;

/// A running child. It is killed when this goes away.
pub struct Sandbox {
    child: Killer,
    from: BufReader<ChildStdout>,
    to: BufWriter<ChildStdin>,
}

/// The right to end the child, for those who watch the clock.
#[derive(Clone)]
pub struct Killer(Arc<Mutex<Child>>);

/// What the kernel tells about a child that spoke no last word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It used up the processor's time.
    Cpu,
    /// It could get no more memory.
    Memory,
    /// It made a system call that is not allowed.
    Forbidden,
    /// It was ended by us, or by somebody else.
    Killed,
    /// It ended in some other way.
    Other,
}

impl Sandbox {
    /// Starts `program` as a child and hands it the job: the module, as it was compiled before if it was, and what it
    /// is called with.
    ///
    /// # Errors
    /// If it does not start, or does not take the job.
    pub fn start(
        program: &Path,
        terms: Terms,
        module: Vec<u8>,
        compiled: Option<Compiled>,
        init: Vec<u8>,
    ) -> io::Result<Sandbox> {
        // Compiled code expects the room that it was compiled for, also where less of it may be used.
        let room = compiled.as_ref().map_or(terms.memory, |compiled| compiled.room);
        let memory = room.max(terms.memory).min(MAX_MEMORY);
        let kind = if compiled.is_some() { FOR_MANY_JOBS } else { "one" };
        let cpu_s = terms.cpu_ms.div_ceil(1000) + 1;
        let mut child = Command::new(program)
            .args([COMMAND.to_owned(), cpu_s.to_string()])
            .args([(BASE_ADDRESS_SPACE + memory).to_string(), memory.to_string()])
            .arg(kind)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Signals to our group are for us: we tell the child.
            .process_group(0)
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the sandbox has no pipes"));
        };
        let mut sandbox = Sandbox {
            child: Killer(Arc::new(Mutex::new(child))),
            from: BufReader::with_capacity(PIPE, from),
            to: BufWriter::with_capacity(PIPE, to),
        };
        sandbox.say(&Message::Terms(terms))?;
        if let Some(compiled) = compiled {
            sandbox.say(&Message::Compiled(compiled.code))?;
        }
        sandbox.say(&Message::Module(module))?;
        sandbox.say(&Message::Init(init))?;
        Ok(sandbox)
    }

    /// The next message; none when the child is gone.
    ///
    /// # Errors
    /// If it speaks nonsense.
    pub fn hear(&mut self) -> io::Result<Option<Message>> {
        Message::read(&mut self.from)
    }

    /// Tells the child something.
    ///
    /// # Errors
    /// If it is gone.
    pub fn say(&mut self, message: &Message) -> io::Result<()> {
        message.write(&mut self.to)?;
        self.to.flush()
    }

    /// For those who watch the clock.
    pub fn killer(&self) -> Killer {
        self.child.clone()
    }

    /// What became of a child whose pipe is closed. One that only closed its pipe is ended; one that is
    /// dying keeps the reason it had.
    pub fn fate(&self) -> Fate {
        self.child.kill();
        self.child.reap()
    }

    /// Milliseconds of the processor that the child has used so far.
    pub fn cpu_ms(&self) -> u64 {
        self.child.cpu_ms()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.child.kill();
        self.child.reap();
    }
}

impl Killer {
    /// Ends the child. Harmless when it is gone.
    pub fn kill(&self) {
        if let Ok(mut child) = self.0.lock() {
            // It may have ended by itself meanwhile.
            let _ = child.kill();
        }
    }

    fn reap(&self) -> Fate {
        let Ok(mut child) = self.0.lock() else { return Fate::Other };
        let Ok(status) = child.wait() else { return Fate::Other };
        match status.signal() {
            Some(libc::SIGXCPU) => Fate::Cpu,
            Some(libc::SIGABRT | libc::SIGSEGV | libc::SIGBUS) => Fate::Memory,
            Some(libc::SIGSYS) => Fate::Forbidden,
            Some(libc::SIGKILL | libc::SIGTERM) => Fate::Killed,
            _ => Fate::Other,
        }
    }

    /// From the kernel's books; a child that ended and was not waited for still has its line there.
    fn cpu_ms(&self) -> u64 {
        let Ok(child) = self.0.lock() else { return 0 };
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
        // After the name in parentheses, which may hold anything, user and system time are the 12th and 13th.
        let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let mut fields = rest.split_whitespace().skip(11);
        let ticks = |field: Option<&str>| field.and_then(|f| f.parse::<u64>().ok()).unwrap_or(0);
        let sum = ticks(fields.next()) + ticks(fields.next());
        sum * 1000 / rustix::param::clock_ticks_per_second()
    }
}
