//! How is a module compiled and called, and what do its imports do?
//!
//! wasmtime without WASI. Fuel bounds the work and makes it repeatable, the epoch bounds the time; memory, stack
//! and tables have limits. The six imports are messages to the parent; bodies are handed over whole and read
//! from here, so that `read` and `meta` cost no message.

use super::compiled;
use super::pipe::{Failure, Left, MAX_STATE, Message, Numbers, RECORD, STATE};
use super::validate::{IMPORTS_FROM, MAX_TABLE_ELEMENTS, MAX_TABLES};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};
use wasmtime::{
    Caller, Config, Engine, Extern, Linker, Memory, Module, Store, StoreLimits, StoreLimitsBuilder,
    Strategy, Trap, WasmFeatures,
};

/// Stack of the module.
const MAX_STACK: usize = 512 << 10;

/// Inaccessible memory behind the module's own.
const GUARD: u64 = 64 << 10;

/// The clock by which modules are interrupted.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// Lines for the log, all together. The parent has the same limit; this one saves the messages.
const MAX_LOG: usize = 8 << 10;

/// The longest argument of `fetch`: a path, and the mark of a version.
const MAX_FETCH_ARGUMENT: usize = 16 << 10;

/// Answers to the module, besides a handle or a length.
const UNKNOWN_HANDLE: i32 = -3;
const TOO_LARGE: i32 = -4;
const BAD_ARGUMENT: i32 = -7;

/// A module that was sent is compiled anew for every job. The baseline compiler takes 24 ms for a guest where the
/// optimising one takes 280, more than most jobs run; and its work grows with the code and not faster. It knows one
/// kind of machine so far.
const FOR_ONE_JOB: Strategy =
    if cfg!(target_arch = "x86_64") { Strategy::Winch } else { Strategy::Cranelift };

/// Modules that are built in are compiled once, and run three times as fast.
const FOR_MANY_JOBS: Strategy = Strategy::Cranelift;

/// What is run.
pub(super) struct Code {
    pub(super) module: Vec<u8>,
    /// The same, compiled before.
    pub(super) compiled: Option<Vec<u8>>,
    pub(super) init: Vec<u8>,
}

/// What the module's imports work on.
struct Desk {
    from: Box<dyn Read>,
    to: Box<dyn Write>,
    limits: StoreLimits,
    /// The page that was fetched last: number, description, body, how much of it was read.
    page: Option<(i32, Vec<u8>, Vec<u8>, usize)>,
    handles: i32,
    logged: usize,
    max_emit: usize,
    /// Whether the state was emitted.
    has_state: bool,
    /// What was left at the last answer, and when that was; what was emitted since is taken off.
    left: Option<(Left, Instant)>,
    /// Set when the pipe broke: the parent is gone, or spoke nonsense.
    lost: bool,
}

/// How a run ended.
pub(super) type Outcome = Result<(u64, i32), (u64, Failure, String)>;

/// The compiler and its settings. Made before anything foreign is read.
pub(super) fn engine(memory: u64, for_many_jobs: bool) -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(MAX_STACK)
        // The whole grant, and no more: the default reserves gigabytes, which small hosts forbid, and a memory
        // that must move needs twice its size.
        .memory_reservation(memory)
        .memory_may_move(false)
        .memory_reservation_for_growth(0)
        .memory_guard_size(GUARD)
        // A shared image pays from the second instance on; there is one, and the child may write no file.
        .memory_init_cow(false)
        .strategy(if for_many_jobs { FOR_MANY_JOBS } else { FOR_ONE_JOB })
        .wasm_backtrace_max_frames(None)
        .wasm_tail_call(false)
        .wasm_simd(false)
        .wasm_relaxed_simd(false)
        .wasm_multi_memory(false)
        .wasm_memory64(false)
        .wasm_extended_const(false)
        .wasm_features(WasmFeatures::THREADS | WasmFeatures::EXCEPTIONS, false);
    Engine::new(&config)
}

