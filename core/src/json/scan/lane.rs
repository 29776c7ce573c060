//! Words of text: a machine word's worth of bytes looked at at once, 4 on a 32-bit target and 8 on a 64-bit one.

/// Bytes in a word.
pub(super) const WORD: usize = size_of::<usize>();
const ONES: usize = usize::MAX / 255;
const TOPS: usize = ONES * 0x80;

/// The first word of `text`, its first byte lowest; where `text` is shorter, zeros follow it.
#[inline(always)]
pub(super) const fn head(text: &[u8]) -> usize {
    match text.first_chunk::<WORD>() {
        Some(word) => usize::from_le_bytes(*word),
        None => short_head(text),
    }
}

#[cold]
const fn short_head(text: &[u8]) -> usize {
    let (mut word, mut rest) = (0, text);
    while let [others @ .., last] = rest {
        word = word << 8 | *last as usize;
        rest = others;
    }
    word
}

/// The head of a key's name with the quote behind it, and a mask of the bytes it has in that word.
pub(super) const fn key_head(name: &[u8]) -> (usize, usize) {
    if name.len() >= WORD {
        return (head(name), usize::MAX);
    }
    let quote = (b'"' as usize) << (8 * name.len());
    (head(name) | quote, usize::MAX >> (8 * (WORD - 1 - name.len())))
}

/// What is left of `text` behind the bytes that stand for themselves in a string: ASCII, but no control, quote or
/// backslash.
#[inline(always)]
pub(super) fn after_plain(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let Some((word, tail)) = rest.split_first_chunk::<WORD>() {
        let stops = stops(usize::from_le_bytes(*word));
        if stops != 0 {
            return rest.get(stops.trailing_zeros() as usize / 8..).unwrap_or(&[]);
        }
        rest = tail;
    }
    after_few(rest)
}

/// As `after_plain`, of less than a word.
#[cold]
fn after_few(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let [0x20 | 0x21 | 0x23..=0x5b | 0x5d..=0x7f, tail @ ..] = rest {
        rest = tail;
    }
    rest
}

/// The top bit of each byte that is not plain; above the lowest such bit, some may be set wrongly.
#[inline(always)]
fn stops(word: usize) -> usize {
    // `^ 0x02` exchanges the quote (0x22) and the space, and permutes the controls among themselves.
    let controls_and_quote = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    (controls_and_quote | backslash | word) & TOPS
}
