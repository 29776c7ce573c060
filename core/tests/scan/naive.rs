//! The canonical form once more, written to be obviously right.

/// The canonical form of valid JSON.
pub(crate) fn canonical(source: &str) -> String {
    let mut text = String::new();
    let mut rest = source.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' | '\r' | '\n' => {}
            '"' => {
                let units = units(&mut rest);
                text.push('"');
                for unit in char::decode_utf16(units) {
                    match unit {
                        Ok(c) => push(&mut text, c),
                        Err(lone) => text.push_str(&format!("\\u{:04x}", lone.unpaired_surrogate())),
                    }
                }
                text.push('"');
            }
            c => text.push(c),
        }
    }
    text
}

/// The UTF-16 of a string's inside, up to its closing quote.
fn units(rest: &mut std::str::Chars<'_>) -> Vec<u16> {
    let mut units = Vec::new();
    loop {
        let c = match rest.next().unwrap() {
            '"' => return units,
            '\\' => match rest.next().unwrap() {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let digits: String = rest.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&digits, 16).unwrap());
                    continue;
                }
                c => c,
            },
            c => c,
        };
        units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
    }
}

fn push(text: &mut String, c: char) {
    match c {
        '"' => text.push_str("\\\""),
        '\\' => text.push_str("\\\\"),
        '\u{8}' => text.push_str("\\b"),
        '\u{c}' => text.push_str("\\f"),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        '\0'..='\u{1f}' => text.push_str(&format!("\\u{:04x}", c as u32)),
        c => text.push(c),
    }
}
