//! A resource that is written to a file as it arrives.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::count::Count;
use crate::exit::{CLOSED, Exit};

/// The file beside the one that is wanted, which gets its name when all is there. What is no plain file is written at once.
pub(crate) struct Save<'p> {
    path: &'p Path,
    beside: Option<PathBuf>,
    file: io::BufWriter<File>,
    count: Count,
    failed: Option<io::Error>,
}

impl<'p> Save<'p> {
    pub(crate) fn create(path: &'p Path) -> Result<Save<'p>, Exit> {
        let is_other = fs::metadata(path).is_ok_and(|found| !found.is_file());
        let beside = (!is_other).then(|| {
            let mut name = path.file_name().unwrap_or_default().to_os_string();
            name.push(".part");
            path.with_file_name(name)
        });
        let file = match &beside {
            Some(beside) => File::create(beside),
            None => File::options().write(true).open(path),
        };
        let file = io::BufWriter::new(file.map_err(|error| fault(path, &error))?);
        Ok(Save { path, beside, file, count: Count::new(None), failed: None })
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
        if let (Err(_), Some(beside)) = (&done, &self.beside) {
            // What cannot be removed stays.
            let _ = fs::remove_file(beside);
        }
        done
    }

    fn finish(&mut self) -> io::Result<()> {
        self.file.flush()?;
        match &self.beside {
            Some(beside) => fs::rename(beside, self.path),
            None => Ok(()),
        }
    }
}

fn fault(path: &Path, error: &io::Error) -> Exit {
    Exit { ours: true, ..Exit::new(CLOSED, format!("{}: {error}", path.display())) }
}