/// Compiles, instantiates, initialises and runs. `ready` is told when there is machine code.
pub(super) fn run(
    engine: &Engine,
    code: &Code,
    numbers: Numbers,
    pipes: (Box<dyn Read>, Box<dyn Write>),
    ready: impl FnOnce(),
) -> (Box<dyn Write>, Outcome) {
    let limits = StoreLimitsBuilder::new()
        .memory_size(usize::try_from(numbers.memory).unwrap_or(usize::MAX))
        .table_elements(usize::try_from(MAX_TABLE_ELEMENTS).unwrap_or(usize::MAX))
        .instances(1)
        .memories(1)
        .tables(MAX_TABLES as usize)
        .trap_on_grow_failure(false)
        .build();
    let max_emit = usize::try_from(numbers.max_emit).unwrap_or(usize::MAX);
    let desk = Desk {
        from: pipes.0,
        to: pipes.1,
        limits,
        page: None,
        handles: 0,
        logged: 0,
        max_emit,
        has_state: false,
        left: None,
        lost: false,
    };
    let mut store = Store::new(engine, desk);
    store.limiter(|desk| &mut desk.limits);
    let outcome = call(engine, &mut store, code, numbers, ready);
    let left = store.get_fuel().unwrap_or(0);
    let lost = store.data().lost;
    let outcome = match outcome {
        Ok(value) => Ok((left, value)),
        Err(_) if lost => Err((left, Failure::Trap, "the parent is gone".to_owned())),
        Err((failure, text)) => Err((left, failure, text)),
    };
    (store.into_data().to, outcome)
}

fn call(
    engine: &Engine,
    store: &mut Store<Desk>,
    code: &Code,
    numbers: Numbers,
    ready: impl FnOnce(),
) -> Result<i32, (Failure, String)> {
    let kept = code.compiled.as_deref().and_then(|bytes| compiled::load(engine, bytes));
    let is_kept = kept.is_some();
    let module = kept.map_or_else(|| Module::new(engine, &code.module), Ok);
    let module = module.map_err(|error| refused(&error))?;
    ready();
    let mut linker = Linker::new(engine);
    imports(&mut linker).map_err(|error| refused(&error))?;
    let ticks = Duration::from_millis(numbers.wall_ms).as_millis() / TICK.as_millis() + 1;
    store.set_epoch_deadline(u64::try_from(ticks).unwrap_or(u64::MAX / 2));
    store.set_fuel(numbers.fuel).map_err(|error| refused(&error))?;
    let instance = linker.instantiate(&mut *store, &module).map_err(|error| {
        // The one thing left that can fail here is a memory that begins larger than granted.
        (Failure::Memory, format!("the module does not start: {error:#}"))
    })?;
    say(store.data_mut(), &Message::Ready(is_kept)).map_err(|_| gone())?;
    let init = code.init.as_slice();

    let abi = instance.get_typed_func::<(), i32>(&mut *store, "clp_abi");
    let abi = abi.and_then(|f| f.call(&mut *store, ())).map_err(|error| stopped(&error))?;
    if abi != 1 {
        return Err((Failure::Module, format!("the module speaks version {abi}, we speak 1")));
    }
    let length = i32::try_from(init.len())
        .map_err(|_| (Failure::Memory, "the input is too long for a module".to_owned()))?;
    let alloc = instance.get_typed_func::<i32, i32>(&mut *store, "clp_alloc");
    let at = alloc.and_then(|f| f.call(&mut *store, length)).map_err(|error| stopped(&error))?;
    let memory = instance
        .get_memory(&mut *store, "memory")
        .ok_or_else(|| (Failure::Module, "the module has no memory".to_owned()))?;
    let at = usize::try_from(at.cast_unsigned()).unwrap_or(usize::MAX);
    memory
        .write(&mut *store, at, init)
        .map_err(|_| (Failure::Memory, "the module has no room for its input".to_owned()))?;
    let start = instance.get_typed_func::<(i32, i32), i32>(&mut *store, "clp_init");
    let at = i32::from_le_bytes(u32::try_from(at).unwrap_or_default().to_le_bytes());
    let value =
        start.and_then(|f| f.call(&mut *store, (at, length))).map_err(|error| stopped(&error))?;
    if value != 0 {
        return Err((Failure::Trap, format!("clp_init refused its input with {value}")));
    }
    let run = instance.get_typed_func::<(), i32>(&mut *store, "clp_run");
    run.and_then(|f| f.call(&mut *store, ())).map_err(|error| stopped(&error))
}

fn refused(error: &wasmtime::Error) -> (Failure, String) {
    (Failure::Module, format!("the module cannot be compiled: {error:#}"))
}

fn stopped(error: &wasmtime::Error) -> (Failure, String) {
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => (Failure::Fuel, "all fuel is used".to_owned()),
        Some(Trap::Interrupt) => (Failure::Time, "the time is over".to_owned()),
        Some(trap) => (Failure::Trap, trap.to_string()),
        None => (Failure::Trap, format!("{error:#}")),
    }
}

