//! Error codes of JSON-RPC 2.0 (2026-07-28, *Overview: Error Codes*).

/// Not JSON, or not UTF-8.
pub const PARSE_ERROR: i32 = -32700;
/// JSON, but not a message.
pub const INVALID_REQUEST: i32 = -32600;
/// The method is not known, or not offered.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters are missing, malformed, or name something unknown.
pub const INVALID_PARAMS: i32 = -32602;
/// The receiver failed.
pub const INTERNAL_ERROR: i32 = -32603;

/// Is `code` free for an application's own errors, that is outside the reserved range -32768 to -32000?
#[must_use]
pub const fn is_application_defined(code: i32) -> bool {
    code < -32768 || code > -32000
}
