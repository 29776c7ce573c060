//! Tables for people.

use crate::output::Output;

/// Rows of two columns, the second folded to the width of the terminal.
pub(crate) struct Table {
    /// Those that wait until the width of the first column is known.
    rows: Vec<(String, String)>,
    width: usize,
    /// That of the first column, once something has been printed.
    widest: Option<usize>,
}

/// How wide a line is where nothing says otherwise.
const WIDTH: usize = 100;
/// The first column is at most this wide; longer texts push the second column to the next line.
const FIRST: usize = 32;
/// So many rows settle how wide it is; those that follow are printed as they come.
const SETTLING: usize = 16;

impl Table {
    pub(crate) fn new() -> Table {
        let width = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(WIDTH);
        Table { rows: Vec::new(), width: width.max(FIRST + 20), widest: None }
    }

    pub(crate) fn row(&mut self, first: impl Into<String>, second: impl Into<String>) {
        self.rows.push((first.into(), second.into()));
    }

    /// Prints the rows there are, if they are enough to know how wide the first column is.
    pub(crate) fn print_settled(&mut self, out: &mut Output) {
        if self.widest.is_some() || self.rows.len() >= SETTLING {
            self.print(out);
        }
    }

    /// Prints the rows that have not been.
    pub(crate) fn print(&mut self, out: &mut Output) {
        let of_rows = self.rows.iter().map(|(first, _)| first.chars().count()).max().unwrap_or(0).min(FIRST);
        let widest = *self.widest.get_or_insert(of_rows);
        for (first, second) in &std::mem::take(&mut self.rows) {
            let first = printable(first);
            let lines = fold(&printable(second), self.width - widest - 2);
            let mut lines = lines.iter();
            if first.chars().count() > widest {
                out.line(first);
            } else {
                out.line(format_args!("{first:widest$}  {}", lines.next().map_or("", String::as_str)));
            }
            for line in lines {
                out.line(format_args!("{:widest$}  {line}", ""));
            }
        }
    }
}

/// The text without characters that would steer the terminal.
pub(crate) fn printable(text: &str) -> String {
    let steers = |char: char| {
        (char.is_control() && char != '\n' && char != '\t')
            // What turns the direction of writing can make one line look like another.
            || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|char| if steers(char) { '\u{fffd}' } else { char }).collect()
}

fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_folded_at_words() {
        assert_eq!(fold("one two three", 7), ["one two", "three"]);
        assert_eq!(fold("unbreakable", 5), ["unbreakable"]);
        assert_eq!(fold("a\n\nb", 5), ["a", "", "b"]);
        assert!(fold("", 5).is_empty());
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb\n"), "a\u{fffd}[31mb\n");
        assert_eq!(printable("a\u{202e}b\u{9b}c"), "a\u{fffd}b\u{fffd}c");
    }
}
