//! Where a line is: `tcp:HOST:PORT`, `unix:PATH`, `serial:PATH[@BAUD]`.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;

use super::end::End;
use super::{CONNECT_TIMEOUT, LineWire};

/// The speed of a serial line where none is given, in bits a second.
pub const DEFAULT_BAUD: u32 = 115_200;

/// The address of a server on a line. It can be opened again and again.
///
/// ```
/// use umcp_std::line::Address;
/// let board: Address = "serial:/dev/ttyACM0@57600".parse()?;
/// assert_eq!(board, Address::Serial { path: "/dev/ttyACM0".into(), baud: 57_600 });
/// # Ok::<(), umcp_std::line::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `tcp:HOST:PORT`.
    Tcp {
        /// A name or an address; one of IPv6 in square brackets.
        host: String,
        /// The port.
        port: u16,
    },
    /// `unix:PATH`; on Unix.
    Unix {
        /// The path of the socket.
        path: PathBuf,
    },
    /// `serial:PATH[@BAUD]`; on Unix. Eight bits, no parity, one stop bit, no flow control.
    Serial {
        /// The path of the device, such as `/dev/ttyACM0`, or better the name that stays the same: `/dev/serial/by-id/...`.
        path: PathBuf,
        /// The speed in bits a second; [`DEFAULT_BAUD`] if none is given. A device that is USB to the end ignores it.
        baud: u32,
    },
}

impl Address {
    /// Opens it: connects, or opens the device.
    ///
    /// A serial line is put into raw mode, what had arrived before is thrown away, and a newline is sent, so that half a line that the device
    /// may have heard before is not the beginning of our first message. DTR and RTS are left as the system has them, and are not dropped at the end either,
    /// so that a board which takes that for a reset is not reset by every program that talks to it.
    ///
    /// # Errors
    /// [`OpenError`] says what happened and what to do.
    pub fn open(&self) -> Result<LineWire, OpenError> {
        let opened = self.end().and_then(LineWire::of);
        opened.map_err(|source| OpenError { address: self.to_string(), source })
    }

    fn end(&self) -> io::Result<End> {
        match self {
            Address::Tcp { host, port } => connect(host, *port).map(End::Tcp),
            #[cfg(unix)]
            Address::Unix { path } => std::os::unix::net::UnixStream::connect(path).map(End::Unix),
            #[cfg(unix)]
            Address::Serial { path, baud } => super::serial::open(path, *baud).map(End::Serial),
            #[cfg(not(unix))]
            Address::Unix { .. } | Address::Serial { .. } => Err(ErrorKind::Unsupported.into()),
        }
    }
}

/// Each address that the name stands for is tried once.
fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let mut failed = io::Error::new(ErrorKind::NotFound, "the name stands for no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => {
                // Messages are small, and each is waited for.
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let malformed = || AddressError { text: text.to_owned() };
        let (scheme, rest) = text.split_once(':').ok_or_else(malformed)?;
        match (scheme, rest) {
            (_, "") => Err(malformed()),
            ("tcp", rest) => {
                let (host, port) = rest.rsplit_once(':').ok_or_else(malformed)?;
                let is_bare_ipv6 = host.contains(':') && !host.starts_with('[');
                match port.parse() {
                    Ok(port) if !host.is_empty() && !is_bare_ipv6 => Ok(Address::Tcp { host: host.to_owned(), port }),
                    _ => Err(malformed()),
                }
            }
            ("unix", path) => Ok(Address::Unix { path: path.into() }),
            ("serial", rest) => match rest.rsplit_once('@') {
                // Only digits are a speed: a path may have the sign in it too.
                Some((path, baud)) if !baud.is_empty() && baud.bytes().all(|byte| byte.is_ascii_digit()) => {
                    match baud.parse() {
                        Ok(baud) if baud > 0 && !path.is_empty() => Ok(Address::Serial { path: path.into(), baud }),
                        _ => Err(malformed()),
                    }
                }
                _ => Ok(Address::Serial { path: rest.into(), baud: DEFAULT_BAUD }),
            },
            _ => Err(malformed()),
        }
    }
}

