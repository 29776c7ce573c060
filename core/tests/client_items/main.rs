//! Answers that are taken item by item: the same events for every buffer that holds the longest item, whatever the pieces in which bytes come.
#![cfg(feature = "client")]
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod failures;
mod oracle;
mod rig;
mod whose;
