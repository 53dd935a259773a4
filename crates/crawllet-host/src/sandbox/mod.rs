//! How is foreign code run so that it can harm nobody?
//!
//! In a process of its own, which has nothing: no files, no network, no environment, no keys, little memory and
//! little time. It checks the module, compiles it and calls it; whatever the module asks of the world goes as a
//! message through the one pipe pair to the parent, who decides. The parent's end is [`Sandbox`], the child's
//! is [`child::main`].

pub mod child;
pub mod compiled;
mod confine;
mod guest;
mod parent;
pub mod pipe;
pub mod validate;

pub use parent::{Fate, Killer, Sandbox, Terms};

/// The longest time of the processor that checking and compiling a module may take, in seconds.
pub const COMPILE_CPU_S: u64 = 5;

/// Address space of the child besides the module's own memory: the program itself, the compiler's work, the
/// compiled code.
pub const BASE_ADDRESS_SPACE: u64 = 384 << 20;

/// Open files of the child: its three standard streams, and what the compiler may want.
pub const MAX_OPEN_FILES: u64 = 16;
