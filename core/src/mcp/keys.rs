//! The members that the scanner is asked to find as a message passes.

use crate::json::scan::Key;

/// Slots behind those of the envelope. A client and a server read different members and share the numbers.
pub(crate) mod slot {
    use crate::rpc::slot::FIRST_FREE;
    pub(crate) use crate::rpc::slot::{ERROR, ID, METHOD, PARAMS, RESULT};

    #[cfg(feature = "server")]
    pub(crate) mod server {
        use super::FIRST_FREE;
        pub(crate) const NAME: usize = FIRST_FREE;
        pub(crate) const URI: usize = FIRST_FREE + 1;
        pub(crate) const ARGUMENTS: usize = FIRST_FREE + 2;
        pub(crate) const META: usize = FIRST_FREE + 3;
        pub(crate) const PROTOCOL_VERSION: usize = FIRST_FREE + 4;
        pub(crate) const CAPABILITIES: usize = FIRST_FREE + 5;
        pub(crate) const LOG_LEVEL: usize = FIRST_FREE + 6;
        pub(crate) const PROGRESS_TOKEN: usize = FIRST_FREE + 7;
        pub(crate) const INPUT_RESPONSES: usize = FIRST_FREE + 8;
        pub(crate) const REQUEST_STATE: usize = FIRST_FREE + 9;
    }

    #[cfg(feature = "client")]
    pub(crate) mod client {
        use super::FIRST_FREE;
        pub(crate) const RESULT_TYPE: usize = FIRST_FREE;
        pub(crate) const NEXT_CURSOR: usize = FIRST_FREE + 1;
        pub(crate) const PROGRESS_TOKEN: usize = FIRST_FREE + 2;
        pub(crate) const SUBSCRIPTION_ID: usize = FIRST_FREE + 3;
        pub(crate) const REQUEST_ID: usize = FIRST_FREE + 4;
    }
}

/// What a server reads. Of a message that is taken in pieces, the members of `params` and of `_meta` that are not here are dropped as they pass.
#[cfg(feature = "server")]
pub(crate) static SERVER_KEYS: [Key; 6] = [
    Key::leaf("id", slot::ID as u8),
    Key::leaf("jsonrpc", crate::rpc::slot::JSONRPC as u8),
    Key::leaf("method", slot::METHOD as u8),
    Key::only("params", slot::PARAMS as u8, &SERVER_PARAMS),
    Key::leaf("result", slot::RESULT as u8),
    Key::leaf("error", slot::ERROR as u8),
];

#[cfg(feature = "server")]
static SERVER_PARAMS: [Key; 16] = [
    Key::leaf("name", slot::server::NAME as u8),
    Key::leaf("arguments", slot::server::ARGUMENTS as u8),
    Key::only("_meta", slot::server::META as u8, &SERVER_META),
    Key::leaf("uri", slot::server::URI as u8),
    Key::leaf("inputResponses", slot::server::INPUT_RESPONSES as u8),
    Key::leaf("requestState", slot::server::REQUEST_STATE as u8),
    // Looked up by name in `params`, where they are few.
    Key::leaf("cursor", Key::NO_SLOT),
    Key::leaf("ref", Key::NO_SLOT),
    Key::leaf("argument", Key::NO_SLOT),
    Key::leaf("context", Key::NO_SLOT),
    Key::leaf("level", Key::NO_SLOT),
    Key::leaf("notifications", Key::NO_SLOT),
    Key::leaf("requestId", Key::NO_SLOT),
    Key::leaf("protocolVersion", Key::NO_SLOT),
    Key::leaf("capabilities", Key::NO_SLOT),
    Key::only("clientInfo", Key::NO_SLOT, &IMPLEMENTATION),
];

#[cfg(feature = "server")]
static SERVER_META: [Key; 5] = [
    Key::leaf(super::PROTOCOL_VERSION, slot::server::PROTOCOL_VERSION as u8),
    Key::leaf(super::CLIENT_CAPABILITIES, slot::server::CAPABILITIES as u8),
    Key::leaf("progressToken", slot::server::PROGRESS_TOKEN as u8),
    Key::leaf(super::LOG_LEVEL, slot::server::LOG_LEVEL as u8),
    Key::only(super::CLIENT_INFO, Key::NO_SLOT, &IMPLEMENTATION),
];

/// Who a client says it is, without its pictures.
#[cfg(feature = "server")]
static IMPLEMENTATION: [Key; 3] =
    [Key::leaf("name", Key::NO_SLOT), Key::leaf("version", Key::NO_SLOT), Key::leaf("title", Key::NO_SLOT)];

/// What a client reads.
#[cfg(feature = "client")]
pub(crate) static CLIENT_KEYS: [Key; 6] = [
    Key::leaf("id", slot::ID as u8),
    Key::leaf("jsonrpc", crate::rpc::slot::JSONRPC as u8),
    Key::leaf("method", slot::METHOD as u8),
    Key::node(
        "params",
        slot::PARAMS as u8,
        &[
            Key::leaf("progressToken", slot::client::PROGRESS_TOKEN as u8),
            Key::leaf("requestId", slot::client::REQUEST_ID as u8),
            Key::node("_meta", Key::NO_SLOT, &[Key::leaf(super::SUBSCRIPTION_ID, slot::client::SUBSCRIPTION_ID as u8)]),
        ],
    ),
    Key::node(
        "result",
        slot::RESULT as u8,
        &[
            Key::leaf("resultType", slot::client::RESULT_TYPE as u8),
            Key::leaf("nextCursor", slot::client::NEXT_CURSOR as u8),
            Key::list("tools", Key::NO_SLOT),
            Key::list("content", Key::NO_SLOT),
            Key::list("contents", Key::NO_SLOT),
            Key::list("resources", Key::NO_SLOT),
            Key::list("resourceTemplates", Key::NO_SLOT),
            Key::list("prompts", Key::NO_SLOT),
            Key::list("messages", Key::NO_SLOT),
            Key::list("roots", Key::NO_SLOT),
        ],
    ),
    Key::leaf("error", slot::ERROR as u8),
];
