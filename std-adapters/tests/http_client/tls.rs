//! Servers behind TLS, with a certificate made on the spot.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::json;
use umcp::client::Verdict;
use umcp::io::Failure;
use umcp_std::Settings;
use umcp_std::http::client::{Remote, Roots};

use crate::script::{Act, parse, result};

/// A server for this name, and a file with its certificate.
fn server(name: &str) -> (SocketAddr, PathBuf) {
    let rcgen::CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let file = std::env::temp_dir().join(format!("umcp-tls-{}-{}.pem", std::process::id(), address.port()));
    std::fs::write(&file, cert.pem()).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    thread::spawn(move || {
        for tcp in listener.incoming() {
            let session = rustls::ServerConnection::new(config.clone()).unwrap();
            let mut stream = rustls::StreamOwned::new(session, tcp.unwrap());
            thread::spawn(move || {
                let mut bytes = Vec::new();
                loop {
                    let Some((request, length)) = parse(&bytes, 0) else {
                        let mut more = [0; 4096];
                        match stream.read(&mut more) {
                            Ok(0) | Err(_) => return,
                            Ok(count) => bytes.extend_from_slice(&more[..count]),
                        }
                        continue;
                    };
                    bytes.drain(..length);
                    let text = "x".repeat(100_000);
                    let content = json!({ "content": [{ "type": "text", "text": text }] });
                    let reply = match crate::script::modern(&request) {
                        Some(Act::Say(reply)) => reply,
                        _ => result(&request, content),
                    };
                    stream.write_all(&reply).unwrap();
                }
            });
        }
    });
    (address, file)
}

fn remote(host: &str, address: SocketAddr, roots: Roots) -> Remote {
    Remote::new(format!("https://{host}:{}/mcp", address.port()).parse().unwrap()).roots(roots)
}

#[test]
fn a_server_that_is_trusted() {
    let (address, file) = server("localhost");
    let mut agent = remote("localhost", address, Roots::File(file)).connect("test", "1").unwrap();
    for _ in 0..3 {
        let long = "y".repeat(100_000);
        assert_eq!(agent.call("t", &json!({ "long": long })).unwrap().text().unwrap().raw().len(), 100_000);
    }
}

#[test]
fn servers_that_are_not() {
    let (address, file) = server("localhost");
    let (_, other) = server("localhost");
    let (elsewhere, elsewheres) = server("example.com");
    let missing = Roots::File("/no/such/file.pem".into());
    let table = [
        // The system does not know it; nor does another certificate's holder vouch for it.
        (remote("localhost", address, Roots::System), "certificate"),
        (remote("localhost", address, Roots::File(other)), "certificate"),
        // It is somebody else.
        (remote("localhost", elsewhere, Roots::File(elsewheres)), "certificate"),
        (remote("127.0.0.1", address, Roots::File(file)), "certificate"),
        (remote("localhost", address, missing), "/no/such/file.pem"),
    ];
    for (remote, words) in table {
        let error = remote.connect_with(Settings::new("test", "1").verdict(Verdict::Modern)).and_then(|mut agent| {
            agent.read("a:b")?;
            Ok(())
        });
        let error = error.unwrap_err();
        assert!(matches!(error.failure(), Some(Failure::Wire(_))), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_server_that_speaks_no_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = stream.unwrap().write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let error = remote("localhost", address, Roots::System).connect("test", "1").unwrap_err();
    assert!(error.to_string().contains("TLS"), "{error}");
}
