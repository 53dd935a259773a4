//! What do single sites get? Credentials, and leniency with a certificate; and how are secrets kept?
//!
//! Secrets are read from the configuration that a person names and from nowhere else. They are not
//! written into the data folder, which people copy and share: what is saved there says that something
//! was withheld, and a crawl that would need it refuses to go on without.

use super::Config;
use crate::failure::Failure;
use lycosa_bot::live::{Credential, CredentialError, SiteAccess};
use lycosa_frontier::normal;
use lycosa_model::Site;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use url::Url;

/// What stands in a saved proxy address where the password was.
const WITHHELD: &str = "withheld";

/// Text that is never shown.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// What one site gets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SiteRule {
    /// User name for Basic authentication.
    pub(crate) user: Option<String>,
    /// Password for Basic authentication.
    pub(crate) password: Option<Secret>,
    /// Bearer token.
    pub(crate) bearer: Option<Secret>,
    /// Any header, as in `X-Api-Key: secret`.
    pub(crate) header: Option<Secret>,
    /// Whether an invalid certificate will do.
    pub(crate) accept_invalid_certificate: bool,
    /// In a saved configuration: there were credentials.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) withheld: bool,
}

impl SiteRule {
    fn credential(&self) -> Result<Option<Credential>, String> {
        let told = |error: CredentialError| error.to_string();
        let basic = self.user.is_some() || self.password.is_some();
        match (basic, &self.bearer, &self.header) {
            (false, None, None) => Ok(None),
            (true, None, None) => {
                let user = self.user.as_deref().ok_or("a password needs a user")?;
                let password = self.password.as_ref().map_or("", |password| &password.0);
                Credential::basic(user, password).map(Some).map_err(told)
            }
            (false, Some(token), None) => Credential::bearer(&token.0).map(Some).map_err(told),
            (false, None, Some(line)) => Credential::header(&line.0).map(Some).map_err(told),
            _ => Err("give user and password, or bearer, or header, and not several".into()),
        }
    }
}

/// The sites of the configuration, as the live web needs them.
pub(crate) fn access(
    rules: &BTreeMap<String, SiteRule>,
) -> Result<HashMap<Site, SiteAccess>, Failure> {
    let mut sites = HashMap::with_capacity(rules.len());
    for (name, rule) in rules {
        let site = parse_site(name).ok_or_else(|| {
            Failure::new(format!("[sites.\"{name}\"] names no site"))
                .hint("write scheme and host, as in [sites.\"https://example.org\"]")
        })?;
        let credential = rule.credential().map_err(|why| {
            Failure::new(format!("[sites.\"{name}\"]: {why}"))
                .hint("see docs/guide/configuration.md")
        })?;
        let accept_invalid_certificate = rule.accept_invalid_certificate;
        sites.insert(site, SiteAccess { credential, accept_invalid_certificate });
    }
    Ok(sites)
}

/// A site and nothing else: no path, no user.
fn parse_site(name: &str) -> Option<Site> {
    let address = normal::parse(name).ok()?;
    let bare = address.path_and_query() == "/" && !name.contains(['@', '?', '#']);
    bare.then_some(address.site)
}

/// The configuration without its secrets.
pub(crate) fn without_secrets(config: &Config) -> Config {
    let mut config = config.clone();
    for rule in config.sites.values_mut() {
        let secrets = [rule.password.take(), rule.bearer.take(), rule.header.take()];
        rule.withheld |= rule.user.is_some() || secrets.iter().any(Option::is_some);
        rule.user = None;
    }
    if let Some(proxy) = &mut config.fetch.proxy
        && let Ok(mut url) = Url::parse(proxy)
        && url.password().is_some()
        && url.set_password(Some(WITHHELD)).is_ok()
    {
        *proxy = url.into();
    }
    config
}

