//! Arguments that are read as they leave.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use crate::http::Board;
use crate::rig::{DISCOVERED, Folder, Ran, Running, UMCP, against, board, run, said, script, start_against};

/// A server that keeps the call in a file.
fn keeper(path: &str) -> Vec<String> {
    script(&format!("hear; say '{DISCOVERED}'; head -n 1 >'{path}'; say '{}'; cat >/dev/null", said(2, "kept")))
}

fn kept(path: &str) -> Value {
    let line = fs::read_to_string(path).unwrap();
    let message: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&message["method"], &message["params"]["name"]), (&"tools/call".into(), &"flash".into()));
    message["params"]["arguments"].clone()
}

#[test]
fn a_file_larger_than_the_buffer() {
    let folder = Folder::new();
    let (image, log, out) = (folder.path("image"), folder.path("log"), folder.path("out"));
    // Base64 of this group is AAEC.
    fs::write(&image, [0, 1, 2].repeat(500_000)).unwrap();
    let text = "grüße → 𝄞 \"x\\y\"\n\u{1}".repeat(60_000);
    fs::write(&log, &text).unwrap();
    let ran = against(&["call", "flash", r#"{"slot":1}"#, "--file", &format!("image={image}")], &keeper(&out));
    ran.assert_status(0);
    assert_eq!(ran.out, "kept\n");
    let arguments = kept(&out);
    assert_eq!((&arguments["slot"], arguments.as_object().unwrap().len()), (&1.into(), 2));
    assert!(arguments["image"] == "AAEC".repeat(500_000));
    let ran = against(&["call", "flash", "--json", "--text-file", &format!("image={log}")], &keeper(&out));
    ran.assert_status(0);
    assert_eq!(ran.json()["content"][0]["text"], "kept");
    assert!(kept(&out)["image"] == text);
}

#[test]
fn standard_input() {
    let folder = Folder::new();
    let out = folder.path("out");
    let mut command = Command::new(UMCP);
    command.args(["call", "flash", "--text-file", "image=-", "--"]).args(keeper(&out)).stdin(Stdio::piped());
    let mut running = Running::of(&mut command);
    running.stdin().write_all("é\n".repeat(700_000).as_bytes()).unwrap();
    running.end().assert_status(0);
    assert!(kept(&out)["image"] == "é\n".repeat(700_000));
    // What is no text is found out on the way, and the server does not get it.
    let mut command = Command::new(UMCP);
    command.args(["call", "flash", "--text-file", "image=-", "--"]).args(keeper(&out)).stdin(Stdio::piped());
    let mut running = Running::of(&mut command);
    running.stdin().write_all(b"abc\xff").unwrap();
    let ran = running.end();
    ran.assert_status(2);
    assert!(ran.err.contains("it is not UTF-8"), "{}", ran.err);
    assert!(serde_json::from_str::<Value>(&fs::read_to_string(&out).unwrap_or_default()).is_err());
}

#[test]
fn a_board_gets_it_on_every_wire() {
    let folder = Folder::new();
    let path = folder.write("text", "hello \"world\"\n");
    let word = format!("text={path}");
    let ran = against(&["call", "echo", "--text-file", &word], &board());
    assert_eq!((ran.status, ran.out.trim_end()), (Some(0), "hello \"world\""), "{ran:?}");
    let board = Board::start();
    let ran = run(&["call", &board.url, "echo", "--text-file", &word]);
    assert_eq!((ran.status, ran.out.trim_end()), (Some(0), "hello \"world\""), "{ran:?}");
    let ran = run(&["call", &board.url, "echo", "--file", &word]);
    assert_eq!((ran.status, ran.out.trim_end()), (Some(0), "aGVsbG8gIndvcmxkIgo="), "{ran:?}");
    let ran = run(&["call", &board.url, "echo", "--text-file", "text=-"]);
    ran.assert_status(2);
    assert!(ran.err.contains("over HTTP its length has to be known first"), "{}", ran.err);
}

#[test]
fn a_server_that_answers_early() {
    let folder = Folder::new();
    let image = folder.path("image");
    fs::write(&image, vec![0; 4_000_000]).unwrap();
    let error = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"too large"}}"#;
    let server = script(&format!("hear; say '{DISCOVERED}'; head -c 1000 >/dev/null; say '{error}'; cat >/dev/null"));
    let ran = against(&["call", "flash", "--file", &format!("image={image}")], &server);
    ran.assert_status(1);
    assert!(ran.err.contains("too large"), "{}", ran.err);
    // One that goes away in the middle.
    let server = script(&format!("hear; say '{DISCOVERED}'; head -c 1000 >/dev/null"));
    against(&["call", "flash", "--file", &format!("image={image}")], &server).assert_status(3);
    // One that takes nothing more.
    let server = script(&format!("hear; say '{DISCOVERED}'; head -c 1000 >/dev/null; exec sleep 10"));
    let words = ["call", "flash", "--timeout-ms", "300", "--file", &format!("image={image}")];
    against(&words, &server).assert_status(4);
}

