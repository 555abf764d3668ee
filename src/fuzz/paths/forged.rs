//! What a listing may show of a name with control characters in it: anything but a further row.

use crate::case::Expected;

/// Every listing of a root with some plain files and one of this name.
pub(super) fn listings(name: &str, others: &[(String, String)]) -> Vec<Expected> {
    let listing = |shown: Option<String>| {
        let mut text = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n{size}\t/memories".to_owned();
        for path in others.iter().map(|(path, _)| path.clone()).chain(shown.map(|name| format!("/memories/{name}"))) {
            text.push_str(&format!("\n{{size}}\t{path}"));
        }
        Expected::Ok(text)
    };
    let written = |write: &dyn Fn(char) -> String| {
        let sign = |c: char| if c.is_control() || c == '\u{2028}' { write(c) } else { c.to_string() };
        Some(name.chars().map(sign).collect::<String>())
    };
    let mut forms = vec![None];
    forms.extend(["", "?", " ", "_", "\u{fffd}"].map(|sign| written(&|_| sign.to_owned())));
    forms.extend([
        written(&|c| c.escape_default().to_string()),
        written(&|c| c.escape_unicode().to_string()),
        written(&|c| format!("\\x{:02x}", u32::from(c))),
        written(&|c| format!("\\u{:04x}", u32::from(c))),
        written(&|c| format!("\\{:03o}", u32::from(c))),
        written(&|c| c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect()),
        written(&|c| char::from_u32(u32::from(c) + 0x40).map(|c| format!("^{c}")).unwrap_or_default()),
        written(&|c| char::from_u32(0x2400 + u32::from(c)).unwrap_or('?').to_string()),
    ]);
    // A store may have no listings at all.
    forms.into_iter().map(listing).chain([Expected::AnyError]).collect()
}
