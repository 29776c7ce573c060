//! HTTP on a board with two sockets: one loop, no threads, no waiting, and all the memory there will ever be in one place.
//!
//! Here the sockets are in memory, and two clients of this same program are behind them; on a board they are those of its network chip or of
//! smoltcp. While the first client listens, the second switches the LED: the first is told.

use std::collections::VecDeque;

use umcp::http::server::{Connection, Memory, Site};
use umcp::server::{Call, Catalog, Endpoint, Outcome, Read, Resource};
use umcp::time::Instant;
use umcp::tool;

#[derive(Default)]
struct Board {
    led: bool,
}

umcp::arguments! {
    struct LedSet {
        /// Whether it shines.
        on: bool,
    }
}

fn led_set(board: &mut Board, LedSet { on }: LedSet, mut call: Call<'_>) -> Outcome {
    board.led = on;
    call.updated("board://led"); // whoever listens is told, on whichever socket
    call.text(if on { "on" } else { "off" })
}

fn read_led(board: &mut Board, read: Read<'_>) -> Outcome {
    read.text(if board.led { "on" } else { "off" })
}

static CATALOG: Catalog<Board> = Catalog::new("two-sockets", "1.0.0")
    .tools(&[tool!("led_set", "Turn the LED on or off.", led_set(&mut Board, LedSet))])
    .resources(&[Resource::new("board://led", "led", read_led).changes()]);

/// A socket: the bytes that are under way, and whether either side is done.
#[derive(Default)]
struct Socket {
    to_board: VecDeque<u8>,
    from_board: Vec<u8>,
    peer_is_done: bool,
    is_closed: bool,
}

/// Moves what can move between a socket and its connection; never waits.
fn pump(conn: &mut Connection<'_>, socket: &mut Socket) {
    let room = conn.receive_buffer();
    let count = room.len().min(socket.to_board.len());
    for (place, byte) in room.iter_mut().zip(socket.to_board.drain(..count)) {
        *place = byte;
    }
    conn.commit(count);
    if socket.peer_is_done && socket.to_board.is_empty() {
        conn.eof();
    }
    let sent = conn.transmit().len(); // a real socket may take less: then that is what was sent
    socket.from_board.extend_from_slice(conn.transmit());
    conn.transmitted(sent);
    socket.is_closed = conn.is_closed() || conn.is_lingering();
}

/// Runs the board, which looks at each of its sockets once in each turn; `peers` says what the clients do meanwhile.
fn run(turns: u64, mut peers: impl FnMut(u64, &mut [Socket; 2])) -> [Socket; 2] {
    let mut site = Site::new("/mcp");
    let mut endpoint = Endpoint::new(&CATALOG);
    let mut board = Board::default();
    let mut sockets = [Socket::default(), Socket::default()];

    // For each socket: headers, receive, transmit. With the state of the connection it is 6 KB.
    let mut memory = [Memory::<512, 2048, 1024>::new(), Memory::new()];
    let mut conns = memory.each_mut().map(|memory| Connection::new(memory.lend()));
    for turn in 0..turns {
        let now = Instant::from_millis(turn);
        peers(turn, &mut sockets);
        for (conn, socket) in conns.iter_mut().zip(&mut sockets) {
            pump(conn, socket);
            conn.serve(&mut site, &mut endpoint, &mut board, now); // handlers run here
        }
        // On a board: wait for an interrupt, or until the earliest `conn.poll_at(&site)`. A connection that is closed is `reset` for the next peer.
    }
    sockets
}

/// A request as a client sends it.
fn post(method: &str, name: &str, params: &str) -> Vec<u8> {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params},{meta}}}}}"#);
    let mirrored = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n");
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    format!("{head}{mirrored}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// One client listens to the LED, the other switches it on, and then the first has heard enough.
fn scene(turn: u64, [listener, caller]: &mut [Socket; 2]) {
    match turn {
        0 => listener.to_board.extend(post(
            "subscriptions/listen",
            "",
            r#""notifications":{"resourceSubscriptions":["board://led"]}"#,
        )),
        10 => caller.to_board.extend(post("tools/call", "led_set", r#""name":"led_set","arguments":{"on":true}"#)),
        20 => listener.peer_is_done = true,
        _ => {}
    }
}

fn main() {
    for socket in run(30, scene) {
        println!("{}\n", String::from_utf8_lossy(&socket.from_board));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_goes_from_socket_to_socket() {
        let [listener, caller] = run(30, scene);
        let heard = String::from_utf8_lossy(&listener.from_board);
        assert!(heard.contains("text/event-stream") && heard.contains("acknowledged"), "{heard}");
        assert!(heard.contains("resources/updated"), "{heard}");
        assert!(listener.is_closed && !caller.is_closed, "who leaves is let go, who stays is kept");
        let answer = String::from_utf8_lossy(&caller.from_board);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains(r#""text":"on""#), "{answer}");
    }
}
