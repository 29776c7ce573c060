//! The request head on any bytes in any pieces: the pieces make no difference, what is accepted `httparse` accepts too, and what comes out is clean.
#![no_main]

use libfuzzer_sys::fuzz_target;
use umcp::frame::http::{HeadError, Limits, Next, RequestEnd, RequestHead, RequestStep, Wanted, is_token};

static ALL: Wanted = Wanted::new(&["host", "content-length", "mcp-method"]).prefix("");
static FEW: Wanted = Wanted::new(&["host", "mcp-method"]).prefix("mcp-param-");

/// All that came out, the end, and how many bytes it took.
type Read = Result<(Vec<(Vec<u8>, Vec<u8>)>, Option<RequestEnd>, usize), HeadError>;

fn read(raw: &[u8], wanted: &'static Wanted, limits: Limits, piece: usize) -> Read {
    let mut head = RequestHead::new(wanted, limits);
    let (mut out, mut at, mut arrived) = (Vec::new(), 0, 0);
    loop {
        let Next { taken, step } = head.next(&raw[at..arrived])?;
        assert!(taken <= arrived - at);
        at += taken;
        match step {
            RequestStep::Line(line) => {
                assert!(is_token(line.method.as_bytes()) && line.target.bytes().all(|byte| byte.is_ascii_graphic()));
                out.push((line.method.into(), line.target.into()));
            }
            RequestStep::Header(header) => {
                assert!(is_token(header.name.as_bytes()));
                assert!(header.value.iter().all(|byte| *byte == b'\t' || (*byte >= b' ' && *byte != 0x7f)));
                out.push((header.name.into(), header.value.into()));
            }
            RequestStep::End(end) => return Ok((out, Some(end), at)),
            RequestStep::NeedData if arrived == raw.len() => return Ok((out, None, at)),
            RequestStep::NeedData => {
                assert!(arrived - at < limits.line as usize, "a full buffer that nothing comes out of");
                arrived = raw.len().min(arrived + piece);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let [piece, line, head, raw @ ..] = data else { return };
    let limits = Limits { line: 1 + u32::from(*line), head: 4 * u32::from(*head) };
    let piece = usize::from(*piece).max(1);
    for wanted in [&ALL, &FEW] {
        let whole = read(raw, wanted, limits, raw.len().max(1));
        for piece in [1, piece] {
            assert_eq!(whole, read(raw, wanted, limits, piece));
        }
    }
    let wide = Limits { line: u32::MAX, head: u32::MAX };
    if let Ok((_, Some(_), len)) = read(raw, &ALL, wide, raw.len().max(1)) {
        let mut headers = vec![httparse::EMPTY_HEADER; raw.len()];
        assert_eq!(httparse::Request::new(&mut headers).parse(raw), Ok(httparse::Status::Complete(len)));
    }
});
