//! What does the child do, from its first line to its last?

use super::pipe::{Failure, Message};
use super::{confine, guest, validate};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ExitCode;

/// The hidden command by which the program starts itself as a child.
pub const COMMAND: &str = "sandbox-child";

/// The largest memory that a site can grant at all.
pub const MAX_MEMORY: u64 = 1 << 30;

/// The argument by which the child knows that its module may have been compiled before.
pub(super) const FOR_MANY_JOBS: &str = "many";

/// Bytes that a pipe holds.
pub(super) const PIPE: usize = 64 << 10;

/// Runs the child: `arguments` are seconds of the processor, bytes of address space, bytes of the module's memory, and
/// whether the module may have been compiled before.
///
/// It speaks through standard input and output, and ends without a word if the other side makes no sense.
pub fn main(arguments: &[String]) -> ExitCode {
    match work(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(2),
    }
}

fn work(arguments: &[String]) -> io::Result<()> {
    let nonsense = || io::Error::new(io::ErrorKind::InvalidInput, "not to be called by hand");
    let [cpu_s, address_space, memory, for_many_jobs] = arguments else { return Err(nonsense()) };
    let number = |text: &str| text.parse::<u64>().map_err(|_| nonsense());
    let memory = number(memory)?.min(MAX_MEMORY);
    // The pipes themselves: the standard streams look for lines. They are never closed, since what is closed is looked
    // at first, by a call that is forbidden then.
    let own = |stream: BorrowedFd<'_>| stream.try_clone_to_owned().map(File::from);
    let from = Box::leak(Box::new(BufReader::with_capacity(PIPE, own(io::stdin().as_fd())?)));
    let to = Box::leak(Box::new(BufWriter::with_capacity(PIPE, own(io::stdout().as_fd())?)));
    let mut locks = confine::lock(number(cpu_s)?, number(address_space)?)?;

    // Threads and settings first; after seccomp no thread can be started.
    let engine = guest::engine(memory, for_many_jobs == FOR_MANY_JOBS).map_err(io::Error::other)?;
    guest::tick(&engine)?;
    // Asked for once and remembered; the system call for it is forbidden afterwards.
    rustix::param::page_size();
    locks.seccomp = confine::seccomp();

    Message::Locked(locks).write(to)?;
    to.flush()?;
    let mut hear = || Message::read(from);
    let Some(Message::Terms(numbers)) = hear()? else { return Err(nonsense()) };
    let (compiled, module) = match hear()? {
        Some(Message::Compiled(compiled)) => (Some(compiled), hear()?),
        module => (None, module),
    };
    let (Some(Message::Module(module)), Some(Message::Init(init))) = (module, hear()?) else {
        return Err(nonsense());
    };
    if let Err(text) = validate::validate(&module, super::pipe::MAX_MESSAGE) {
        Message::Failed(numbers.fuel, Failure::Module, text).write(to)?;
        return to.flush();
    }
    let code = guest::Code { module, compiled, init };
    let ready = || {
        // If this fails the first limit stays, which is lower.
        let _ = confine::limit_run(used_ms(), numbers.cpu_ms);
    };
    let pipes: (Box<dyn io::Read>, Box<dyn Write>) = (Box::new(from), Box::new(to));
    let (mut to, outcome) = guest::run(&engine, &code, numbers, pipes, ready);
    let last = match outcome {
        Ok((fuel, value)) => Message::Finished(fuel, value),
        Err((fuel, failure, text)) => Message::Failed(fuel, failure, text),
    };
    last.write(&mut to)?;
    to.flush()?;
    // No destructors: they would only give time to what is over.
    std::process::exit(0)
}

/// Milliseconds of the processor that this process has used.
fn used_ms() -> u64 {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let ms = used.tv_sec.saturating_mul(1000) + used.tv_nsec / 1_000_000;
    u64::try_from(ms).unwrap_or(0)
}
