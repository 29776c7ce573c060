//! Arguments of every kind.

use umcp::json::Decimal;

pub(crate) const MOST: u16 = 1_000;
const LEAST: i8 = -5;

umcp::arguments! {
    /// How to blink.
    #[derive(Debug, PartialEq)]
    pub(crate) struct Blink<'a> {
        /// How many times.
        pub(crate) times: u8 in 1..=20,
        /// Milliseconds of each half.
        period_ms as "periodMs": u32 in 10..=1000 = 100,
        /// How bright.
        mode: Mode,
        /// What to say meanwhile.
        note: Option<&'a str>,
    }

    /// One of two.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) enum Mode {
        /// Not in the schema.
        Slow as "slow",
        Fast,
    }
}

impl Blink<'_> {
    pub(crate) const fn new(times: u8, period_ms: u32, mode: Mode) -> Blink<'static> {
        Blink { times, period_ms, mode, note: None }
    }

    pub(crate) const fn saying(self, note: &str) -> Blink<'_> {
        Blink { times: self.times, period_ms: self.period_ms, mode: self.mode, note: Some(note) }
    }
}

umcp::arguments! {
    #[derive(Debug, PartialEq)]
    pub(crate) struct Integers {
        pub(crate) a: u8,
        pub(crate) b: i8,
        pub(crate) c: u16,
        pub(crate) d: i16,
        pub(crate) e: u32,
        pub(crate) f: i32,
        pub(crate) g: u64,
        pub(crate) h: i64,
    }

    #[derive(Debug, PartialEq)]
    pub(crate) struct Addresses { pub(crate) at: usize, pub(crate) by: isize }

    #[derive(Debug, PartialEq)]
    pub(crate) struct Limited {
        pub(crate) by_name: Option<u16> in 1..=MOST,
        pub(crate) by_term: Option<i8> in LEAST..=(2 * 3),
        pub(crate) negative: Option<i64> in -40..=-1,
        pub(crate) long: Option<u64> in 0..=9_223_372_036_854_775_807,
        pub(crate) celsius: Option<Decimal> in -40..=125,
        pub(crate) path: core::option::Option<u8> in 7..=7,
    }

    #[derive(Debug, PartialEq)]
    pub(crate) struct Defaults<'a> {
        pub(crate) on: bool = true,
        pub(crate) count: u16 = MOST,
        pub(crate) below: i8 in -5..=5 = -1,
        pub(crate) long: u64 = u64::MAX,
        pub(crate) celsius: Decimal in 0..=99 = Decimal::new(215, 1),
        pub(crate) small: Decimal = Decimal::new(-5, 3),
        pub(crate) text: &'a str = "a \"b\"\n",
        pub(crate) mode: Mode = Mode::Slow,
    }
}

umcp::arguments! {
    /// A place.
    #[derive(Debug, PartialEq)]
    pub(crate) struct Place<'a> { pub(crate) name: &'a str, pub(crate) x: i16 in 0..=9, pub(crate) y: Option<i16> }

    #[derive(Debug, PartialEq)]
    pub(crate) struct Tour<'a> {
        pub(crate) from: Place<'a>,
        /// Where it ends.
        pub(crate) to: Option<Place<'a>>,
        pub(crate) stops: Option<heapless::Vec<Place<'a>, 2>>,
        pub(crate) colour: Option<[u8; 3]>,
        pub(crate) modes: Option<heapless::Vec<Mode, 2>>,
    }

    #[derive(Debug, PartialEq)]
    pub(crate) struct Nothing {}
}

umcp::arguments! {
    /// Quotes: "a", back\slash, tab	, é, 😀, `code`.
    ///
    ///   Indented, after a blank line.
    #[derive(Debug)]
    #[doc = "\u{1}\u{1f}\u{7f}"]
    #[allow(dead_code)]
    pub(crate) struct Prose {
        #[doc = ""]
        pub(crate) undescribed: Option<Mode>,
        /** A block
        of two lines. */
        pub(crate) block: Option<Mode>,
    }

    /// Names that the macro uses itself, and a raw one.
    #[derive(Debug, PartialEq)]
    pub(crate) struct Names {
        pub(crate) name: u8,
        pub(crate) members: u8,
        pub(crate) reader: u8,
        pub(crate) limits: u8 in 0..=3,
        pub(crate) value: u8 = 4,
        pub(crate) r#type: u8,
        pub(crate) quoted as "a \"b\" é": u8,
    }
}
