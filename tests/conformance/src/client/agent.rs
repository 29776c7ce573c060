//! The connection to the suite's server.

use serde_json::value::RawValue;
use umcp::client::{Verdict, arguments};
use umcp_std::http::client::Remote;
use umcp_std::{Client, Entry, Process, Settings};

use super::user::{CAPABILITIES, User};

/// A client of the server at some URL.
pub(crate) struct Agent {
    client: Client,
}

impl Agent {
    /// Connects to the URL, or by way of a program that is given it and speaks MCP on its standard streams.
    pub(crate) fn connect(
        url: &str,
        through: &[String],
        verdict: Option<Verdict>,
    ) -> Result<Agent, Box<dyn std::error::Error>> {
        let settings = Settings::new("umcp-conformance-client", env!("CARGO_PKG_VERSION")).host(User, CAPABILITIES);
        let settings = verdict.into_iter().fold(settings, Settings::verdict);
        let client = match through.split_first() {
            Some((program, words)) => Process::new(program).args(words).args([url]).connect_with(settings)?,
            None => Remote::new(url.parse()?).connect_with(settings)?,
        };
        Ok(Agent { client })
    }

    pub(crate) fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Calls a tool with arguments as they stand, and says what came of it.
    pub(crate) fn call(&mut self, name: &str, given: &RawValue) -> Result<String, String> {
        let mut text = given.get().as_bytes().to_vec();
        let given = arguments(&mut text).map_err(|error| error.to_string())?;
        self.client.with(|client| {
            let options = client.options;
            let reply = client.call_raw(name, given, options).map_err(|failure| failure.to_string())?;
            Ok(String::from_utf8_lossy(reply.result().raw()).into_owned())
        })
    }
}

/// A member of a list's entry, as the server wrote it.
pub(crate) fn member(entry: &Entry, name: &str) -> Option<Box<RawValue>> {
    let mut members: std::collections::BTreeMap<String, Box<RawValue>> = serde_json::from_str(entry.json()).ok()?;
    members.remove(name)
}