fn gone() -> (Failure, String) {
    (Failure::Trap, "the parent is gone".to_owned())
}

fn say(desk: &mut Desk, message: &Message) -> io::Result<()> {
    message.write(&mut desk.to)?;
    desk.to.flush()
}

/// Asks the parent and waits for its answer. A broken pipe ends the module.
fn ask(caller: &mut Caller<'_, Desk>, question: &Message) -> wasmtime::Result<Message> {
    let desk = caller.data_mut();
    let answer = say(desk, question).and_then(|()| Message::read(&mut desk.from));
    let Ok(Some(answer)) = answer else { return Err(lost(desk)) };
    if let Message::Page(left, ..) | Message::Status(left, _) | Message::Left(left) = &answer {
        desk.left = Some((*left, Instant::now()));
    }
    Ok(answer)
}

/// The parent is gone, and so the module ends.
fn lost(desk: &mut Desk) -> wasmtime::Error {
    desk.lost = true;
    wasmtime::Error::msg("the parent is gone")
}

fn unexpected(caller: &mut Caller<'_, Desk>) -> wasmtime::Error {
    caller.data_mut().lost = true;
    wasmtime::Error::msg("the parent spoke out of turn")
}

fn memory(caller: &mut Caller<'_, Desk>) -> wasmtime::Result<Memory> {
    match caller.get_export("memory") {
        Some(Extern::Memory(memory)) => Ok(memory),
        _ => Err(wasmtime::Error::msg("the module has no memory")),
    }
}

/// Bytes of the module's memory; none where it has no such bytes.
fn bytes(caller: &mut Caller<'_, Desk>, at: i32, length: i32) -> wasmtime::Result<Option<Vec<u8>>> {
    let memory = memory(caller)?;
    let at = at.cast_unsigned() as usize;
    let end = at.saturating_add(length.cast_unsigned() as usize);
    Ok(memory.data(&*caller).get(at..end).map(<[u8]>::to_vec))
}

/// Fuel is asked for at the moment of the message.
fn fuel(caller: &Caller<'_, Desk>) -> u64 {
    caller.get_fuel().unwrap_or(0)
}

fn imports(linker: &mut Linker<Desk>) -> wasmtime::Result<()> {
    linker.func_wrap(IMPORTS_FROM, "fetch", fetch)?;
    linker.func_wrap(IMPORTS_FROM, "read", read)?;
    linker.func_wrap(IMPORTS_FROM, "meta", meta)?;
    linker.func_wrap(IMPORTS_FROM, "emit", emit)?;
    linker.func_wrap(IMPORTS_FROM, "budget", budget)?;
    linker.func_wrap(IMPORTS_FROM, "log", log)?;
    Ok(())
}

fn fetch(mut caller: Caller<'_, Desk>, at: i32, length: i32) -> wasmtime::Result<i32> {
    caller.data_mut().page = None;
    if length.cast_unsigned() as usize > MAX_FETCH_ARGUMENT {
        return Ok(TOO_LARGE);
    }
    let Some(argument) = bytes(&mut caller, at, length)? else { return Ok(BAD_ARGUMENT) };
    let question = Message::Fetch(fuel(&caller), argument);
    match ask(&mut caller, &question)? {
        Message::Status(_, value) if value < 0 => Ok(value),
        Message::Page(_, meta, body) => {
            let desk = caller.data_mut();
            // Handles are never used twice; after two thousand million pages it may well end.
            desk.handles = desk
                .handles
                .checked_add(1)
                .ok_or_else(|| wasmtime::Error::msg("too many pages"))?;
            desk.page = Some((desk.handles, meta, body, 0));
            Ok(desk.handles)
        }
        _ => Err(unexpected(&mut caller)),
    }
}

fn read(mut caller: Caller<'_, Desk>, handle: i32, at: i32, cap: i32) -> wasmtime::Result<i32> {
    let memory = memory(&mut caller)?;
    let (data, desk) = memory.data_and_store_mut(&mut caller);
    let Some((number, _, body, done)) = &mut desk.page else { return Ok(UNKNOWN_HANDLE) };
    if *number != handle {
        return Ok(UNKNOWN_HANDLE);
    }
    let rest = body.get(*done..).unwrap_or_default();
    let take = rest.len().min(cap.cast_unsigned() as usize);
    let at = at.cast_unsigned() as usize;
    let room = data.get_mut(at..at.saturating_add(take));
    let (Some(room), Some(rest)) = (room, rest.get(..take)) else { return Ok(BAD_ARGUMENT) };
    room.copy_from_slice(rest);
    *done += take;
    Ok(i32::try_from(take).unwrap_or(BAD_ARGUMENT))
}

