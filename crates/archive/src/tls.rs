//! Encryption of connections, and whose certificates are believed.

use std::fmt::Display;
use std::fs;
use std::future::Future;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::version::{TLS12, TLS13};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    SupportedProtocolVersion,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};

/// The name of the protocol inside of TLS, which a server may ask for.
const PROTOCOL: &[u8] = b"postgresql";

/// Bits of a file's mode that let others than its owner use it; of a file of root, a group may read it.
const OTHERS: u32 = 0o077;
const OTHERS_OF_ROOT: u32 = 0o037;

/// Authentication of a server, and of the client to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Security {
    pub(crate) trust: Trust,
    pub(crate) identity: Option<Identity>,
    pub(crate) versions: Versions,
}

/// Versions of TLS that a connection may have, of the two that are not broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Versions {
    Both,
    Only12,
    Only13,
}

impl Versions {
    fn all(self) -> Vec<&'static SupportedProtocolVersion> {
        match self {
            Self::Both => vec![&TLS12, &TLS13],
            Self::Only12 => vec![&TLS12],
            Self::Only13 => vec![&TLS13],
        }
    }
}

/// Certificates that are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Any certificate: data is encrypted, but the server is not authenticated.
    Anyone,
    /// Certificates signed by one of these, with any name.
    Signed(PathBuf),
    /// Certificates signed by one of these, with the name of the server.
    Named(Roots),
}

/// Trusted certificate authorities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Roots {
    /// Authorities in a file.
    File(PathBuf),
    /// Authorities that this host trusts.
    System,
}

/// A certificate of this user, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Security {
    /// Connector for encrypted connections.
    ///
    /// # Errors
    /// If a file of certificates cannot be read.
    pub(crate) fn tls(&self) -> Result<Tls, String> {
        let provider = Arc::new(ring::default_provider());
        let verifier = Arc::new(self.trust.verifier(&provider)?);
        let config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&self.versions.all())
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match &self.identity {
            None => config.with_no_client_auth(),
            Some(Identity { certificate, key }) => {
                check_private(key)?;
                let read = PrivateKeyDer::from_pem_file(key).map_err(|error| of_file(key, &error))?;
                let built = config.with_client_auth_cert(certificates(certificate)?, read);
                built.map_err(|error| of_file(certificate, &error))?
            }
        };
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(Tls { config: Arc::new(config), has_begun: Arc::default() })
    }
}

impl Trust {
    fn verifier(&self, provider: &Arc<CryptoProvider>) -> Result<Verifier, String> {
        let (known, checks_names) = match self {
            Self::Anyone => (None, false),
            Self::Signed(file) => (Some(certificates(file)?), false),
            Self::Named(Roots::File(file)) => (Some(certificates(file)?), true),
            Self::Named(Roots::System) => (Some(rustls_native_certs::load_native_certs().certs), true),
        };
        let provider = Arc::clone(provider);
        let Some(known) = known else {
            return Ok(Verifier { chain: None, known: Vec::new(), checks_names, provider });
        };
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(known.iter().cloned());
        let chain =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build();
        let chain = chain
            .map_err(|_| "this host trusts no certificates; set them with `sslrootcert=FILE`".to_owned())?;
        Ok(Verifier { chain: Some(chain), known, checks_names, provider })
    }
}

/// The certificates in a file.
fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let read = read.map_err(|error| of_file(file, &error))?;
    if read.is_empty() { Err(of_file(file, &"it contains no PEM certificate")) } else { Ok(read) }
}

/// Checks that nobody else can use a private key, by the rule of libpq: an administrator may give a group the right to read it.
fn check_private(key: &Path) -> Result<(), String> {
    let about = fs::metadata(key).map_err(|error| of_file(key, &error))?;
    if !about.is_file() {
        return Err(of_file(key, &"it is not a regular file"));
    }
    let others = if about.uid() == 0 { OTHERS_OF_ROOT } else { OTHERS };
    match about.mode() & others {
        0 => Ok(()),
        _ => Err(format!(
            "users other than its owner can access the private key `{}`: fix with `chmod 600`; root's key may be 0640",
            key.display()
        )),
    }
}

fn of_file(file: &Path, reason: &dyn Display) -> String {
    format!("cannot read `{}`: {reason}", file.display())
}

/// Decides whether a server's certificate is believed.
#[derive(Debug)]
struct Verifier {
    /// Checks who signed it; `None` where any is believed.
    chain: Option<Arc<WebPkiServerVerifier>>,
    /// Certificates that are believed themselves: a server may have signed its own.
    known: Vec<CertificateDer<'static>>,
    checks_names: bool,
    provider: Arc<CryptoProvider>,
}

