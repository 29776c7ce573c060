//! The parameters of each request, as closures that write them: for [`Engine::request`](super::Engine::request) and
//! [`retry`](super::Engine::retry). They write members; the braces around them and `_meta` are the connection's.

use serde::Serialize;

use crate::json::{Value, Writer};

/// Of `tools/call`. Arguments that serialize to `null`, such as `&()`, are left out.
pub fn call<T: Serialize + ?Sized>(name: &str, arguments: &T) -> impl Fn(&mut Writer<'_>) {
    move |w| {
        w.member_str("name", name);
        write_arguments(w, arguments);
    }
}

/// Of `tools/call`, with arguments that are JSON text already: see [`arguments`](super::arguments).
pub fn call_raw(name: &str, arguments: Value<'_>) -> impl Fn(&mut Writer<'_>) {
    move |w| {
        w.member_str("name", name).member_raw("arguments", arguments.raw());
    }
}

/// Of `prompts/get`: a prompt's arguments are strings. Those that serialize to `null` are left out.
pub fn prompt<T: Serialize + ?Sized>(name: &str, arguments: &T) -> impl Fn(&mut Writer<'_>) {
    call(name, arguments)
}

/// Of `resources/read`.
pub fn read(uri: &str) -> impl Fn(&mut Writer<'_>) {
    move |w| {
        w.member_str("uri", uri);
    }
}

/// Of `completion/complete`: the values of argument `name` that begin with `value`, `known` being those that are chosen already.
pub fn complete(of: Reference<'_>, name: &str, value: &str, known: &[(&str, &str)]) -> impl Fn(&mut Writer<'_>) {
    move |w| {
        w.key("ref").begin_object();
        match of {
            Reference::Prompt(name) => w.member_str("type", "ref/prompt").member_str("name", name),
            Reference::Resource(uri) => w.member_str("type", "ref/resource").member_str("uri", uri),
        };
        w.end_object();
        w.key("argument").begin_object().member_str("name", name).member_str("value", value).end_object();
        if !known.is_empty() {
            w.key("context").begin_object().key("arguments").begin_object();
            for (name, value) in known {
                w.member_str(name, value);
            }
            w.end_object().end_object();
        }
    }
}

/// What has arguments that can be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// The prompt of this name.
    Prompt(&'a str),
    /// The resource template with this URI template.
    Resource(&'a str),
}

fn write_arguments<T: Serialize + ?Sized>(w: &mut Writer<'_>, arguments: &T) {
    let start = w.mark();
    w.member_value("arguments", arguments);
    if !w.failed() && w.written().ends_with(br#""arguments":null"#) {
        w.rollback(start);
    }
}
