//! What a server asks of the client, inside an `input_required` result (modern) or as a request of its own (legacy).

use crate::json::{Text, Value};
use crate::mcp::{ClientCapabilities, InputKind};

/// One question of a server's.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    kind: InputKind,
    params: Option<Value<'a>>,
}

impl<'a> Input<'a> {
    /// Reads a request object; `None` if its method is none that a server may ask.
    pub(super) fn read(request: Value<'a>) -> Option<Input<'a>> {
        let kind = InputKind::parse(request.get("method")?)?;
        Some(Input { kind, params: request.get("params").filter(|params| !params.is_null()) })
    }

    #[cfg(feature = "legacy")]
    pub(super) fn new(kind: InputKind, params: Option<Value<'a>>) -> Input<'a> {
        Input { kind, params }
    }

    /// What is asked.
    #[must_use]
    pub fn kind(self) -> InputKind {
        self.kind
    }

    /// Its parameters, an object.
    #[must_use]
    pub fn params(self) -> Option<Value<'a>> {
        self.params
    }

    /// The message for the user, of an elicitation.
    #[must_use]
    pub fn message(self) -> Option<Text<'a>> {
        self.params?.get("message")?.as_text()
    }

    /// The page to send the user to, of an elicitation by URL.
    #[must_use]
    pub fn url(self) -> Option<Text<'a>> {
        self.params?.get("url")?.as_text()
    }

    /// The schema of the form, of an elicitation by form.
    #[must_use]
    pub fn schema(self) -> Option<Value<'a>> {
        self.params?.get("requestedSchema")
    }

    /// Was this declared? An elicitation that names no mode is by form (2026-07-28, *Elicitation*).
    pub(super) fn is_allowed_by(self, capabilities: ClientCapabilities) -> bool {
        let param = |name: &str| self.params.and_then(|params| params.get(name));
        match self.kind {
            InputKind::Elicitation => match param("mode") {
                None => capabilities.elicitation_form,
                Some(mode) if mode.is_str("form") => capabilities.elicitation_form,
                Some(mode) => mode.is_str("url") && capabilities.elicitation_url,
            },
            InputKind::Sampling => {
                capabilities.sampling && (capabilities.sampling_tools || param("tools").is_none_or(Value::is_null))
            }
            InputKind::Roots => capabilities.roots,
        }
    }
}

/// A result of type `input_required` (2026-07-28, *Multi Round-Trip Requests*).
#[derive(Clone, Copy, Debug)]
pub struct InputRequired<'a> {
    result: Value<'a>,
}

impl<'a> InputRequired<'a> {
    pub(super) fn new(result: Value<'a>) -> InputRequired<'a> {
        InputRequired { result }
    }

    /// The questions, each under the key that its answer goes under. There may be none: then the server wants to be
    /// asked again, later or at once.
    pub fn inputs(self) -> impl Iterator<Item = (Text<'a>, Input<'a>)> {
        self.requests()
            .into_iter()
            .flat_map(Value::members)
            .filter_map(|(key, request)| Some((key, Input::read(request)?)))
    }

    /// `inputRequests`, as it stands.
    #[must_use]
    pub fn requests(self) -> Option<Value<'a>> {
        self.result.get("inputRequests").filter(|value| !value.is_null())
    }

    /// `requestState`, as it stands. It is the server's; [`retry`](super::Engine::retry) returns it byte for byte.
    #[must_use]
    pub fn state(self) -> Option<Value<'a>> {
        self.result.get("requestState").filter(|value| !value.is_null())
    }

    /// May the server ask this? It must ask or keep something, and ask only for what was declared.
    pub(super) fn is_valid(self, capabilities: ClientCapabilities) -> bool {
        let asks = match self.requests() {
            None => false,
            Some(requests) if requests.is_object() => {
                let allowed = |request| Input::read(request).is_some_and(|input| input.is_allowed_by(capabilities));
                if !requests.members().all(|(_, request)| allowed(request)) {
                    return false;
                }
                true
            }
            Some(_) => return false,
        };
        match self.state() {
            None => asks,
            Some(state) => state.is_string(),
        }
    }
}
