//! A resource that is written to a file as it arrives.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::count::Count;
use crate::exit::{Exit, USAGE};

/// Standard output, or the file beside the one that is wanted, which gets its name when all is there. What is no plain file is written at once.
pub(crate) struct Save<'p> {
    path: &'p Path,
    /// The file beside, and the one whose name it gets: that which a link leads to.
    beside: Option<(PathBuf, PathBuf)>,
    file: io::BufWriter<Box<dyn io::Write>>,
    count: Count,
    failed: Option<io::Error>,
}

impl<'p> Save<'p> {
    pub(crate) fn create(path: &'p Path) -> Result<Save<'p>, Exit> {
        let (beside, file) = open(path).map_err(|error| fault(path, &error))?;
        Ok(Save { path, beside, file: io::BufWriter::new(file), count: Count::new(None), failed: None })
    }

    /// Writes on. What fails ends it, and is told at the [close](Save::close).
    pub(crate) fn put(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        if let Err(error) = self.file.write_all(bytes) {
            self.failed = Some(error);
            return ControlFlow::Break(());
        }
        self.count.add(bytes.len());
        ControlFlow::Continue(())
    }

    /// All is there, if `done` says so, and gets its name; or nothing is left behind.
    pub(crate) fn close(mut self, done: Result<(), Exit>) -> Result<(), Exit> {
        self.count.end();
        let failed = self.failed.take();
        let done = match failed {
            Some(error) => Err(fault(self.path, &error)),
            None => done.and_then(|()| self.finish().map_err(|error| fault(self.path, &error))),
        };
        if let (Err(_), Some((beside, _))) = (&done, &self.beside) {
            // What cannot be removed stays.
            let _ = fs::remove_file(beside);
        }
        done
    }

    fn finish(&mut self) -> io::Result<()> {
        self.file.flush()?;
        match &self.beside {
            Some((beside, path)) => fs::rename(beside, path),
            None => Ok(()),
        }
    }
}

type Opened = (Option<(PathBuf, PathBuf)>, Box<dyn io::Write>);

fn open(path: &Path) -> io::Result<Opened> {
    if path == Path::new("-") {
        return Ok((None, Box::new(io::stdout())));
    }
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Ok((None, Box::new(File::options().write(true).open(path)?)));
    }
    // What a link leads to is replaced, and not the link; one that leads nowhere is followed by whoever opens it.
    let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let path = match fs::canonicalize(path) {
        Ok(path) if is_link => path,
        Err(_) if is_link => return Ok((None, Box::new(File::create(path)?))),
        _ => path.to_owned(),
    };
    let (beside, file) = create_beside(&path)?;
    Ok((Some((beside, path)), Box::new(file)))
}

/// How many names are tried for the file beside.
const NAMES: u32 = 100;

/// A new file with a name of its own in the same folder.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for number in 0..NAMES {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(if number == 0 { ".part".to_owned() } else { format!(".part{number}") });
        let beside = path.with_file_name(name);
        match File::create_new(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

fn fault(path: &Path, error: &io::Error) -> Exit {
    Exit { ours: true, ..Exit::new(USAGE, format!("{}: {error}", path.display())) }
}
