//! The engine: one step of the grammar after the other, until the bytes run out. `State` says what each state expects.

use super::express::{self, Ride, Spaces};
use super::state::{Kind, Number, State};
use super::string::{self, Body};
use super::tape::Tape;
use super::{Outcome, ScanError, Scanner};

/// How a step ended.
pub(super) enum Step {
    /// The next state may go on.
    On,
    /// There is nothing to go on with: the bytes are used up but for a short raw tail.
    Wait,
}

impl Scanner {
    /// Reads all the bytes there are.
    pub(super) fn run(&mut self, tape: &mut Tape<'_>) -> Result<(), ScanError> {
        let mut spaces = Spaces::NONE;
        loop {
            if express::RUNS && self.follow.is_whole() {
                match self.express(tape, &mut spaces) {
                    Ride::Whole => return Ok(()),
                    Ride::Part => continue,
                    Ride::None => {}
                }
            }
            let step = match self.state {
                State::Value => self.value(tape)?,
                State::FirstItem => self.first_item(tape)?,
                State::FirstKey => self.first_key(tape)?,
                State::Key => self.key(tape)?,
                State::InKey => self.in_key(tape)?,
                State::Colon => self.colon(tape)?,
                State::InString => self.in_string(tape)?,
                State::InText => self.in_text(tape)?,
                State::InNumber => self.in_number(tape)?,
                State::After => self.after(tape)?,
                State::TooDeep => self.too_deep(tape),
                State::AfterItem | State::TextEnd => Step::Wait,
                State::Done => match token(tape) {
                    None => Step::Wait,
                    Some(_) => return Err(ScanError::Syntax),
                },
                State::Failed => return Err(ScanError::Syntax),
            };
            if let Step::Wait = step {
                return Ok(());
            }
        }
    }

    fn value(&mut self, tape: &mut Tape<'_>) -> Result<Step, ScanError> {
        let Some(byte) = token(tape) else { return Ok(Step::Wait) };
        if self.nest.is_empty() {
            self.outcome = Outcome::Scalar;
        }
        match byte {
            b'"' => {
                tape.keep(1);
                self.in_string(tape)
            }
            b'{' => Ok(self.open(tape, Kind::Object)),
            b'[' => Ok(self.open(tape, Kind::Array)),
            b't' => self.literal(tape, b"true"),
            b'f' => self.literal(tape, b"false"),
            b'n' => self.literal(tape, b"null"),
            _ => {
                let number = Number::first(byte).ok_or(ScanError::Syntax)?;
                tape.keep(1);
                self.number = number;
                self.in_number(tape)
            }
        }
    }

    fn first_item(&mut self, tape: &mut Tape<'_>) -> Result<Step, ScanError> {
        match token(tape) {
            None => Ok(Step::Wait),
            Some(b']') => self.close(tape, Kind::Array),
            Some(_) => self.value(tape),
        }
    }

    fn first_key(&mut self, tape: &mut Tape<'_>) -> Result<Step, ScanError> {
        match token(tape) {
            None => Ok(Step::Wait),
            Some(b'}') => self.close(tape, Kind::Object),
            Some(_) => self.key(tape),
        }
    }

    fn key(&mut self, tape: &mut Tape<'_>) -> Result<Step, ScanError> {
        match token(tape) {
            None => Ok(Step::Wait),
            Some(b'"') => {
                tape.keep(1);
                if self.is_inside() {
                    self.follow.key_opens(tape);
                }
                self.in_key(tape)
            }
            Some(_) => Err(ScanError::Syntax),
        }
    }

    fn in_key(&mut self, tape: &mut Tape<'_>) -> Result<Step, ScanError> {
        if let Body::Open = string::body(tape)? {
            self.state = State::InKey;
            return Ok(Step::Wait);
        }
        if self.is_inside() {
            self.key_closes(tape);
        }
        self.state = State::Colon;
        Ok(Step::On)
    }

    fn colon(&mut self, tape: &mut Tape<'_>) -> Result<Step, ScanError> {
        match token(tape) {
            None => Ok(Step::Wait),
            Some(b':') => {
                tape.keep(1);
                if self.is_inside() {
                    self.follow.value_opens(tape);
                }
                self.state = State::Value;
                Ok(Step::On)
            }
            Some(_) => Err(ScanError::Syntax),
        }
    }

    fn in_string(&mut self, tape: &mut Tape<'_>) -> Result<Step, ScanError> {
        if let Body::Open = string::body(tape)? {
            self.state = State::InString;
            return Ok(Step::Wait);
        }
        if self.nest.is_over() {
            self.state = State::TooDeep;
            return Ok(Step::On);
        }
        self.value_ends(tape);
        Ok(Step::On)
    }

