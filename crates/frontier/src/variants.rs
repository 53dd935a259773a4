//! Which addresses are likely to be the same page?
//!
//! Many sites answer `/a` and `/a/`, `/a/` and `/a/index.html`, `www.host` and `host` alike, and read only
//! some of the parameters that links carry. Other sites do not, so nothing is joined by its looks: pairs
//! of such addresses are compared by their content, each site is counted by itself, and only what has
//! proved to be the same often enough is not asked for again. Parameters that advertisers and mailers
//! append to the links of others are known by name and taken off, by a setting.

use crate::normal::{self, Address};
use crate::whatwg;
use lycosa_model::{Fingerprint, SiteCounters, Variant, VariantCount};

#[cfg(test)]
mod tests;

/// Kinds of variants that are counted of one site.
pub const MAX_VARIANTS: usize = 32;

/// Parameters of an address that are tried without.
pub const MAX_PARAMETERS: usize = 6;

/// Bits in which the simhashes of two near-duplicates may differ.
pub const NEAR_BITS: u32 = 3;

/// Bits in which the simhashes over the lines of two near-duplicates may differ. One line of `n` that is
/// another turns about `64/π·acos(1−1/n)` of them: eight are one line in a dozen.
pub const NEAR_LINES: u32 = 8;

/// Words that a text must have for its simhash to say anything: with fewer, other texts come near.
pub const NEAR_WORDS: u32 = 50;

/// Words that make two equal texts one page. With fewer they may be two pages of pictures.
pub const EQUAL_WORDS: u32 = 10;

/// Of so many addresses that could be left out, one is asked for all the same, so that a site which
/// begins to tell them apart is noticed.
const STILL_ASKED: u8 = 32;

/// Names of pages that servers show for a folder.
const INDEX_NAMES: [&str; 6] =
    ["index.html", "index.htm", "index.php", "index.asp", "index.aspx", "default.aspx"];

/// Parameters that say where a visitor came from, and mean nothing to the site that is linked to.
const TRACKING: [&str; 26] = [
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "fbclid",
    "msclkid",
    "twclid",
    "ttclid",
    "yclid",
    "ymclid",
    "igshid",
    "igsh",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "_hsenc",
    "_hsmi",
    "__hstc",
    "__hssc",
    "__hsfp",
    "vero_id",
    "oly_enc_id",
    "oly_anon_id",
    "rb_clickid",
];

/// Beginnings of such names.
const TRACKING_PREFIXES: [&str; 2] = ["utm_", "pk_campaign"];

/// How much proof is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantRule {
    /// Whether variants are compared and joined at all.
    pub enabled: bool,
    /// Pairs of one kind on one site that must have been equal.
    pub proof: u32,
    /// Whether tracking parameters are taken off.
    pub strip_tracking: bool,
    /// Further parameters to take off.
    pub parameters: Vec<String>,
}

impl Default for VariantRule {
    fn default() -> VariantRule {
        VariantRule { enabled: true, proof: 5, strip_tracking: true, parameters: Vec::new() }
    }
}

impl VariantRule {
    /// The address without tracking parameters; `None` when it has none.
    pub fn without_tracking(&self, address: &Address) -> Option<Address> {
        let query = address.query()?;
        let strip = |part: &&str| !self.is_tracking(name(part));
        if !self.strip_tracking || query.split('&').all(|part| strip(&part)) {
            return None;
        }
        with_query(address, &query.split('&').filter(strip).collect::<Vec<_>>())
    }

    fn is_tracking(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        TRACKING.contains(&name.as_str())
            || TRACKING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || self.parameters.iter().any(|known| known.eq_ignore_ascii_case(&name))
    }

    /// Whether this kind of variant has proved to be the same page on this site. One address in
    /// [`STILL_ASKED`] is treated as if it had not.
    pub fn is_joined(&self, counters: &SiteCounters, variant: Variant, address: &Address) -> bool {
        let proved = |known: &VariantCount| {
            known.variant == variant
                && known.equal >= self.proof.max(1)
                && known.different.saturating_mul(20) <= known.equal
        };
        self.enabled
            && counters.variants.iter().any(proved)
            && !address.id.0[15].is_multiple_of(STILL_ASKED)
    }

    /// Whether the site has shown any variants that are the same.
    pub fn has_proof(&self, counters: &SiteCounters) -> bool {
        self.enabled && counters.variants.iter().any(|known| known.equal >= self.proof.max(1))
    }
}

/// Whether two pages say the same: word by word, or nearly and at some length.
pub fn say_the_same(one: &Fingerprint, other: &Fingerprint) -> bool {
    let equal = one.text == other.text && one.shape == other.shape;
    let long = one.words.min(other.words);
    let near = (one.simhash ^ other.simhash).count_ones() <= NEAR_BITS;
    equal && long >= EQUAL_WORDS || near && long >= NEAR_WORDS
}

