//! What goes wrong on the way: each byte of a request and of a reply as the place where the connection drops, stalls or resets, in memory on a
//! clock that moves when told to, and over loopback. Whatever happens to one connection, requests on others are served, and it ends.

mod loopback;
mod memory;