/// Over HTTP the reply may come before the request has been sent, with the stream still open.
#[test]
fn a_server_that_answers_early_over_http() {
    const JSON: &str = "application/json";
    let table = [
        ("413 Content Too Large", "text/plain", "too large", ["413", "too large"]),
        (
            "413 Content Too Large",
            JSON,
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"too large"}}"#,
            ["-32600", "too large"],
        ),
        (
            "413 Content Too Large",
            JSON,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too large"}}"#,
            ["-32600", "too large"],
        ),
        (
            "400 Bad Request",
            JSON,
            r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"not that"}}"#,
            ["-32602", "not that"],
        ),
        ("200 OK", JSON, r#"{"jsonrpc":"2.0","id":3,"error":{"code":7,"message":"not that"}}"#, ["7", "not that"]),
        (
            "200 OK",
            "text/event-stream",
            "data: {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":7,\"message\":\"no\"}}\n\n",
            ["7", "no"],
        ),
    ];
    let folder = Folder::new();
    let image = folder.path("image");
    fs::write(&image, vec![0; 8_000_000]).unwrap();
    for (status, media_type, body, expected) in table {
        let reply =
            format!("HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let (ran, came, length) = answered_early(&image, reply);
        ran.assert_status(1);
        assert!(expected.iter().all(|word| ran.err.contains(word)), "{status}, {body}: {}", ran.err);
        assert!(length > 10_666_668 && came < length, "{came} of {length}");
    }
}

/// Calls a server that gives this reply as soon as it has read the head of the call: what came of it, and how much of how many bytes was sent.
fn answered_early(image: &str, reply: String) -> (Ran, u64, u64) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut writer = stream;
        loop {
            let (mut length, mut method, mut line) = (0, String::new(), String::new());
            while reader.read_line(&mut line).unwrap() > 2 {
                let (name, value) = line.trim_end().split_once(": ").unwrap_or_default();
                match name {
                    "Content-Length" => length = value.parse().unwrap(),
                    "Mcp-Method" => method = value.to_owned(),
                    _ => {}
                }
                line.clear();
            }
            if method == "tools/call" {
                writer.write_all(reply.as_bytes()).unwrap();
                // The client closes its stream, long before all of it has come.
                let came = std::io::copy(&mut reader, &mut std::io::sink()).unwrap_or(0);
                return (came, length);
            }
            let mut body = vec![0; length as usize];
            reader.read_exact(&mut body).unwrap();
            let message: Value = serde_json::from_slice(&body).unwrap();
            let answer = match &*method {
                "server/discover" => DISCOVERED.to_owned(),
                _ => format!(
                    r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"complete","tools":[]}}}}"#,
                    message["id"]
                ),
            };
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                answer.len()
            );
            writer.write_all((head + &answer).as_bytes()).unwrap();
        }
    });
    let ran = run(&["call", &url, "flash", "--file", &format!("image={image}")]);
    let (came, length) = server.join().unwrap();
    (ran, came, length)
}

#[test]
fn interrupted_in_the_middle() {
    let folder = Folder::new();
    let (image, out) = (folder.path("image"), folder.path("out"));
    fs::write(&image, vec![0; 4_000_000]).unwrap();
    let server =
        script(&format!("hear; say '{DISCOVERED}'; head -c 1000 >/dev/null; echo >&2; sleep 0.3; cat >'{out}'"));
    let mut running = start_against(&["call", "flash", "-v", "--file", &format!("image={image}")], &server);
    while !running.err_line().trim().is_empty() {}
    running.signal(rustix::process::Signal::INT);
    running.end().assert_status(130);
    let torso = fs::read_to_string(&out).unwrap();
    assert!(torso.ends_with("A\n") && !torso.contains('"'), "{}", torso.len());
}
