//! What is a whole number? To JSON `60.0` is one as `60` is, and some programs write it so.

use serde_json::{Number, Value};

/// Above this, floating point skips numbers.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// The number, as a whole one if it is.
pub(crate) fn whole(number: Number) -> Number {
    match number.as_f64() {
        Some(float)
            if number.is_f64() && float.fract() == 0.0 && (0.0..=LARGEST).contains(&float) =>
        {
            Number::from(float as u64)
        }
        _ => number,
    }
}

/// The same for every number in a value.
pub(crate) fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(number)),
        Value::Array(items) => items.into_iter().map(with_whole_numbers).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, with_whole_numbers(value))).collect()
        }
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_numbers_are_whole_however_they_are_written() {
        let given =
            json!({"a": [60.0, 1.5, -2.0], "b": {"c": 9_007_199_254_740_991.0_f64}, "d": "60.0"});
        let wanted =
            json!({"a": [60, 1.5, -2.0], "b": {"c": 9_007_199_254_740_991_u64}, "d": "60.0"});
        assert_eq!(with_whole_numbers(given), wanted);
    }
}
