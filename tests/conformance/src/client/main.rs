//! The client that the conformance suite starts.

fn main() {}
