//! What went wrong with TLS?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a site cannot be spoken with over TLS.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TlsFault {
    /// The certificate was good once.
    Expired,
    /// The certificate is not good yet.
    NotYetValid,
    /// Nobody whom we trust has signed the certificate; perhaps the site itself did.
    UnknownIssuer,
    /// The certificate is for other names.
    WrongName,
    /// The certificate was taken back.
    Revoked,
    /// The certificate is of no use for another reason.
    BadCertificate,
    /// No version, cipher or protocol that both sides speak.
    NothingInCommon,
    /// The site refused the handshake with an alert.
    Refused,
    /// What the site sends is not TLS, or breaks its rules.
    NotTls,
    /// The site hung up in the middle of the handshake.
    Aborted,
}

impl TlsFault {
    /// All of them.
    pub const ALL: [TlsFault; 10] = [
        TlsFault::Expired,
        TlsFault::NotYetValid,
        TlsFault::UnknownIssuer,
        TlsFault::WrongName,
        TlsFault::Revoked,
        TlsFault::BadCertificate,
        TlsFault::NothingInCommon,
        TlsFault::Refused,
        TlsFault::NotTls,
        TlsFault::Aborted,
    ];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            TlsFault::Expired => "expired",
            TlsFault::NotYetValid => "not_yet_valid",
            TlsFault::UnknownIssuer => "unknown_issuer",
            TlsFault::WrongName => "wrong_name",
            TlsFault::Revoked => "revoked",
            TlsFault::BadCertificate => "bad_certificate",
            TlsFault::NothingInCommon => "nothing_in_common",
            TlsFault::Refused => "refused",
            TlsFault::NotTls => "not_tls",
            TlsFault::Aborted => "aborted",
        }
    }

    /// One phrase for a person.
    pub fn explain(self) -> &'static str {
        match self {
            TlsFault::Expired => "the certificate of its site has expired (tls_failed)",
            TlsFault::NotYetValid => "the certificate of its site is not valid yet (tls_failed)",
            TlsFault::UnknownIssuer => {
                "the certificate of its site is signed by nobody we trust (tls_failed)"
            }
            TlsFault::WrongName => "the certificate of its site is for other names (tls_failed)",
            TlsFault::Revoked => "the certificate of its site was revoked (tls_failed)",
            TlsFault::BadCertificate => "the certificate of its site is of no use (tls_failed)",
            TlsFault::NothingInCommon => {
                "its site speaks no TLS version or cipher that we speak (tls_failed)"
            }
            TlsFault::Refused => "its site refused the TLS handshake (tls_failed)",
            TlsFault::NotTls => "its site breaks the rules of TLS, or speaks none (tls_failed)",
            TlsFault::Aborted => "its site hung up in the TLS handshake (tls_failed)",
        }
    }

    /// Whether it is about the certificate, so that accepting invalid ones would help.
    pub fn is_about_certificate(self) -> bool {
        match self {
            TlsFault::Expired
            | TlsFault::NotYetValid
            | TlsFault::UnknownIssuer
            | TlsFault::WrongName
            | TlsFault::Revoked
            | TlsFault::BadCertificate => true,
            TlsFault::NothingInCommon
            | TlsFault::Refused
            | TlsFault::NotTls
            | TlsFault::Aborted => false,
        }
    }
}

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
