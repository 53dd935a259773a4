//! Who sent this? Requests between processes are signed with a secret that both ends know.

use ring::hmac;

/// Signs and checks requests with HMAC-SHA256. The secret itself never travels.
#[derive(Clone)]
pub struct Seal {
    key: hmac::Key,
}

impl Seal {
    /// A seal from a shared secret.
    pub fn new(secret: &[u8]) -> Seal {
        Seal { key: hmac::Key::new(hmac::HMAC_SHA256, secret) }
    }

    /// The signature of a request, in hexadecimal.
    pub fn sign(&self, path: &str, sender: &str, sequence: u64, body: &[u8]) -> String {
        let tag = hmac::sign(&self.key, &message(path, sender, sequence, body));
        data_encoding::HEXLOWER.encode(tag.as_ref())
    }

    /// Whether this is the signature of this request. Takes the same time for every wrong one.
    pub fn verify(
        &self,
        path: &str,
        sender: &str,
        sequence: u64,
        body: &[u8],
        signature: &str,
    ) -> bool {
        let Ok(tag) = data_encoding::HEXLOWER_PERMISSIVE.decode(signature.as_bytes()) else {
            return false;
        };
        let message = message(path, sender, sequence, body);
        hmac::verify(&self.key, &message, &tag).is_ok()
    }
}

/// What is signed: path, sender and sequence number on a line each, then the body.
fn message(path: &str, sender: &str, sequence: u64, body: &[u8]) -> Vec<u8> {
    let mut message = format!("{path}\n{sender}\n{sequence}\n").into_bytes();
    message.extend_from_slice(body);
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_holds_for_its_own_request_only() {
        let seal = Seal::new(b"secret");
        let signature = seal.sign("/report", "bot", 7, b"{}");
        assert!(seal.verify("/report", "bot", 7, b"{}", &signature));
        assert!(!seal.verify("/leave", "bot", 7, b"{}", &signature));
        assert!(!seal.verify("/report", "bat", 7, b"{}", &signature));
        assert!(!seal.verify("/report", "bot", 8, b"{}", &signature));
        assert!(!seal.verify("/report", "bot", 7, b"{ }", &signature));
        assert!(!Seal::new(b"other").verify("/report", "bot", 7, b"{}", &signature));
        assert!(!seal.verify("/report", "bot", 7, b"{}", "not hexadecimal"));
    }
}
