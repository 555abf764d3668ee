//! Disguises of dots and separators. Each has its reading in `reading.rs`.

/// What a piece of a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Dot,
    Separator,
    /// The slash behind the prefix: most checks need to see it.
    Lead,
    Name,
}

/// A piece of a path, encoded or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    kind: Kind,
    pub(super) text: String,
}

impl Piece {
    pub(super) fn dot() -> Piece {
        Piece { kind: Kind::Dot, text: ".".into() }
    }

    pub(super) fn separator() -> Piece {
        Piece { kind: Kind::Separator, text: "/".into() }
    }

    pub(super) fn lead() -> Piece {
        Piece { kind: Kind::Lead, text: "/".into() }
    }

    pub(super) fn name(name: &str) -> Piece {
        Piece { kind: Kind::Name, text: name.into() }
    }

    fn of(c: char) -> Piece {
        match c {
            '.' => Piece::dot(),
            '/' => Piece::separator(),
            c => Piece::name(&c.to_string()),
        }
    }
}

/// The pieces that an encoding is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum On {
    Dots,
    Separators,
    DotsAndSeparators,
    FirstDots,
    LastDots,
    All,
}

/// How a character is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// `%2e`
    Percent,
    /// `%2E`
    PercentUpper,
    /// `\` for `/`
    Backslash,
    /// `/\` for `/`
    SlashBackslash,
    /// `\/` for `/`
    BackslashSlash,
    /// Full-width forms: U+FF0E, U+FF0F.
    Wide,
    /// U+2024, ONE DOT LEADER.
    Leader,
    /// U+FE52, SMALL FULL STOP.
    Small,
    /// U+FF3C for `/`.
    WideBackslash,
    /// U+2215 for `/`: folds under best-fit tables only.
    DivisionSlash,
    /// `%u002e`
    PercentU,
    /// `\x2e`
    Hex,
    /// `\u002e`
    Escape,
    /// `&#46;`
    Entity,
    /// `&period;`
    NamedEntity,
    /// `=2E`
    Quoted,
    /// `%c0%ae`
    Overlong2,
    /// `%e0%80%ae`
    Overlong3,
    /// A filler between the two dots of a `..`, or inside a `../`, at this place of its three characters.
    Nest(&'static str, usize),
}

/// A code and the pieces that it is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    /// How.
    pub code: Code,
    /// On what.
    pub on: On,
}

impl Encoding {
    /// A code, applied to some pieces.
    pub const fn new(code: Code, on: On) -> Encoding {
        Encoding { code, on }
    }
}

/// The path with one further encoding.
pub(super) fn encode(pieces: Vec<Piece>, encoding: &Encoding) -> Vec<Piece> {
    if let Code::Nest(filler, place) = encoding.code {
        return nest(&pieces, filler, place);
    }
    let mut after_dot = false;
    let count = pieces.len();
    let next_is_dot: Vec<bool> =
        (0..count).map(|at| pieces.get(at + 1).is_some_and(|next| next.kind == Kind::Dot)).collect();
    let encoded = pieces.into_iter().zip(next_is_dot).map(|(mut piece, before_dot)| {
        let is_dot = piece.kind == Kind::Dot;
        let wanted = match encoding.on {
            On::Dots => is_dot,
            On::Separators => piece.kind == Kind::Separator,
            On::DotsAndSeparators => matches!(piece.kind, Kind::Dot | Kind::Separator),
            On::FirstDots => is_dot && before_dot,
            On::LastDots => is_dot && after_dot,
            On::All => !piece.text.starts_with('{'),
        };
        after_dot = is_dot;
        if wanted {
            piece.text = write(&piece.text, encoding.code);
        }
        piece
    });
    encoded.collect()
}

fn nest(pieces: &[Piece], filler: &str, place: usize) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        let kinds = |offset: usize| pieces.get(at + offset).map(|piece| piece.kind);
        if kinds(0) != Some(Kind::Dot) || kinds(1) != Some(Kind::Dot) {
            out.push(pieces[at].clone());
            at += 1;
            continue;
        }
        let end = if kinds(2) == Some(Kind::Separator) { at + 3 } else { at + 2 };
        for (offset, piece) in pieces[at..end].iter().enumerate() {
            if offset == place {
                out.extend(filler.chars().map(Piece::of));
            }
            out.push(piece.clone());
        }
        at = end;
    }
    out
}

fn write(text: &str, code: Code) -> String {
    // What is encoded already is encoded again by its signs only: `%2e` becomes `%252e`.
    let again = text.chars().any(|c| matches!(c, '%' | '\\' | '&' | '='));
    let mut out = String::new();
    for c in text.chars() {
        let sign = matches!(c, '%' | '\\' | '&' | '=');
        if !again || sign || !c.is_ascii() {
            one(&mut out, c, code);
        } else {
            out.push(c);
        }
    }
    out
}

fn one(out: &mut String, c: char, code: Code) {
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).as_bytes();
    let each = |write: &dyn Fn(u8) -> String| bytes.iter().map(|byte| write(*byte)).collect::<String>();
    let number = u32::from(c);
    let text = match (code, c) {
        (Code::Percent, _) => each(&|byte| format!("%{byte:02x}")),
        (Code::PercentUpper, _) => each(&|byte| format!("%{byte:02X}")),
        (Code::Backslash, '/') => "\\".into(),
        (Code::SlashBackslash, '/') => "/\\".into(),
        (Code::BackslashSlash, '/') => "\\/".into(),
        (Code::Wide, '.') => "\u{ff0e}".into(),
        (Code::Wide, '/') => "\u{ff0f}".into(),
        (Code::Wide, '%') => "\u{ff05}".into(),
        (Code::Wide, '\\') => "\u{ff3c}".into(),
        (Code::Leader, '.') => "\u{2024}".into(),
        (Code::Small, '.') => "\u{fe52}".into(),
        (Code::WideBackslash, '/') => "\u{ff3c}".into(),
        (Code::DivisionSlash, '/') => "\u{2215}".into(),
        (Code::PercentU, _) => format!("%u{number:04x}"),
        (Code::Hex, _) if number < 0x100 => format!("\\x{number:02x}"),
        (Code::Escape, _) => format!("\\u{number:04x}"),
        (Code::Entity, _) => format!("&#{number};"),
        (Code::NamedEntity, '.') => "&period;".into(),
        (Code::NamedEntity, '/') => "&sol;".into(),
        (Code::NamedEntity, '&') => "&amp;".into(),
        (Code::Quoted, _) => each(&|byte| format!("={byte:02X}")),
        (Code::Overlong2, '.' | '/') => format!("%c0%{:02x}", 0x80 | number),
        (Code::Overlong3, '.' | '/') => format!("%e0%80%{:02x}", 0x80 | number),
        (_, c) => c.to_string(),
    };
    out.push_str(&text);
}
