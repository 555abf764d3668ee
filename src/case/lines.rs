//! Where the steps of a case stand in its file: for reports that point at a line.

/// The line, counted from 1, on which each step of a case file begins. Empty where the text is not such a file.
pub fn step_lines(json: &str) -> Vec<usize> {
    let (mut line, mut depth) = (1, 0_usize);
    let mut lines = Vec::new();
    let mut key = "";
    let mut inside = false;
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => line += 1,
            b'"' => {
                let start = at + 1;
                at = end_of_string(bytes, start);
                if depth == 1 {
                    key = json.get(start..at).unwrap_or_default();
                }
            }
            b'{' | b'[' => {
                if byte == b'{' && inside && depth == 2 {
                    lines.push(line);
                }
                inside |= byte == b'[' && depth == 1 && key == "steps";
                depth += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                inside &= depth > 1;
            }
            _ => {}
        }
        at += 1;
    }
    lines
}

fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::step_lines;
    use crate::case::{builtin_case_text, builtin_cases};

    #[test]
    fn every_step_of_every_case_is_found() {
        for case in builtin_cases().unwrap() {
            let text = builtin_case_text(&case.id).unwrap();
            let lines = step_lines(text);
            assert_eq!(lines.len(), case.steps.len(), "{}", case.id);
            assert!(lines.iter().all(|line| text.lines().nth(line - 1).unwrap().contains('{')), "{}", case.id);
        }
    }

    #[test]
    fn braces_in_texts_are_no_steps() {
        assert_eq!(step_lines("{\n\"steps\": [\n{ \"call\": { \"a\": \"\\\"{[\" } },\n\n{}], \"x\": [{}] }"), [3, 5]);
        assert!(step_lines("\"").is_empty() && step_lines("\"\\").is_empty());
    }
}
