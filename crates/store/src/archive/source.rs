//! Which bytes come next, and where in the file do they stand? One stream over plain files, files of
//! gzip members and files that are one gzip member, with the places of damage told as data.

use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};

/// What an archive is read from.
pub(super) trait Input: Read + Seek + Send {}
impl<T: Read + Seek + Send> Input for T {}

/// A place from which a record can be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    /// Offset in the file: of the byte itself, or of the gzip member that it is in.
    pub(super) offset: u64,
    /// Decompressed bytes of that member before it.
    pub(super) inner: u64,
}

/// What [`Source::fill`] found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// More bytes.
    Data,
    /// More bytes, the first of a new gzip member.
    Member,
    /// The end of the file.
    End,
    /// Bytes that cannot be read begin at `offset`; reading goes on behind them.
    Damage { offset: u64, what: String },
}

const WINDOW: usize = 64 * 1024;
const MAGIC: [u8; 3] = [0x1f, 0x8b, 0x08];

/// A buffered input that knows its position.
pub(super) struct Counted {
    input: BufReader<Box<dyn Input>>,
    position: u64,
}

impl Counted {
    pub(super) fn new(input: Box<dyn Input>) -> Counted {
        Counted { input: BufReader::with_capacity(WINDOW, input), position: 0 }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn jump(&mut self, to: u64) -> io::Result<()> {
        self.position = self.input.seek(SeekFrom::Start(to))?;
        Ok(())
    }

    /// Goes to the next place that may begin a gzip member; false when there is none.
    fn find_member(&mut self) -> io::Result<bool> {
        let mut matched = 0;
        loop {
            let bytes = self.input.fill_buf()?;
            if bytes.is_empty() {
                return Ok(false);
            }
            let mut used = 0;
            for byte in bytes {
                used += 1;
                matched = match matched {
                    n if *byte == MAGIC[n] => n + 1,
                    _ if *byte == MAGIC[0] => 1,
                    _ => 0,
                };
                if matched == MAGIC.len() {
                    break;
                }
            }
            self.consume(used);
            if matched == MAGIC.len() {
                self.jump(self.position - MAGIC.len() as u64)?;
                return Ok(true);
            }
        }
    }
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(into)?;
        self.position += n as u64;
        Ok(n)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        self.input.consume(n);
        self.position += n as u64;
    }
}

enum State {
    Plain(Counted),
    Between(Counted),
    Inside(Box<GzDecoder<Counted>>),
    Ended,
}

/// See the module's question.
pub(super) struct Source {
    state: State,
    window: Vec<u8>,
    used: usize,
    filled: usize,
    /// Place of the first byte in the window.
    base: At,
    end: u64,
}

impl Source {
    /// Begins at `offset`, in the coding that is found there.
    pub(super) fn new(input: Box<dyn Input>, offset: u64) -> io::Result<Source> {
        let mut input = Counted::new(input);
        input.jump(offset)?;
        let zipped = input.fill_buf()?.first() == Some(&MAGIC[0]);
        Ok(Source {
            state: if zipped { State::Between(input) } else { State::Plain(input) },
            window: vec![0; WINDOW],
            used: 0,
            filled: 0,
            base: At { offset, inner: 0 },
            end: offset,
        })
    }

    /// The bytes at hand.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.window[self.used..self.filled]
    }

    /// Takes `n` of the bytes at hand.
    pub(super) fn consume(&mut self, n: usize) {
        self.used = (self.used + n).min(self.filled);
    }

    /// Where the first byte at hand stands; at the end of the file, where the file ends.
    pub(super) fn at(&self) -> At {
        let used = self.used as u64;
        match self.state {
            State::Ended if self.used == self.filled => At { offset: self.end, inner: 0 },
            State::Plain(_) => At { offset: self.base.offset + used, inner: 0 },
            _ => At { inner: self.base.inner + used, ..self.base },
        }
    }

    /// Gets more bytes when none are at hand. Real errors of the operating system are errors; bytes
    /// that make no sense are [`Fill::Damage`].
    pub(super) fn fill(&mut self) -> io::Result<Fill> {
        debug_assert_eq!(self.used, self.filled, "bytes at hand would be lost");
        let mut fresh = false;
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Ok(Fill::End),
                State::Plain(mut input) => {
                    self.base = At { offset: input.position(), inner: 0 };
                    let n = input.read(&mut self.window)?;
                    self.take(n);
                    if self.filled == 0 {
                        self.end = input.position();
                        return Ok(Fill::End);
                    }
                    self.state = State::Plain(input);
                    return Ok(Fill::Data);
                }
                State::Between(mut input) => {
                    let offset = input.position();
                    match input.fill_buf()?.first() {
                        None => {
                            self.end = offset;
                            return Ok(Fill::End);
                        }
                        Some(&byte) if byte == MAGIC[0] => {
                            self.base = At { offset, inner: 0 };
                            self.take(0);
                            fresh = true;
                            self.state = State::Inside(Box::new(GzDecoder::new(input)));
                        }
                        Some(_) => {
                            let what = "these bytes are no gzip member".to_owned();
                            return self.resume(input, offset, what);
                        }
                    }
                }
                State::Inside(mut decoder) => match decoder.read(&mut self.window) {
                    Ok(0) => self.state = State::Between(decoder.into_inner()),
                    Ok(n) => {
                        self.base.inner += self.filled as u64;
                        self.take(n);
                        self.state = State::Inside(decoder);
                        return Ok(if fresh { Fill::Member } else { Fill::Data });
                    }
                    Err(error) => {
                        let offset = self.base.offset;
                        let what = match error.kind() {
                            ErrorKind::UnexpectedEof => {
                                "the file ends inside this gzip member".to_owned()
                            }
                            ErrorKind::InvalidInput | ErrorKind::InvalidData => {
                                format!("this gzip member is damaged ({error})")
                            }
                            _ => return Err(error),
                        };
                        let mut input = decoder.into_inner();
                        input.jump(offset + 1)?;
                        return self.resume(input, offset, what);
                    }
                },
            }
        }
    }

    fn take(&mut self, n: usize) {
        self.used = 0;
        self.filled = n;
    }

    fn resume(&mut self, mut input: Counted, offset: u64, what: String) -> io::Result<Fill> {
        self.take(0);
        self.state = if input.find_member()? {
            State::Between(input)
        } else {
            self.end = input.position();
            State::Ended
        };
        Ok(Fill::Damage { offset, what })
    }
}
