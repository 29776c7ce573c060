//! The shortest useful client: it starts a server, lists its tools, and calls one.
//! Try it: `cargo run -p umcp-examples --example client -- npx -y @modelcontextprotocol/server-everything`.

use std::error::Error;

use serde::Serialize;
use umcp_std::Process;

#[derive(Serialize)]
struct Echo<'a> {
    message: &'a str,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut command = std::env::args().skip(1);
    let program = command.next().ok_or("which server? give its command and arguments")?;
    let mut agent = Process::new(program).args(command).connect("my-agent", "1.0.0")?;

    for tool in agent.tools()? {
        println!("{}  {}", tool.name(), tool.description());
    }
    let reply = agent.call("echo", &Echo { message: "hello" })?;
    println!("{}", reply.text()?);
    Ok(())
}
