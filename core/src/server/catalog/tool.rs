//! Tools.

use super::order::{Order, order_by};
use super::well_formed::{assert_object, assert_string_property};
use crate::json::Writer;
use crate::mcp::Revision;
use crate::mcp::content::{Icon, write_icons};
use crate::server::intake::Uploads;
#[cfg(feature = "http")]
use crate::server::mirror::{CheckParams, check_params};
use crate::server::{Call, Outcome, TakeUpload};

/// Hints about what a tool does (2026-07-28, schema: `ToolAnnotations`). They are hints: nobody need believe them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolAnnotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Doing it twice is doing it once.
    pub idempotent: Option<bool>,
    /// It deals with the world outside.
    pub open_world: Option<bool>,
}

/// A tool whose arguments are those of its handler: `tool!(NAME, DESCRIPTION, HANDLER(&mut APPLICATION, ARGUMENTS))`.
///
/// HANDLER is the path of a function of the application's state, of its arguments, a struct that [`arguments!`](crate::arguments!) declares, and
/// of the [`Call`]. So the schema that a client is told, what is read, and what the handler is given are one thing, at no cost over a handler
/// that reads by itself. What does not fit is answered before the handler runs: which member, and what is expected of it.
///
/// A tool without arguments is `tool!(NAME, DESCRIPTION, HANDLER)`, and HANDLER, which may be a closure, has none.
///
/// ```
/// use umcp::server::{Call, Catalog, Outcome};
/// use umcp::tool;
///
/// struct Board { led: bool }
///
/// umcp::arguments! {
///     struct SetLed {
///         /// Whether it shines.
///         on: bool,
///     }
/// }
///
/// fn led_set(board: &mut Board, SetLed { on }: SetLed, call: Call<'_>) -> Outcome {
///     board.led = on;
///     call.text(if on { "on" } else { "off" })
/// }
///
/// static CATALOG: Catalog<Board> = Catalog::new("blinky", "1.0.0").tools(&[
///     tool!("led_set", "Turn the LED on or off.", led_set(&mut Board, SetLed)),
///     tool!("led_get", "Does the LED shine?", |board, call| call.text(if board.led { "yes" } else { "no" })),
/// ]);
/// ```
///
/// Other arguments than the handler's do not compile:
/// ```compile_fail
/// # use umcp::server::{Call, Outcome, Tool};
/// umcp::arguments! { struct SetLed { on: bool } }
/// umcp::arguments! { struct Blink { times: u8 } }
/// fn led_set(_: &mut (), _: SetLed, call: Call<'_>) -> Outcome { call.text("") }
/// static LED_SET: Tool<()> = umcp::tool!("led_set", "Turn the LED on or off.", led_set(&mut (), Blink));
/// ```
#[macro_export]
macro_rules! tool {
    // A function and not a closure: the way from a closure to a function pointer copies the `Call`.
    ($name:expr, $about:expr, $($handler:ident)::+ (&mut $application:ty, $arguments:ty) $(,)?) => {{
        fn __typed(app: &mut $application, mut call: $crate::server::Call<'_>) -> $crate::server::Outcome {
            let arguments: $arguments = call.typed()?;
            $($handler)::+(app, arguments, call)
        }
        $crate::server::Tool::new($name, $about, <$arguments as $crate::arguments::Arguments>::SCHEMA, __typed)
    }};
    ($name:expr, $about:expr, $handler:expr $(,)?) => {
        $crate::server::Tool::new($name, $about, $crate::arguments::NO_ARGUMENTS, $handler)
    };
}

/// One tool: its name, what it is for, what it takes, and the function that does it.
#[derive(Debug)]
pub struct Tool<A: 'static> {
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: &'static str,
    pub(crate) input_schema: &'static str,
    pub(crate) output_schema: Option<&'static str>,
    pub(crate) annotations: Option<ToolAnnotations>,
    pub(crate) icons: &'static [Icon],
    /// What compares arguments with the headers that mirror them, if there are any.
    #[cfg(feature = "http")]
    pub(crate) check_params: Option<CheckParams>,
    pub(crate) handler: fn(&mut A, Call<'_>) -> Outcome,
    pub(crate) upload: Option<UploadTo<A>>,
}

