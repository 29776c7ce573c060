//! Resources, and a template of more.

use umcp::server::{Outcome, Read, Resource, Template};

use super::Everything;
use super::media::PICTURE;

pub(crate) const WATCHED: &str = "test://watched-resource";

pub(crate) const RESOURCES: &[Resource<Everything>] = &[
    Resource::new("test://static-binary", "static-binary", |_, read| read.blob(PICTURE))
        .description("A picture that never changes.")
        .mime_type("image/png"),
    Resource::new("test://static-text", "static-text", |_, read| {
        read.text("This is the content of the static text resource.")
    })
    .description("A text that never changes.")
    .mime_type("text/plain"),
    Resource::new(WATCHED, "watched-resource", |_, read| read.text("Watched resource content"))
        .description("A text that may be subscribed to.")
        .mime_type("text/plain")
        .changes(),
];

pub(crate) const TEMPLATES: &[Template<Everything>] =
    &[Template::new("test://template/{id}/data", "template-data", template_data)
        .description("A text about the id in its URI.")
        .mime_type("application/json")];

fn template_data(_: &mut Everything, read: Read<'_>) -> Outcome {
    let id = read.variable("id").unwrap_or_default();
    let text = serde_json::json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    read.text(&text.to_string())
}
