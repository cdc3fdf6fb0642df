//! How wide a text is about, and texts that fit a width: cut, or broken into lines.

/// About how wide a text is in Ubuntu Light, in pixels, erring to the wide side.
///
/// The reader's machine may lack the font, so an estimate is all that can be had.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    let ems = text.chars().map(|character| match character {
        'i' | 'j' | 'l' | '|' | '\'' | '.' | ',' | ':' | ';' | '!' | ' ' | 'I' => 0.26,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' => 0.88,
        'A'..='Z' => 0.66,
        sign if is_sign(sign) => 0.8,
        // Wide characters: Hangul, ideographs and kana, full-width forms, pictographs.
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f300}'.. => 1.0,
        _ => 0.57,
    });
    ems.sum::<f64>() * size
}

/// Whether a letter is an arrow, a mathematical sign in a circle or a geometric shape.
pub(super) fn is_sign(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{21ff}' | '\u{2295}'..='\u{22a1}' | '\u{25a0}'..='\u{25ff}')
}

/// The text cut to a width, with an ellipsis where it was cut.
pub(crate) fn ellipsize(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(1000).collect();
    while !cut.is_empty() && text_width(&cut, size) + size > width {
        cut.pop();
    }
    cut.truncate(cut.trim_end().len());
    cut + "…"
}

/// The text broken into lines of at most `width`, at spaces where there are any; the last line is cut if need be.
pub(crate) fn wrap(text: &str, size: f64, width: f64, max_lines: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        let fits = text_width(line.as_str(), size) + text_width(word.trim_end(), size) <= width;
        if !fits && !line.is_empty() && lines.len() + 1 < max_lines {
            lines.push(std::mem::take(&mut line));
        }
        for character in word.chars() {
            let mut encoded = [0; 4];
            let full = text_width(&line, size) + text_width(character.encode_utf8(&mut encoded), size) > width;
            if full && !character.is_whitespace() && lines.len() + 1 < max_lines {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    lines.push(ellipsize(line.trim_end(), size, width));
    lines.retain(|line| !line.trim().is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::super::TEXT_SIZE;
    use super::{ellipsize, text_width, wrap};

    #[test]
    fn long_text_is_wrapped_then_cut() {
        let lines = wrap("one two three four five six seven eight nine ten", 12.0, 100.0, 3);
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| text_width(line.trim_end(), 12.0) <= 100.0), "{lines:?}");
        assert!(lines[2].ends_with('…'));
        let unbroken = wrap(&"漢".repeat(20), 12.0, 100.0, 3);
        assert_eq!(unbroken.iter().map(|line| line.chars().count()).collect::<Vec<_>>(), [8, 8, 4]);
        assert_eq!(wrap("", 12.0, 100.0, 3), Vec::<String>::new());
        assert_eq!(ellipsize("short", 12.0, 100.0), "short");
    }

    #[test]
    fn estimated_widths_cover_the_real_ones() {
        for text in [
            "Where does the GPU start to pay?",
            "10 Gb Ethernet, compressed",
            "889 s network 99.98 %",
            "aggregation compute",
            "WWW MMM",
            "0.001 0.01 0.1 1 10 100 ms",
        ] {
            let real = crate::png::real_text_width(text, TEXT_SIZE);
            let estimate = text_width(text, TEXT_SIZE);
            assert!((0.98..1.25).contains(&(estimate / real)), "{text}: {estimate:.1} for {real:.1}");
        }
    }
}
