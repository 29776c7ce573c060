//! How many bytes the state of a connection takes, and each entry of its tables.

use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    println!("bytes on this machine, of which pointers and lengths are {} each\n", size_of::<usize>());
    for (bytes, what) in [
        (size_of::<umcp::server::Connection<'static>>(), "server connection, besides what is lent to it"),
        (size_of::<umcp::server::Deferred>(), "  each open call"),
        (size_of::<umcp::server::Subscription>(), "  each open subscription, with its URIs"),
        (size_of::<umcp::server::Endpoint<()>>(), "endpoint, one for all connections"),
        (size_of::<umcp::client::Connection<'static>>(), "client connection, besides what is lent to it"),
        (size_of::<umcp::http::client::Connection<'static>>(), "client connection over HTTP, likewise"),
        (size_of::<umcp::rpc::Pending>(), "  each request in flight"),
        (size_of::<umcp::client::Listen>(), "  each open subscription"),
        (size_of::<umcp::json::scan::Scanner>(), "scanner, part of each connection"),
    ] {
        println!("{bytes:>6}  {what}");
    }
    ExitCode::SUCCESS
}
