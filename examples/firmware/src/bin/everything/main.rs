//! All that `umcp` has in one program, for `FOOTPRINT.md`: the whole board as a server, on lines and over HTTP, and the thermostat as a client
//! of either kind, both eras throughout.
//!
//! One UART is all there is, so the other end decides by its first byte what is spoken: `{` begins a line, a letter an HTTP request. If it says
//! nothing, the board is the agent, and asks.
#![no_std]
#![no_main]

#[path = "../server/board.rs"]
mod board;
#[path = "../client/visit.rs"]
mod visit;

use core::convert::Infallible;

use umcp::client::{self, Config};
use umcp::http::{client as http_client, server as http_server};
use umcp::io::nb::{Serial, pump};
use umcp::io::{Client, Failure, Polled};
use umcp::server::{Connection, Endpoint, Memory};
use umcp_firmware::uart::Uart;
use umcp_firmware::{entry, machine};

use board::{BLINKS, Board, CATALOG};

const HEAD: usize = 512;
const RECEIVE: usize = 512;
const TRANSMIT: usize = 512;
const SUBSCRIPTIONS: usize = 2;
/// A client receives what servers say about themselves, and one item of a list at a time.
const CLIENT_RECEIVE: usize = 2048;
/// A request over HTTP and its head.
const CLIENT_TRANSMIT: usize = 768;
/// Sessions of legacy clients over HTTP, and bytes of events that they may ask for again.
const SESSIONS: usize = 1;
const REPLAY: usize = 256;

/// How long the other end may be silent until the board begins.
const PATIENCE: u64 = 3_000;

entry!(run);

fn run() -> ! {
    let mut uart = machine::start();
    let mut over_http = false;
    loop {
        match first_byte(&mut uart) {
            Some(byte @ b'{') => serve_lines(uart, byte),
            Some(byte @ b'A'..=b'Z') => serve_http(uart, byte),
            Some(_) => {} // noise at power-up
            None => {
                // A server that understands nothing on lines may be one over HTTP.
                let met = if over_http { ask_over_http(&mut uart) } else { ask_on_lines(&mut uart) };
                over_http ^= met.is_err();
            }
        }
    }
}

fn first_byte(uart: &mut Uart) -> Option<u8> {
    let until = machine::now().as_millis() + PATIENCE;
    while machine::now().as_millis() < until {
        if let Ok(byte) = uart.read() {
            return Some(byte);
        }
        machine::idle();
    }
    None
}

/// See `src/bin/server`.
#[inline(never)]
fn serve_lines(mut uart: Uart, first: u8) -> ! {
    let mut board = Board::default();
    let mut endpoint = Endpoint::new(&CATALOG);
    let mut memory = Memory::<RECEIVE, TRANSMIT, BLINKS, SUBSCRIPTIONS>::new();
    let mut conn = Connection::line(memory.lend());
    if let [place, ..] = conn.receive_buffer() {
        *place = first;
        conn.commit(1);
    }
    loop {
        let now = machine::now();
        let Ok(()) = pump(&mut conn, &mut uart);
        conn.serve(&mut endpoint, &mut board, now);
        board.tick(&mut conn, &mut endpoint, now);
        if conn.transmit().is_empty() {
            machine::idle();
        }
    }
}

/// See `src/bin/http_server`; here with sessions for legacy clients, and with calls that are answered later.
#[inline(never)]
fn serve_http(mut uart: Uart, first: u8) -> ! {
    let mut board = Board::default();
    let mut endpoint = Endpoint::new(&CATALOG);
    let (mut table, mut replay) = (heapless::Vec::<http_server::HttpSession, SESSIONS>::new(), [0; REPLAY]);
    let sessions = http_server::Sessions::new(&mut table, &mut replay, random);
    let mut site = http_server::Site { sessions: Some(sessions), ..http_server::Site::new("/mcp") };
    let mut memory = http_server::Memory::<HEAD, RECEIVE, TRANSMIT>::new();
    let mut conn = http_server::Connection::new(memory.lend());
    if let [place, ..] = conn.receive_buffer() {
        *place = first;
        conn.commit(1);
    }
    loop {
        let now = machine::now();
        let Ok(()) = pump(&mut conn, &mut uart);
        conn.serve(&mut site, &mut endpoint, &mut board, now);
        board.tick(&mut conn, &mut endpoint, now);
        if conn.transmit().is_empty() {
            if conn.is_closed() {
                conn.reset();
            }
            machine::idle();
        }
    }
}

/// See `src/bin/client`.
#[inline(never)]
fn ask_on_lines(uart: &mut Uart) -> Result<(), Failure<Infallible>> {
    let mut memory = client::Memory::<CLIENT_RECEIVE, TRANSMIT, 1, 1>::new();
    let wire = Polled::new(uart, machine::now, machine::idle);
    let mut agent = Client::new(memory.lend(), config(), wire, ());
    agent.handshake()?;
    visit::visit(&mut agent)
}

/// The same over HTTP. The stream is always open: there is but one.
#[inline(never)]
fn ask_over_http(uart: &mut Uart) -> Result<(), Failure<Infallible>> {
    let mut memory = http_client::Memory::<CLIENT_RECEIVE, CLIENT_TRANSMIT, 128, 1, 1>::new();
    let target = http_client::Endpoint { host: "localhost", path: "/mcp" };
    let wire = Polled::new(uart, machine::now, machine::idle);
    let mut agent = Client::new_http(memory.lend(), config(), &target, wire, ());
    agent.handshake()?;
    visit::visit(&mut agent)
}

fn config() -> Config<'static> {
    Config::new("everything", env!("CARGO_PKG_VERSION"))
}

/// The ids of sessions. Put your generator here: whoever guesses an id takes part in its session, and a clock can be guessed.
fn random(bits: &mut [u8; 16]) {
    let mut state = machine::now().as_millis() | 1;
    for byte in bits {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *byte = state as u8;
    }
}
