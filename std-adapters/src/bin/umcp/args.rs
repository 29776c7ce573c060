//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, Parser, Subcommand};

/// The Model Context Protocol in fixed memory: a client, a simulated server, and tools to look at both.
///
/// TARGET is a server: `-- COMMAND ARGUMENTS...` at the end of the line starts a process and speaks over its pipes;
/// `serial:PATH[@BAUD]`, `tcp:HOST:PORT` or `unix:PATH`, as the first word, is reached on a line, `http://` or `https://` over HTTP; `--config FILE --server NAME` takes one from an
/// `mcpServers` file.
///
/// Exit status: 0 done; 1 the server answered with an error, or the tool failed; 2 usage, or a file that cannot be read or written; 3 could not start or connect, or the
/// server closed the connection; 4 timed out; 5 the server broke the protocol, or sent more than fits; 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "umcp", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Watch a small server and a client talk to each other.
    Demo,
    /// Be the server: a simulated board, on standard input and output or over HTTP.
    Serve {
        /// Serve HTTP at this address instead, such as 127.0.0.1:8080; the endpoint is /mcp.
        #[arg(long, value_name = "ADDR")]
        http: Option<String>,
        /// The longest body of a request over HTTP, in bytes.
        #[arg(long, value_name = "BYTES", default_value_t = 1024 * 1024, requires = "http")]
        max_body: u32,
        /// An origin whose web pages may use the server over HTTP, such as https://example.com; may be given more than once.
        #[arg(long, value_name = "ORIGIN", requires = "http")]
        origin: Vec<String>,
        /// A value of Host that a proxy in front of the server sends; may be given more than once.
        #[arg(long, value_name = "HOST", requires = "http")]
        host: Vec<String>,
    },
    /// Show what a server says about itself.
    Discover(Words<0>),
    /// List its tools.
    Tools(Words<0>),
    /// Call a tool: NAME and, if it takes any, its ARGUMENTS as a JSON object.
    ///
    /// `umcp call led_set '{"on":true}' -- COMMAND...`, `umcp call http://127.0.0.1:8081/mcp led_set '{"on":true}'`
    Call {
        #[command(flatten)]
        words: Words<2>,
        /// An argument more, the bytes of this file in Base64, sent as it is read; `-` is standard input, except over HTTP, where the length has to be known first.
        #[arg(long, value_name = "ARGUMENT=PATH", conflicts_with = "text_file")]
        file: Option<String>,
        /// An argument more, the text of this file, sent as it is read; `-` as with --file.
        #[arg(long, value_name = "ARGUMENT=PATH")]
        text_file: Option<String>,
    },
    /// List its resources.
    Resources {
        #[command(flatten)]
        words: Words<0>,
        /// List the templates of resources instead.
        #[arg(long)]
        templates: bool,
    },
    /// Read the resource at a URI.
    ///
    /// `umcp read board://led -- COMMAND...`, `umcp read serial:/dev/ttyACM0 board://led`
    Read {
        #[command(flatten)]
        words: Words<1>,
        /// Write what it holds to this file as it arrives, a blob decoded; `-` is standard output.
        #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
        output: Option<PathBuf>,
    },
    /// List its prompts.
    Prompts(Words<0>),
    /// Get a prompt: NAME and, if it takes any, its ARGUMENTS as a JSON object of strings.
    Prompt(Words<2>),
    /// Show changes as they happen: of the lists, and of the resources at the given URIs. Ctrl-C ends it.
    Listen {
        #[command(flatten)]
        words: Words<{ usize::MAX }>,
        /// End after so many milliseconds.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        for_ms: Option<u32>,
    },
    /// Stand between a client and a server: pass every byte on, and show each message on standard error.
    Trace(Words<0>),
    /// Let clients use a server that they could not reach: from standard input and output, or HTTP, to a serial line, a socket, a
    /// process, or a server over HTTP.
    Bridge(BridgeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BridgeArgs {
    /// Let clients in over HTTP at this address, HOST:PORT or just PORT for this machine alone, instead of standard input and output. Port 0 is
    /// any free one. The address goes to standard error.
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<String>,
    /// An origin whose web pages may use the bridge over HTTP, such as https://example.com; may be given more than once.
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) origin: Vec<String>,
    /// A value of Host that a proxy in front of the bridge sends; may be given more than once.
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) host: Vec<String>,
    /// How long the server may take over a request, in milliseconds, counted anew from each progress report. By default 60000 on a line; no
    /// limit elsewhere, where the end is seen.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) timeout_ms: Option<u32>,
    /// A file of servers, in the usual `mcpServers` shape.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Which server of the file; it may be left out if there is one.
    #[arg(long, value_name = "NAME", requires = "config")]
    pub(crate) server: Option<String>,
    /// To a server over HTTP: a header to send with every request. It may be given more than once.
    #[arg(long = "header", value_name = "NAME:VALUE")]
    pub(crate) headers: Vec<String>,
    /// To a server over HTTP: the environment variable that has the bearer token, if any.
    #[arg(long, value_name = "NAME", default_value = "UMCP_TOKEN")]
    pub(crate) token_env: String,
    /// To a server over HTTPS: the PEM file of the certificates to trust, instead of those that the system trusts.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// The server, if it is reached on a line or has a URL.
    #[arg(value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// The command that starts the server, and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What every verb that talks to a server takes. `MOST` is how many words it takes besides the target.