/// Whether two pages are one but for details, such as a date or a counter. Title and main text are not
/// enough: the pages of an index may have both in common, and differ in what they list.
pub fn are_near(one: &Fingerprint, other: &Fingerprint) -> bool {
    let lists = (one.lines ^ other.lines).count_ones();
    one.title == other.title && one.lines != 0 && lists <= NEAR_LINES && say_the_same(one, other)
}

/// Whether a page is the one by which its site says that there is no such page. Its main text is not
/// enough: that of a gallery or a list may be nothing but the foot of the site, which every page has. So
/// the titles must be the same, or the page's own says it.
pub fn says_not_found(page: &Fingerprint, not_found: &Fingerprint) -> bool {
    (page.title == not_found.title || page.says_missing) && look_alike(page, not_found)
}

/// Whether two pages of a site say the same but for words of their addresses and numbers.
pub fn look_alike(one: &Fingerprint, other: &Fingerprint) -> bool {
    one.shape == other.shape || say_the_same(one, other)
}

/// Counts a pair of addresses of one page, or of two. Tells whether there was room for it.
pub fn count(counters: &mut SiteCounters, variant: Variant, equal: bool) -> bool {
    let list = &mut counters.variants;
    let place = match list.iter().position(|known| known.variant == variant) {
        Some(place) => place,
        None if list.len() < MAX_VARIANTS => {
            list.push(VariantCount { variant, equal: 0, different: 0 });
            list.len() - 1
        }
        None => return false,
    };
    let known = &mut list[place];
    let tally = if equal { &mut known.equal } else { &mut known.different };
    *tally = tally.saturating_add(1);
    true
}

/// Addresses that may be the same page, by what makes the difference. Of a parameter only the address
/// without it is named, and of `index.html` the folder and back.
pub fn siblings(address: &Address) -> Vec<(Variant, Address)> {
    let mut found = Vec::new();
    let mut add = |variant, sibling: Option<Address>| {
        found.extend(sibling.filter(|other| other.id != address.id).map(|other| (variant, other)));
    };
    add(Variant::Www, other_www(address));
    if let Some(query) = address.query().filter(|query| !query.is_empty()) {
        let parts: Vec<&str> = query.split('&').collect();
        for part in parts.iter().take(MAX_PARAMETERS) {
            let left: Vec<&str> = parts.iter().copied().filter(|other| other != part).collect();
            add(Variant::Parameter(digest(name(part))), with_query(address, &left));
        }
        return found;
    }
    add(Variant::Slash, other_slash(address));
    add(Variant::Index, other_index(address));
    found
}

fn with_query(address: &Address, parts: &[&str]) -> Option<Address> {
    let query = parts.join("&");
    address.with(address.path(), Some(query.as_str()).filter(|query| !query.is_empty())).ok()
}

fn name(parameter: &str) -> &str {
    parameter.split_once('=').map_or(parameter, |(name, _)| name)
}

fn other_www(address: &Address) -> Option<Address> {
    let (scheme, authority) = address.origin().split_once("://")?;
    let host = authority.split(':').next().filter(|_| whatwg::is_name(address.site.host()))?;
    let rest = &address.request[scheme.len() + "://".len()..];
    let other = match rest.strip_prefix("www.") {
        Some(bare) if host["www.".len()..].contains('.') => format!("{scheme}://{bare}"),
        Some(_) => return None,
        // `www.` is put before registered names only: `www.de.example.org` is nobody's idea.
        None if crate::registrable_domain(host) == host && host.contains('.') => {
            format!("{scheme}://www.{rest}")
        }
        None => return None,
    };
    normal::parse(&other).ok()
}

fn other_slash(address: &Address) -> Option<Address> {
    let path = address.path();
    let other = match path.strip_suffix('/') {
        Some("") => return None,
        Some(bare) => bare.to_owned(),
        // `/a.html/` is nobody's idea either.
        None if path.rsplit('/').next().is_some_and(|last| last.contains('.')) => return None,
        None => format!("{path}/"),
    };
    address.with(&other, address.query()).ok()
}

fn other_index(address: &Address) -> Option<Address> {
    let (folder, page) = address.path().rsplit_once('/')?;
    let other = match page {
        "" => format!("{folder}/{}", INDEX_NAMES[0]),
        page if INDEX_NAMES.contains(&page.to_ascii_lowercase().as_str()) => format!("{folder}/"),
        _ => return None,
    };
    address.with(&other, address.query()).ok()
}

/// FNV-1a.
fn digest(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
