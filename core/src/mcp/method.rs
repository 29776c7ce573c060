//! The methods of the protocol.

use crate::json::Value;

use super::Era;

/// A request that a client sends to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Method {
    /// `server/discover`: which versions, which capabilities, who.
    Discover,
    /// `tools/list`, `resources/list`, `resources/templates/list` or `prompts/list`.
    List(List),
    /// `tools/call`.
    CallTool,
    /// `resources/read`.
    ReadResource,
    /// `prompts/get`.
    GetPrompt,
    /// `completion/complete`.
    Complete,
    /// `subscriptions/listen`: a stream of change notifications.
    Listen,
    /// `initialize`: the legacy handshake.
    Initialize,
    /// `ping`, legacy.
    Ping,
    /// `logging/setLevel`, legacy.
    SetLevel,
    /// `resources/subscribe`, legacy.
    Subscribe,
    /// `resources/unsubscribe`, legacy.
    Unsubscribe,
}

/// The four lists of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum List {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    ResourceTemplates,
    /// `prompts/list`.
    Prompts,
}

impl List {
    /// The member of the result that holds the items.
    #[must_use]
    pub const fn member(self) -> &'static str {
        match self {
            List::Tools => "tools",
            List::Resources => "resources",
            List::ResourceTemplates => "resourceTemplates",
            List::Prompts => "prompts",
        }
    }
}

impl Method {
    const ALL: [Method; 15] = [
        Method::CallTool,
        Method::List(List::Tools),
        Method::ReadResource,
        Method::List(List::Resources),
        Method::List(List::ResourceTemplates),
        Method::List(List::Prompts),
        Method::GetPrompt,
        Method::Complete,
        Method::Discover,
        Method::Listen,
        Method::Initialize,
        Method::Ping,
        Method::SetLevel,
        Method::Subscribe,
        Method::Unsubscribe,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Method::Discover => "server/discover",
            Method::List(List::Tools) => "tools/list",
            Method::List(List::Resources) => "resources/list",
            Method::List(List::ResourceTemplates) => "resources/templates/list",
            Method::List(List::Prompts) => "prompts/list",
            Method::CallTool => "tools/call",
            Method::ReadResource => "resources/read",
            Method::GetPrompt => "prompts/get",
            Method::Complete => "completion/complete",
            Method::Listen => "subscriptions/listen",
            Method::Initialize => "initialize",
            Method::Ping => "ping",
            Method::SetLevel => "logging/setLevel",
            Method::Subscribe => "resources/subscribe",
            Method::Unsubscribe => "resources/unsubscribe",
        }
    }

    /// The method that a message names, in the canonical text of its `method`.
    #[must_use]
    pub fn parse(name: Value<'_>) -> Option<Method> {
        let name = unquote(name)?;
        Method::ALL.into_iter().find(|method| method.as_str().as_bytes() == name)
    }

    /// Does this era have it?
    #[must_use]
    pub const fn exists_in(self, era: Era) -> bool {
        match self {
            Method::Discover | Method::Listen => matches!(era, Era::Modern),
            Method::Initialize | Method::Ping | Method::SetLevel | Method::Subscribe | Method::Unsubscribe => {
                matches!(era, Era::Legacy)
            }
            _ => true,
        }
    }

    /// May a modern server answer it with `input_required` (2026-07-28, *Multi Round-Trip Requests: Supported Requests*)?
    #[must_use]
    pub const fn may_require_input(self) -> bool {
        matches!(self, Method::CallTool | Method::ReadResource | Method::GetPrompt)
    }
}

/// A notification, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Notification {
    /// `notifications/cancelled`.
    Cancelled,
    /// `notifications/progress`.
    Progress,
    /// `notifications/message`: a log message.
    Message,
    /// `notifications/tools/list_changed`.
    ToolsChanged,
    /// `notifications/resources/list_changed`.
    ResourcesChanged,
    /// `notifications/prompts/list_changed`.
    PromptsChanged,
    /// `notifications/resources/updated`.
    ResourceUpdated,
    /// `notifications/subscriptions/acknowledged`.
    Acknowledged,
    /// `notifications/initialized`, legacy.
    Initialized,
    /// `notifications/roots/list_changed`, legacy.
    RootsChanged,
}

impl Notification {
    const ALL: [Notification; 10] = [
        Notification::Cancelled,
        Notification::Progress,
        Notification::Message,
        Notification::ToolsChanged,
        Notification::ResourcesChanged,
        Notification::PromptsChanged,
        Notification::ResourceUpdated,
        Notification::Acknowledged,
        Notification::Initialized,
        Notification::RootsChanged,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Notification::Cancelled => "notifications/cancelled",
            Notification::Progress => "notifications/progress",
            Notification::Message => "notifications/message",
            Notification::ToolsChanged => "notifications/tools/list_changed",
            Notification::ResourcesChanged => "notifications/resources/list_changed",
            Notification::PromptsChanged => "notifications/prompts/list_changed",
            Notification::ResourceUpdated => "notifications/resources/updated",
            Notification::Acknowledged => "notifications/subscriptions/acknowledged",
            Notification::Initialized => "notifications/initialized",
            Notification::RootsChanged => "notifications/roots/list_changed",
        }
    }

    /// The notification that a message names, in the canonical text of its `method`.
    #[must_use]
    pub fn parse(name: Value<'_>) -> Option<Notification> {
        let name = unquote(name)?;
        Notification::ALL.into_iter().find(|notification| notification.as_str().as_bytes() == name)
    }
}

/// What a server may ask of a client: inside an `input_required` result (modern), or as a request of its own (legacy).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum InputKind {
    /// `elicitation/create`: ask the user.
    Elicitation,
    /// `sampling/createMessage`: ask the client's model.
    Sampling,
    /// `roots/list`: which directories matter.
    Roots,
}

impl InputKind {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            InputKind::Elicitation => "elicitation/create",
            InputKind::Sampling => "sampling/createMessage",
            InputKind::Roots => "roots/list",
        }
    }

    /// The kind that a request names, in the canonical text of its `method`.
    #[must_use]
    pub fn parse(name: Value<'_>) -> Option<InputKind> {
        let name = unquote(name)?;
        let all = [InputKind::Elicitation, InputKind::Sampling, InputKind::Roots];
        all.into_iter().find(|kind| kind.as_str().as_bytes() == name)
    }
}

/// The text between the quotes. No method has a character that canonical text would escape.
fn unquote(name: Value<'_>) -> Option<&[u8]> {
    name.raw().strip_prefix(b"\"")?.strip_suffix(b"\"")
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::*;

    #[test]
    fn names_are_parsed_back() {
        let quoted = |name: &str| format!("\"{name}\"");
        for method in Method::ALL {
            assert_eq!(Method::parse(Value::new(quoted(method.as_str()).as_bytes())), Some(method));
            assert!(method.exists_in(Era::Modern) || method.exists_in(Era::Legacy));
        }
        for notification in Notification::ALL {
            let name = quoted(notification.as_str());
            assert_eq!(Notification::parse(Value::new(name.as_bytes())), Some(notification));
        }
        for bad in ["", "\"\"", "\"", "\"tools/list", "tools/list", "\"tools/lists\"", "5"] {
            assert_eq!(Method::parse(Value::new(bad.as_bytes())), None, "{bad}");
        }
    }
}
