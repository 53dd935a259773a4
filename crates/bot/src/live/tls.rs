//! Whom do we trust, and what do we offer?

use super::LiveError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;

/// ALPN name of HTTP/2.
pub(super) const H2: &[u8] = b"h2";

/// Client side of TLS 1.2 and 1.3: Mozilla's roots and those of the file, HTTP/2 preferred.
pub(super) fn client_config(extra_roots: Option<&Path>) -> Result<ClientConfig, LiveError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = extra_roots {
        add_roots(&mut roots, path)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|source| LiveError::Tls { source })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![H2.to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn add_roots(roots: &mut RootCertStore, path: &Path) -> Result<(), LiveError> {
    let bad = |reason: String| LiveError::Roots { path: path.to_path_buf(), reason };
    let before = roots.len();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|e| bad(e.to_string()))? {
        let certificate = certificate.map_err(|e| bad(e.to_string()))?;
        roots.add(certificate).map_err(|e| bad(e.to_string()))?;
    }
    if roots.len() == before {
        return Err(bad("it holds no certificate".to_owned()));
    }
    Ok(())
}
