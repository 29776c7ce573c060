//! `json::Decimal`: fixed-point numbers without floats.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde::{Deserialize, Serialize};
use umcp::json::{Decimal, ReadProblem, Value, Writer, from_slice};

fn written(decimal: Decimal) -> String {
    let mut buf = [0; 300];
    let mut w = Writer::new(&mut buf);
    w.decimal(decimal);
    let native = String::from_utf8(w.written().to_vec()).unwrap();
    let mut buf = [0; 300];
    let mut w = Writer::new(&mut buf);
    w.value(&decimal);
    assert_eq!(w.written(), native.as_bytes());
    assert!(!w.failed());
    assert_eq!(decimal.to_string(), native);
    native
}

#[test]
fn writes() {
    let table = [
        (0, 0, "0"),
        (0, 2, "0.00"),
        (215, 1, "21.5"),
        (-215, 1, "-21.5"),
        (2150, 2, "21.50"),
        (5, 1, "0.5"),
        (-5, 3, "-0.005"),
        (100, 2, "1.00"),
        (i64::MAX, 0, "9223372036854775807"),
        (i64::MIN, 18, "-9.223372036854775808"),
        (i64::MIN, 19, "-0.9223372036854775808"),
        (7, 25, "0.0000000000000000000000007"),
    ];
    for (mantissa, scale, expected) in table {
        assert_eq!(written(Decimal::new(mantissa, scale)), expected);
    }
    assert_eq!(written(Decimal::new(1, 255)), format!("0.{}1", "0".repeat(254)));
}

#[test]
fn reads() {
    let table = [
        ("0", Some((0, 0))),
        ("-0.00", Some((0, 0))),
        ("21.5", Some((215, 1))),
        ("21.50", Some((215, 1))),
        ("-0.005", Some((-5, 3))),
        ("2.15e1", Some((215, 1))),
        ("2.15E+4", Some((21500, 0))),
        ("215e-3", Some((215, 3))),
        ("100", Some((100, 0))),
        ("-9.223372036854775808", Some((i64::MIN, 18))),
        ("9.223372036854775808", None),
        ("92233720368547758080e-1", None),
        ("0.0000000000000000000000007", Some((7, 25))),
        ("1e-255", Some((1, 255))),
        ("1e-256", None),
        ("1e19", None),
        ("nan", None),
        ("1.", None),
        ("", None),
        ("\"1\"", None),
    ];
    for (text, expected) in table {
        let parts = Decimal::parse(text).map(|decimal| (decimal.mantissa(), decimal.scale()));
        assert_eq!(parts, expected, "{text}");
        assert_eq!(
            Value::new(text.as_bytes()).as_decimal(),
            expected.map(|(mantissa, scale)| Decimal::new(mantissa, scale))
        );
    }
}

#[test]
fn orders_by_value() {
    // Ascending; within a row all are equal.
    let rows: [&[Decimal]; 9] = [
        &[Decimal::new(i64::MIN, 0)],
        &[Decimal::new(-2, 0), Decimal::new(-20, 1), Decimal::new(-2_000_000_000_000_000_000, 18)],
        &[Decimal::new(-1, 1)],
        &[Decimal::new(-1, 255)],
        &[Decimal::new(0, 0), Decimal::new(0, 200)],
        &[Decimal::new(i64::MAX, 255)],
        &[Decimal::new(215, 1), Decimal::new(2150, 2)],
        &[Decimal::new(2151, 2)],
        &[Decimal::from_i64(i64::MAX)],
    ];
    for (i, left) in rows.iter().enumerate() {
        for (j, right) in rows.iter().enumerate() {
            for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (a, b))) {
                assert_eq!(a.cmp(b), i.cmp(&j), "{a} {b}");
                assert_eq!(a == b, i == j, "{a} {b}");
            }
        }
    }
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Reading {
    celsius: Decimal,
    limit: Option<Decimal>,
}

#[test]
fn travels_through_serde() {
    let table = [
        (r#"{"celsius":21.5,"limit":null}"#, Decimal::new(215, 1), None),
        (r#"{"celsius":-3,"limit":0.1}"#, Decimal::from_i64(-3), Some(Decimal::new(1, 1))),
        (r#"{"celsius":90071.992547,"limit":18}"#, Decimal::new(90_071_992_547, 6), Some(Decimal::from_i64(18))),
    ];
    for (text, celsius, limit) in table {
        let reading = Reading { celsius, limit };
        let mut buf = [0; 64];
        let mut w = Writer::new(&mut buf);
        w.value(&reading);
        assert_eq!(w.written(), text.as_bytes());
        assert_eq!(from_slice::<Reading>(&mut text.as_bytes().to_vec()).unwrap(), reading);
        assert_eq!(serde_json::from_str::<Reading>(text).unwrap(), reading);
        assert_eq!(serde_json::to_string(&reading).unwrap(), text);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (text, is_number) in [("1e19", true), ("0.12345678901234567891", true), ("\"1\"", false), ("[1]", false)] {
        let problem = from_slice::<Decimal>(&mut text.as_bytes().to_vec()).unwrap_err().problem;
        assert_eq!(matches!(problem, ReadProblem::OutOfRange { .. }), is_number, "{text}");
        assert_eq!(matches!(problem, ReadProblem::WrongType { .. }), !is_number, "{text}");
    }
}
