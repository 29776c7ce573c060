//! Larger than memory: a list, a text, a resource and an argument of any length, through buffers of 2 KB in and 512 bytes out.
//!
//! `large serve` is the server, on standard input and output or, with `--http ADDR`, over HTTP. The others are clients of it, or of anything with
//! the same tools:
//!
//! ```sh
//! cargo build --release -p umcp-examples --example large
//! large=target/release/examples/large
//! $large list -- $large serve --tools 100000           # 100 MB of tools
//! $large read FILE -- $large serve --bytes 100000000   # a resource into a file
//! $large call text -- $large serve --bytes 100000000   # an answer, counted
//! $large send 100000000 -- $large serve                # an argument, counted at the other end
//! ```

use std::error::Error;
use std::io::Read;
use std::process::ExitCode;

use serde::Serialize;
use umcp::client::Upload;
use umcp::io::{Piece, nb};
use umcp::mcp::{Fault, List};
use umcp::server::{
    self, Call, CallHandle, Calls, Catalog, Connection, Endpoint, Family, Flow, Memory, Outcome, Resource, Stream,
    Tool, UploadId,
};
use umcp::time::Instant;
use umcp::tool;
use umcp_std::http::client::{Remote, Url};
use umcp_std::http::server::HttpServer;
use umcp_std::{Client, Process, Settings, Stdio};

/// Bytes of the buffers, of both sides.
const RECEIVE: usize = 2048;
const TRANSMIT: usize = 512;

// What is told of each tool: about 1 KB.
const DESCRIPTION: &str = concat!(
    "One of very many tools that do nothing but be listed. ",
    "A list of them is longer than the memory of the devices at both its ends, which do not mind: it is written entry by entry as the wire takes it, ",
    "and read entry by entry as it arrives. What has to fit a buffer at the reading end is one of these entries; at the writing end, not even that. ",
    "The rest of this description is here so that an entry is about as long as those that people write who explain to a language model what a tool ",
    "does, when to use it and when not, what its arguments mean, which of them may be left out, and what comes back; and who add an example or two, ",
    "for good measure, with a warning that the tool changes nothing, or that it changes something that cannot be had back. That is how lists come to ",
    "be a hundred kilobytes long, and why devices have not been able to read them."
);
const SCHEMA: &str = r#"{"type":"object","properties":{"level":{"type":"integer","description":"How much of it."}}}"#;

/// The bytes of the resource, from this one on.
fn blob(offset: u64) -> impl Iterator<Item = u8> {
    (offset..).map(|at| (at * 7 + at / 256) as u8)
}

/// The text is the alphabet, over and over.
const LETTERS: &str =
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";

/// The server's state: what is being written, and what is being read.
struct App {
    /// How long what it writes is.
    bytes: u64,
    answers: Vec<Answer>,
    uploads: Vec<(UploadId, Sum)>,
}

/// An answer that is being written.
struct Answer {
    call: CallHandle,
    is_blob: bool,
    /// The blob has begun. (A text begins by itself.)
    begun: bool,
    written: u64,
}

/// A length and a checksum.
#[derive(Clone, Copy)]
struct Sum {
    bytes: u64,
    crc: u32,
}

impl Sum {
    const NOTHING: Sum = Sum { bytes: 0, crc: u32::MAX };

    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        for &byte in bytes {
            self.crc ^= u32::from(byte);
            for _ in 0..8 {
                self.crc = if self.crc & 1 == 1 { self.crc >> 1 ^ 0xEDB8_8320 } else { self.crc >> 1 };
            }
        }
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes, CRC-32 {:08x}", self.bytes, !self.crc)
    }
}

/// Takes each piece of the argument of `count` as it arrives.
fn take(app: &mut App, upload: server::Upload<'_>) -> nb::Result<(), Fault> {
    if upload.is_void() {
        app.uploads.retain(|(id, _)| *id != upload.id());
        return Ok(());
    }
    if upload.is_first() {
        app.uploads.push((upload.id(), Sum::NOTHING));
    }
    if let Some((_, sum)) = app.uploads.iter_mut().find(|(id, _)| *id == upload.id()) {
        sum.add(upload.text().as_bytes());
    }
    Ok(())
}

/// What it answers.
#[derive(Serialize)]
struct Counted {
    bytes: u64,
    crc32: String,
}

umcp::arguments! {
    struct Count<'a> {
        /// It is taken as it arrives.
        _data as "data": &'a str,
    }
}

