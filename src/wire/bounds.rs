//! How much a message may hold before it is parsed: a value takes many times its length in memory.

/// A message that is longer than this, in bytes, is looked at before it is parsed.
const LARGE: usize = 1 << 20;

/// How many values such a message may hold. A message has a few.
pub const MAX_VALUES: usize = 100_000;

/// Whether a message is long and holds more than [`MAX_VALUES`] values.
pub fn holds_too_much(message: &[u8]) -> bool {
    message.len() > LARGE && separators(message) > MAX_VALUES
}

/// How many commas, brackets and braces stand outside strings: not fewer than there are values, nearly.
fn separators(message: &[u8]) -> usize {
    let (mut count, mut in_string, mut is_escaped) = (0, false, false);
    for &byte in message {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}
