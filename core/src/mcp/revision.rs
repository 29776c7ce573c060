//! Protocol revisions and the two eras they fall into.

/// A revision of the protocol. Later ones compare greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Revision {
    /// 2024-11-05: the first.
    V2024_11_05,
    /// 2025-03-26: audio, tool annotations, completions, batches.
    V2025_03_26,
    /// 2025-06-18: titles, structured content, resource links, elicitation.
    V2025_06_18,
    /// 2025-11-25: icons, elicitation by URL, tools in sampling.
    V2025_11_25,
    /// 2026-07-28: stateless.
    V2026_07_28,
}

/// How a connection is spoken on (2026-07-28, *Versioning: Terminology*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Era {
    /// Every request describes itself: 2026-07-28 and later.
    Modern,
    /// An `initialize` handshake comes first: 2025-11-25 and earlier.
    Legacy,
}

impl Revision {
    /// The newest.
    pub const LATEST: Revision = Revision::V2026_07_28;
    /// The newest that has a handshake.
    pub const LATEST_LEGACY: Revision = Revision::V2025_11_25;

    const ALL: [Revision; 5] = [
        Revision::V2024_11_05,
        Revision::V2025_03_26,
        Revision::V2025_06_18,
        Revision::V2025_11_25,
        Revision::V2026_07_28,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
            Revision::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Revision> {
        Revision::ALL.into_iter().find(|revision| revision.as_str() == name)
    }

    /// The era it belongs to.
    #[must_use]
    pub const fn era(self) -> Era {
        match self {
            Revision::V2026_07_28 => Era::Modern,
            _ => Era::Legacy,
        }
    }
}

impl core::fmt::Display for Revision {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_order() {
        for pair in Revision::ALL.windows(2) {
            assert!(pair[0] < pair[1]);
        }
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.as_str()), Some(revision));
            assert_eq!(revision.era() == Era::Modern, revision == Revision::LATEST);
        }
        assert_eq!(Revision::parse("2026-07-29"), None);
        assert_eq!(Revision::parse(""), None);
    }
}
