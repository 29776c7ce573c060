//! What a server offers. A catalog is `static`: its lists are never built, copied or sorted at run time.

mod access;
mod family;
#[cfg(feature = "http")]
mod header_params;
mod order;
mod prompt;
mod resource;
mod tool;
mod well_formed;

pub use access::{Access, Authorize};
pub use family::{Entry, Family};
#[cfg(feature = "http")]
pub(crate) use header_params::{has_header_params, header_params};
pub use prompt::{Argument, Prompt};
pub(crate) use resource::variable;
pub use resource::{Resource, Template};
pub(crate) use tool::UploadTo;
pub use tool::{Tool, ToolAnnotations};

use order::Order;

use super::intake::Uploads;
use super::kind::Kind;
use super::telling::Telling;

use crate::json::Value;
use crate::mcp::content::Icon;
use crate::mcp::{List, Method};
use crate::server::info::ServerInfo;
#[cfg(feature = "legacy")]
use crate::server::legacy::Answered;

/// Who may keep a result (2026-07-28, *Caching: Cache Scope Field*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheScope {
    /// Anyone: it is the same for every caller.
    Public,
    /// The caller's own cache only.
    Private,
}

impl CacheScope {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            CacheScope::Public => "public",
            CacheScope::Private => "private",
        }
    }
}

/// How long, in milliseconds, and by whom a result may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CacheHint {
    pub(crate) ttl_ms: u32,
    pub(crate) scope: CacheScope,
}

/// The tools, resources, resource templates and prompts of a server, and who it says it is.
///
/// `A` is the application's state, which every handler is given. Lists leave in the order of their names (URIs), in whatever
/// order they are written here, so that equal sets are equal bytes. Two entries of one name do not compile.
///
/// ```
/// use umcp::server::{Call, Catalog, Outcome};
/// use umcp::tool;
///
/// struct Board { led: bool }
///
/// fn toggle(board: &mut Board, call: Call<'_>) -> Outcome {
///     board.led = !board.led;
///     call.text(if board.led { "on" } else { "off" })
/// }
///
/// static CATALOG: Catalog<Board> = Catalog::new("blinky", "1.0.0")
///     .tools(&[tool!("toggle", "Switch the LED.", toggle)]);
/// ```
#[derive(Debug)]
pub struct Catalog<A: 'static> {
    pub(crate) info: ServerInfo,
    pub(crate) instructions: Option<&'static str>,
    tools: &'static [Tool<A>],
    tools_order: Order,
    pub(crate) uploads: Option<&'static Uploads<A>>,
    family: Option<&'static Family<A>>,
    resources: &'static [Resource<A>],
    resources_order: Order,
    templates: &'static [Template<A>],
    templates_order: Order,
    prompts: &'static [Prompt<A>],
    prompts_order: Order,
    /// What serves resources and templates, prompts, and completion; there where they are.
    pub(crate) resource_kind: Option<&'static Kind<A>>,
    pub(crate) prompt_kind: Option<&'static Kind<A>>,
    pub(crate) completion: Option<&'static Kind<A>>,
    /// What tells of changes; there where something can change.
    pub(crate) telling: Option<&'static Telling<A>>,
    pub(crate) page_size: usize,
    pub(crate) cache: CacheHint,
    pub(crate) tools_change: bool,
    pub(crate) resources_change: bool,
    pub(crate) prompts_change: bool,
    pub(crate) logging: bool,
    pub(crate) authorize: Option<Authorize<A>>,
    #[cfg(feature = "legacy")]
    pub(crate) answered: Option<Answered<A>>,
}

impl<A> Catalog<A> {
    /// An empty catalog of a server with this name and version.
    #[must_use]
    pub const fn new(name: &'static str, version: &'static str) -> Catalog<A> {
        Catalog {
            info: ServerInfo::new(name, version),
            instructions: None,
            tools: &[],
            tools_order: Order::SORTED,
            uploads: None,
            family: None,
            resources: &[],
            resources_order: Order::SORTED,
            templates: &[],
            templates_order: Order::SORTED,
            prompts: &[],
            prompts_order: Order::SORTED,
            resource_kind: None,
            prompt_kind: None,
            completion: None,
            telling: None,
            page_size: usize::MAX,
            cache: CacheHint { ttl_ms: 0, scope: CacheScope::Public },
            tools_change: false,
            resources_change: false,
            prompts_change: false,
            logging: false,
            authorize: None,
            #[cfg(feature = "legacy")]
            answered: None,
        }
    }

