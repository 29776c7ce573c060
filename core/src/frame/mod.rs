//! Framings: which bytes of a wire are payload, and where a message ends. They know no JSON.

mod line;

pub use line::{Line, Run};
