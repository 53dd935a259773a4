//! In which words do parent and child speak?
//!
//! A message is a length (u32, little-endian), a kind (one byte) and a payload. The child asks, the parent answers;
//! there is never more than one question open. What is emitted is no question: it travels with the next one, and what
//! is left comes with every answer, so that a page costs both sides one turn. Both sides treat the other's numbers as
//! hostile: the parent because the child runs foreign code, the child out of habit.

use std::io::{self, Read, Write};

/// The longest payload either way: the input of a module, with both its lists and its state.
pub const MAX_MESSAGE: usize = 44 << 20;

/// First bytes of what is emitted.
pub const RECORD: u8 = 1;
/// State of a suspended crawllet, once.
pub const STATE: u8 = 2;

/// Bytes of a state with the one in front.
pub const MAX_STATE: usize = (4 << 20) + 1;

/// Bytes that are reserved for a message before it arrives.
const RESERVED: usize = 64 << 10;

/// What parent and child say to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Parent: the numbers of the job.
    Terms(Numbers),
    /// Parent: the module.
    Module(Vec<u8>),
    /// Parent: the same module as we compiled it before; it comes first.
    Compiled(Vec<u8>),
    /// Parent: the input of `clp_init`.
    Init(Vec<u8>),
    /// Child: locks are on; see [`Locks`].
    Locked(Locks),
    /// Child: the module is instantiated; whether it is the one that was compiled before.
    Ready(bool),
    /// Child: the module wants a page. Fuel left, and the argument.
    Fetch(u64, Vec<u8>),
    /// Child: the module has a record or its state, which is not answered. Fuel left, and the bytes.
    Emit(u64, Vec<u8>),
    /// Child: the module asks what is left before anything else was answered. Fuel left.
    Budget(u64),
    /// Child: a line of the module for the log.
    Log(Vec<u8>),
    /// Child: `clp_run` came back with this value. Fuel left.
    Finished(u64, i32),
    /// Child: the run is over, otherwise.
    Failed(u64, Failure, String),
    /// Parent: the answer to `Fetch`: a page.
    Page(Left, Vec<u8>, Vec<u8>),
    /// Parent: the answer to a `Fetch` that brought no page.
    Status(Left, i32),
    /// Parent: the answer to `Budget`.
    Left(Left),
}

/// What is left of the grant besides fuel, of which the child knows more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Left {
    /// Pages.
    pub pages: u64,
    /// Bytes of output.
    pub out: u64,
    /// Milliseconds.
    pub ms: u64,
}

impl Left {
    fn bytes(&self) -> Vec<u8> {
        [self.pages, self.out, self.ms].iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    fn take(rest: &mut &[u8]) -> Option<Left> {
        Some(Left { pages: number(rest)?, out: number(rest)?, ms: number(rest)? })
    }
}

/// The numbers of a job, as the child needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    /// Fuel of the run.
    pub fuel: u64,
    /// Bytes of linear memory at most.
    pub memory: u64,
    /// Milliseconds of the clock.
    pub wall_ms: u64,
    /// Milliseconds of the processor for the run itself.
    pub cpu_ms: u64,
    /// Bytes of the longest record or state.
    pub max_emit: u64,
}

/// Which locks the kernel granted besides limits, which are always on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Locks {
    /// Landlock: no file can be opened.
    pub landlock: bool,
    /// seccomp: only the listed system calls.
    pub seccomp: bool,
}

/// Why a run ended without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The module is not acceptable: it was never run.
    Module,
    /// It trapped.
    Trap,
    /// Its fuel is used up.
    Fuel,
    /// Its time is over.
    Time,
    /// It needs more memory than granted.
    Memory,
}

