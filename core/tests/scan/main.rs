//! The scanner, as its callers see it: tables of rules first, then everything that was ever recorded, then
//! everything a generator thinks of.
#![allow(clippy::unwrap_used, clippy::panic, reason = "that is how a test fails")]

mod corpus;
mod discard;
mod naive;
mod oracle;
mod pieces;
mod random;
mod rig;
mod rules;
mod spans;
mod taker;
mod whole;