/// The handler of `count`, once its request is whole.
fn count(app: &mut App, _: Count<'_>, call: Call<'_>) -> Outcome {
    let id = call.upload().ok_or(Fault::MissingArgument("data"))?;
    let index = app.uploads.iter().position(|(one, _)| *one == id).ok_or(Fault::Internal)?;
    let (_, sum) = app.uploads.swap_remove(index);
    call.structured(&Counted { bytes: sum.bytes, crc32: format!("{:08x}", !sum.crc) })
}

/// Goes on with every answer, as far as there is room, and never waits.
fn write_on<C: Calls>(calls: &mut C, endpoint: &Endpoint<App>, app: &mut App) {
    let bytes = app.bytes;
    app.answers.retain_mut(|answer| match calls.stream(endpoint, answer.call, |out| answer.write(bytes, out)) {
        Ok(Flow::More) | Err(server::NotOpen::Busy) => true,
        Ok(Flow::Done) | Err(server::NotOpen::Ended) => false,
    });
}

impl Answer {
    fn new(call: CallHandle, is_blob: bool) -> Answer {
        Answer { call, is_blob, begun: false, written: 0 }
    }

    fn write(&mut self, bytes: u64, out: &mut Stream<'_, '_>) -> Result<Flow, Fault> {
        if self.is_blob && !self.begun {
            self.begun = out.begin_resource_blob("large://blob", "application/octet-stream");
            if !self.begun {
                return Ok(Flow::More);
            }
        }
        while self.written < bytes {
            let taken = if self.is_blob {
                let mut part = [0; 96];
                let len = part.len().min(usize::try_from(bytes - self.written).unwrap_or(usize::MAX));
                part.iter_mut().zip(blob(self.written)).for_each(|(place, byte)| *place = byte);
                out.bytes(&part[..len])
            } else {
                let start = (self.written % 26) as usize;
                let len = (LETTERS.len() - start).min(usize::try_from(bytes - self.written).unwrap_or(usize::MAX));
                out.text(&LETTERS[start..start + len])
            };
            if taken == 0 {
                return Ok(Flow::More); // until something has left
            }
            self.written += taken as u64;
        }
        Ok(Flow::Done)
    }
}

/// The catalog. A server with a number of tools that is known when it is compiled has it in a `static`.
fn catalog(tools: usize, page: usize) -> &'static Catalog<App> {
    let family = Family::new(
        tools,
        |n, entry| entry.write(&format_args!("tool-{n:06}"), DESCRIPTION, SCHEMA),
        |name| name.strip_prefix("tool-").filter(|digits| digits.len() == 6)?.parse().ok(),
        |_, n, call| call.structured(&n),
    );
    const TOOLS: &[Tool<App>] = &[
        tool!("count", "Count and sum a text of any length.", count(&mut App, Count)).upload("data", take),
        tool!("text", "A very long text.", |app, call| {
            call.defer(|call| app.answers.push(Answer::new(call, false)))
        }),
    ];
    const RESOURCES: &[Resource<App>] = &[Resource::new("large://blob", "blob", |app, read| {
        read.defer(|call| app.answers.push(Answer::new(call, true)))
    })];
    let family = Box::leak(Box::new(family));
    let catalog = Catalog::new("large", "1.0.0").tools(TOOLS).resources(RESOURCES).tool_family(family);
    Box::leak(Box::new(catalog.page_size(page)))
}

fn serve(http: Option<&str>, catalog: &'static Catalog<App>, bytes: u64) -> Result<(), Box<dyn Error>> {
    let mut app = App { bytes, answers: Vec::new(), uploads: Vec::new() };
    if let Some(address) = http {
        let mut server = HttpServer::bind(address)?.buffers(RECEIVE, TRANSMIT).connections(8);
        server.site().max_body = u32::MAX;
        eprintln!("listening on http://{}/mcp", server.address());
        return Ok(server.run_with(
            catalog,
            app,
            |calls, endpoint, app, _| {
                write_on(calls, endpoint, app);
                None
            },
            |_, _| {},
        )?);
    }
    let mut memory = Memory::<RECEIVE, TRANSMIT, 4, 1>::new();
    let mut connection = Connection::line(memory.lend());
    let mut endpoint = Endpoint::new(catalog);
    let tick = |connection: &mut Connection<'_>, endpoint: &mut Endpoint<App>, app: &mut App, _: Instant| {
        write_on(connection, endpoint, app);
        None
    };
    Ok(umcp::io::serve(&mut connection, &mut endpoint, &mut app, &mut Stdio::new()?, tick)?)
}