/// An argument that is taken as it arrives.
#[derive(Debug)]
pub(crate) struct UploadTo<A: 'static> {
    pub(crate) argument: &'static str,
    pub(crate) take: TakeUpload<A>,
    uploads: &'static Uploads<A>,
}

impl<A> Tool<A> {
    /// A tool whose handler reads its arguments itself; [`tool!`](crate::tool!) is for the others. `input_schema` is the text of a JSON Schema object
    /// of type `object`; it may be spread over lines.
    #[must_use]
    pub const fn new(
        name: &'static str,
        description: &'static str,
        input_schema: &'static str,
        handler: fn(&mut A, Call<'_>) -> Outcome,
    ) -> Tool<A> {
        Tool {
            name,
            title: None,
            description,
            input_schema,
            output_schema: None,
            annotations: None,
            icons: &[],
            #[cfg(feature = "http")]
            check_params: check_params(input_schema),
            handler,
            upload: None,
        }
    }

    /// The name to show to people.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// The text of the JSON Schema that its structured content conforms to.
    #[must_use]
    pub const fn output_schema(mut self, schema: &'static str) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Hints about what it does.
    #[must_use]
    pub const fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// Pictures of it.
    #[must_use]
    pub const fn icons(mut self, icons: &'static [Icon]) -> Self {
        self.icons = icons;
        self
    }

    /// Takes a string argument as it arrives, so that it may be of any length: `take` is called for each piece, and the handler once the request
    /// is whole. The handler reads its other arguments as usual, and leaves this one out: it is empty or not, depending on how it came.
    ///
    /// If the request does not fit the receive buffer, its `id`, `method`, `name` and, in the modern era, `_meta` have to come before `arguments`,
    /// and what else the arguments have has to fit. (Over HTTP, headers stand in for `method` and `name`, and the id may come at the end.)
    /// A call that comes in a batch (2025-03-26) is refused.
    ///
    /// A catalog with such a tool whose schema has no string of this name does not compile:
    /// ```compile_fail
    /// # use umcp::{server::{Call, Catalog, Outcome}, tool};
    /// umcp::arguments! { struct Write<'a> { _image as "image": &'a str } }
    /// fn write(_: &mut (), _: Write<'_>, call: Call<'_>) -> Outcome { call.text("") }
    /// static CATALOG: Catalog<()> = Catalog::new("flasher", "1.0.0")
    ///     .tools(&[tool!("write", "Writes.", write(&mut (), Write)).upload("imgae", |(), _| Ok(()))]);
    /// ```
    ///
    /// ```
    /// use umcp::io::nb;
    /// use umcp::mcp::Fault;
    /// use umcp::server::{Call, Catalog, Outcome, Upload};
    /// use umcp::tool;
    ///
    /// struct Board { written: usize }
    ///
    /// fn take(board: &mut Board, upload: Upload<'_>) -> nb::Result<(), Fault> {
    ///     if upload.is_first() || upload.is_void() {
    ///         board.written = 0;
    ///     }
    ///     board.written += upload.text().len();
    ///     Ok(())
    /// }
    ///
    /// umcp::arguments! {
    ///     struct Write<'a> {
    ///         /// What is written, of any length.
    ///         _image as "image": &'a str,
    ///     }
    /// }
    ///
    /// fn write(board: &mut Board, _: Write<'_>, call: Call<'_>) -> Outcome {
    ///     call.upload().ok_or(Fault::MissingArgument("image"))?;
    ///     call.structured(&board.written)
    /// }
    ///
    /// static CATALOG: Catalog<Board> = Catalog::new("flasher", "1.0.0")
    ///     .tools(&[tool!("write", "Writes a text to flash.", write(&mut Board, Write)).upload("image", take)]);
    /// ```
    #[must_use]
    pub const fn upload(mut self, argument: &'static str, take: TakeUpload<A>) -> Self {
        self.upload = Some(UploadTo { argument, take, uploads: Uploads::SOME });
        self
    }

    /// Writes the entry as far as `revision` knows its members.
    pub(crate) fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        w.begin_object().member_str("name", self.name);
        if let Some(title) = self.title
            && revision >= Revision::V2025_06_18
        {
            w.member_str("title", title);
        }
        w.member_str("description", self.description).key("inputSchema").raw_text(self.input_schema);
        if let Some(schema) = self.output_schema
            && revision >= Revision::V2025_06_18
        {
            w.key("outputSchema").raw_text(schema);
        }
        if let Some(annotations) = self.annotations
            && revision >= Revision::V2025_03_26
        {
            annotations.write(w);
        }
        write_icons(w, self.icons, revision);
        w.end_object();
    }
}

impl ToolAnnotations {
    fn write(self, w: &mut Writer<'_>) {
        w.key("annotations").begin_object();
        for (name, hint) in [
            ("readOnlyHint", self.read_only),
            ("destructiveHint", self.destructive),
            ("idempotentHint", self.idempotent),
            ("openWorldHint", self.open_world),
        ] {
            if let Some(hint) = hint {
                w.member_bool(name, hint);
            }
        }
        w.end_object();
    }
}

pub(super) const fn order<A>(tools: &[Tool<A>]) -> Order {
    order_by!(tools, name)
}

/// What serves those that take an argument as it arrives, if there are any.
pub(super) const fn uploads<A>(tools: &[Tool<A>]) -> Option<&'static Uploads<A>> {
    let mut rest = tools;
    while let [tool, tail @ ..] = rest {
        if let Some(upload) = &tool.upload {
            return Some(upload.uploads);
        }
        rest = tail;
    }
    None
}