    /// The server's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.info.name
    }

    /// The name to show to people.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.info.title = Some(title);
        self
    }

    /// What the server is, in a sentence or two.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.info.description = Some(description);
        self
    }

    /// Where people read more.
    #[must_use]
    pub const fn website_url(mut self, url: &'static str) -> Self {
        self.info.website_url = Some(url);
        self
    }

    /// Pictures of the server.
    #[must_use]
    pub const fn icons(mut self, icons: &'static [Icon]) -> Self {
        self.info.icons = icons;
        self
    }

    /// How a model is to use this server.
    #[must_use]
    pub const fn instructions(mut self, instructions: &'static str) -> Self {
        self.instructions = Some(instructions);
        self
    }

    /// The tools.
    ///
    /// # Panics
    /// At compile time, if two have one name, a name is not of 1 to 128 bytes, which are letters, digits, `_`, `-`, `.` and `/`, a schema is no JSON object, or an
    /// argument that is taken as it arrives is not in it as a string.
    #[must_use]
    pub const fn tools(mut self, tools: &'static [Tool<A>]) -> Self {
        self.tools_order = tool::order(tools);
        tool::check(tools);
        self.uploads = tool::uploads(tools);
        self.tools = tools;
        self
    }

    /// Tools that differ by a number only, behind those that are written down.
    #[must_use]
    pub const fn tool_family(mut self, family: &'static Family<A>) -> Self {
        self.family = Some(family);
        self
    }

    /// The resources.
    ///
    /// # Panics
    /// At compile time, if two have one URI.
    #[must_use]
    pub const fn resources(mut self, resources: &'static [Resource<A>]) -> Self {
        self.resources_order = resource::order(resources);
        self.resources = resources;
        self.resource_kind = Some(Kind::RESOURCES);
        if resource::any_changes(resources) {
            self.telling = Some(Telling::ALL);
        }
        self
    }

    /// The templates of further resources.
    ///
    /// # Panics
    /// At compile time, if two are the same.
    #[must_use]
    pub const fn templates(mut self, templates: &'static [Template<A>]) -> Self {
        self.templates_order = resource::template_order(templates);
        self.templates = templates;
        self.resource_kind = Some(Kind::RESOURCES);
        if resource::any_template_changes(templates) {
            self.telling = Some(Telling::ALL);
        }
        self.completion = Some(Kind::COMPLETION);
        self
    }

    /// The prompts.
    ///
    /// # Panics
    /// At compile time, if two have one name.
    #[must_use]
    pub const fn prompts(mut self, prompts: &'static [Prompt<A>]) -> Self {
        self.prompts_order = prompt::order(prompts);
        self.prompts = prompts;
        self.prompt_kind = Some(Kind::PROMPTS);
        self.completion = Some(Kind::COMPLETION);
        self
    }

    /// Lists leave in pages of this many entries (2026-07-28, *Pagination*). Without it, or with 0, each list is one page.
    #[must_use]
    pub const fn page_size(mut self, entries: usize) -> Self {
        self.page_size = if entries == 0 { usize::MAX } else { entries };
        self
    }

    /// How long, in milliseconds, and by whom lists and the discovery may be kept. By default 0, by anyone.
    #[must_use]
    pub const fn cache(mut self, ttl_ms: u32, scope: CacheScope) -> Self {
        self.cache = CacheHint { ttl_ms, scope };
        self
    }

    /// Promises that listeners are told when this list changes (`listChanged`): the application then calls
    /// [`list_changed`](super::Endpoint::list_changed).
    #[must_use]
    pub const fn announces(mut self, list: List) -> Self {
        self.telling = Some(Telling::ALL);
        match list {
            List::Tools => self.tools_change = true,
            List::Prompts => {
                self.prompts_change = true;
                self.prompt_kind = Some(Kind::PROMPTS);
            }
            List::Resources | List::ResourceTemplates => {
                self.resources_change = true;
                self.resource_kind = Some(Kind::RESOURCES);
            }
        }
        self
    }

    /// Declares that handlers write log messages where a request asks for them (2026-07-28, *Logging*, deprecated there).
    #[must_use]
    pub const fn logging(mut self) -> Self {
        self.logging = true;
        self
    }

    /// A hook that is asked before any handler runs, and says who the caller is.
    #[must_use]
    pub const fn authorize(mut self, hook: Authorize<A>) -> Self {
        self.authorize = Some(hook);
        self
    }

    /// A hook that is given what a legacy client answers to [`Calls::ask`](super::Calls::ask). An application that drives its connections by
    /// their events may take [`Event::Answered`](super::Event::Answered) instead.
    #[cfg(feature = "legacy")]
    #[must_use]
    pub const fn answered(mut self, hook: Answered<A>) -> Self {
        self.answered = Some(hook);
        self
    }

    /// The tool of the family that has this name: its number.
    pub(crate) fn family_tool(&self, name: Value<'_>) -> Option<(&'static Family<A>, usize)> {
        let family = self.family?;
        family.find(name).map(|number| (family, number))
    }

    /// The tool of the family with this rank in the list.
    pub(crate) fn nth_of_family(&self, rank: usize) -> Option<(&'static Family<A>, usize)> {
        let number = rank.checked_sub(self.tools.len())?;
        self.family.filter(|family| number < family.count).map(|family| (family, number))
    }

    pub(crate) fn tool(&self, name: Value<'_>) -> Option<&'static Tool<A>> {
        self.tools.iter().find(|tool| name.is_str(tool.name))
    }

    /// The tool among those that take an argument as it arrives whose name is the wanted one: which, and the argument's name.
    pub(crate) fn find_upload(&self, is_wanted: impl Fn(&str) -> bool) -> Option<(u16, &'static str)> {
        let index = self.tools.iter().position(|tool| is_wanted(tool.name))?;
        let argument = self.tools.get(index)?.upload.as_ref()?.argument;
        Some((u16::try_from(index).ok()?, argument))
    }

    /// The argument that this tool takes as it arrives.
    pub(crate) fn upload(&self, tool: u16) -> Option<&'static UploadTo<A>> {
        self.tools.get(usize::from(tool))?.upload.as_ref()
    }

    pub(crate) fn prompt(&self, name: Value<'_>) -> Option<&'static Prompt<A>> {
        self.prompts.iter().find(|prompt| name.is_str(prompt.name))
    }

    pub(crate) fn resource(&self, uri: Value<'_>) -> Option<&'static Resource<A>> {
        self.resources.iter().find(|resource| uri.is_str(resource.uri))
    }

    /// The template that this URI is an instance of.
    pub(crate) fn template_of(&self, uri: &str) -> Option<&'static Template<A>> {
        self.templates.iter().find(|template| template.matches(uri))
    }

    /// The template with this text.
    pub(crate) fn template(&self, uri_template: Value<'_>) -> Option<&'static Template<A>> {
        self.templates.iter().find(|template| uri_template.is_str(template.uri_template))
    }

    pub(crate) fn has_tools(&self) -> bool {
        self.len(List::Tools) > 0 || self.tools_change
    }

    pub(crate) fn has_resources(&self) -> bool {
        !self.resources.is_empty() || !self.templates.is_empty() || self.resources_change
    }

    pub(crate) fn has_prompts(&self) -> bool {
        !self.prompts.is_empty() || self.prompts_change
    }

    pub(crate) fn has_completions(&self) -> bool {
        self.prompts.iter().any(|prompt| prompt.complete.is_some())
            || self.templates.iter().any(|template| template.complete.is_some())
    }

    pub(crate) fn has_subscriptions(&self) -> bool {
        self.resources.iter().any(|resource| resource.changes) || self.templates.iter().any(|template| template.changes)
    }

    /// Does this server answer the method? A method of a feature it does not have is unknown to it.
    pub(crate) fn answers(&self, method: Method) -> bool {
        match method {
            Method::List(List::Tools) | Method::CallTool => self.has_tools(),
            Method::List(List::Resources | List::ResourceTemplates) | Method::ReadResource => self.has_resources(),
            Method::List(List::Prompts) | Method::GetPrompt => self.has_prompts(),
            Method::Complete => self.has_completions(),
            Method::SetLevel => self.logging,
            Method::Subscribe | Method::Unsubscribe => self.has_subscriptions(),
            Method::Discover | Method::Listen | Method::Initialize | Method::Ping => true,
        }
    }

    pub(crate) fn len(&self, list: List) -> usize {
        match list {
            List::Tools => self.tools.len() + self.family.map_or(0, |family| family.count),
            List::Resources => self.resources.len(),
            List::ResourceTemplates => self.templates.len(),
            List::Prompts => self.prompts.len(),
        }
    }

    pub(crate) fn nth_tool(&self, rank: usize) -> Option<&'static Tool<A>> {
        self.tools.get(self.tools_order.index(rank, self.tools, |tool| tool.name))
    }

    pub(crate) fn nth_resource(&self, rank: usize) -> Option<&'static Resource<A>> {
        self.resources.get(self.resources_order.index(rank, self.resources, |resource| resource.uri))
    }

    pub(crate) fn nth_template(&self, rank: usize) -> Option<&'static Template<A>> {
        self.templates.get(self.templates_order.index(rank, self.templates, |template| template.uri_template))
    }

    pub(crate) fn nth_prompt(&self, rank: usize) -> Option<&'static Prompt<A>> {
        self.prompts.get(self.prompts_order.index(rank, self.prompts, |prompt| prompt.name))
    }
}
