//! Messages as they may be shown: without secrets.

use umcp::json::Value;
use umcp::json::scan::{Key, Scanner, Window};

/// What stands in the place of a secret.
const MASK: &str = "\"***\"";

/// Parts of the names of members whose values are secret.
const SECRET: [&str; 10] = [
    "password",
    "passwd",
    "secret",
    "authorization",
    "api_key",
    "apikey",
    "api-key",
    "credential",
    "cookie",
    "private_key",
];

/// Names that end like a token's and hold none.
const NOT_SECRET: [&str; 3] = ["progresstoken", "maxtokens", "nexttoken"];

/// The line as it may be shown: canonical JSON in which the values of members with telling names, and every string that contains one of
/// `secrets`, are masked. `None`: it is no JSON.
pub(crate) fn masked(line: &[u8], secrets: &[String]) -> Option<String> {
    static NO_KEYS: [Key; 1] = [Key::leaf("id", Key::NO_SLOT)];
    let mut text = line.to_vec();
    let mut scanner = Scanner::new(&NO_KEYS, Scanner::MAX_DEPTH);
    let mut window = Window { start: 0, out: 0, read: 0, end: text.len() };
    scanner.feed(&mut text, &mut window).ok()?;
    scanner.finish(&mut text, &mut window).ok()?;
    let mut shown = String::new();
    show(Value::new(text.get(..window.out)?), secrets, &mut shown);
    Some(shown)
}

fn show(value: Value<'_>, secrets: &[String], shown: &mut String) {
    let raw = String::from_utf8_lossy(value.raw());
    if value.is_object() {
        let mut separator = '{';
        for (key, member) in value.members() {
            let name = key.to_string();
            shown.push(separator);
            shown.push_str(&serde_json::Value::from(hidden(&name, secrets)).to_string());
            shown.push(':');
            if is_secret(&name) && !member.is_null() {
                shown.push_str(MASK)
            } else {
                show(member, secrets, shown)
            }
            separator = ',';
        }
        shown.push_str(if separator == '{' { "{}" } else { "}" });
    } else if value.is_array() {
        let mut separator = '[';
        for item in value.items() {
            shown.push(separator);
            show(item, secrets, shown);
            separator = ',';
        }
        shown.push_str(if separator == '[' { "[]" } else { "]" });
    } else if value.as_text().is_some_and(|text| holds(&text.to_string(), secrets)) {
        shown.push_str(MASK);
    } else {
        shown.push_str(&raw);
    }
}

/// The text, unless it holds a secret.
pub(crate) fn hidden(text: &str, secrets: &[String]) -> String {
    if holds(text, secrets) { "***".to_owned() } else { text.to_owned() }
}

fn holds(text: &str, secrets: &[String]) -> bool {
    secrets.iter().any(|secret| text.contains(secret.as_str()))
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|part| name.contains(part)) || (name.ends_with("token") && !NOT_SECRET.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_nothing_else() {
        let secrets = ["hunter22".to_owned(), "a\"b\\c\td".to_owned()];
        let table = [
            (r#"{"password":"x","user":"y"}"#, r#"{"password":"***","user":"y"}"#),
            (r#"{"a":[{"API_KEY": 5}]}"#, r#"{"a":[{"API_KEY":"***"}]}"#),
            (
                r#"{"accessToken":"x","progressToken":7,"maxTokens":9}"#,
                r#"{"accessToken":"***","progressToken":7,"maxTokens":9}"#,
            ),
            (r#"{"text":"it is hunter22!"}"#, r#"{"text":"***"}"#),
            (r#"{"authorization":{"scheme":"Bearer"},"n":[],"o":{}}"#, r#"{"authorization":"***","n":[],"o":{}}"#),
            (r#"{"token":null}"#, r#"{"token":null}"#),
            (r#"{"hunter22":1}"#, r#"{"***":1}"#),
            (r#"{"text":"xa\"b\\c\tdx"}"#, r#"{"text":"***"}"#),
            (r#"{"pa\u0073sword":"x"}"#, r#"{"password":"***"}"#),
        ];
        for (line, expected) in table {
            assert_eq!(masked(line.as_bytes(), &secrets).as_deref(), Some(expected), "{line}");
        }
        assert_eq!(masked(b"not json", &secrets), None);
        assert_eq!(hidden("log: hunter22", &secrets), "***");
        assert_eq!(hidden("log: fine", &secrets), "log: fine");
    }
}
