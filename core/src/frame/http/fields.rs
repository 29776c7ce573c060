//! The header lines of a head, whoever sends it.

use super::HeadError;
use super::chars::{is_token_byte, trim};
use super::framing::{Framing, FramingHeader};
use super::lines::{Lines, Next, Passing};
use super::wanted::{Limits, Wanted};

/// A header somebody needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'r> {
    /// Its name: as it stands in [`Wanted`], or, if it came in by the prefix, as it stands on the wire.
    pub name: &'r str,
    /// Its value, without the white space around it: printable characters, spaces, tabs, and bytes from 0x80 on.
    pub value: &'r [u8],
}

/// What a header section comes to next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field<'r> {
    NeedData,
    Header(Header<'r>),
    End,
}

/// Reads header lines up to the empty line, notes those that frame the body, and yields those that are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub(super) lines: Lines,
    pub(super) framing: Framing,
    wanted: &'static Wanted,
    passing: Option<Passing>,
}

static NOTHING: Wanted = Wanted::new(&[]);

impl Fields {
    pub(super) const fn new(wanted: &'static Wanted, limits: Limits) -> Fields {
        Fields { lines: Lines::new(limits), framing: Framing::new(), wanted, passing: None }
    }

    /// The next header that is wanted.
    pub(super) fn next<'r>(&mut self, raw: &'r [u8]) -> Result<Next<Field<'r>>, HeadError> {
        let mut taken = 0;
        loop {
            let rest = raw.get(taken..).unwrap_or_default();
            let next = match self.passing {
                Some(passing) => self.pass(rest, passing)?,
                None => self.line(rest)?,
            };
            taken += next.taken;
            if let Some(step) = next.step {
                return Ok(Next { taken, step });
            }
        }
    }

    /// Reads on to the end of the section, and yields nothing.
    pub(super) fn pass_all<'r>(&mut self, raw: &'r [u8]) -> Result<Next<Field<'r>>, HeadError> {
        let wanted = core::mem::replace(&mut self.wanted, &NOTHING);
        let next = self.next(raw);
        self.wanted = wanted;
        next
    }

    /// One line, or the beginning of one that is passed over. No step: there is more to be said about what follows.
    fn line<'r>(&mut self, raw: &'r [u8]) -> Result<Next<Option<Field<'r>>>, HeadError> {
        let visible = self.lines.visible(raw);
        let name_len = visible.iter().position(|&byte| !is_token_byte(byte));
        let (name, colon) = visible.split_at_checked(name_len.unwrap_or(visible.len())).unwrap_or_default();
        match (name, colon) {
            (_, []) if self.may_begin(name) => {
                self.lines.wait(visible, 0, HeadError::HeaderTooLong)?;
                Ok(Next { taken: 0, step: Some(Field::NeedData) })
            }
            (_, []) => Ok(self.pass_from(Passing::Name, name.len())),
            ([], [b'\r', ..]) => self.empty_line(raw),
            ([_, ..], [b':', ..]) => self.header(raw, name),
            ([], [b'\n', ..]) => Err(HeadError::LineEnd),
            _ => Err(HeadError::Header),
        }
    }

    fn empty_line<'r>(&mut self, raw: &'r [u8]) -> Result<Next<Option<Field<'r>>>, HeadError> {
        let whole = self.lines.line(raw, HeadError::Header, HeadError::HeaderTooLong)?;
        if whole.is_none() {
            return Ok(Next { taken: 0, step: Some(Field::NeedData) });
        }
        self.lines.take(2);
        Ok(Next { taken: 2, step: Some(Field::End) })
    }

    fn header<'r>(&mut self, raw: &'r [u8], name: &'r [u8]) -> Result<Next<Option<Field<'r>>>, HeadError> {
        let wanted = self.wanted.find(name);
        let framing = FramingHeader::find(name);
        if wanted.is_none() && framing.is_none() {
            return Ok(self.pass_from(Passing::Value, name.len() + 1));
        }
        let Some(line) = self.lines.line(raw, HeadError::Header, HeadError::HeaderTooLong)? else {
            return Ok(Next { taken: 0, step: Some(Field::NeedData) });
        };
        let value = trim(line.get(name.len() + 1..).unwrap_or_default());
        if let Some(header) = framing {
            self.framing.note(header, value)?;
        }
        let taken = line.len() + 2;
        self.lines.take(taken);
        Ok(Next { taken, step: wanted.map(|name| Field::Header(Header { name, value })) })
    }

    fn may_begin(&self, name: &[u8]) -> bool {
        self.wanted.may_begin(name) || FramingHeader::may_begin(name)
    }

    /// The first `taken` bytes of the line are enough to know that nobody needs it.
    fn pass_from<'r>(&mut self, passing: Passing, taken: usize) -> Next<Option<Field<'r>>> {
        self.lines.take(taken);
        self.passing = Some(passing);
        Next { taken, step: None }
    }

    fn pass<'r>(&mut self, raw: &[u8], passing: Passing) -> Result<Next<Option<Field<'r>>>, HeadError> {
        let (taken, passing) = self.lines.pass(raw, passing)?;
        self.passing = passing;
        Ok(Next { taken, step: passing.map(|_| Field::NeedData) })
    }
}
