//! What is taken away from the child before it sees a byte of foreign code?
//!
//! Limits first (they always work), then privileges, then what the kernel has of Landlock and seccomp. The child
//! does this to itself, since doing it between fork and exec needs unsafe code; nothing hostile has been read yet.

use super::pipe::Locks;
use super::{COMPILE_CPU_S, MAX_OPEN_FILES};
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, Signal, getpid, set_dumpable_behavior,
    set_parent_process_death_signal, setrlimit,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use std::collections::BTreeMap;
use std::io;

/// Sets the limits of processor (compiling, then all in all), address space, files and core dumps, and drops
/// what a process could gain. The child dies with its parent.
pub(super) fn limits(cpu_s: u64, address_space: u64) -> io::Result<()> {
    let exactly = |n| Rlimit { current: Some(n), maximum: Some(n) };
    setrlimit(Resource::Core, exactly(0))?;
    setrlimit(Resource::Fsize, exactly(0))?;
    setrlimit(Resource::Nofile, exactly(MAX_OPEN_FILES))?;
    setrlimit(Resource::As, exactly(address_space))?;
    let hard = COMPILE_CPU_S + cpu_s;
    setrlimit(Resource::Cpu, Rlimit { current: Some(COMPILE_CPU_S), maximum: Some(hard) })?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    rustix::thread::set_no_new_privs(true)?;
    Ok(())
}

/// The module is compiled: from now on it has `cpu_ms` of the processor, rounded up, and a second.
pub(super) fn limit_run(used_ms: u64, cpu_ms: u64) -> io::Result<()> {
    let before = rustix::process::getrlimit(Resource::Cpu);
    let soft = (used_ms + cpu_ms).div_ceil(1000) + 1;
    let soft = before.maximum.map_or(soft, |hard| soft.min(hard));
    setrlimit(Resource::Cpu, Rlimit { current: Some(soft), maximum: before.maximum })?;
    Ok(())
}

/// No file can be opened, no connection made, from now on and for all threads to come. False where the kernel
/// has no Landlock.
pub(super) fn landlock() -> bool {
    use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
    let newest = ABI::V6;
    let restricted = Ruleset::default()
        .handle_access(AccessFs::from_all(newest))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(newest)))
        .and_then(|rules| rules.scope(Scope::from_all(newest)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.restrict_self());
    restricted.is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

/// System calls that running compiled code needs, and no more. None of them opens, connects, or starts anything.
const CALLS: &[i64] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_sched_yield,
    libc::SYS_getrandom,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_membarrier,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Only the calls of [`CALLS`], in all threads; any other ends the process. False where the kernel or the
/// machine has no seccomp.
pub(super) fn seccomp() -> bool {
    let Some(program) = program() else { return false };
    seccompiler::apply_filter_all_threads(&program).is_ok()
}

fn program() -> Option<BpfProgram> {
    let arch = std::env::consts::ARCH.try_into().ok()?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        CALLS.iter().map(|call| (*call, Vec::new())).collect();
    // abort() signals its own thread; nobody else may be signalled.
    let own = u64::try_from(getpid().as_raw_nonzero().get()).ok()?;
    rules.insert(libc::SYS_tgkill, vec![first_is(own)?]);
    // The limit of the processor is set once more after compiling, on itself.
    rules.insert(libc::SYS_prlimit64, vec![first_is(0)?]);
    let filter = SeccompFilter::new(rules, SeccompAction::KillProcess, SeccompAction::Allow, arch);
    filter.ok()?.try_into().ok()
}

fn first_is(value: u64) -> Option<SeccompRule> {
    let condition =
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value).ok()?;
    SeccompRule::new(vec![condition]).ok()
}

/// All that needs no knowledge of the job, except seccomp, which comes when no more threads are needed.
pub(super) fn lock(cpu_s: u64, address_space: u64) -> io::Result<Locks> {
    limits(cpu_s, address_space)?;
    Ok(Locks { landlock: landlock(), seccomp: false })
}
