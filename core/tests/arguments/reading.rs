//! What is read, and what is refused in which words.

use std::fmt::Debug;

use umcp::arguments::{Arguments, read};
use umcp::json::{Decimal, ReadError, ReadProblem};

use crate::declared::{Addresses, Blink, Defaults, Integers, Limited, MOST, Mode, Names, Nothing, Place, Tour};

/// Reads each text, of which the result is as in the table: a value, or the words of the error.
macro_rules! check {
    ($type:ident: $($text:expr => $expected:expr,)+) => {$(
        let mut text = canonical($text);
        let result = read::<$type>(&mut text).map_err(|error| error.to_string());
        let expected: Result<$type, &str> = $expected;
        assert_eq!(result, expected.map_err(str::to_owned), "{}", $text);
    )+};
}

fn canonical(text: &str) -> Vec<u8> {
    let mut text = text.as_bytes().to_vec();
    umcp::client::arguments(&mut text).unwrap().raw().to_vec()
}

#[test]
fn members_of_every_kind() {
    check! { Blink:
        r#"{"times":3,"mode":"slow"}"# => Ok(Blink::new(3, 100, Mode::Slow)),
        r#"{"mode":"Fast","periodMs":10,"times":20}"# => Ok(Blink::new(20, 10, Mode::Fast)),
        r#"{"times":1.0e0,"mode":"\u0073low","note":"\"é\n\ud83d\ude00"}"# => Ok(Blink::new(1, 100, Mode::Slow).saying("\"é\n😀")),
        r#"{"times":1,"mode":"Fast","note":null,"periodMs":null}"# => Ok(Blink::new(1, 100, Mode::Fast)),
        r#"{"x":[{"times":9}],"times":1,"mode":"Fast","y":null}"# => Ok(Blink::new(1, 100, Mode::Fast)),
        // Missing.
        "{}" => Err("field `times` is missing"),
        r#"{"times":1}"# => Err("field `mode` is missing"),
        r#"{"times":null,"mode":"slow"}"# => Err("field `times` is missing"),
        r#"{"times":1,"mode":"slow","period_ms":1}"# => Ok(Blink::new(1, 100, Mode::Slow)),
        // Of another type.
        r#"{"times":"3","mode":"slow"}"# => Err("`times`: expected an integer from 1 to 20"),
        r#"{"times":1.5,"mode":"slow"}"# => Err("`times`: expected an integer from 1 to 20"),
        r#"{"times":[1],"mode":"slow"}"# => Err("`times`: expected an integer from 1 to 20"),
        r#"{"times":true,"mode":"slow"}"# => Err("`times`: expected an integer from 1 to 20"),
        r#"{"times":1,"mode":1}"# => Err("`mode`: expected one of `slow`, `Fast`"),
        r#"{"times":1,"mode":{"slow":null}}"# => Err("`mode`: expected one of `slow`, `Fast`"),
        r#"{"times":1,"mode":"slow","note":{}}"# => Err("`note`: expected a string"),
        // Out of range.
        r#"{"times":0,"mode":"slow"}"# => Err("`times`: expected an integer from 1 to 20"),
        r#"{"times":21,"mode":"slow"}"# => Err("`times`: expected an integer from 1 to 20"),
        r#"{"times":257,"mode":"slow"}"# => Err("`times`: expected an integer from 1 to 20"),
        r#"{"times":-1,"mode":"slow"}"# => Err("`times`: expected an integer from 1 to 20"),
        r#"{"times":1e99,"mode":"slow"}"# => Err("`times`: expected an integer from 1 to 20"),
        r#"{"times":18446744073709551617,"mode":"slow"}"# => Err("`times`: expected an integer from 1 to 20"),
        r#"{"times":1,"mode":"slow","periodMs":9}"# => Err("`periodMs`: expected an integer from 10 to 1000"),
        r#"{"times":1,"mode":"slow","periodMs":1001}"# => Err("`periodMs`: expected an integer from 10 to 1000"),
        r#"{"times":1,"mode":"Slow"}"# => Err("`mode`: expected one of `slow`, `Fast`"),
        r#"{"times":1,"mode":""}"# => Err("`mode`: expected one of `slow`, `Fast`"),
        // Twice.
        r#"{"times":1,"mode":"slow","times":1}"# => Err("field `times` is given twice"),
        r#"{"times":1,"mode":"slow","mode":7}"# => Err("field `mode` is given twice"),
        r#"{"times":1,"mode":"slow","periodMs":10,"periodMs":10}"# => Err("field `periodMs` is given twice"),
    }
}