/// A client of a server process (`-- COMMAND ARGUMENTS...`) or of a URL.
fn connect(target: &[&str]) -> Result<Client, Box<dyn Error>> {
    let settings = Settings::new("large", "1.0.0").buffers(RECEIVE, TRANSMIT);
    Ok(match target {
        ["--", program, arguments @ ..] => Process::new(program).args(arguments).connect_with(settings)?,
        [url] => Remote::new(url.parse::<Url>()?).connect_with(settings)?,
        _ => return Err("which server? give its URL, or -- and its command".into()),
    })
}

/// Takes the list tool by tool, each of which fits the buffer.
fn list(mut client: Client) -> Result<(), Box<dyn Error>> {
    let (mut tools, mut sum) = (0_u64, Sum::NOTHING);
    client.list_items(List::Tools, |tool| {
        tools += 1;
        sum.add(tool.raw());
    })?;
    println!("{tools} tools, {sum}");
    Ok(())
}

/// Takes the bytes of a resource as they arrive, decoded.
fn read(mut client: Client, file: &str) -> Result<(), Box<dyn Error>> {
    let mut file = std::fs::File::create(file)?;
    let bytes = client.read_to("large://blob", &mut file)?;
    println!("{bytes} bytes");
    Ok(())
}

/// Takes a text, or the Base64 of a picture: in chunks if it does not fit the buffer, else with the block that it is in.
fn call(mut client: Client, tool: &str) -> Result<(), Box<dyn Error>> {
    let mut sum = Sum::NOTHING;
    let reply = client.call_items(tool, &(), |piece| match piece {
        Piece::Chunk(chunk) => sum.add(chunk.text.as_bytes()),
        Piece::Item { item, .. } => {
            let text = item.get("text").or_else(|| item.get("data")).and_then(|text| text.as_str());
            sum.add(text.unwrap_or_default().as_bytes());
        }
    })?;
    if reply.is_error() {
        return Err(format!("the tool failed, in {sum}").into());
    }
    println!("{sum}");
    Ok(())
}

/// Gives an argument of so many letters, as it leaves.
fn send(mut client: Client, bytes: u64) -> Result<(), Box<dyn Error>> {
    let letters = &mut Letters { at: 0, end: bytes };
    let reply = client.call_from("count", &(), Upload::text("data", Some(bytes)), letters)?;
    let text = reply.text()?;
    if reply.is_error() {
        return Err(text.to_string().into());
    }
    println!("{text}");
    Ok(())
}

/// The same text as a source.
struct Letters {
    at: u64,
    end: u64,
}

impl Read for Letters {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let letters = &LETTERS.as_bytes()[(self.at % 26) as usize..];
        let len = letters.len().min(buf.len()).min(usize::try_from(self.end - self.at).unwrap_or(usize::MAX));
        buf[..len].copy_from_slice(&letters[..len]);
        self.at += len as u64;
        Ok(len)
    }
}

const USAGE: &str = "usage: large serve [--http ADDR] [--tools N] [--page N] [--bytes N]
       large list URL | -- COMMAND...
       large call TOOL URL | -- COMMAND...
       large read FILE URL | -- COMMAND...
       large send BYTES URL | -- COMMAND...";

fn run(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    match arguments {
        ["serve", options @ ..] => {
            let (mut http, mut tools, mut page, mut bytes) = (None, 100_000, 0, 100_000_000);
            for option in options.chunks(2) {
                match option {
                    ["--http", address] => http = Some(*address),
                    ["--tools", count] => tools = count.parse()?,
                    ["--page", count] => page = count.parse()?,
                    ["--bytes", count] => bytes = count.parse()?,
                    _ => return Err(USAGE.into()),
                }
            }
            serve(http, catalog(tools, page), bytes)
        }
        ["list", target @ ..] => list(connect(target)?),
        ["call", tool, target @ ..] => call(connect(target)?, tool),
        ["read", file, target @ ..] => read(connect(target)?, file),
        ["send", bytes, target @ ..] => send(connect(target)?, bytes.parse()?),
        _ => Err(USAGE.into()),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("large: {error}");
            ExitCode::FAILURE
        }
    }
}
