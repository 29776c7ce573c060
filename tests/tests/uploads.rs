//! Arguments that are larger than both ends: our client's buffers and our server's, on a line and over HTTP, both eras.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::json;
use umcp::client::{self, Config, Happened, Options, Verdict};
use umcp::http;
use umcp::io::nb;
use umcp::mcp::Fault;
use umcp::rpc::RequestHandle;
use umcp::server::{self, Call, Catalog, Endpoint, Outcome, Upload};
use umcp::time::{Duration, Instant};
use umcp::tool;

/// What the board has of an image.
#[derive(Default)]
struct Board {
    image: String,
    voids: usize,
    done: Option<u8>,
    /// It takes one piece in so many.
    slow: usize,
    turn: usize,
    /// It refuses what is longer.
    limit: usize,
}

fn take(board: &mut Board, upload: Upload<'_>) -> nb::Result<(), Fault> {
    if upload.is_void() {
        board.image.clear();
        board.voids += 1;
        return Ok(());
    }
    board.turn += 1;
    if !board.turn.is_multiple_of(board.slow + 1) {
        return Err(nb::Error::WouldBlock);
    }
    board.image.push_str(upload.text());
    if board.image.len() > board.limit {
        return Err(nb::Error::Other(Fault::application(9, "too large")));
    }
    Ok(())
}

umcp::arguments! {
    struct Flash<'a> {
        slot: u8,
        _image as "image": &'a str,
    }
}

fn flash(board: &mut Board, Flash { slot, .. }: Flash<'_>, call: Call<'_>) -> Outcome {
    board.done = Some(slot);
    call.text("flashed")
}

static CATALOG: Catalog<Board> = Catalog::new("board", "1").tools(&[
    tool!("flash", "d", flash(&mut Board, Flash)).upload("image", take),
    tool!("ping", "d", |_, call| call.text("pong")),
]);

/// Bytes that pass from one end to the other, at most so many at a time. How many did.
macro_rules! pass {
    ($from:expr, $to:expr, $most:expr) => {{
        let (out, into) = ($from.transmit(), $to.receive_buffer());
        let count = out.len().min(into.len()).min($most);
        into[..count].copy_from_slice(&out[..count]);
        $from.transmitted(count);
        $to.commit(count);
        count
    }};
}

/// The two ends of a wire.
trait Pair<'b> {
    fn advance(&mut self, now: Instant) -> Happened;
    /// Lets the server work and bytes pass. `false`: nothing has moved.
    fn turn(&mut self, board: &mut Board, most: usize, now: Instant) -> bool;
    fn ask(&mut self, ask: &mut dyn FnMut(&mut client::Engine<'b>) -> RequestHandle) -> RequestHandle;
    fn pen(&mut self, handle: RequestHandle) -> Result<client::Uploading<'_, 'b>, client::NotTaken>;
    fn cancel(&mut self, handle: RequestHandle) -> bool;
}

struct Line<'b> {
    client: client::Connection<'b>,
    server: server::Connection<'b>,
    endpoint: Endpoint<Board>,
}

impl<'b> Pair<'b> for Line<'b> {
    fn advance(&mut self, now: Instant) -> Happened {
        self.client.advance(now)
    }

    fn turn(&mut self, board: &mut Board, most: usize, now: Instant) -> bool {
        self.server.serve(&mut self.endpoint, board, now);
        let up = pass!(self.client, self.server, most);
        self.server.serve(&mut self.endpoint, board, now);
        up + pass!(self.server, self.client, most) > 0
    }

    fn ask(&mut self, ask: &mut dyn FnMut(&mut client::Engine<'b>) -> RequestHandle) -> RequestHandle {
        ask(&mut self.client)
    }

    fn pen(&mut self, handle: RequestHandle) -> Result<client::Uploading<'_, 'b>, client::NotTaken> {
        self.client.upload(handle)
    }

    fn cancel(&mut self, handle: RequestHandle) -> bool {
        self.client.cancel(handle, None)
    }
}

struct Http<'b> {
    client: http::client::Connection<'b>,
    server: http::server::Connection<'b>,
    site: http::server::Site<'static>,
    endpoint: Endpoint<Board>,
}

impl<'b> Pair<'b> for Http<'b> {
    fn advance(&mut self, now: Instant) -> Happened {
        self.client.advance(now)
    }

    fn turn(&mut self, board: &mut Board, most: usize, now: Instant) -> bool {
        let Http { client, server, site, endpoint } = self;
        match client.stream() {
            http::client::Stream::Keep => {}
            wanted => {
                server.eof();
                server.serve(site, endpoint, board, now);
                server.reset();
                if wanted == http::client::Stream::Open {
                    client.opened()
                } else {
                    client.closed()
                }
                return true;
            }
        }
        server.serve(site, endpoint, board, now);
        let up = pass!(client, server, most);
        server.serve(site, endpoint, board, now);
        let down = pass!(server, client, most);
        if server.is_closed() && server.transmit().is_empty() {
            client.eof();
        }
        up + down > 0
    }

    fn ask(&mut self, ask: &mut dyn FnMut(&mut client::Engine<'b>) -> RequestHandle) -> RequestHandle {
        assert_eq!(self.advance(Instant::ZERO), Happened::NeedData);
        self.client.send(|engine| Ok(ask(engine))).expect("sent")
    }

    fn pen(&mut self, handle: RequestHandle) -> Result<client::Uploading<'_, 'b>, client::NotTaken> {
        self.client.upload(handle)
    }

    fn cancel(&mut self, handle: RequestHandle) -> bool {
        self.client.cancel(handle, None)
    }
}

/// What to do with a call of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    Whole,
    /// It is given up once the board has so many bytes.
    Cancel(usize),
}

