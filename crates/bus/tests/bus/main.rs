//! Does every bus keep what the port promises? One suite for all back ends, and what only a cluster can go through.

mod chaos;
mod faults;
mod speech;
mod support;
mod work;