#[test]
fn integers_to_their_ends() {
    let least = Integers { a: 0, b: i8::MIN, c: 0, d: i16::MIN, e: 0, f: i32::MIN, g: 0, h: i64::MIN };
    let most = Integers {
        a: u8::MAX,
        b: i8::MAX,
        c: u16::MAX,
        d: i16::MAX,
        e: u32::MAX,
        f: i32::MAX,
        g: u64::MAX,
        h: i64::MAX,
    };
    let text = |values: [&str; 8]| {
        let members = "abcdefgh".chars().zip(values).map(|(name, value)| format!("\"{name}\":{value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    };
    let low = ["0", "-128", "0", "-32768", "0", "-2147483648", "0", "-9223372036854775808"];
    let high =
        ["255", "127", "65535", "32767", "4294967295", "2147483647", "18446744073709551615", "9223372036854775807"];
    check! { Integers: &text(low) => Ok(least), &text(high) => Ok(most), }

    let below = ["-1", "-129", "-1", "-32769", "-1", "-2147483649", "-1", "-9223372036854775809"];
    let above =
        ["256", "128", "65536", "32768", "4294967296", "2147483648", "18446744073709551616", "9223372036854775808"];
    for (at, name) in "abcdefgh".chars().enumerate() {
        for wrong in [below[at], above[at], "0.5", "\"1\"", "[]", "false", "1e400", "-1e-400"] {
            let mut values = low;
            values[at] = wrong;
            let error = read::<Integers>(&mut canonical(&text(values))).unwrap_err().to_string();
            let expected = match name {
                'g' => "a non-negative integer of 64 bits".to_owned(),
                'h' => "an integer of 64 bits".to_owned(),
                _ => format!("an integer from {} to {}", low[at], high[at]),
            };
            assert_eq!(error, format!("`{name}`: expected {expected}"), "{wrong}");
        }
    }
    check! { Addresses:
        r#"{"at":7,"by":-7}"# => Ok(Addresses { at: 7, by: -7 }),
    }
}

#[test]
fn limits() {
    const NONE: Limited =
        Limited { by_name: None, by_term: None, negative: None, long: None, celsius: None, path: None };
    let celsius = |mantissa, scale| Ok(Limited { celsius: Some(Decimal::new(mantissa, scale)), ..NONE });
    check! { Limited:
        "{}" => Ok(NONE),
        r#"{"by_name":1000}"# => Ok(Limited { by_name: Some(MOST), ..NONE }),
        r#"{"by_name":1001}"# => Err("`by_name`: expected an integer from 1 to 1000"),
        r#"{"by_term":-5}"# => Ok(Limited { by_term: Some(-5), ..NONE }),
        r#"{"by_term":-6}"# => Err("`by_term`: expected an integer from -5 to 6"),
        r#"{"by_term":7}"# => Err("`by_term`: expected an integer from -5 to 6"),
        r#"{"negative":-1}"# => Ok(Limited { negative: Some(-1), ..NONE }),
        r#"{"negative":0}"# => Err("`negative`: expected an integer from -40 to -1"),
        r#"{"long":9223372036854775807}"# => Ok(Limited { long: Some(i64::MAX as u64), ..NONE }),
        r#"{"long":9223372036854775808}"# => Err("`long`: expected an integer from 0 to 9223372036854775807"),
        r#"{"long":-1}"# => Err("`long`: expected an integer from 0 to 9223372036854775807"),
        r#"{"celsius":21.5}"# => celsius(215, 1),
        r#"{"celsius":-40.00}"# => celsius(-40, 0),
        r#"{"celsius":1.25e2}"# => celsius(125, 0),
        r#"{"celsius":125.001}"# => Err("`celsius`: expected a number from -40 to 125"),
        r#"{"celsius":-40.000000000000001}"# => Err("`celsius`: expected a number from -40 to 125"),
        r#"{"celsius":1e-300}"# => Err("`celsius`: expected a number from -40 to 125"),
        r#"{"celsius":"20"}"# => Err("`celsius`: expected a number from -40 to 125"),
        r#"{"path":7}"# => Ok(Limited { path: Some(7), ..NONE }),
        r#"{"path":8}"# => Err("`path`: expected an integer from 7 to 7"),
    }
    let error = read::<Limited>(&mut canonical(r#"{"path":8}"#)).unwrap_err();
    let problem = ReadProblem::OutOfRange { expected: "an integer from 7 to 7" };
    assert_eq!(error, ReadError { problem, field: Some("path") });
}

#[test]
fn defaults_stand_for_what_is_missing_or_null() {
    let whole = || Defaults {
        on: true,
        count: MOST,
        below: -1,
        long: u64::MAX,
        celsius: Decimal::new(215, 1),
        small: Decimal::new(-5, 3),
        text: "a \"b\"\n",
        mode: Mode::Slow,
    };
    check! { Defaults:
        "{}" => Ok(whole()),
        r#"{"on":null,"count":null,"below":null,"long":null,"celsius":null,"small":null,"text":null,"mode":null}"# => Ok(whole()),
        r#"{"on":false,"text":""}"# => Ok(Defaults { on: false, text: "", ..whole() }),
        r#"{"mode":"Fast","count":0,"long":0}"# => Ok(Defaults { mode: Mode::Fast, count: 0, long: 0, ..whole() }),
        r#"{"small":1e2}"# => Ok(Defaults { small: Decimal::new(100, 0), ..whole() }),
        r#"{"on":0}"# => Err("`on`: expected true or false"),
        r#"{"text":0}"# => Err("`text`: expected a string"),
        r#"{"small":""}"# => Err("`small`: expected a number"),
        r#"{"small":1e30}"# => Err("`small`: expected a number of at most 18 digits"),
        r#"{"celsius":99.5}"# => Err("`celsius`: expected a number from 0 to 99"),
    }
}

umcp::arguments! {
    #[derive(Debug, PartialEq)]
    struct Elsewhere { mode: Mode = Mode::Fast }
}

#[test]
fn an_enum_of_another_module() {
    check! { Elsewhere:
        "{}" => Ok(Elsewhere { mode: Mode::Fast }),
        r#"{"mode":"slow"}"# => Ok(Elsewhere { mode: Mode::Slow }),
    }
    assert!(Elsewhere::SCHEMA.ends_with(r#""enum":["slow","Fast"],"default":"Fast"}}}"#));
}

#[test]
fn nested_ones() {
    let place = |name| Place { name, x: 1, y: None };
    let tour = || Tour { from: place("a"), to: None, stops: None, colour: None, modes: None };
    const FROM: &str = r#"{"from":{"name":"a","x":1}"#;
    let with = |rest: &str| format!("{FROM},{rest}}}");
    check! { Tour:
        &format!("{FROM}}}") => Ok(tour()),
        &with(r#""to":{"x":1,"name":"b\t","z":{}}"#) => Ok(Tour { to: Some(place("b\t")), ..tour() }),
        &with(r#""to":null"#) => Ok(tour()),
        &with(r#""stops":[]"#) => Ok(Tour { stops: Some(heapless::Vec::new()), ..tour() }),
        &with(r#""stops":[{"name":"b","x":1},{"name":"c","x":1,"y":null}]"#)
            => Ok(Tour { stops: Some(heapless::Vec::from_array([place("b"), place("c")])), ..tour() }),
        &with(r#""colour":[1,2,255]"#) => Ok(Tour { colour: Some([1, 2, 255]), ..tour() }),
        &with(r#""modes":["Fast","slow"]"#)
            => Ok(Tour { modes: Some(heapless::Vec::from_array([Mode::Fast, Mode::Slow])), ..tour() }),
        // What is wrong, and in which member, the innermost.
        r#"{"from":null}"# => Err("field `from` is missing"),
        r#"{"from":[]}"# => Err("`from`: expected an object"),
        r#"{"from":{"x":1}}"# => Err("`from`: field `name` is missing"),
        r#"{"from":{"name":"a","x":10}}"# => Err("`x`: expected an integer from 0 to 9"),
        r#"{"from":{"name":"a","x":1,"y":"2"}}"# => Err("`y`: expected an integer from -32768 to 32767"),
        &with(r#""to":{"name":7,"x":1}"#) => Err("`name`: expected a string"),
        &with(r#""stops":{}"#) => Err("`stops`: expected an array"),
        &with(r#""stops":[{"name":"a","x":1},{"name":"b","x":1},{"name":"c","x":1}]"#) => Err("`stops`: wrong number of items: 3"),
        &with(r#""stops":[1]"#) => Err("`stops`: expected an object"),
        &with(r#""stops":[null]"#) => Err("`stops`: expected an object"),
        &with(r#""colour":[1,2]"#) => Err("`colour`: wrong number of items: 2"),
        &with(r#""colour":[1,2,3,4]"#) => Err("`colour`: wrong number of items: 4"),
        &with(r#""colour":[1,2,256]"#) => Err("`colour`: expected an integer from 0 to 255"),
        &with(r#""modes":["fast"]"#) => Err("`modes`: expected one of `slow`, `Fast`"),
    }
}

#[test]
fn names() {
    let names = |value| Names { name: 1, members: 2, reader: 3, limits: 3, value, r#type: 5, quoted: 6 };
    check! { Names:
        r#"{"name":1,"members":2,"reader":3,"limits":3,"type":5,"a \"b\" é":6}"# => Ok(names(4)),
        r#"{"name":1,"members":2,"reader":3,"limits":3,"value":7,"type":5,"a \u0022b\u0022 \u00e9":6}"# => Ok(names(7)),
        r#"{"name":1,"members":2,"reader":3,"limits":3,"r#type":5,"a \"b\" é":6}"# => Err("field `type` is missing"),
    }
    check! { Nothing:
        "{}" => Ok(Nothing {}),
        r#"{"anything":1}"# => Ok(Nothing {}),
    }
}

/// What is no canonical JSON can only come from a caller who did not scan it; it is refused, whatever it is.
#[test]
fn malformed_text_is_refused() {
    fn refused<'a, T: Arguments<'a> + Debug>(text: &'a mut [u8]) -> ReadProblem {
        read::<T>(text).unwrap_err().problem
    }
    let whole = br#"{"name":1,"members":2,"reader":3,"limits":3,"type":5,"a \"b\" \u001f":[null,{}],"z":"\n"}"#;
    for len in 0..whole.len() {
        refused::<Names>(&mut whole[..len].to_vec());
    }
    for at in 0..whole.len() {
        for byte in [b'"', b'{', b'}', b'[', b']', b',', b':', b'\\', b'0', b'n', b' ', 0, 0xff] {
            let mut text = whole.to_vec();
            text[at] = byte;
            // It may still be a text of arguments; it must not panic.
            let _ = read::<Names>(&mut text);
        }
    }
    for text in ["", "null", "[]", "1", "{}{}", "{},", r#"{"a"}"#, r#"{"a":}"#, r#"{,}"#] {
        refused::<Nothing>(&mut text.as_bytes().to_vec());
    }
}
