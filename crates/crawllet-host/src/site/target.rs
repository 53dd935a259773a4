//! Which page does a crawllet ask for, and is it one that it may see?
//!
//! One normal form, in which scope and deny-list are compared and which is what the web server gets: whoever
//! compares one text and sends another lets things through. Where servers disagree about the meaning of a path
//! (encoded slashes, backslashes, double encoding), it is refused. The deny-list is compared in a coarser form
//! (letters, slashes, parameters of segments), since in doubt it holds.

/// The longest path with its query.
pub const MAX_TARGET: usize = 8 << 10;

/// A path and query that may be sent to the web server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    path: String,
    query: Option<String>,
}

/// Why a text is no such thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It leads elsewhere, or nobody knows where.
    OutOfScope,
    /// It is no path: bytes that no request line has.
    Nonsense,
}

/// What crawllets may ask for.
#[derive(Debug, Clone, Default)]
pub struct Bounds {
    scope: Vec<String>,
    deny: Vec<String>,
}

impl Target {
    /// Reads the argument of `fetch`.
    ///
    /// # Errors
    /// If it is no path of this site, or one whose meaning depends on the server.
    pub fn parse(text: &[u8]) -> Result<Target, Refused> {
        if text.len() > MAX_TARGET || text.iter().any(|b| !(0x21..0x7f).contains(b)) {
            return Err(Refused::Nonsense);
        }
        let text = std::str::from_utf8(text).map_err(|_| Refused::Nonsense)?;
        // An address with a scheme or an authority is somebody else's, whatever it says.
        if !text.starts_with('/') || text.starts_with("//") {
            return Err(Refused::OutOfScope);
        }
        if text.contains(['\\', '#', '<', '>', '"', '^', '`', '{', '|', '}']) {
            return Err(Refused::OutOfScope);
        }
        let (path, query) = match text.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (text, None),
        };
        Ok(Target { path: normal(path)?, query })
    }

    /// As it stands in the request line.
    pub fn wire(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The path alone.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether something follows the path.
    pub fn has_query(&self) -> bool {
        self.query.is_some()
    }
}

/// Decodes what needs no encoding, resolves dots, and refuses what servers read in different ways.
fn normal(path: &str) -> Result<String, Refused> {
    let mut decoded = String::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if *first != b'%' {
            decoded.push(char::from(*first));
            rest = tail;
            continue;
        }
        let octet = hex(tail).ok_or(Refused::OutOfScope)?;
        rest = tail.get(2..).unwrap_or_default();
        match octet {
            // A name cannot hold these, whatever a server makes of them.
            b'/' | b'\\' | 0..=0x1f | 0x7f => return Err(Refused::OutOfScope),
            octet if octet.is_ascii_alphanumeric() || b"-._~".contains(&octet) => {
                decoded.push(char::from(octet));
            }
            octet => decoded.push_str(&format!("%{octet:02X}")),
        }
    }
    // Decoded twice somewhere, it would be a dot or a slash.
    let twice = |at: usize| hex(decoded.as_bytes().get(at + 3..).unwrap_or_default());
    let doubled =
        |at: usize| twice(at).is_some_and(|octet| matches!(octet, b'.' | b'/' | b'\\' | b'%' | 0));
    if decoded.match_indices("%25").any(|(at, _)| doubled(at)) {
        return Err(Refused::OutOfScope);
    }
    let mut segments: Vec<&str> = Vec::new();
    let mut dots = false;
    let all: Vec<&str> = decoded.split('/').skip(1).collect();
    let last = all.len() - 1;
    for (at, segment) in all.into_iter().enumerate() {
        match segment {
            ".." => {
                dots = true;
                segments.pop().ok_or(Refused::OutOfScope)?;
            }
            "." => dots = true,
            _ => {
                segments.push(segment);
                continue;
            }
        }
        if at == last {
            segments.push("");
        }
    }
    // Some merge slashes before they resolve dots, some after: they end in different places.
    if dots && decoded.contains("//") {
        return Err(Refused::OutOfScope);
    }
    Ok(format!("/{}", segments.join("/")))
}

fn hex(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let value = digit(bytes.first()?)? * 16 + digit(bytes.get(1)?)?;
    u8::try_from(value).ok()
}

impl Bounds {
    /// Bounds by path prefixes. The door of the host itself is always denied.
    pub fn new(scope: &[String], deny: &[String]) -> Bounds {
        let deny = deny.iter().map(String::as_str).chain([lycosa_crawllet::descriptor::WELL_KNOWN]);
        Bounds { scope: scope.to_vec(), deny: deny.map(coarse).collect() }
    }

    /// Whether `target` is within scope, not denied and not hidden: names that begin with a dot (`.git`,
    /// `.htpasswd`) are nobody's pages, but for those under `/.well-known/`.
    pub fn admit(&self, target: &Target) -> bool {
        let path = target.path();
        let coarse = coarse(path);
        let shown = coarse.strip_prefix("/.well-known/").map_or(coarse.as_str(), |rest| rest);
        if shown.split('/').any(|name| name.starts_with('.')) {
            return false;
        }
        let denied = |prefix: &String| {
            coarse.starts_with(prefix.as_str())
                || prefix.strip_suffix('/').is_some_and(|folder| coarse == folder)
        };
        self.scope.iter().any(|prefix| path.starts_with(prefix.as_str()))
            && !self.deny.iter().any(denied)
    }
}

/// The form in which the deny-list is compared: what any server may take for the same.
fn coarse(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut octets = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        match hex(tail).filter(|_| *first == b'%') {
            Some(octet) => {
                octets.push(octet);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                octets.push(*first);
                rest = tail;
            }
        }
    }
    let decoded = String::from_utf8_lossy(&octets).to_lowercase();
    let segments: Vec<&str> = decoded.split('/').collect();
    let last = segments.len() - 1;
    for (at, segment) in segments.into_iter().enumerate() {
        let name = segment.split(';').next().unwrap_or_default();
        if name.is_empty() && at != last {
            continue;
        }
        text.push('/');
        text.push_str(name);
    }
    text
}

#[cfg(test)]
mod tests;
