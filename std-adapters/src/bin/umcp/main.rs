//! The program `umcp`.

mod board;

use std::process::ExitCode;

fn main() -> ExitCode {
    umcp_std::serve_stdio_with(&board::CATALOG, board::Board::default(), board::Board::tick)
}
