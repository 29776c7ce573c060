//! What a server says about itself.

use crate::json::{Text, Value};
use crate::mcp::{Era, Revision, SERVER_INFO};

use super::Verdict;

/// What a server says about itself, in the answer to `server/discover` or `initialize`. It is self-reported: show it, do not trust it.
#[derive(Clone, Copy, Debug)]
pub struct Server<'a> {
    revision: Revision,
    answer: Option<Value<'a>>,
}

impl<'a> Server<'a> {
    pub(super) fn new(revision: Revision, answer: Option<Value<'a>>) -> Server<'a> {
        Server { revision, answer }
    }

    /// The revision that is spoken.
    #[must_use]
    pub fn revision(self) -> Revision {
        self.revision
    }

    /// What to save, to spare the next connection the probe.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self.revision.era() {
            Era::Modern => Verdict::Modern,
            Era::Legacy => Verdict::Legacy,
        }
    }

    /// The whole result of `server/discover` or `initialize`; `None` where a verdict spared the question.
    #[must_use]
    pub fn answer(self) -> Option<Value<'a>> {
        self.answer
    }

    /// The program's name.
    #[must_use]
    pub fn name(self) -> Option<Text<'a>> {
        self.info()?.get("name")?.as_text()
    }

    /// The program's version.
    #[must_use]
    pub fn version(self) -> Option<Text<'a>> {
        self.info()?.get("version")?.as_text()
    }

    /// The program's name as people know it.
    #[must_use]
    pub fn title(self) -> Option<Text<'a>> {
        self.info()?.get("title")?.as_text()
    }

    /// How to use the server, for a model.
    #[must_use]
    pub fn instructions(self) -> Option<Text<'a>> {
        self.answer?.get("instructions")?.as_text()
    }

    /// The capabilities object, with extensions and experimental ones.
    #[must_use]
    pub fn capabilities(self) -> Option<Value<'a>> {
        self.answer?.get("capabilities")
    }

    /// The capabilities that the protocol names.
    #[must_use]
    pub fn features(self) -> Features {
        self.capabilities().map_or(Features::UNKNOWN, Features::read)
    }

    fn info(self) -> Option<Value<'a>> {
        let answer = self.answer?;
        answer.at(&["_meta", SERVER_INFO]).or_else(|| answer.get("serverInfo"))
    }
}

/// What a server offers. Small and `Copy`, so that it can be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Features {
    /// The server has said what it offers; if not, all others are `false` and mean nothing.
    pub known: bool,
    /// It has tools.
    pub tools: bool,
    /// It notifies of changes in the list of tools.
    pub tools_changed: bool,
    /// It has resources.
    pub resources: bool,
    /// It notifies of changes in the lists of resources and templates.
    pub resources_changed: bool,
    /// It notifies of changes in single resources.
    pub subscribe: bool,
    /// It has prompts.
    pub prompts: bool,
    /// It notifies of changes in the list of prompts.
    pub prompts_changed: bool,
    /// It completes arguments.
    pub completions: bool,
    /// It logs.
    pub logging: bool,
}

impl Features {
    /// Nothing is known about the server.
    pub const UNKNOWN: Features = Features {
        known: false,
        tools: false,
        tools_changed: false,
        resources: false,
        resources_changed: false,
        subscribe: false,
        prompts: false,
        prompts_changed: false,
        completions: false,
        logging: false,
    };

    /// Reads a `ServerCapabilities` object.
    #[must_use]
    pub fn read(object: Value<'_>) -> Features {
        let has = |name: &str| object.get(name).is_some_and(Value::is_object);
        let flag = |name: &str, flag: &str| object.at(&[name, flag]).and_then(Value::as_bool) == Some(true);
        Features {
            known: true,
            tools: has("tools"),
            tools_changed: flag("tools", "listChanged"),
            resources: has("resources"),
            resources_changed: flag("resources", "listChanged"),
            subscribe: flag("resources", "subscribe"),
            prompts: has("prompts"),
            prompts_changed: flag("prompts", "listChanged"),
            completions: has("completions"),
            logging: has("logging"),
        }
    }
}
