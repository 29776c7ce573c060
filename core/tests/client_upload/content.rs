//! What is sent, and what should arrive.

use serde_json::{Value as Json, json};
use umcp::client::{NotTaken, Upload, Uploading};
use umcp::json::escaped_len;

use crate::client_support::META;

/// What the long argument is made of.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

impl Content {
    pub(crate) fn upload(&self, announced: bool) -> Upload<'static> {
        match self {
            Content::Text(text) => Upload::text("image", announced.then_some(escaped_len(text) as u64)),
            Content::Bytes(bytes) => Upload::bytes("image", announced.then_some(bytes.len() as u64)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Content::Text(text) => text.len(),
            Content::Bytes(bytes) => bytes.len(),
        }
    }

    /// Gives on from `at`, at most `most` bytes at a time. How many were taken.
    pub(crate) fn give(&self, pen: &mut Uploading<'_, '_>, at: usize, most: usize) -> Result<usize, NotTaken> {
        match self {
            Content::Text(text) => {
                let rest = &text[at..];
                // At least one character, whatever its length.
                let end = (most.min(rest.len())..).find(|&end| rest.is_char_boundary(end)).unwrap();
                pen.text(&rest[..end])
            }
            Content::Bytes(bytes) => pen.bytes(&bytes[at..][..most.min(bytes.len() - at)]),
        }
    }

    /// The string as it should arrive.
    pub(crate) fn string(&self) -> String {
        match self {
            Content::Text(text) => text.clone(),
            Content::Bytes(bytes) => base64(bytes),
        }
    }
}

/// Base64 as the specification words it: a string of bits, six at a time.
fn base64(bytes: &[u8]) -> String {
    let alphabet: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let letter = |six: &[u8]| alphabet[(0..6).fold(0, |n, at| n << 1 | usize::from(six.get(at).copied().unwrap_or(0)))];
    let mut text: String = bits.chunks(6).map(letter).collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

/// What a string can be made of: every control character, both that are escaped beside them, characters of each length.
pub(crate) fn contents() -> Vec<Content> {
    let controls: String = (0..0x22).map(char::from).collect();
    let texts = [
        "",
        "a",
        "\"\\/",
        "é",
        &controls,
        "grüße → 𝄞 \u{7f}\u{2028} \"x\\y\"\n",
        &"0123456789".repeat(70),
        &"\u{1}".repeat(50),
    ];
    let bytes: Vec<u8> = (0..700u32).map(|n| (n * 7 + n / 256) as u8).collect();
    let lengths = [0, 1, 2, 3, 4, 5, 191, 192, 700];
    let texts = texts.into_iter().map(|text| Content::Text(text.to_string()));
    texts.chain(lengths.map(|len| Content::Bytes(bytes[..len].to_vec()))).collect()
}

/// The message, as JSON and byte for byte.
pub(crate) fn expected(id: u32, meta: Option<&str>, others: &str, string: &str) -> (Json, String) {
    let meta = meta.map(|meta| format!("{meta},")).unwrap_or_default();
    let comma = if others.is_empty() { "" } else { "," };
    let text = serde_json::to_string(string).unwrap();
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{meta}"name":"flash","arguments":{{{others}{comma}"image":{text}}}}}}}"#
    );
    let mut params = serde_json::from_str::<Json>(&format!("{{{}}}", meta.trim_end_matches(','))).unwrap();
    params["name"] = json!("flash");
    params["arguments"] = serde_json::from_str(&format!("{{{others}}}")).unwrap();
    params["arguments"]["image"] = json!(string);
    (json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}), line)
}

/// The metadata of a modern request that asks for progress.
pub(crate) fn meta_with_progress(id: u32) -> String {
    META.replace(
        "\"io.modelcontextprotocol/clientCapabilities\":{}",
        &format!("\"io.modelcontextprotocol/clientCapabilities\":{{}},\"progressToken\":{id}"),
    )
}
