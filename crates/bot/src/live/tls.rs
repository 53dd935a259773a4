//! Whom do we trust, and what do we offer?

use super::LiveError;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
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
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|source| LiveError::Tls { source })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(offering(config))
}

/// The same for sites whose certificate is not looked at. Whoever stands between us and such a site
/// can read and change everything; that the site has the key of the certificate it shows is still
/// checked.
pub(super) fn lenient_config() -> Result<ClientConfig, LiveError> {
    let provider = provider();
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|source| LiveError::Tls { source })?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        .with_no_client_auth();
    Ok(offering(config))
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn offering(mut config: ClientConfig) -> ClientConfig {
    config.alpn_protocols = vec![H2.to_vec(), b"http/1.1".to_vec()];
    config
}

/// Takes every certificate.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
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