impl Message {
    /// Writes the message; the caller flushes.
    ///
    /// # Errors
    /// If the other side is gone.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let (kind, head, parts): (u8, Vec<u8>, [&[u8]; 2]) = match self {
            Message::Terms(n) => {
                let all = [n.fuel, n.memory, n.wall_ms, n.cpu_ms, n.max_emit];
                (1, all.iter().flat_map(|n| n.to_le_bytes()).collect(), [&[], &[]])
            }
            Message::Module(bytes) => (2, vec![], [bytes, &[]]),
            Message::Init(bytes) => (3, vec![], [bytes, &[]]),
            Message::Compiled(bytes) => (15, vec![], [bytes, &[]]),
            Message::Locked(locks) => {
                (4, vec![u8::from(locks.landlock), u8::from(locks.seccomp)], [&[], &[]])
            }
            Message::Ready(kept) => (5, vec![u8::from(*kept)], [&[], &[]]),
            Message::Fetch(fuel, bytes) => (6, fuel.to_le_bytes().to_vec(), [bytes, &[]]),
            Message::Emit(fuel, bytes) => (7, fuel.to_le_bytes().to_vec(), [bytes, &[]]),
            Message::Budget(fuel) => (8, fuel.to_le_bytes().to_vec(), [&[], &[]]),
            Message::Log(bytes) => (9, vec![], [bytes, &[]]),
            Message::Finished(fuel, value) => {
                let mut head = fuel.to_le_bytes().to_vec();
                head.extend(value.to_le_bytes());
                (10, head, [&[], &[]])
            }
            Message::Failed(fuel, failure, text) => {
                let mut head = fuel.to_le_bytes().to_vec();
                head.push(failure.code());
                (11, head, [text.as_bytes(), &[]])
            }
            Message::Page(left, meta, body) => {
                let length = u32::try_from(meta.len()).map_err(|_| too_long())?;
                let mut head = left.bytes();
                head.extend(length.to_le_bytes());
                (12, head, [meta, body])
            }
            Message::Status(left, value) => {
                let mut head = left.bytes();
                head.extend(value.to_le_bytes());
                (13, head, [&[], &[]])
            }
            Message::Left(left) => (14, left.bytes(), [&[], &[]]),
        };
        let length = head.len() + parts[0].len() + parts[1].len();
        if length > MAX_MESSAGE {
            return Err(too_long());
        }
        let length = u32::try_from(length).map_err(|_| too_long())?;
        to.write_all(&length.to_le_bytes())?;
        to.write_all(&[kind])?;
        to.write_all(&head)?;
        to.write_all(parts[0])?;
        to.write_all(parts[1])
    }

    /// Reads one message; none at the end of the stream.
    ///
    /// # Errors
    /// If the stream breaks, or what comes is no message.
    pub fn read(from: &mut dyn Read) -> io::Result<Option<Message>> {
        let mut start = [0; 5];
        match from.read_exact(&mut start) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let [a, b, c, d, kind] = start;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if length > MAX_MESSAGE {
            return Err(too_long());
        }
        // Grows with what arrives: a length alone reserves little.
        let mut payload = Vec::with_capacity(length.min(RESERVED));
        from.take(length as u64).read_to_end(&mut payload)?;
        if payload.len() < length {
            return Ok(None);
        }
        Message::decode(kind, payload)
            .map(Some)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no message of the sandbox"))
    }

    fn decode(kind: u8, payload: Vec<u8>) -> Option<Message> {
        let mut rest = payload.as_slice();
        Some(match kind {
            1 => Message::Terms(Numbers {
                fuel: number(&mut rest)?,
                memory: number(&mut rest)?,
                wall_ms: number(&mut rest)?,
                cpu_ms: number(&mut rest)?,
                max_emit: number(&mut rest)?,
            }),
            2 => Message::Module(payload),
            3 => Message::Init(payload),
            4 => match rest {
                [landlock, seccomp] => {
                    Message::Locked(Locks { landlock: *landlock == 1, seccomp: *seccomp == 1 })
                }
                _ => return None,
            },
            5 => Message::Ready(u8::from_le_bytes(take(&mut rest)?) == 1),
            6 => Message::Fetch(number(&mut rest)?, rest.to_vec()),
            7 => Message::Emit(number(&mut rest)?, rest.to_vec()),
            8 => Message::Budget(number(&mut rest)?),
            9 => Message::Log(payload),
            10 => Message::Finished(number(&mut rest)?, i32::from_le_bytes(take(&mut rest)?)),
            11 => {
                let fuel = number(&mut rest)?;
                let failure = Failure::of(u8::from_le_bytes(take(&mut rest)?))?;
                Message::Failed(fuel, failure, String::from_utf8_lossy(rest).into_owned())
            }
            12 => {
                let left = Left::take(&mut rest)?;
                let length = u32::from_le_bytes(take(&mut rest)?) as usize;
                let (meta, body) = rest.split_at_checked(length)?;
                Message::Page(left, meta.to_vec(), body.to_vec())
            }
            13 => Message::Status(Left::take(&mut rest)?, i32::from_le_bytes(take(&mut rest)?)),
            15 => Message::Compiled(payload),
            14 => Message::Left(Left::take(&mut rest)?),
            _ => return None,
        })
    }
}

impl Failure {
    fn code(self) -> u8 {
        match self {
            Failure::Module => 1,
            Failure::Trap => 2,
            Failure::Fuel => 3,
            Failure::Time => 4,
            Failure::Memory => 5,
        }
    }

    fn of(code: u8) -> Option<Failure> {
        let all = [Failure::Module, Failure::Trap, Failure::Fuel, Failure::Time, Failure::Memory];
        all.into_iter().find(|failure| failure.code() == code)
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(*head)
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    take(rest).map(u64::from_le_bytes)
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message of the sandbox is too long")
}

#[cfg(test)]
mod tests;
