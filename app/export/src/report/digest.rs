//! The digest of a script, as a Content-Security-Policy names it: base64 of its SHA-256 (W3C, CSP Level 3, §2.3.1).

use sha2::{Digest as _, Sha256};

/// The digits of base64 (RFC 4648, §4).
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// "'sha256-…'" of this script.
pub(super) fn source(script: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(script)[..]))
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut bits = [0_u8; 3];
        bits[..chunk.len()].copy_from_slice(chunk);
        let [a, b, c] = bits;
        let digits = [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63];
        for (place, digit) in digits.into_iter().enumerate() {
            text.push(if place > chunk.len() { '=' } else { char::from(DIGITS[usize::from(digit)]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_has_the_results_of_its_standard() {
        // RFC 4648, §10.
        for (text, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn the_digest_of_a_script_is_that_of_the_standard() {
        // The example of CSP Level 3, §8.2, "alert('Hello, world.');".
        assert_eq!(source("alert('Hello, world.');"), "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
    }
}
