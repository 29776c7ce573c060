//! The order of a list: by name, whatever order it is written in.

/// Whether a list is written in order already. It is found out at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    sorted: bool,
}

impl Order {
    pub(crate) const SORTED: Order = Order { sorted: true };

    /// Starts from a sorted list, and goes on by [`and`](Order::and) for each pair of neighbours.
    pub(crate) const fn and(self, earlier: &str, later: &str) -> Order {
        Order { sorted: self.sorted && is_less(earlier.as_bytes(), later.as_bytes()) }
    }

    pub(crate) const fn is_sorted(self) -> bool {
        self.sorted
    }

    /// Where the entry stands that has `rank` smaller ones. Lists that are not written in order pay for it here, with time instead of memory.
    pub(crate) fn index<T>(self, rank: usize, entries: &[T], key: impl Fn(&T) -> &'static str) -> usize {
        if self.sorted {
            return rank;
        }
        let smaller = |entry: &T| entries.iter().filter(|other| key(other) < key(entry)).count();
        entries.iter().position(|entry| smaller(entry) == rank).unwrap_or(usize::MAX)
    }
}

/// Finds the [`Order`] of entries by one of their members, and refuses two equal ones. A macro, because a `const fn` cannot be
/// given the function that picks the member.
macro_rules! order_by {
    ($entries:expr, $key:ident) => {{
        let mut order = $crate::server::catalog::order::Order::SORTED;
        let mut rest = $entries;
        while let [first, tail @ ..] = rest {
            if let [second, ..] = tail {
                order = order.and(first.$key, second.$key);
            }
            rest = tail;
        }
        let mut rest = if order.is_sorted() { &[] } else { $entries };
        while let [first, tail @ ..] = rest {
            let mut others = tail;
            while let [other, more @ ..] = others {
                $crate::server::catalog::order::assert_different(first.$key, other.$key);
                others = more;
            }
            rest = tail;
        }
        order
    }};
}
pub(super) use order_by;

/// Refuses, at compile time, two equal names.
pub(crate) const fn assert_different(a: &str, b: &str) {
    assert!(
        is_less(a.as_bytes(), b.as_bytes()) || is_less(b.as_bytes(), a.as_bytes()),
        "two entries of a catalog have the same name or URI"
    );
}

const fn is_less(mut a: &[u8], mut b: &[u8]) -> bool {
    loop {
        match (a.split_first(), b.split_first()) {
            (_, None) => return false,
            (None, Some(_)) => return true,
            (Some((x, rest_a)), Some((y, rest_b))) => {
                if *x != *y {
                    return *x < *y;
                }
                a = rest_a;
                b = rest_b;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparison_is_that_of_strings() {
        for a in ["", "a", "ab", "b", "\u{e9}"] {
            for b in ["", "a", "ab", "b", "\u{e9}"] {
                assert_eq!(is_less(a.as_bytes(), b.as_bytes()), a < b, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn any_written_order_leaves_in_one_order() {
        let entries = ["b", "d", "a", "c"];
        let order = Order::SORTED.and("b", "d").and("d", "a").and("a", "c");
        let sorted = [0, 1, 2, 3].map(|rank| entries[order.index(rank, &entries, |entry| entry)]);
        assert_eq!(sorted, ["a", "b", "c", "d"]);
        assert_eq!(order.index(4, &entries, |entry| entry), usize::MAX);
        assert!(Order::SORTED.and("a", "b").is_sorted());
        assert!(!Order::SORTED.and("a", "a").is_sorted());
    }
}