/// Refuses, at compile time, what would spoil the list.
pub(super) const fn check<A>(tools: &[Tool<A>]) {
    let mut rest = tools;
    while let [tool, tail @ ..] = rest {
        assert!(
            is_name(tool.name),
            "the name of a tool has 1 to 128 bytes, letters, digits, _, -, . or /: see the tools of this catalog"
        );
        assert_object(tool.input_schema);
        if let Some(upload) = &tool.upload {
            assert_string_property(tool.input_schema, upload.argument);
        }
        if let Some(schema) = tool.output_schema {
            assert_object(schema);
        }
        rest = tail;
    }
}

/// Whether clients take it for the name of a tool (2026-07-28, *Tool Names*). Letters outside ASCII are no good idea, and pass.
const fn is_name(name: &str) -> bool {
    let mut rest = name.as_bytes();
    while let [byte, tail @ ..] = rest {
        if byte.is_ascii() && !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/')) {
            return false;
        }
        rest = tail;
    }
    matches!(name.len(), 1..=128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools() {
        let long = "x".repeat(128);
        for name in ["a", "led_set", "a.b/C-9", "grüße", &long] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "bad name", "a,b", "a!", "a\n", "\"a\"", &(long.clone() + "x")] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn a_schema_over_several_lines_leaves_on_one() {
        const SCHEMA: &str = "{\r\n  \"type\": \"object\",\n  \"properties\": {\"a\\nb\": {}}\n}";
        let tool: Tool<()> = Tool::new("t", "d", SCHEMA, |(), call| call.text(""));
        let mut buf = [0; 200];
        let mut w = Writer::new(&mut buf);
        tool.write(&mut w, Revision::LATEST);
        let written = w.written();
        assert!(!written.contains(&b'\n') && !written.contains(&b'\r'));
        let json: serde_json::Value = serde_json::from_slice(written).expect("JSON");
        assert!(json["inputSchema"]["properties"]["a\nb"].is_object(), "{json}");
    }
}
