//! What proves that a request is from somebody who has the token, without the token?

use axum::http::HeaderValue;
use data_encoding::BASE64URL_NOPAD;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// Characters of a token at least.
const MIN_TOKEN: usize = 16;
/// Random bytes of a token that we make.
const TOKEN_BYTES: usize = 32;
/// Random bytes of a session.
const SESSION_BYTES: usize = 16;
/// Seconds after which a session ends.
const SESSION_SECONDS: u64 = 30 * 24 * 3_600;

/// The word that opens the door.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token of a person's choice. `None` if it is so short that it can be guessed, or cannot stand in a
    /// header.
    pub fn new(text: &str) -> Option<Token> {
        let plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        (text.len() >= MIN_TOKEN && plain).then(|| Token(text.to_owned()))
    }

    /// A new one from the system's randomness. `None` if the system has none.
    pub fn random() -> Option<Token> {
        let mut bytes = [0; TOKEN_BYTES];
        SystemRandom::new().fill(&mut bytes).ok()?;
        Some(Token(BASE64URL_NOPAD.encode(&bytes)))
    }

    /// The word itself, to be written where only its owner reads it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// A session of a browser. It is not kept here: what the browser brings proves itself.
#[derive(Clone)]
pub(in crate::web) struct Session {
    value: String,
    form_token: String,
}

impl Session {
    pub(super) fn form_token(&self) -> &str {
        &self.form_token
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session(…)")
    }
}

/// What is derived from the token.
pub(super) struct Keys {
    key: hmac::Key,
    /// A token is compared by its tag, so that the time it takes tells nothing.
    token: hmac::Tag,
    /// Servers on other ports of this machine share the browser's cookies; each has a name of its own.
    cookie_name: String,
}

impl Keys {
    pub(super) fn new(token: &Token) -> Keys {
        let key = hmac::Key::new(hmac::HMAC_SHA256, token.0.as_bytes());
        let name = hmac::sign(&key, b"cookie");
        let cookie_name = format!("lycosa_{}", BASE64URL_NOPAD.encode(&name.as_ref()[..6]));
        let token = hmac::sign(&key, token.0.as_bytes());
        Keys { key, token, cookie_name }
    }

    pub(super) fn cookie_name(&self) -> &str {
        &self.cookie_name
    }

    pub(super) fn is_token(&self, text: &str) -> bool {
        hmac::verify(&self.key, text.as_bytes(), self.token.as_ref()).is_ok()
    }

    /// Begins a session. `None` if the system has no randomness.
    pub(super) fn begin(&self) -> Option<Session> {
        let mut bytes = [0; SESSION_BYTES];
        SystemRandom::new().fill(&mut bytes).ok()?;
        let claim = format!("{}.{}", BASE64URL_NOPAD.encode(&bytes), now() + SESSION_SECONDS);
        Some(self.session(format!("{claim}.{}", self.sign("session", &claim))))
    }

    /// The session of a cookie, if it is one of ours and has not ended.
    pub(super) fn read(&self, value: &str) -> Option<Session> {
        let (claim, proof) = value.rsplit_once('.')?;
        let (_, ends) = claim.split_once('.')?;
        let ours = self.verify("session", claim, proof);
        (ours && ends.parse::<u64>().ok()? > now()).then(|| self.session(value.to_owned()))
    }

    pub(super) fn is_form_token(&self, session: &Session, text: &str) -> bool {
        self.verify("form", &session.value, text)
    }

    /// The header that hands a session to a browser.
    pub(super) fn cookie(&self, session: &Session, secure: bool) -> HeaderValue {
        self.set_cookie(&session.value, SESSION_SECONDS, secure)
    }

    /// The header that takes it away again.
    pub(super) fn no_cookie(&self) -> HeaderValue {
        self.set_cookie("", 0, false)
    }

    fn set_cookie(&self, value: &str, seconds: u64, secure: bool) -> HeaderValue {
        let secure = if secure { "; Secure" } else { "" };
        let name = &self.cookie_name;
        let text =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
        // Names and values are of letters that a header may have.
        let mut header = HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""));
        header.set_sensitive(true);
        header
    }

    fn session(&self, value: String) -> Session {
        let form_token = self.sign("form", &value);
        Session { value, form_token }
    }

    fn sign(&self, what: &str, text: &str) -> String {
        let tag = hmac::sign(&self.key, format!("{what}:{text}").as_bytes());
        BASE64URL_NOPAD.encode(tag.as_ref())
    }

    fn verify(&self, what: &str, text: &str, proof: &str) -> bool {
        let Ok(proof) = BASE64URL_NOPAD.decode(proof.as_bytes()) else { return false };
        hmac::verify(&self.key, format!("{what}:{text}").as_bytes(), &proof).is_ok()
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_proves_itself_and_nothing_else_does() {
        let token = Token::random().unwrap();
        let keys = Keys::new(&token);
        let session = keys.begin().unwrap();
        assert!(!session.value.contains(token.reveal()));
        let read = keys.read(&session.value).expect("its own");
        assert!(keys.is_form_token(&read, session.form_token()));
        let other = keys.begin().unwrap();
        assert!(!keys.is_form_token(&other, session.form_token()), "of another session");
        assert!(Keys::new(&Token::random().unwrap()).read(&session.value).is_none());
        let (claim, proof) = session.value.rsplit_once('.').unwrap();
        let (nonce, ends) = claim.split_once('.').unwrap();
        let longer = format!("{nonce}.{}.{proof}", ends.parse::<u64>().unwrap() + 1);
        assert!(keys.read(&longer).is_none(), "nobody lengthens a session");
        let ended = format!("{nonce}.{}", now() - 1);
        let ended = format!("{ended}.{}", keys.sign("session", &ended));
        assert!(keys.read(&ended).is_none(), "it has ended");
        for nonsense in ["", ".", "..", "a.b.c", "a.99999999999.AAAA"] {
            assert!(keys.read(nonsense).is_none());
        }
    }

    #[test]
    fn a_token_is_long_and_plain_and_is_not_shown() {
        assert!(Token::new("short").is_none());
        assert!(Token::new("sixteen letters, spaces").is_none());
        let token = Token::new("0123456789abcdef").unwrap();
        assert!(Keys::new(&token).is_token("0123456789abcdef"));
        assert!(!Keys::new(&token).is_token("0123456789abcdeg"));
        assert!(!Keys::new(&token).is_token(""));
        assert!(!format!("{token:?}").contains("0123"));
    }
}
