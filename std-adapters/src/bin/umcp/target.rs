//! Which server is meant.

use std::env;

use umcp::time::Duration;
use umcp_std::http::client::{Remote, Roots, Url, UrlError};
use umcp_std::{Address, Config, Process};

use crate::args::{Common, Words};
use crate::exit::Exit;
use crate::place::Place;

/// A server that can be reached, and the words that are left for the verb.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(crate) place: Place,
    /// What it is called in messages.
    pub(crate) name: String,
    pub(crate) words: &'a [String],
    /// Texts that must not be shown.
    pub(crate) secrets: Vec<String>,
    /// From the configuration, if it says so.
    pub(crate) timeout: Option<Duration>,
}

impl<'a> Target<'a> {
    /// The target of a verb that takes from `least` to `MOST` words beside it.
    pub(crate) fn of<const MOST: usize>(args: &'a Words<MOST>, least: usize) -> Result<Target<'a>, Exit> {
        let target = Target::find(args)?;
        check_count(target.words.len(), least, MOST)?;
        Ok(target)
    }

    fn find<const MOST: usize>(args: &'a Words<MOST>) -> Result<Target<'a>, Exit> {
        if let Some((program, rest)) = args.command.split_first() {
            if args.common.config.is_some() {
                return Err(Exit::usage("give either a command after `--` or --config, not both"));
            }
            return Ok(Target {
                place: Place::Process(Process::new(program).args(rest)),
                name: program.to_string_lossy().into_owned(),
                words: &args.words,
                secrets: Vec::new(),
                timeout: None,
            });
        }
        if let Some(path) = &args.common.config {
            return Target::configured(&args.common, path, &args.words);
        }
        match args.words.split_first() {
            Some((word, words)) if is_url(word) => Target::remote(&args.common, word, words),
            Some((word, words)) if is_line(word) => {
                let address: Address =
                    word.parse().map_err(|error: umcp_std::line::AddressError| Exit::usage(error.to_string()))?;
                Ok(Target {
                    place: Place::Line(address),
                    name: word.clone(),
                    words,
                    secrets: Vec::new(),
                    timeout: None,
                })
            }
            Some((_, words)) if words.iter().any(|word| is_url(word) || is_line(word)) => {
                Err(Exit::usage("the server has to be the first word, in front of what the verb takes"))
            }
            _ => Err(Exit::usage(
                "which server? end the line with `-- COMMAND ARGUMENTS...`, begin its words with http://, https://, serial:, tcp: or unix:, or use --config",
            )),
        }
    }

    fn remote(common: &Common, url: &str, words: &'a [String]) -> Result<Target<'a>, Exit> {
        let url: Url = url.parse().map_err(|error: UrlError| Exit::usage(format!("{url}: {error}")))?;
        let name = url.authority().to_owned();
        let mut remote = Remote::new(url);
        let mut secrets = Vec::new();
        for header in &common.headers {
            let (name, value) =
                header.split_once(':').ok_or_else(|| Exit::usage("--header takes a NAME, a colon and a VALUE"))?;
            remote = remote.header(name.trim(), value).map_err(Exit::usage)?;
            secrets.push(value.trim().to_owned());
        }
        if let Some(token) = env::var(&common.token_env).ok().filter(|token| !token.is_empty()) {
            remote = remote.token(&token).map_err(|why| Exit::usage(format!("{}: {why}", common.token_env)))?;
            secrets.push(token);
        }
        if let Some(file) = &common.ca {
            remote = remote.roots(Roots::File(file.clone()));
        }
        secrets.retain(|secret| secret.len() >= 8);
        Ok(Target { place: Place::Http(remote), name, words, secrets, timeout: None })
    }

    fn configured(common: &Common, path: &std::path::Path, words: &'a [String]) -> Result<Target<'a>, Exit> {
        let refuse = |error: umcp_std::config::ConfigError| Exit::usage(error.to_string());
        let config = Config::load(path).map_err(refuse)?;
        let names: Vec<&str> = config.names().collect();
        let name = match (&common.server, names.as_slice()) {
            (Some(name), _) => name.as_str(),
            (None, [only]) => only,
            (None, names) => {
                return Err(Exit::usage(format!("which server? choose one with --server: {}", names.join(", "))));
            }
        };
        let server = config.server(name).map_err(refuse)?;
        Ok(Target {
            place: match server.place() {
                umcp_std::config::Place::Process(process) => Place::Process(process),
                umcp_std::config::Place::Http(remote) => Place::Http(remote),
            },
            name: name.to_owned(),
            words,
            // Short values are no secrets, and masking them would hide everything.
            secrets: server.secrets().filter(|value| value.len() >= 8).map(str::to_owned).collect(),
            timeout: server.timeout,
        })
    }
}

/// Whether a verb that takes from `least` to `most` words beside its target may be given so many.
pub(crate) fn check_count(given: usize, least: usize, most: usize) -> Result<(), Exit> {
    if given >= least && given <= most {
        return Ok(());
    }
    let count = |count: usize| if count == 1 { "one word".to_owned() } else { format!("{count} words") };
    let wanted = match (least, most) {
        (_, 0) => "takes no words beside its target".to_owned(),
        (least, most) if least == most => format!("takes {} beside its target", count(least)),
        (least, _) if given < least => format!("takes at least {} beside its target", count(least)),
        (_, most) => format!("takes at most {} beside its target", count(most)),
    };
    Err(Exit::usage(format!("this verb {wanted}, and was given {given}; see `umcp --help`")))
}

fn is_url(word: &str) -> bool {
    word.contains("://")
}

fn is_line(word: &str) -> bool {
    ["serial:", "tcp:", "unix:"].iter().any(|scheme| word.starts_with(scheme))
}