fn meta(mut caller: Caller<'_, Desk>, handle: i32, at: i32, cap: i32) -> wasmtime::Result<i32> {
    let memory = memory(&mut caller)?;
    let (data, desk) = memory.data_and_store_mut(&mut caller);
    let Some((_, meta, ..)) = desk.page.as_ref().filter(|(number, ..)| *number == handle) else {
        return Ok(UNKNOWN_HANDLE);
    };
    if meta.len() <= cap.cast_unsigned() as usize {
        let at = at.cast_unsigned() as usize;
        let Some(room) = data.get_mut(at..at.saturating_add(meta.len())) else {
            return Ok(BAD_ARGUMENT);
        };
        room.copy_from_slice(meta);
    }
    Ok(i32::try_from(meta.len()).unwrap_or(BAD_ARGUMENT))
}

/// What is emitted travels with the next question: nobody waits for it here.
fn emit(mut caller: Caller<'_, Desk>, at: i32, length: i32) -> wasmtime::Result<i32> {
    let length_u = length.cast_unsigned() as usize;
    if length_u > caller.data().max_emit {
        return Ok(TOO_LARGE);
    }
    let Some(bytes) = bytes(&mut caller, at, length)? else { return Ok(BAD_ARGUMENT) };
    let fuel = fuel(&caller);
    let desk = caller.data_mut();
    match bytes.first() {
        Some(&RECORD) => {}
        Some(&STATE) if length_u > MAX_STATE => return Ok(TOO_LARGE),
        Some(&STATE) if !desk.has_state => desk.has_state = true,
        _ => return Ok(BAD_ARGUMENT),
    }
    if let Some((left, _)) = &mut desk.left {
        left.out = left.out.saturating_sub(length_u as u64);
    }
    let written = Message::Emit(fuel, bytes).write(&mut desk.to);
    written.map(|()| 0).map_err(|_| lost(desk))
}

fn budget(mut caller: Caller<'_, Desk>, at: i32) -> wasmtime::Result<i32> {
    let fuel = fuel(&caller);
    if caller.data().left.is_none() {
        let Message::Left(_) = ask(&mut caller, &Message::Budget(fuel))? else {
            return Err(unexpected(&mut caller));
        };
    }
    let (left, then) = caller.data().left.unwrap_or((Left::default(), Instant::now()));
    let passed = u64::try_from(then.elapsed().as_millis()).unwrap_or(u64::MAX);
    let all = [left.pages, left.out, fuel, left.ms.saturating_sub(passed)];
    let numbers: Vec<u8> = all.iter().flat_map(|n| n.to_le_bytes()).collect();
    let memory = memory(&mut caller)?;
    let at = at.cast_unsigned() as usize;
    match memory.write(&mut caller, at, &numbers) {
        Ok(()) => Ok(0),
        Err(_) => Ok(BAD_ARGUMENT),
    }
}

fn log(mut caller: Caller<'_, Desk>, at: i32, length: i32) -> wasmtime::Result<()> {
    let room = MAX_LOG.saturating_sub(caller.data().logged);
    let length = length.cast_unsigned().min(u32::try_from(room).unwrap_or(u32::MAX));
    if length == 0 {
        return Ok(());
    }
    let Some(line) = bytes(&mut caller, at, length.cast_signed())? else { return Ok(()) };
    let desk = caller.data_mut();
    desk.logged += line.len();
    say(desk, &Message::Log(line)).map_err(|_| lost(desk))
}

/// Lets the epoch go on. Its thread ends with the process; it is under way when this returns, since beginning
/// needs system calls that are forbidden afterwards.
pub(super) fn tick(engine: &Engine) -> io::Result<()> {
    let engine = engine.weak();
    let started = Instant::now();
    let (begun, wait) = std::sync::mpsc::channel();
    let ticking = move || {
        let mut ticks = 0;
        if begun.send(()).is_err() {
            return;
        }
        loop {
            std::thread::sleep(TICK);
            // By the clock, so that a stopped machine does not lengthen the time.
            let due = started.elapsed().as_millis() / TICK.as_millis();
            let Some(engine) = engine.upgrade() else { return };
            while ticks < due {
                engine.increment_epoch();
                ticks += 1;
            }
        }
    };
    std::thread::Builder::new().stack_size(64 << 10).spawn(ticking)?;
    wait.recv().map_err(io::Error::other)
}