const OPTIONS: Options = Options { timeout: Duration::from_millis(1_000), ..Options::DEFAULT };

/// Waits for what becomes of this request.
fn outcome<'b>(pair: &mut dyn Pair<'b>, board: &mut Board, most: usize, handle: RequestHandle) -> Happened {
    finish(pair, board, most, handle, b"", Plan::Whole)
}

/// Gives an image, and waits for what becomes of its request.
fn finish<'b>(
    pair: &mut dyn Pair<'b>,
    board: &mut Board,
    most: usize,
    handle: RequestHandle,
    mut image: &[u8],
    plan: Plan,
) -> Happened {
    let now = Instant::ZERO;
    for _ in 0..1_000_000 {
        match pair.advance(now) {
            Happened::NeedData => {}
            Happened::Ignored(client::Ignored::Anonymous | client::Ignored::Late) => continue,
            other => return other,
        }
        while let Ok(mut pen) = pair.pen(handle) {
            match pen.bytes(image).expect("taken") {
                0 if !image.is_empty() || !pen.end().expect("complete") => break,
                taken => image = &image[taken..],
            }
        }
        if let Plan::Cancel(at) = plan
            && board.image.len() >= at
        {
            assert!(pair.cancel(handle));
        }
        pair.turn(board, most, now);
    }
    panic!("it does not come to an end");
}

fn check<'b>(pair: &mut dyn Pair<'b>, image: &[u8], most: usize) {
    let length = Some(image.len() as u64);
    let open = |pair: &mut dyn Pair<'b>| {
        pair.ask(&mut |engine| {
            let upload = client::Upload::bytes("image", length);
            engine.call_open("flash", &json!({"slot": 3}), upload, OPTIONS, Instant::ZERO).expect("opened")
        })
    };
    let ping = |pair: &mut dyn Pair<'b>, board: &mut Board| {
        let handle = pair.ask(&mut |engine| engine.call("ping", &(), OPTIONS, Instant::ZERO).expect("sent"));
        assert_eq!(outcome(pair, board, most, handle), Happened::Response(handle));
    };
    let encoded = {
        let mut buf = vec![0; image.len() * 2 + 8];
        let mut w = umcp::json::Writer::new(&mut buf);
        w.base64(image);
        serde_json::from_slice::<String>(w.written()).unwrap()
    };
    for slow in [0, 3] {
        // One that comes to its end, between others.
        let mut board = Board { slow, limit: usize::MAX, ..Board::default() };
        ping(pair, &mut board);
        let handle = open(pair);
        assert_eq!(finish(pair, &mut board, most, handle, image, Plan::Whole), Happened::Response(handle));
        assert_eq!((board.image == encoded, board.voids, board.done), (true, 0, Some(3)));
        ping(pair, &mut board);
        // One that is given up: nothing of it counts, and the next is unharmed.
        let mut board = Board { slow, limit: usize::MAX, ..Board::default() };
        let handle = open(pair);
        let plan = Plan::Cancel(encoded.len() / 3);
        assert_eq!(finish(pair, &mut board, most, handle, image, plan), Happened::Cancelled(handle));
        ping(pair, &mut board);
        assert_eq!((board.voids, board.done, board.image.as_str()), (1, None, ""));
        // One that the board refuses in the middle.
        let mut board = Board { slow, limit: encoded.len() / 2, ..Board::default() };
        let handle = open(pair);
        assert_eq!(finish(pair, &mut board, most, handle, image, Plan::Whole), Happened::Error(handle));
        assert_eq!(board.done, None);
        ping(pair, &mut board);
    }
}

/// The client has 256 bytes to send from, the server 512 to receive into.
#[test]
fn on_a_line() {
    let image: Vec<u8> = (0..20_000u32).map(|n| (n * 7 + n / 256) as u8).collect();
    for (verdict, most) in
        [(Verdict::Modern, usize::MAX), (Verdict::Modern, 1), (Verdict::Modern, 100), (Verdict::Legacy, 64)]
    {
        let mut memory: client::Memory<512, 256> = client::Memory::new();
        let mut board_memory: server::Memory<512, 512> = server::Memory::new();
        let config = Config { verdict: Some(verdict), ..Config::new("t", "1") };
        let mut pair = Line {
            client: client::Connection::line(memory.lend(), config),
            server: server::Connection::line(board_memory.lend()),
            endpoint: Endpoint::new(&CATALOG),
        };
        let mut board = Board::default();
        while pair.advance(Instant::ZERO) != Happened::Connected {
            pair.turn(&mut board, most, Instant::ZERO);
        }
        check(&mut pair, &image, most);
    }
}

#[test]
fn over_http() {
    let image: Vec<u8> = (0..20_000u32).map(|n| (n * 7 + n / 256) as u8).collect();
    let target = http::client::Endpoint { host: "localhost", path: "/mcp" };
    for (verdict, most) in [(Verdict::Modern, usize::MAX), (Verdict::Modern, 1), (Verdict::Modern, 100)] {
        let mut memory: http::client::Memory<512, 512> = http::client::Memory::new();
        let mut board_memory: http::server::Memory<512, 512, 512> = http::server::Memory::new();
        let config = Config { verdict: Some(verdict), ..Config::new("t", "1") };
        let mut pair = Http {
            client: http::client::Connection::new(memory.lend(), config, &target),
            server: http::server::Connection::new(board_memory.lend()),
            site: http::server::Site::new("/mcp"),
            endpoint: Endpoint::new(&CATALOG),
        };
        let mut board = Board::default();
        while pair.advance(Instant::ZERO) != Happened::Connected {
            pair.turn(&mut board, most, Instant::ZERO);
        }
        check(&mut pair, &image, most);
    }
}
