//! [`call_once`]: one question, one answer.

use serde::Serialize;
use serde_json::{Map, Value};
use umcp::client::{Options, Refused, Verdict};
use umcp::io::Failure;
use umcp::json::Writer;

use super::remote::Remote;
use super::url::Url;
use crate::{Error, Settings};

/// The longest answer, in bytes. It is memory that is touched only as far as it is used.
const RECEIVE_BUFFER: usize = 4 << 20;
/// The longest question, in bytes.
const TRANSMIT_BUFFER: usize = 256 << 10;

/// Asks a modern server one thing, by any method: one POST, nothing before it and nothing after. The result comes as JSON text.
///
/// `params` serializes to an object, or to `null` for no parameters. What else a request needs is added. Parameters of tools are not mirrored into headers (`x-mcp-header`),
/// for which the list of tools would have to be asked for first: [`Remote::connect`] does.
///
/// ```no_run
/// # fn main() -> Result<(), umcp_std::Error> {
/// use umcp_std::http::client::call_once;
///
/// let params = serde_json::json!({ "name": "led_set", "arguments": { "on": true } });
/// println!("{}", call_once("http://board.local:8080/mcp", "tools/call", &params)?);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error`] says what happened and what to do. A legacy server answers with an error: it wants to shake hands first.
pub fn call_once<T: Serialize + ?Sized>(url: &str, method: &str, params: &T) -> Result<String, Error> {
    let params = match serde_json::to_value(params) {
        Ok(Value::Object(members)) => members,
        Ok(Value::Null) => Map::new(),
        _ => return Err(Failure::Refused(Refused::Arguments).into()),
    };
    let members = |w: &mut Writer<'_>| {
        for (name, value) in &params {
            w.member_value(name, value);
        }
    };
    let settings = Settings::new("umcp", env!("CARGO_PKG_VERSION"));
    let settings = settings.verdict(Verdict::Modern).buffers(RECEIVE_BUFFER, TRANSMIT_BUFFER);
    let mut client = Remote::new(url.parse::<Url>()?).connect_with(settings)?;
    client.ask(|client| {
        let reply = client.request(method, members, Options::DEFAULT)?;
        Ok(String::from_utf8_lossy(reply.result().raw()).into_owned())
    })
}
