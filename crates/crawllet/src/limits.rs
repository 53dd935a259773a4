//! How much may a crawllet use?

use crate::{Fault, cbor};
use serde::{Deserialize, Serialize};

/// What a crawllet may use at a site. Zero says nothing: no wish, or no limit of that kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Processor time.
    pub cpu_ms: u64,
    /// Instructions, in the sandbox's count; 0: the host derives it from `cpu_ms`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fuel: u64,
    /// Memory of the crawllet.
    pub mem_mib: u32,
    /// Bytes that come back.
    pub out_mib: u32,
    /// Pages that are fetched.
    pub pages: u32,
    /// Time by the clock.
    pub wall_s: u32,
    /// Size of the module.
    pub module_kib: u32,
}

fn is_zero(fuel: &u64) -> bool {
    *fuel == 0
}

impl Limits {
    /// The smaller of each; a zero has no say.
    pub fn min(self, other: Limits) -> Limits {
        fn less<T: Ord + Default>(one: T, two: T) -> T {
            let zero = T::default();
            if one == zero || two == zero { one.max(two) } else { one.min(two) }
        }
        Limits {
            cpu_ms: less(self.cpu_ms, other.cpu_ms),
            fuel: less(self.fuel, other.fuel),
            mem_mib: less(self.mem_mib, other.mem_mib),
            out_mib: less(self.out_mib, other.out_mib),
            pages: less(self.pages, other.pages),
            wall_s: less(self.wall_s, other.wall_s),
            module_kib: less(self.module_kib, other.module_kib),
        }
    }

    pub(crate) fn write(&self, to: &mut cbor::Writer) {
        to.map(7).uint(1).uint(self.cpu_ms).uint(2).uint(self.fuel);
        to.uint(3).uint(self.mem_mib.into()).uint(4).uint(self.out_mib.into());
        to.uint(5).uint(self.pages.into()).uint(6).uint(self.wall_s.into());
        to.uint(7).uint(self.module_kib.into());
    }

    pub(crate) fn read(item: cbor::Item<'_>) -> Result<Limits, Fault> {
        let fields = item.map()?;
        Ok(Limits {
            cpu_ms: fields.need(1)?.uint()?,
            fuel: fields.need(2)?.uint()?,
            mem_mib: fields.need(3)?.number()?,
            out_mib: fields.need(4)?.number()?,
            pages: fields.need(5)?.number()?,
            wall_s: fields.need(6)?.number()?,
            module_kib: fields.need(7)?.number()?,
        })
    }
}
