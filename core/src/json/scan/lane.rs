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

/// The head of a text that is shorter than a word.
#[cfg(target_pointer_width = "64")]
#[inline(always)]
const fn short_head(text: &[u8]) -> usize {
    match (text.first_chunk::<4>(), text.last_chunk::<4>(), text) {
        // Two halves, which overlap but where there are 8 bytes.
        (Some(front), Some(back), _) => {
            let back = u32::from_le_bytes(*back) as usize;
            u32::from_le_bytes(*front) as usize | back << (8 * (text.len() - 4))
        }
        (_, _, [a, b, c]) => *a as usize | (*b as usize) << 8 | (*c as usize) << 16,
        (_, _, [a, b]) => *a as usize | (*b as usize) << 8,
        (_, _, [a]) => *a as usize,
        _ => 0,
    }
}

/// The head of a text that is shorter than a word.
#[cfg(not(target_pointer_width = "64"))]
#[cold]
const fn short_head(text: &[u8]) -> usize {
    let (mut word, mut rest) = (0, text);
    while let [others @ .., last] = rest {
        word = word << 8 | *last as usize;
        rest = others;
    }
    word
}

/// The first and the last word of a key's name with the quote behind it, and a mask of the bytes the first one has.
/// (If all of it fits into a word, the last is the first.)
pub(super) const fn key_words(name: &[u8]) -> (usize, [u8; WORD], usize) {
    let quote = b'"' as usize;
    match name.last_chunk::<{ WORD - 1 }>() {
        Some(end) if name.len() >= WORD => {
            let last = short_head(end) | quote << (8 * (WORD - 1));
            (head(name), last.to_le_bytes(), usize::MAX)
        }
        _ => {
            let word = head(name) | quote << (8 * name.len());
            (word, word.to_le_bytes(), usize::MAX >> (8 * (WORD - 1 - name.len())))
        }
    }
}

/// What is left of `text` behind the bytes that stand for themselves in a string: ASCII, but no control, quote or
/// backslash.
#[inline(always)]
pub(super) fn after_plain(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let Some((word, tail)) = rest.split_first_chunk::<WORD>() {
        match stops(usize::from_le_bytes(*word)) {
            0 => rest = tail,
            stops => return behind(rest, stops),
        }
    }
    after_few(rest)
}

/// As `after_plain`, of less than a word: the zeros behind it stop it at its end.
#[cold]
fn after_few(text: &[u8]) -> &[u8] {
    behind(text, stops(short_head(text)))
}

/// What is left of `text` from the first of the bytes that are marked.
#[inline(always)]
fn behind(text: &[u8], marks: usize) -> &[u8] {
    text.get(marks.trailing_zeros() as usize / 8..).unwrap_or(&[])
}

/// The top bit of each byte that is not plain; above the lowest such bit, some may be set wrongly.
#[inline(always)]
fn stops(word: usize) -> usize {
    // `^ 0x02` exchanges the quote (0x22) and the space, and permutes the controls among themselves.
    let controls_and_quote = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    // What is beyond ASCII keeps its top bit in one of the two: the first takes it from some of 0x80..=0xa2, the second
    // from 0xdc alone.
    (controls_and_quote | backslash) & TOPS
}