/// Whether a saved configuration can be used as it is.
///
/// # Errors
/// If secrets were withheld from it.
pub(crate) fn check_complete(config: &Config) -> Result<(), Failure> {
    let proxy = config.fetch.proxy.as_deref().and_then(|proxy| Url::parse(proxy).ok());
    let missing = match config.sites.iter().find(|(_, rule)| rule.withheld) {
        Some((site, _)) => format!("the credentials for {site}"),
        None if proxy.is_some_and(|url| url.password() == Some(WITHHELD)) => {
            "the password of the proxy".into()
        }
        None => return Ok(()),
    };
    Err(Failure::new(format!("{missing} are not kept in the data folder"))
        .hint("name the configuration again with --config"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        toml::from_str(text).expect("a configuration")
    }

    #[test]
    fn each_kind_of_credential_is_read() {
        let config = config(
            "[sites.\"https://a.test\"]\nuser = \"me\"\npassword = \"pw\"\n\
             [sites.\"https://b.test:8443/\"]\nbearer = \"t0ken\"\n\
             [sites.\"http://c.test\"]\nheader = \"X-Api-Key: k\"\n\
             [sites.\"https://d.test\"]\naccept_invalid_certificate = true\n",
        );
        let sites = access(&config.sites).expect("good");
        let debug = format!("{sites:?} {config:?}");
        for secret in ["\"pw\"", "t0ken", "X-Api-Key: k"] {
            assert!(!debug.contains(secret), "{debug}");
        }
        let mut names: Vec<&str> = sites.keys().map(Site::as_str).collect();
        names.sort_unstable();
        let expected = ["http://c.test", "https://a.test", "https://b.test:8443", "https://d.test"];
        assert_eq!(names, expected);
        let lenient = sites.values().filter(|access| access.accept_invalid_certificate);
        assert_eq!(lenient.count(), 1);
        assert_eq!(sites.values().filter(|access| access.credential.is_some()).count(), 3);
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (text, what) in [
            ("[sites.\"a.test\"]\nbearer = \"t\"", "a.test"),
            ("[sites.\"https://a.test/path\"]\nbearer = \"t\"", "a.test/path"),
            ("[sites.\"https://u@a.test/\"]\nbearer = \"t\"", "u@a.test"),
            ("[sites.\"ftp://a.test\"]\nbearer = \"t\"", "ftp"),
            ("[sites.\"https://a.test\"]\npassword = \"p\"", "needs a user"),
            ("[sites.\"https://a.test\"]\nuser = \"a:b\"", "colon"),
            ("[sites.\"https://a.test\"]\nuser = \"a\"\nbearer = \"t\"", "not several"),
            ("[sites.\"https://a.test\"]\nheader = \"Host: b\"", "header"),
            ("[sites.\"https://a.test\"]\nheader = \"no colon\"", "header"),
            ("[sites.\"https://a.test\"]\nbearer = \"two\\nlines\"", "header"),
        ] {
            let failure = access(&config(text).sites).expect_err("refused").to_string();
            assert!(failure.contains(what), "{failure}");
        }
    }

    #[test]
    fn secrets_are_not_saved_and_a_crawl_that_needs_them_says_so() {
        let dir = tempfile::tempdir().expect("temp dir");
        let sites = "[sites.\"https://a.test\"]\nuser = \"me\"\npassword = \"s3cret\"";
        let proxy = "[fetch]\nproxy = \"http://me:s3cret@proxy.test:3128\"";
        for text in [sites, proxy] {
            config(text).save(dir.path()).expect("saved");
            let path = dir.path().join("lycosa.toml");
            let saved = std::fs::read_to_string(&path).expect("read");
            assert!(!saved.contains("s3cret"), "{saved}");
            let failure = check_complete(&Config::read(&path).expect("read")).expect_err("told");
            assert!(failure.hint_text().is_some_and(|hint| hint.contains("--config")));
            assert!(check_complete(&config(text)).is_ok());
        }
    }
}
