//! TLS, by `rustls`: always verified.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::sync::Arc;

use mio::net::TcpStream;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use super::roots::{Roots, Trust};
use super::url::Url;

/// A TLS connection over a TCP stream. Nothing here waits.
pub(super) struct Tls {
    session: ClientConnection,
    tcp: TcpStream,
}

impl Tls {
    pub(super) fn new(tcp: TcpStream, url: &Url, trust: &mut Trust) -> io::Result<Tls> {
        let name = ServerName::try_from(url.host().to_owned())
            .map_err(|error| invalid(&rustls::Error::General(error.to_string())))?;
        let config = match &trust.config {
            Some(config) => config.clone(),
            None => trust.config.insert(config(&trust.roots)?).clone(),
        };
        let session = ClientConnection::new(config, name).map_err(|error| invalid(&error))?;
        Ok(Tls { session, tcp })
    }

    pub(super) fn receive(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            // It says that it would have to wait as long as the session is open and has nothing more.
            match self.session.reader().read(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
            self.session.read_tls(&mut self.tcp)?;
            if let Err(error) = self.session.process_new_packets() {
                // The server is told why, if it still listens.
                let _ = self.flush();
                return Err(invalid(&error));
            }
            // What the handshake has to say meanwhile.
            self.flush()?;
        }
    }

    pub(super) fn send(&mut self, out: &[u8]) -> io::Result<usize> {
        let sent = self.session.writer().write(out)?;
        self.flush()?;
        Ok(sent)
    }

    fn flush(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut self.tcp) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub(super) fn into_tcp(mut self) -> TcpStream {
        self.session.send_close_notify();
        // It may be gone already.
        let _ = self.flush();
        self.tcp
    }
}

fn config(roots: &Roots) -> io::Result<Arc<ClientConfig>> {
    let mut store = RootCertStore::empty();
    match roots {
        Roots::System => {
            let found = rustls_native_certs::load_native_certs();
            // Some of what systems keep there is no certificate any more; what is wrong with all of them is told.
            let (added, _) = store.add_parsable_certificates(found.certs);
            if let (0, Some(error)) = (added, found.errors.into_iter().next()) {
                return Err(io::Error::other(format!("cannot read the system's certificates: {error}")));
            }
        }
        Roots::File(path) => {
            let unreadable = |what: &dyn fmt::Display| {
                io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!("cannot use the certificates in {}: {what}", path.display()),
                )
            };
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))? {
                let certificate = certificate.map_err(|error| unreadable(&error))?;
                store.add(certificate).map_err(|error| unreadable(&error))?;
            }
            if store.is_empty() {
                return Err(unreadable(&"there is none in it"));
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = versions.map_err(|error| invalid(&error))?.with_root_certificates(store).with_no_client_auth();
    Ok(Arc::new(config))
}

fn invalid(error: &rustls::Error) -> io::Error {
    // What is no TLS at all comes from a server without it.
    let is_none = matches!(error, rustls::Error::InvalidMessage(_));
    let hint = if is_none { "; is the server on https? If not, its URL begins with http://" } else { "" };
    io::Error::new(io::ErrorKind::InvalidData, format!("TLS: {error}{hint}"))
}
