//! How does a module travel?

use crate::guests::Guest;
use crate::{Fault, cbor, guests};
use data_encoding::HEXLOWER;

/// Forms in which a module travels: as it is, as one zstd frame, or only by the name of one that the host has.
pub(crate) const MODULE_PLAIN: u64 = 0;
pub(crate) const MODULE_PACKED: u64 = 1;
pub(crate) const MODULE_NAMED: u64 = 2;

/// Feature of a runtime that unpacks modules.
pub const PACKED_MODULE: &str = "packed-module";

/// Feature of a runtime that has this module, without a key.
pub(crate) fn module_feature(sha256: &[u8; 32]) -> String {
    format!("module:{}", HEXLOWER.encode(sha256))
}

/// All that this side can do with modules: unpack them, and name those that are built in.
pub fn features() -> Vec<String> {
    let named = guests::digests().iter().map(module_feature);
    std::iter::once(PACKED_MODULE.to_owned()).chain(named).collect()
}

/// How the module travels.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    Packed,
    /// Not at all: one that is built in, with this key in its slot.
    Named(&'static Guest, [u8; 32]),
}

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Form::Plain => "Plain",
            Form::Packed => "Packed",
            Form::Named(guest, _) => guest.name,
        })
    }
}

impl Form {
    /// Reads it, as far as the host said that it takes it so.
    pub(super) fn read(fields: &cbor::Fields<'_>, features: &[String]) -> Result<Form, Fault> {
        let known = |feature: &str| features.iter().any(|granted| granted == feature);
        let bad = Fault::Malformed("form of the module");
        match fields.get(9).map_or(Ok(MODULE_PLAIN), |item| item.uint())? {
            MODULE_PLAIN => Ok(Form::Plain),
            MODULE_PACKED if known(PACKED_MODULE) => Ok(Form::Packed),
            MODULE_NAMED => {
                let mut named = fields.need(10)?.array()?;
                let (Some(digest), Some(key), None) = (named.next(), named.next(), named.next())
                else {
                    return Err(bad);
                };
                let digest = digest.fixed()?;
                let guest = guests::by_digest(&digest).filter(|_| known(&module_feature(&digest)));
                Ok(Form::Named(guest.ok_or(bad)?, key.fixed()?))
            }
            _ => Err(bad),
        }
    }
}
