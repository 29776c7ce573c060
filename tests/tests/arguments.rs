//! Arguments are read as their schemas say: what a validator of JSON Schema takes is read, and what it refuses is refused.

use serde_json::{Map, Value, json};
use umcp::arguments::{Arguments, read};
use umcp::json::Decimal;
use umcp_tests::rng::Rng;

umcp::arguments! {
    #[allow(dead_code)]
    #[derive(Debug)]
    struct Everything<'a> {
        on: Option<bool>,
        byte: Option<u8>,
        signed: Option<i8>,
        word: u16 = 7,
        short: Option<i16>,
        long: u32 in 10..=1000 = 100,
        int: Option<i32> in -3..=-1,
        wide: Option<u64>,
        wider: Option<i64>,
        kelvin: Option<Decimal> in 0..=300,
        any: Option<Decimal>,
        text: &'a str,
        mode: Mode = Mode::Fast,
        place: Option<Place<'a>>,
        places: Option<heapless::Vec<Place<'a>, 3>>,
        colour: Option<[u8; 3]>,
        modes: Option<heapless::Vec<Mode, 2>>,
    }

    #[allow(dead_code)]
    #[derive(Debug)]
    struct Place<'a> {
        name: &'a str,
        at: Option<i16> in -1..=1,
        odd as "o\"dd": Option<bool>,
    }

    #[derive(Debug)]
    enum Mode {
        Slow as "slow",
        Fast as "fast\n",
    }
}

/// A value that fits a schema, more or less.
fn value(rng: &mut Rng, schema: &Value) -> Value {
    if rng.one_in(25) {
        return anything(rng);
    }
    match schema["type"].as_str() {
        Some("boolean") => json!(rng.one_in(2)),
        Some("string") => match schema.get("enum").and_then(Value::as_array) {
            Some(names) if !rng.one_in(15) => names[rng.below(names.len())].clone(),
            _ => json!(["", "é\"\\\n", "slow ", "Slow", "fast"][rng.below(5)]),
        },
        Some("integer" | "number") => number(rng, schema),
        Some("array") => {
            let most = schema["maxItems"].as_u64().unwrap() as usize;
            let count = if rng.one_in(3) { rng.below(most + 2) } else { most };
            (0..count).map(|_| value(rng, &schema["items"])).collect()
        }
        _ => object(rng, schema),
    }
}

fn anything(rng: &mut Rng) -> Value {
    [json!(null), json!(true), json!(0), json!(1.5), json!("1"), json!([]), json!([1]), json!({}), json!({"name": "x"})]
        [rng.below(9)]
    .clone()
}

/// At a limit or beside it, or somewhere.
fn number(rng: &mut Rng, schema: &Value) -> Value {
    let end = ["minimum", "maximum"][rng.below(2)];
    let near = schema.get(end).and_then(Value::as_i64).unwrap_or_default() + rng.below(3) as i64 - 1;
    match rng.below(8) {
        0 => json!(rng.bits() as i64 >> rng.below(64)),
        1 => json!(rng.bits() >> rng.below(64)),
        2 => json!(near as f64 + 0.5),
        3 => json!(near as f64),
        _ => json!(near),
    }
}

fn object(rng: &mut Rng, schema: &Value) -> Value {
    let mut members = Map::new();
    for (name, property) in schema["properties"].as_object().unwrap() {
        let is_required = schema["required"].as_array().unwrap().contains(&json!(name));
        let is_left_out = if is_required { rng.one_in(40) } else { !rng.one_in(6) };
        if is_left_out {
            continue;
        }
        let value = if rng.one_in(30) { Value::Null } else { value(rng, property) };
        members.insert(name.clone(), value);
    }
    if rng.one_in(5) {
        members.insert("unknown".to_owned(), anything(rng));
    }
    Value::Object(members)
}

/// What is null is not there; that is the one thing the schemas do not say.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

/// A float that is whole beyond 64 bits and the like: the validator calculates with floats, and nobody can tell them apart there.
fn is_far_out(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() > 1e15),
        Value::Array(items) => items.iter().any(is_far_out),
        Value::Object(members) => members.values().any(is_far_out),
        _ => false,
    }
}

#[test]
fn what_a_validator_takes_is_read_and_nothing_else() {
    let schema: Value = serde_json::from_str(Everything::SCHEMA).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "{schema}");
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let mut rng = Rng::new(4);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let arguments = object(&mut rng, &schema);
        if is_far_out(&arguments) {
            continue;
        }
        let mut text = arguments.to_string().into_bytes();
        let canonical = umcp::client::arguments(&mut text).unwrap().raw().to_vec();
        let result = read::<Everything>(&mut canonical.clone()).map(drop);
        let without_nulls = without_nulls(&arguments);
        let verdict = validator.validate(&without_nulls);
        assert_eq!(result.is_ok(), verdict.is_ok(), "{arguments}\n{result:?}\n{verdict:?}");
        if let Err(error) = result {
            assert!(error.to_string().contains('`'), "it names a member: {error}");
            refused += 1;
        } else {
            taken += 1;
        }
    }
    assert!(taken > 2_000 && refused > 2_000, "{taken} {refused}");
}