/// As it is written on a command line.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp { host, port } => write!(f, "tcp:{host}:{port}"),
            Address::Unix { path } => write!(f, "unix:{}", path.display()),
            Address::Serial { path, baud } => write!(f, "serial:{}@{baud}", path.display()),
        }
    }
}

/// A text that is no [`Address`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    text: String,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no address; write tcp:HOST:PORT, unix:PATH or serial:PATH@BAUD", self.text)
    }
}

impl Error for AddressError {}

/// A line that could not be opened. `Display` says what to do.
#[derive(Debug)]
pub struct OpenError {
    address: String,
    source: io::Error,
}

impl OpenError {
    /// What the system says.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.source.kind()
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OpenError { address, source } = self;
        let is_device = address.starts_with("serial:");
        let advice = match source.kind() {
            ErrorKind::NotFound if is_device => "there is no such device; is it plugged in?",
            ErrorKind::NotFound if address.starts_with("unix:") => "there is no such socket; is the server running?",
            ErrorKind::ConnectionRefused => "nobody listens there; is the server running?",
            ErrorKind::PermissionDenied if is_device => {
                "it may not be opened; on most systems you have to be in the group `dialout`"
            }
            ErrorKind::WouldBlock if is_device => "another program has it open",
            ErrorKind::Unsupported => "lines of this kind exist only on Unix",
            _ => return write!(f, "cannot open {address}: {source}"),
        };
        write!(f, "cannot open {address}: {advice}")
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        let tcp = |host: &str, port| Some(Address::Tcp { host: host.to_owned(), port });
        let serial = |path: &str, baud| Some(Address::Serial { path: path.into(), baud });
        let table = [
            ("tcp:localhost:7000", tcp("localhost", 7000)),
            ("tcp:10.0.0.1:1", tcp("10.0.0.1", 1)),
            ("tcp:[::1]:7000", tcp("[::1]", 7000)),
            ("tcp:::1:7000", None),
            ("tcp:localhost", None),
            ("tcp::7000", None),
            ("tcp:localhost:", None),
            ("tcp:localhost:65536", None),
            ("tcp:localhost:-1", None),
            ("tcp:", None),
            ("unix:/run/board", Some(Address::Unix { path: "/run/board".into() })),
            ("unix:a:b", Some(Address::Unix { path: "a:b".into() })),
            ("unix:", None),
            ("serial:/dev/ttyACM0", serial("/dev/ttyACM0", DEFAULT_BAUD)),
            ("serial:/dev/ttyACM0@9600", serial("/dev/ttyACM0", 9600)),
            ("serial:/dev/a@b", serial("/dev/a@b", DEFAULT_BAUD)),
            ("serial:/dev/a@b@9600", serial("/dev/a@b", 9600)),
            ("serial:/dev/a@", serial("/dev/a@", DEFAULT_BAUD)),
            ("serial:/dev/a@0", None),
            ("serial:/dev/a@99999999999", None),
            ("serial:@9600", None),
            ("serial:", None),
            ("http://localhost/", None),
            ("server", None),
            ("", None),
        ];
        for (text, expected) in table {
            let parsed = text.parse::<Address>();
            assert_eq!(parsed.as_ref().ok(), expected.as_ref(), "{text}");
            if let Ok(address) = parsed {
                assert_eq!(address.to_string().parse(), Ok(address), "{text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_opened_says_what_to_do() {
        let table = [
            ("serial:/no/such/device", "plugged in"),
            ("serial:/etc/hostname", "cannot open serial:/etc/hostname@115200"),
            ("unix:/no/such/socket", "is the server running"),
            ("tcp:127.0.0.1:1", "is the server running"),
        ];
        for (text, expected) in table {
            let error = text.parse::<Address>().unwrap().open().unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains(text), "{error}");
        }
    }
}
