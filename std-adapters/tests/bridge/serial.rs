//! The life of a device: what is on its line when it is switched on, reset, unplugged, or slow.

use std::fs;
use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use crate::rig::{Board, PATIENCE, Program, id_of};

fn start(board: &Board, timeout: &str) -> Program {
    Program::start(&["--timeout-ms", timeout, &format!("serial:{}@115200", board.path)])
}

#[test]
fn garbage_at_power_up() {
    let mut board = Board::new();
    // Before anybody listens.
    board.line.write_all(b"\xff\xfe\x00rst:0x1 (POWERON) {\"jsonrpc\":\"2.0\",\"id\":1,").unwrap();
    let mut bridge = start(&board, "5000");
    // The half line that the board may have heard before is ended.
    assert_eq!(board.heard.line(), "");
    board.line.write_all(b"boot v1\r\nready\r\n\xff\xf0\x80 [").unwrap();
    bridge.say(r#"{~,"id":"a","method":"x"}"#);
    board.heard.expect(r#"{~,"id":1,"method":"x"}"#);
    board.say(r#"{~,"id":1,"result":{"n":1}}"#);
    bridge.heard.expect(r#"{~,"id":"a","result":{"n":1}}"#);
    bridge.heard.silence();
    assert_eq!(bridge.end(), Some(0));
}

#[test]
fn a_board_that_is_reset_in_a_call() {
    let mut board = Board::new();
    let mut bridge = start(&board, "1000");
    bridge.say(r#"{~,"id":"a","method":"x"}"#);
    board.heard.expect(r#"{~,"id":1,"method":"x"}"#);
    board.line.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"ha").unwrap();
    // It starts again, and knows nothing of the call.
    board.line.write_all(b"boot v1\r\n").unwrap();
    let error = bridge.heard.line();
    assert!(error.contains(r#""id":"a","error":{"code":-32603"#) && error.contains("1000 ms"), "{error}");
    board
        .heard
        .expect(r#"{~,"method":"notifications/cancelled","params":{"requestId":1,"reason":"no answer in time"}}"#);
    // An answer that comes after all goes nowhere.
    board.say(r#"{~,"id":1,"result":{}}"#);
    bridge.say(r#"{~,"id":"a","method":"y"}"#);
    board.heard.expect(r#"{~,"id":2,"method":"y"}"#);
    board.say(r#"{~,"id":2,"result":{}}"#);
    bridge.heard.expect(r#"{~,"id":"a","result":{}}"#);
    bridge.heard.silence();
}

#[test]
fn a_reset_that_tears_an_answer_costs_that_answer_alone() {
    let mut board = Board::new();
    let mut bridge = start(&board, "1000");
    bridge.say(r#"{~,"id":"a","method":"x"}"#);
    bridge.say(r#"{~,"id":"b","method":"x"}"#);
    board.heard.expect(r#"{~,"id":1,"method":"x"}"#);
    board.heard.expect(r#"{~,"id":2,"method":"x"}"#);
    board.line.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"te\xff\x00").unwrap();
    board.say(r#"{~,"id":2,"result":{}}"#);
    bridge.heard.expect(r#"{~,"id":"b","result":{}}"#);
    assert!(bridge.heard.line().contains(r#""id":"a","error""#));
    bridge.heard.silence();
}

#[test]
fn a_cable_that_is_pulled_and_put_back() {
    let link = format!("{}/bridge-{}-tty", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let _ = fs::remove_file(&link);
    let mut board = Board::new();
    std::os::unix::fs::symlink(&board.path, &link).unwrap();
    let mut bridge = Program::start(&[&format!("serial:{link}")]);
    bridge.say(r#"{~,"id":0,"method":"initialize","params":{"x":1}}"#);
    board.heard.expect(r#"{~,"id":1,"method":"initialize","params":{"x":1}}"#);
    board.say(r#"{~,"id":1,"result":{}}"#);
    bridge.heard.expect(r#"{~,"id":0,"result":{}}"#);
    bridge.say(r#"{~,"method":"notifications/initialized"}"#);
    board.heard.expect(r#"{~,"method":"notifications/initialized"}"#);
    bridge.say(r#"{~,"id":1,"method":"x"}"#);
    bridge.say(r#"{~,"id":2,"method":"subscriptions/listen","params":{^}}}"#);
    board.heard.line();
    board.heard.line();

    // Pulled: whatever was in flight ends once, and so does what is asked meanwhile.
    fs::remove_file(&link).unwrap();
    drop((board.line, board.device));
    drop(board.heard);
    hang_up(&board.path);
    for id in 1..=2 {
        let error = bridge.heard.line();
        assert!(error.contains(&format!(r#""id":{id},"error":{{"code":-32603"#)), "{error}");
        assert!(error.contains("the device has gone"), "{error}");
    }
    bridge.err.skim("the device has gone");
    let start = Instant::now();
    loop {
        bridge.say(r#"{~,"id":3,"method":"x"}"#);
        let error = bridge.heard.line();
        assert!(error.contains(r#""id":3,"error":{"code":-32603"#), "{error}");
        if error.contains("is it plugged in?") {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "{error}");
        thread::sleep(Duration::from_millis(20));
    }
    bridge.heard.silence();

    // Put back: the board has forgotten everything, and is told again who speaks.
    let mut board = Board::new();
    std::os::unix::fs::symlink(&board.path, &link).unwrap();
    let request = board.heard.skim("initialize");
    board.say(&format!(r#"{{~,"id":{},"result":{{}}}}"#, id_of(&request)));
    board.heard.expect(r#"{~,"method":"notifications/initialized"}"#);
    bridge.say(r#"{~,"id":4,"method":"x"}"#);
    let id = id_of(&board.heard.line());
    board.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    bridge.heard.expect(r#"{~,"id":4,"result":{}}"#);
    assert_eq!(bridge.end(), Some(0));
    let _ = fs::remove_file(&link);
}

/// The reading thread of a board holds its line: it ends when its device is written to for the last time.
fn hang_up(path: &str) {
    use std::os::unix::fs::OpenOptionsExt;
    let noctty = rustix::fs::OFlags::NOCTTY.bits().cast_signed();
    if let Ok(mut device) = fs::OpenOptions::new().write(true).custom_flags(noctty).open(path) {
        let _ = device.write_all(b"\n\n");
    }
}

#[test]
fn a_device_that_is_not_there_yet() {
    let link = format!("{}/bridge-{}-later", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let _ = fs::remove_file(&link);
    let mut bridge = Program::start(&[&format!("serial:{link}")]);
    bridge.say(r#"{~,"id":1,"method":"x"}"#);
    let error = bridge.heard.line();
    assert!(error.contains("is it plugged in?") && error.contains(&link), "{error}");
    bridge.err.skim("it is tried again");
    let mut board = Board::new();
    std::os::unix::fs::symlink(&board.path, &link).unwrap();
    bridge.err.skim("it is there again");
    bridge.say(r#"{~,"id":1,"method":"x"}"#);
    let id = id_of(&board.heard.skim("method"));
    board.say(&format!(r#"{{~,"id":{id},"result":{{}}}}"#));
    bridge.heard.expect(r#"{~,"id":1,"result":{}}"#);
    let _ = fs::remove_file(&link);
}

#[test]
fn a_slow_line_is_waited_for_as_long_as_it_moves() {
    let mut board = Board::new();
    let mut bridge = start(&board, "1000");
    bridge.say(r#"{~,"id":"a","method":"x"}"#);
    board.heard.expect(r#"{~,"id":1,"method":"x"}"#);
    let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"text\":\"{}\"}}}}\n", "x".repeat(40));
    // 80 bytes, 20 ms each: longer than the limit.
    for byte in answer.as_bytes() {
        board.line.write_all(&[*byte]).unwrap();
        thread::sleep(Duration::from_millis(20));
    }
    let heard = bridge.heard.line();
    assert!(heard.contains(r#""id":"a","result""#), "{heard}");
    bridge.heard.silence();
}
