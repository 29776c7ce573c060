//! The response head on any bytes in any pieces: the pieces make no difference, and what is accepted `httparse` accepts too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use umcp::frame::http::{HeadError, Limits, Next, ResponseEnd, ResponseHead, ResponseStep, Wanted};

static WANTED: Wanted = Wanted::new(&["content-type", "mcp-session-id", "www-authenticate"]).prefix("x-");

/// All that came out, the end, and how many bytes it took.
type Read = Result<(Vec<(Vec<u8>, Vec<u8>)>, Option<ResponseEnd>, usize), HeadError>;

fn read(raw: &[u8], limits: Limits, piece: usize) -> Read {
    let mut head = ResponseHead::new(&WANTED, limits);
    let (mut out, mut at, mut arrived) = (Vec::new(), 0, 0);
    loop {
        let Next { taken, step } = head.next(&raw[at..arrived])?;
        assert!(taken <= arrived - at);
        at += taken;
        match step {
            ResponseStep::Line(line) => {
                assert!((200..=999).contains(&line.status));
                out.push((line.status.to_string().into(), line.reason.into()));
            }
            ResponseStep::Header(header) => out.push((header.name.into(), header.value.into())),
            ResponseStep::End(end) => return Ok((out, Some(end), at)),
            ResponseStep::NeedData if arrived == raw.len() => return Ok((out, None, at)),
            ResponseStep::NeedData => arrived = raw.len().min(arrived + piece),
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let [piece, line, head, raw @ ..] = data else { return };
    let limits = Limits { line: 1 + u32::from(*line), head: 4 * u32::from(*head) };
    let whole = read(raw, limits, raw.len().max(1));
    for piece in [1, usize::from(*piece).max(1)] {
        assert_eq!(whole, read(raw, limits, piece));
    }
    let wide = Limits { line: u32::MAX, head: u32::MAX };
    let Ok((out, Some(_), len)) = read(raw, wide, raw.len().max(1)) else { return };
    // It reads interim heads one by one.
    let mut rest = raw;
    loop {
        let mut headers = vec![httparse::EMPTY_HEADER; raw.len()];
        let mut response = httparse::Response::new(&mut headers);
        let Ok(httparse::Status::Complete(taken)) = response.parse(rest) else { panic!("httparse refuses it") };
        rest = &rest[taken..];
        match response.code {
            Some(..200) => {}
            code => {
                assert_eq!(code.map(|code| code.to_string().into_bytes()), Some(out[0].0.clone()));
                assert_eq!(raw.len() - rest.len(), len);
                return;
            }
        }
    }
});
