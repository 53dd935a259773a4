//! How are the six imports called, and what does a module export?
//!
//! The only module with unsafe code. It exists in WebAssembly alone; a guest adds its own `clp_run`
//! to the exports here.

use crate::host::{Budget, Host, Refusal};
use crate::job::Job;
use crate::{crawl, Crawllet, ABI};
use std::sync::Mutex;

mod imports {
    #[link(wasm_import_module = "clp1")]
    extern "C" {
        pub(super) fn fetch(ptr: *const u8, len: usize) -> i32;
        pub(super) fn read(handle: i32, ptr: *mut u8, cap: usize) -> i32;
        pub(super) fn meta(handle: i32, ptr: *mut u8, cap: usize) -> i32;
        pub(super) fn emit(ptr: *const u8, len: usize) -> i32;
        pub(super) fn budget(ptr: *mut u8) -> i32;
        pub(super) fn log(ptr: *const u8, len: usize);
    }
}

/// Most that is read into one buffer, and most that the engine may hand to `clp_alloc`.
const MAX_ALLOC: usize = 64 << 20;
/// Most that the host may tell of one answer.
const MAX_META: usize = 256 << 10;
/// What nearly every answer's headers fit into.
const USUAL_META: usize = 4 << 10;

/// The mark by which an engine finds where its key goes, and room for the key.
const MARK: usize = 17;
#[used]
static KEY_SLOT: [u8; MARK + 32] =
    *b"CLP1-MAC-KEY-SLOT\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

static JOB: Mutex<Option<Job>> = Mutex::new(None);

/// The host behind the imports.
struct Clp1;

fn count(answer: i32) -> Result<usize, Refusal> {
    usize::try_from(answer).map_err(|_| Refusal::of(answer))
}

impl Host for Clp1 {
    fn fetch(&mut self, request: &[u8]) -> Result<i32, Refusal> {
        // SAFETY: the host reads `len` bytes at `ptr`, which the slice has.
        let handle = unsafe { imports::fetch(request.as_ptr(), request.len()) };
        count(handle).map(|_| handle)
    }

    fn read(&mut self, handle: i32, into: &mut [u8]) -> Result<usize, Refusal> {
        // SAFETY: the host writes at most `cap` bytes at `ptr`, which the slice has.
        let read = unsafe { imports::read(handle, into.as_mut_ptr(), into.len()) };
        count(read).map(|read| read.min(into.len()))
    }

    fn meta(&mut self, handle: i32) -> Result<Vec<u8>, Refusal> {
        let mut out = vec![0; USUAL_META];
        loop {
            // SAFETY: as for `read`.
            let length = count(unsafe { imports::meta(handle, out.as_mut_ptr(), out.len()) })?;
            if length <= out.len() {
                out.truncate(length);
                return Ok(out);
            }
            if length > MAX_META {
                return Err(Refusal::TooLarge);
            }
            out = vec![0; length];
        }
    }

    fn emit(&mut self, payload: &[u8]) -> Result<(), Refusal> {
        // SAFETY: as for `fetch`.
        count(unsafe { imports::emit(payload.as_ptr(), payload.len()) }).map(|_| ())
    }

    fn budget(&mut self) -> Result<Budget, Refusal> {
        let mut out = [0_u8; 32];
        // SAFETY: the host writes four numbers of eight bytes, for which there is room.
        count(unsafe { imports::budget(out.as_mut_ptr()) })?;
        let number = |at: usize| {
            let bytes = out[8 * at..8 * at + 8].iter();
            bytes.rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
        };
        Ok(Budget { pages: number(0), out_bytes: number(1), fuel: number(2), ms: number(3) })
    }

    fn log(&mut self, line: &str) {
        // SAFETY: as for `fetch`.
        unsafe { imports::log(line.as_ptr(), line.len()) }
    }

    fn mac_key(&self) -> [u8; 32] {
        // SAFETY: a reference to a static is valid. Volatile, because the engine writes the key into
        // the finished module: what stands here now says nothing about what will.
        let slot = unsafe { std::ptr::read_volatile(&KEY_SLOT) };
        let mut key = [0; 32];
        key.copy_from_slice(&slot[MARK..]);
        key
    }
}

/// The version of the ABI.
#[no_mangle]
extern "C" fn clp_abi() -> i32 {
    ABI
}

/// Room for `length` bytes that the host writes; 0 when there is none. It is not given back.
#[no_mangle]
extern "C" fn clp_alloc(length: usize) -> *mut u8 {
    if length > MAX_ALLOC {
        return std::ptr::null_mut();
    }
    let mut room: Vec<u8> = Vec::new();
    if room.try_reserve_exact(length.max(1)).is_err() {
        return std::ptr::null_mut();
    }
    room.resize(length.max(1), 0);
    Box::leak(room.into_boxed_slice()).as_mut_ptr()
}

/// Takes the job; 0, or why not.
#[no_mangle]
extern "C" fn clp_init(ptr: *const u8, length: usize) -> i32 {
    // SAFETY: the host passes what `clp_alloc` gave, with that length or less.
    let bytes = unsafe { std::slice::from_raw_parts(ptr, length) };
    match (Job::parse(bytes), JOB.lock()) {
        (Ok(job), Ok(mut place)) => {
            *place = Some(job);
            0
        }
        _ => Refusal::BadArgument.code(),
    }
}

/// Runs a guest on the job that `clp_init` took. A guest's `clp_run` is a call of this.
pub fn run(guest: &mut impl Crawllet) -> i32 {
    let job = JOB.lock().ok().and_then(|mut place| place.take());
    match job {
        Some(job) => crawl::crawl(&mut Clp1, &job, guest).code(),
        None => Refusal::BadArgument.code(),
    }
}
