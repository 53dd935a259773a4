//! Who vouches for a site that is not here? A certificate authority of the proxy's own.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Hosts whose certificates are kept; when there are more, all are forgotten and made again as needed.
pub(super) const MAX_HOSTS: usize = 1024;
const NAME: &str = "Lycosa replay, not for the live web";

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CaError {
    /// A file cannot be read or written.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A certificate cannot be made, or a key cannot be read.
    #[error("cannot make a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// The TLS library refuses a certificate.
    #[error("cannot use a certificate: {0}")]
    Tls(#[from] rustls::Error),
}

/// A certificate authority that signs for any host. Whoever trusts `ca.pem` trusts whoever has its key:
/// it belongs into the trust of one program for one run, not into that of a machine.
pub struct Ca {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
    /// One key serves all hosts; only the certificates differ.
    leaf_key: KeyPair,
    pub(super) hosts: Mutex<HashMap<String, Arc<ServerConfig>>>,
}

impl Ca {
    /// A new authority, in memory.
    pub fn generate() -> Result<Ca, CaError> {
        let key = KeyPair::generate()?;
        let pem = params().self_signed(&key)?.pem();
        Ca::of(pem, key)
    }

    /// The authority in `dir` (`ca.pem` and `ca.key`), made if there is none, so that a program needs
    /// to be told of it only once. Only the owner can read the key.
    pub fn load_or_create(dir: &Path) -> Result<Ca, CaError> {
        let file = |path: &Path| {
            let path = path.to_owned();
            move |source| CaError::File { path, source }
        };
        let (pem_path, key_path) = (dir.join("ca.pem"), dir.join("ca.key"));
        match (fs::read_to_string(&pem_path), fs::read_to_string(&key_path)) {
            (Ok(pem), Ok(key)) => return Ca::of(pem, KeyPair::from_pem(&key)?),
            (Err(error), _) if error.kind() != io::ErrorKind::NotFound => {
                return Err(file(&pem_path)(error));
            }
            (_, Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                return Err(file(&key_path)(error));
            }
            // One without the other is of no use.
            _ => {}
        }
        let ca = Ca::generate()?;
        fs::create_dir_all(dir).map_err(file(dir))?;
        write_private(&key_path, &ca.issuer.key().serialize_pem()).map_err(file(&key_path))?;
        fs::write(&pem_path, &ca.pem).map_err(file(&pem_path))?;
        Ok(ca)
    }

    fn of(pem: String, key: KeyPair) -> Result<Ca, CaError> {
        Ok(Ca {
            pem,
            issuer: Issuer::new(params(), key),
            leaf_key: KeyPair::generate()?,
            hosts: Mutex::default(),
        })
    }

    /// The certificate that clients have to trust, in PEM.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// TLS settings with a certificate for a host name or address.
    pub(super) fn config_for(&self, host: &str) -> Result<Arc<ServerConfig>, CaError> {
        let host = host.to_ascii_lowercase();
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = hosts.get(&host) {
            return Ok(Arc::clone(config));
        }
        let mut params = CertificateParams::new(vec![host.clone()])?;
        params.distinguished_name.remove(DnType::CommonName);
        params.distinguished_name.push(DnType::OrganizationName, NAME);
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let leaf = params.signed_by(&self.leaf_key, &self.issuer)?;
        let chain: Vec<CertificateDer<'static>> = vec![leaf.der().clone()];
        let key = PrivatePkcs8KeyDer::from(self.leaf_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, PrivateKeyDer::Pkcs8(key))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let config = Arc::new(config);
        if hosts.len() >= MAX_HOSTS {
            hosts.clear();
        }
        hosts.insert(host, Arc::clone(&config));
        Ok(config)
    }
}

/// The authority's certificate but for its key. It is made again from the key alone, so it must not
/// change between versions.
fn params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.remove(DnType::CommonName);
    params.distinguished_name.push(DnType::CommonName, NAME);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    // A key that somebody else put there, or could read while it was written, is not ours.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)?.write_all(text.as_bytes())
}
