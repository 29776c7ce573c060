//! What a bridge says by itself.

use super::super::message::Malformed;

/// An error response. Without an id, if there is none to answer to.
pub(crate) fn error(id: Option<&[u8]>, code: i32, message: &str) -> Vec<u8> {
    let mut text = br#"{"jsonrpc":"2.0","#.to_vec();
    if let Some(id) = id {
        text.extend_from_slice(b"\"id\":");
        text.extend_from_slice(id);
        text.push(b',');
    }
    let message = serde_json::Value::from(message);
    text.extend_from_slice(format!(r#""error":{{"code":{code},"message":{message}}}}}"#).as_bytes());
    text
}

/// An error response about a bound.
pub(super) fn too_many(id: &[u8], message: &str, limit: usize) -> Vec<u8> {
    let code = umcp::rpc::code::INTERNAL_ERROR;
    let mut text = error(Some(id), code, message);
    // Into the `error` object, before its brace and that of the message.
    text.truncate(text.len().saturating_sub(2));
    text.extend_from_slice(format!(r#","data":{{"limit":{limit}}}}}}}"#).as_bytes());
    text
}

/// The answer to what is no message.
pub(crate) fn refusal(malformed: &Malformed) -> Vec<u8> {
    error(malformed.id.as_deref(), umcp::rpc::code::INVALID_REQUEST, malformed.why)
}

/// A result.
pub(super) fn result(id: &[u8], result: &[u8]) -> Vec<u8> {
    [br#"{"jsonrpc":"2.0","id":"#, id, br#","result":"#, result, b"}"].concat()
}

/// `notifications/cancelled`.
pub(super) fn cancelled(id: &[u8], reason: &str) -> Vec<u8> {
    let before = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#;
    let reason = serde_json::Value::from(reason).to_string();
    [before, id, br#","reason":"#, reason.as_bytes(), b"}}"].concat()
}

/// A batch.
pub(super) fn array(items: &[Vec<u8>]) -> Vec<u8> {
    let mut text = b"[".to_vec();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push(b',');
        }
        text.extend_from_slice(item);
    }
    text.push(b']');
    text
}
