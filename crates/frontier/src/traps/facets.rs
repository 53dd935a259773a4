//! Does a query ask for something new, or only combine what was asked for before?

use super::FACETS_PER_VALUE;
use super::slots::{digest, slot};
use crate::normal::Address;
use lycosa_model::{PatternCount, Trap};

/// Registers of the estimate of different values. Its error is about a fifth, which is little beside
/// [`FACETS_PER_VALUE`].
const REGISTERS: usize = 32;

/// Counts an address with two parameters or more at its path, unless the path has had `most` and more
/// than its different values explain. (Each address with one parameter is a new value by itself.)
pub(super) fn count(
    slots: &mut Vec<PatternCount>,
    address: &Address,
    most: u32,
) -> Result<(), Trap> {
    let Some(query) = address.query().filter(|query| query.contains('&')) else {
        return Ok(());
    };
    let Some(slot) = slot(slots, digest(address.path())) else {
        return Ok(());
    };
    slot.values.resize(REGISTERS, 0);
    // Also when it is refused: what is new in it explains later ones.
    note(&mut slot.values, query);
    let explained = FACETS_PER_VALUE.saturating_mul(estimate(&slot.values));
    if slot.count >= most.saturating_add(explained) {
        return Err(Trap::Facets);
    }
    slot.count = slot.count.saturating_add(1);
    Ok(())
}

/// Enters each parameter, name and value, into the registers (HyperLogLog).
fn note(registers: &mut [u8], query: &str) {
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let digest = digest(parameter);
        let rank = (digest >> 5).trailing_zeros().min(58) as u8 + 1;
        if let Some(register) = registers.get_mut(digest as usize % REGISTERS) {
            *register = (*register).max(rank);
        }
    }
}

/// How many different parameters were entered, roughly (Flajolet and others, 2007).
fn estimate(registers: &[u8]) -> u32 {
    let size = registers.len() as f64;
    let sum: f64 = registers.iter().map(|rank| 0.5_f64.powi(i32::from(*rank))).sum();
    let raw = 0.697 * size * size / sum;
    let empty = registers.iter().filter(|rank| **rank == 0).count();
    if raw <= 2.5 * size && empty > 0 {
        return (size * (size / empty as f64).ln()).round() as u32;
    }
    raw.round() as u32
}
