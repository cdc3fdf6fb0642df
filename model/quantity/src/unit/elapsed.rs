//! Writing a time since the start as people say it.

use super::Unit;

/// Names of parts of a time and their seconds, the longest first.
const PARTS: [(&str, f64); 4] = [("d", 86_400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0)];

/// A time since the start as people say it: "45 s", "1 h 30 min", "2 d 6 h"; "2.5 s" where seconds are not whole.
#[must_use]
pub fn elapsed(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "−" } else { "" };
    let size = seconds.abs();
    if size < 60.0 || !size.is_finite() {
        return Unit::Seconds.format(seconds);
    }
    let mut rest = size.round();
    let mut parts = Vec::new();
    for (symbol, length) in PARTS {
        let count = (rest / length).floor();
        rest -= count * length;
        if count > 0.0 {
            parts.push(format!("{} {symbol}", Unit::Count.format(count)));
        }
    }
    format!("{sign}{}", parts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::elapsed;

    #[test]
    fn times_are_written_as_people_say_them() {
        let check = |seconds: f64, expected: &str| assert_eq!(elapsed(seconds), expected);
        check(0.0, "0 s");
        check(2.5, "2.5 s");
        check(120.0, "2 min");
        check(150.0, "2 min 30 s");
        check(5400.0, "1 h 30 min");
        check(86_400.0, "1 d");
        check(194_400.0, "2 d 6 h");
        check(-90.0, "−1 min 30 s");
    }
}