    fn in_number(&mut self, tape: &mut Tape<'_>) -> Result<Step, ScanError> {
        while let Some(byte) = tape.peek() {
            let Some(next) = self.number.next(byte) else {
                if !self.number.is_whole() {
                    return Err(ScanError::Syntax);
                }
                self.value_ends(tape);
                return Ok(Step::On);
            };
            tape.keep(1);
            self.number = next;
        }
        self.state = State::InNumber;
        Ok(Step::Wait)
    }

    /// `true`, `false` or `null`, all of it; the front of one is left unread.
    fn literal(&mut self, tape: &mut Tape<'_>, text: &[u8]) -> Result<Step, ScanError> {
        let rest = tape.rest();
        if rest.starts_with(text) {
            tape.keep(text.len());
            self.value_ends(tape);
            Ok(Step::On)
        } else if text.starts_with(rest) {
            Ok(Step::Wait)
        } else {
            Err(ScanError::Syntax)
        }
    }

    fn after(&mut self, tape: &mut Tape<'_>) -> Result<Step, ScanError> {
        match token(tape) {
            None => Ok(Step::Wait),
            Some(b',') => {
                if self.follow.is_picking() {
                    self.comma_in_pieces(tape);
                } else {
                    tape.keep(1);
                }
                self.state = if self.nest.in_object() { State::Key } else { State::Value };
                Ok(Step::On)
            }
            Some(b'}') => self.close(tape, Kind::Object),
            Some(b']') => self.close(tape, Kind::Array),
            Some(_) => Err(ScanError::Syntax),
        }
    }

    /// Reads the bracket that opens a container.
    fn open(&mut self, tape: &mut Tape<'_>, kind: Kind) -> Step {
        if self.nest.is_empty() {
            self.outcome = if kind == Kind::Object { Outcome::Object } else { Outcome::Array };
        }
        if self.nest.is_full() {
            self.outcome = Outcome::TooDeep;
            if !self.follow.is_dropping() {
                self.cut = tape.offset() as u32;
            }
            self.state = State::TooDeep;
            return Step::On;
        }
        tape.keep(1);
        if self.is_inside() {
            match kind {
                Kind::Object => self.follow.open_object(),
                Kind::Array => self.open_list(tape),
            }
        }
        self.nest.push(kind);
        self.state = if kind == Kind::Object { State::FirstKey } else { State::FirstItem };
        Step::On
    }

    /// Reads the bracket that closes a container.
    fn close(&mut self, tape: &mut Tape<'_>, kind: Kind) -> Result<Step, ScanError> {
        if self.nest.in_object() != (kind == Kind::Object) {
            return Err(ScanError::Syntax);
        }
        if self.follow.is_picking() {
            tape.drop_comma();
        }
        tape.keep(1);
        if self.is_inside() {
            self.follow.close_object();
        }
        self.nest.pop();
        self.value_ends(tape);
        Ok(Step::On)
    }

    /// Whether it is directly inside the innermost followed object.
    #[inline(always)]
    pub(super) fn is_inside(&self) -> bool {
        self.nest.depth() == self.follow.followed()
    }

    /// A value is complete.
    pub(super) fn value_ends(&mut self, tape: &mut Tape<'_>) {
        self.state = if self.nest.is_empty() { State::Done } else { State::After };
        if self.is_inside() {
            self.value_closes(tape);
        }
    }

    /// Skips what is nested too deeply, loosely: strings are read properly, of all else only the brackets are counted.
    #[cold]
    fn too_deep(&mut self, tape: &mut Tape<'_>) -> Step {
        tape.rewind(self.cut as usize);
        let mut step = Step::Wait;
        let mut count = 0;
        for &byte in tape.rest() {
            count += 1;
            match byte {
                b'"' => {
                    self.state = State::InString;
                    step = Step::On;
                    break;
                }
                b'{' | b'[' => self.nest.push_over(),
                b'}' | b']' => self.nest.pop_over(),
                _ => {}
            }
            if !self.nest.is_over() {
                step = Step::On;
                break;
            }
        }
        tape.skip(count);
        if !self.nest.is_over() {
            self.value_ends(tape);
        }
        step
    }
}

/// The next byte that is not white space; what is before it is dropped.
fn token(tape: &mut Tape<'_>) -> Option<u8> {
    tape.skip_space();
    tape.peek()
}