#[derive(Debug, Args)]
pub(crate) struct Words<const MOST: usize> {
    #[command(flatten)]
    pub(crate) common: Common,
    /// First the server, if it is a URL or on a line; then what the verb takes, in the order in which it is told above.
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// The command that starts the server, and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Default, Args)]
pub(crate) struct Common {
    /// Print exactly one JSON value: the result.
    #[arg(long)]
    pub(crate) json: bool,
    /// How long to wait for each answer, or for more of it or word of its progress, in milliseconds; an hour at most in all.
    #[arg(long, value_name = "N", default_value_t = 30_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) timeout_ms: u32,
    /// Show the messages as they cross the wire, and what the server writes to its standard error.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// A file of servers, in the usual `mcpServers` shape.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Which server of the file. Without it all of them are asked, and names that several have are SERVER/NAME; listen and trace want one.
    #[arg(long, value_name = "NAME", requires = "config")]
    pub(crate) server: Option<String>,
    /// Over HTTP: a header to send with every request. It may be given more than once.
    #[arg(long = "header", value_name = "NAME:VALUE")]
    pub(crate) headers: Vec<String>,
    /// Over HTTP: the environment variable that has the bearer token, if any.
    #[arg(long, value_name = "NAME", default_value = "UMCP_TOKEN")]
    pub(crate) token_env: String,
    /// Over HTTPS: the PEM file of the certificates to trust, instead of those that the system trusts.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
}

/// The words of a command line, with the options that stand in front of the verb behind it: `umcp --config FILE tools` is
/// `umcp tools --config FILE`.
pub(crate) fn verb_first(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let command = Cli::command();
    let Some(any) = command.find_subcommand("tools") else { return words };
    let mut verb = 1;
    loop {
        let Some(word) = words.get(verb).and_then(|word| word.to_str()) else { return words };
        let Some(option) = word.strip_prefix('-') else { break };
        let (name, has_value) = option.split_once('=').map_or((option, false), |(name, _)| (name, true));
        let is_it = |arg: &&clap::Arg| match name.strip_prefix('-') {
            Some(long) => arg.get_long() == Some(long),
            None => arg.get_short().is_some_and(|short| name == short.to_string()),
        };
        // What belongs to no verb, such as --help, stays where it is.
        let Some(arg) = any.get_arguments().find(is_it) else { return words };
        verb += if arg.get_action().takes_values() && !has_value { 2 } else { 1 };
    }
    if let Some(front) = words.get_mut(1..=verb) {
        front.rotate_right(1);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verb_comes_first() {
        for (given, expected) in [
            ("umcp tools --json", "umcp tools --json"),
            ("umcp --json tools", "umcp tools --json"),
            ("umcp --config f --server a call n {}", "umcp call --config f --server a n {}"),
            ("umcp --config=f -v tools -- c --json", "umcp tools --config=f -v -- c --json"),
            ("umcp --timeout-ms 5 call", "umcp call --timeout-ms 5"),
            ("umcp --help", "umcp --help"),
            ("umcp --version tools", "umcp --version tools"),
            ("umcp --nonsense tools", "umcp --nonsense tools"),
            ("umcp --config", "umcp --config"),
            ("umcp --config tools", "umcp --config tools"),
            ("umcp", "umcp"),
        ] {
            let words = verb_first(given.split(' ').map(OsString::from));
            assert_eq!(words, expected.split(' ').map(OsString::from).collect::<Vec<_>>(), "{given}");
        }
    }
}