/// Whether a certificate was refused for its days. Of all that is checked, they come first.
fn is_out_of_date(decided: &Result<ServerCertVerified, rustls::Error>) -> bool {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext};
    let of_days = |error: &CertificateError| {
        matches!(error, Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. })
    };
    matches!(decided, Err(rustls::Error::InvalidCertificate(error)) if of_days(error))
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        let decided = chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        // libpq, too, believes a certificate that the file has, whatever it may sign, from its first day to its last.
        if self.known.iter().any(|known| known == end_entity) && !is_out_of_date(&decided) {
            let parsed = ParsedCertificate::try_from(end_entity)?;
            if self.checks_names {
                rustls::client::verify_server_name(&parsed, server_name)?;
            }
            return Ok(ServerCertVerified::assertion());
        }
        match decided {
            // The name is the last thing that is looked at.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.checks_names => Ok(ServerCertVerified::assertion()),
            decided => decided,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        match self.chain {
            // Whoever believes any certificate believes any signature. Old certificates could not be read for theirs.
            None => Ok(HandshakeSignatureValid::assertion()),
            Some(_) => {
                let algorithms = &self.provider.signature_verification_algorithms;
                verify_tls12_signature(message, certificate, signature, algorithms)
            }
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        match self.chain {
            None => Ok(HandshakeSignatureValid::assertion()),
            Some(_) => {
                let algorithms = &self.provider.signature_verification_algorithms;
                verify_tls13_signature(message, certificate, signature, algorithms)
            }
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Begins encrypted connections of the driver.
#[derive(Clone)]
pub(crate) struct Tls {
    config: Arc<ClientConfig>,
    /// Whether a server took the offer.
    has_begun: Arc<AtomicBool>,
}

impl Tls {
    /// Copy for another connection.
    pub(crate) fn another(&self) -> Self {
        Self { config: Arc::clone(&self.config), has_begun: Arc::default() }
    }

    /// Whether the server took the offer.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }
}

/// Connector to one server.
pub(crate) struct TlsTo {
    tls: Tls,
    server: Result<ServerName<'static>, io::Error>,
}

pub(crate) struct Encrypted<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = TlsTo;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> Result<TlsTo, io::Error> {
        // Sockets have no such name, and are not encrypted.
        let server = ServerName::try_from(domain.to_owned()).map_err(|_| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "no certificate can be valid for the name of this server",
            )
        });
        Ok(TlsTo { tls: self.clone(), server })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for TlsTo {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Encrypted<S>, io::Error>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        let Self { tls: Tls { config, has_begun }, server } = self;
        has_begun.store(true, Ordering::Relaxed);
        Box::pin(async move {
            let connector = tokio_rustls::TlsConnector::from(config);
            connector.connect(server?, stream).await.map(Encrypted)
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::*;

    /// A certificate of `db` that signed itself, from 2026-11-27 to 2026-12-27.
    const OWN: &str = "\
-----BEGIN CERTIFICATE-----
MIIBfzCCASSgAwIBAgIUESUu/7Hn3Z2WMz2f2NGFrU/Ut5IwCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCZGIwHhcNMjYxMTI3MjIwMjIwWhcNMjYxMjI3MjIwMjIwWjAN
MQswCQYDVQQDDAJkYjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDD3dDCxKxAb
tYAQ/1v5/DD0jCuEcu7YVSqu9CJY+1GU2T6YVJNvd0n5I8Kr3l/DEhnTuYQoex8p
2lJgHPJqyTujYjBgMB0GA1UdDgQWBBSwkvFzrkawZOyJui0Ao8a7XxyTHTAfBgNV
HSMEGDAWgBSwkvFzrkawZOyJui0Ao8a7XxyTHTAPBgNVHRMBAf8EBTADAQH/MA0G
A1UdEQQGMASCAmRiMAoGCCqGSM49BAMCA0kAMEYCIQCrc+6oYOcs6ISZHYzYAssT
ixFW3T6So+Py8uuLO1MvCwIhAO/e5UXcVoV4phANbyxLVabfRRUEQa/SfTXhy9UJ
xfv2
-----END CERTIFICATE-----
";

    /// What is decided of that certificate, which is known, a number of seconds after 1970.
    fn decided(trust: impl FnOnce(PathBuf) -> Trust, name: &str, seconds: u64) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("own.crt");
        fs::write(&file, OWN).unwrap();
        let own = certificates(&file).unwrap();
        let verifier = trust(file).verifier(&Arc::new(ring::default_provider())).unwrap();
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let decided = verifier.verify_server_cert(&own[0], &[], &name, &[], now);
        decided.map(|_| ()).map_err(|error| error.to_string())
    }

    /// A certificate in the file was believed for ever.
    #[test]
    fn a_known_certificate_is_believed_on_its_days_only() {
        let (before, on_a_day, after) = (1_795_000_000, 1_796_000_000, 1_799_000_000);
        for name in ["db", "other"] {
            assert_eq!(decided(Trust::Signed, name, on_a_day), Ok(()));
            for day in [before, after] {
                let error = decided(Trust::Signed, name, day).unwrap_err();
                assert!(error.contains("certificate"), "{error}");
            }
        }
        let named = |file| Trust::Named(Roots::File(file));
        assert_eq!(decided(named, "db", on_a_day), Ok(()));
        assert!(decided(named, "db", after).unwrap_err().contains("expired"));
        assert!(decided(named, "db", before).unwrap_err().contains("not valid yet"));
        assert!(decided(named, "other", on_a_day).is_err());
    }

    /// A key that all could read was used.
    #[test]
    fn a_key_that_others_can_use_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let key = folder.path().join("own.key");
        fs::write(&key, "").unwrap();
        let is_root = fs::metadata(&key).unwrap().uid() == 0;
        for (mode, is_private) in
            [(0o600, true), (0o400, true), (0o640, is_root), (0o604, false), (0o660, false), (0o610, false)]
        {
            fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
            let checked = check_private(&key);
            assert_eq!(checked.is_ok(), is_private, "{mode:o}: {checked:?}");
            assert!(checked.err().is_none_or(|reason| reason.contains("chmod 600")));
        }
        assert!(check_private(folder.path()).unwrap_err().contains("not a regular file"));
    }

    #[test]
    fn a_version_that_is_asked_for_is_the_only_one() {
        let names = |versions: Versions| versions.all().iter().map(|one| one.version).collect::<Vec<_>>();
        assert_eq!(names(Versions::Only13), [rustls::ProtocolVersion::TLSv1_3]);
        assert_eq!(names(Versions::Only12), [rustls::ProtocolVersion::TLSv1_2]);
        assert_eq!(names(Versions::Both).len(), 2);
        for versions in [Versions::Both, Versions::Only12, Versions::Only13] {
            let security = Security { trust: Trust::Anyone, identity: None, versions };
            assert!(security.tls().is_ok());
        }
    }
}
