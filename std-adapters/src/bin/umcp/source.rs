//! An argument that is read as it leaves: a file, or standard input.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _};

use umcp::client::Upload;
use umcp::json::{Value, escaped_len};

use crate::count::Count;
use crate::exit::{Exit, USAGE};

/// How much is read at a time, in bytes.
const PART: usize = 64 << 10;

/// What an argument is read from.
pub(crate) struct Source {
    argument: String,
    path: String,
    is_text: bool,
    /// How long it is, in the measure of [`Upload`]; standard input has no end that is known.
    length: Option<u64>,
    reader: Box<dyn Read>,
    count: Count,
    failed: Option<io::Error>,
}

/// The one that the command line names, if it names one.
pub(crate) fn of(file: Option<&str>, text_file: Option<&str>) -> Result<Option<Source>, Exit> {
    let (word, is_text) = match (file, text_file) {
        (Some(word), _) => (word, false),
        (None, Some(word)) => (word, true),
        (None, None) => return Ok(None),
    };
    let option = if is_text { "--text-file" } else { "--file" };
    match word.split_once('=') {
        Some((argument, path)) if !argument.is_empty() && !path.is_empty() => {
            Source::open(argument, path, is_text).map(Some)
        }
        _ => Err(Exit::usage(format!("{option} takes ARGUMENT=PATH, such as {option} image=FILE"))),
    }
}

impl Source {
    fn open(argument: &str, path: &str, is_text: bool) -> Result<Source, Exit> {
        let (argument, path) = (argument.to_owned(), path.to_owned());
        if path == "-" {
            let (reader, count) = (Box::new(io::stdin()), Count::new(None));
            return Ok(Source { argument, path, is_text, length: None, reader, count, failed: None });
        }
        let mut file = File::open(&path).map_err(|error| fault(&path, &error))?;
        let found = file.metadata().map_err(|error| fault(&path, &error))?;
        if found.is_dir() {
            return Err(Exit::usage(format!("{path}: it is a directory")));
        }
        let (mut length, mut bytes) = (None, None);
        // What is no plain file, such as a pipe, can be read but once.
        if found.is_file() {
            bytes = Some(found.len());
            length = if is_text { Some(measure(&mut file, &path)?) } else { bytes };
        }
        let (reader, count) = (Box::new(BufReader::with_capacity(PART, file)), Count::new(bytes));
        Ok(Source { argument, path, is_text, length, reader, count, failed: None })
    }

    /// The arguments beside it, which may not have its name, and over HTTP (`measured`) its length has to be known.
    pub(crate) fn check(&self, arguments: Value<'_>, measured: bool) -> Result<(), Exit> {
        if arguments.get(&self.argument).is_some() {
            return Err(Exit::usage(format!("the argument {} is given twice", self.argument)));
        }
        if measured && self.length.is_none() {
            return Err(Exit::usage(format!(
                "{}: over HTTP its length has to be known first: write it to a file",
                self.path
            )));
        }
        Ok(())
    }

    /// What it is, and how it is read. What fails ends the call, and is told at the [close](Source::close).
    pub(crate) fn parts(&mut self) -> (Upload<'_>, impl FnMut(&mut [u8]) -> Option<usize>) {
        let Source { argument, is_text, length, reader, count, failed, .. } = self;
        let upload = if *is_text { Upload::text(argument, *length) } else { Upload::bytes(argument, *length) };
        let read = |buf: &mut [u8]| loop {
            match reader.read(buf) {
                Ok(read) => {
                    count.add(read);
                    return Some(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    *failed = Some(error);
                    return None;
                }
            }
        };
        (upload, read)
    }

    /// The call is over, and this is what came of it, unless it failed here.
    pub(crate) fn close<T>(mut self, done: Result<T, Exit>) -> Result<T, Exit> {
        self.count.end();
        match self.failed {
            Some(error) => Err(fault(&self.path, &error)),
            None => done,
        }
    }
}

/// How long a text is in the message, and whether it is one.
fn measure(file: &mut File, path: &str) -> Result<u64, Exit> {
    let mut part = vec![0; PART];
    let (mut length, mut left) = (0, 0);
    loop {
        let count = file.read(part.get_mut(left..).unwrap_or_default()).map_err(|error| fault(path, &error))?;
        let end = left + count;
        let bytes = part.get(..end).unwrap_or_default();
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // A character goes on in the next part.
            Err(error) if error.error_len().is_none() && count > 0 => {
                std::str::from_utf8(bytes.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
            }
            Err(_) => return Err(Exit::usage(format!("{path}: it is not UTF-8; --file sends it as bytes"))),
        };
        length += escaped_len(text) as u64;
        let valid = text.len();
        if count == 0 {
            break;
        }
        part.copy_within(valid..end, 0);
        left = end - valid;
    }
    file.rewind().map_err(|error| fault(path, &error))?;
    Ok(length)
}

fn fault(path: &str, error: &io::Error) -> Exit {
    Exit { ours: true, ..Exit::new(USAGE, format!("{path}: {error}")) }
}
