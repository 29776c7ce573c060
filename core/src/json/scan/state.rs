//! The grammar as a table of states. After each, the comment says what may come.

/// Where in the grammar the scanner stands: what it expects next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// A value: at the start, after `,` in an array, after `:`. Then: `After`.
    Value,
    /// After `[`: a value, or `]`.
    FirstItem,
    /// After `{`: a key, or `}`.
    FirstKey,
    /// After `,` in an object: a key.
    Key,
    /// Inside a key. Then: `Colon`.
    InKey,
    /// After a key: `:`. Then: `Value`.
    Colon,
    /// Inside a string that is a value. Then: `After`.
    InString,
    /// The same, of a string that is taken in chunks. Then, without reading the closing quote: `TextEnd`.
    InText,
    /// In front of the closing quote of such a string: it goes on once the last chunk is taken. Then: `InString`.
    TextEnd,
    /// Inside a number, as far as `Number` says. Then, without reading the byte behind it: `After`.
    InNumber,
    /// After a value in a container: `,` (then `Key` or `Value`) or the bracket that closes it (then `After`).
    After,
    /// After an element of a list that is told one by one: it goes on once that is dropped. Then: `After`.
    AfterItem,
    /// Inside a container deeper than the limit, outside strings. Then: `After`.
    TooDeep,
    /// After the top-level value: nothing but white space.
    Done,
    /// After an error: the message is lost.
    Failed,
}

/// How far into a number: after which of its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// `-`
    Minus,
    /// The only leading zero.
    Zero,
    /// A digit before the point.
    Whole,
    /// `.`
    Point,
    /// A digit behind the point.
    Fraction,
    /// `e` or `E`
    E,
    /// The exponent's sign.
    Sign,
    /// A digit of the exponent.
    Exponent,
}

impl Number {
    /// The state after the first byte of a number.
    pub(super) fn first(byte: u8) -> Option<Number> {
        match byte {
            b'-' => Some(Number::Minus),
            b'0' => Some(Number::Zero),
            b'1'..=b'9' => Some(Number::Whole),
            _ => None,
        }
    }

    /// The state after one more byte; nothing if the number does not go on with it.
    pub(super) fn next(self, byte: u8) -> Option<Number> {
        use Number::*;
        match (self, byte) {
            (Minus, b'0') => Some(Zero),
            (Minus, b'1'..=b'9') => Some(Whole),
            (Whole, b'0'..=b'9') => Some(Whole),
            (Zero | Whole, b'.') => Some(Point),
            (Point | Fraction, b'0'..=b'9') => Some(Fraction),
            (Zero | Whole | Fraction, b'e' | b'E') => Some(E),
            (E, b'+' | b'-') => Some(Sign),
            (E | Sign | Exponent, b'0'..=b'9') => Some(Exponent),
            _ => None,
        }
    }

    /// Whether a number may end here.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Number::Zero | Number::Whole | Number::Fraction | Number::Exponent)
    }
}

/// What kind of container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Array,
    Object,
}

/// The kinds of the open containers: a bit each, set for an object.
#[derive(Clone, Copy)]
pub(super) struct Nest {
    /// The innermost 64; the lowest bit is the innermost.
    near: u64,
    /// Those around them.
    far: u64,
    depth: u8,
    /// How many may be open.
    limit: u8,
    /// How many more are open beyond the limit, in a region of which only the brackets are counted.
    over: u32,
}

impl Nest {
    /// How many containers can be open.
    pub(super) const MAX_DEPTH: u8 = 128;

    /// Nothing is open; at most `limit` containers may be.
    pub(super) const fn new(limit: u8) -> Nest {
        let limit = if limit < Nest::MAX_DEPTH { limit } else { Nest::MAX_DEPTH };
        Nest { near: 0, far: 0, depth: 0, limit, over: 0 }
    }

    /// Closes everything.
    pub(super) fn reset(&mut self) {
        (self.near, self.far, self.depth, self.over) = (0, 0, 0, 0);
    }

    /// How many containers are open.
    #[inline(always)]
    pub(super) fn depth(&self) -> u8 {
        self.depth
    }

    /// Whether none is.
    pub(super) fn is_empty(&self) -> bool {
        self.depth == 0
    }

    /// Opens a container; the caller has checked the depth.
    #[inline(always)]
    pub(super) fn push(&mut self, kind: Kind) {
        self.far = self.far << 1 | self.near >> 63;
        self.near = self.near << 1 | u64::from(kind == Kind::Object);
        self.depth = self.depth.wrapping_add(1);
    }

    /// Closes the innermost container.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        self.near = self.near >> 1 | self.far << 63;
        self.far >>= 1;
        self.depth = self.depth.wrapping_sub(1);
    }

    /// Whether the innermost container is an object.
    #[inline(always)]
    pub(super) fn in_object(&self) -> bool {
        self.near & 1 != 0
    }

    /// Whether another container would be one too many.
    pub(super) fn is_full(&self) -> bool {
        self.depth >= self.limit
    }

    /// How many containers may be open.
    pub(super) fn limit(&self) -> u8 {
        self.limit
    }

    /// Whether what is read lies beyond the limit.
    pub(super) fn is_over(&self) -> bool {
        self.over > 0
    }

    /// Counts a bracket beyond the limit.
    pub(super) fn push_over(&mut self) {
        self.over = self.over.saturating_add(1);
    }

    /// Counts a bracket beyond the limit.
    pub(super) fn pop_over(&mut self) {
        self.over = self.over.saturating_sub(1);
    }

    /// Says that `depth` containers are open, all of them objects.
    #[inline(always)]
    pub(super) fn set_objects(&mut self, depth: u8) {
        self.near = !(u64::MAX << (depth & 63));
        self.depth = depth;
    }

    /// The kinds of the innermost 64: a bit each, set for an object, the lowest for the innermost.
    pub(super) fn near(&self) -> u64 {
        self.near
    }
}
