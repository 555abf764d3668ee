//! The classes of attacks.

/// A class of attacks: A for strings, C for nodes that are planted in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Class {
    A1,
    A2,
    A3,
    A4,
    A5,
    A6,
    A7,
    A8,
    A9,
    A10,
    A11,
    A12,
    A13,
    A14,
    A15,
    A16,
    A17,
    A18,
    A19,
    A20,
    A21,
    A22,
    C1,
    C2,
    C3,
    C4,
    C5,
    C6,
    C7,
    C9,
    C10,
    C11,
    Mode,
}

impl Class {
    /// As in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::A1 => "A1",
            Class::A2 => "A2",
            Class::A3 => "A3",
            Class::A4 => "A4",
            Class::A5 => "A5",
            Class::A6 => "A6",
            Class::A7 => "A7",
            Class::A8 => "A8",
            Class::A9 => "A9",
            Class::A10 => "A10",
            Class::A11 => "A11",
            Class::A12 => "A12",
            Class::A13 => "A13",
            Class::A14 => "A14",
            Class::A15 => "A15",
            Class::A16 => "A16",
            Class::A17 => "A17",
            Class::A18 => "A18",
            Class::A19 => "A19",
            Class::A20 => "A20",
            Class::A21 => "A21",
            Class::A22 => "A22",
            Class::C1 => "C1",
            Class::C2 => "C2",
            Class::C3 => "C3",
            Class::C4 => "C4",
            Class::C5 => "C5",
            Class::C6 => "C6",
            Class::C7 => "C7",
            Class::C9 => "C9",
            Class::C10 => "C10",
            Class::C11 => "C11",
            Class::Mode => "permissions",
        }
    }

    /// As in ids.
    pub fn word(self) -> String {
        self.as_str().to_lowercase()
    }

    /// What its attempts are, where no interpretation explains the result: words and a word for ids.
    pub fn about(self) -> (&'static str, &'static str) {
        match self {
            Class::A1 => ("a path with `..`", "dotdot"),
            Class::A2 => ("a path that a filter turns into `..`", "stripped"),
            Class::A3 => ("a path with `\\`", "backslash"),
            Class::A4 => ("an absolute path", "absolute"),
            Class::A5 => ("a path with a drive letter or a device prefix", "drive"),
            Class::A6 => ("a name that Windows takes otherwise", "windows-name"),
            Class::A7 => ("a path that only begins with the letters of `/memories`", "prefix"),
            Class::A8 => ("another spelling of `/memories`", "spelling"),
            Class::A9 => ("a path with redundant parts", "redundant"),
            Class::A10 => ("another spelling of the root", "root-alias"),
            Class::A11 => ("a percent-encoded path", "percent"),
            Class::A12 => ("a path with overlong UTF-8", "overlong"),
            Class::A13 => ("a path with escapes", "escapes"),
            Class::A14 => ("a path with look-alikes of `.` and `/`", "unicode"),
            Class::A15 => ("a path with expansion syntax", "expansion"),
            Class::A16 => ("a path with NUL or control characters", "control"),
            Class::A17 => ("a name that imitates a row", "forged"),
            Class::A18 => ("a very long path", "long"),
            Class::A19 => ("a path of an odd type", "type"),
            Class::A20 => ("a name that a store may take for a pattern", "pattern"),
            Class::A21 => ("an ordinary name with odd characters", "name"),
            Class::A22 => ("a path moved into itself", "self-move"),
            Class::C1 => ("a link to a file outside", "file-link"),
            Class::C2 => ("a link to a directory outside", "directory-link"),
            Class::C3 => ("a dangling link that leads outside", "dangling-link"),
            Class::C4 => ("a relative link that a rename turned outwards", "moved-link"),
            Class::C5 => ("a loop of links", "link-loop"),
            Class::C6 => ("one of two names of a file", "hard-link"),
            Class::C7 => ("a named pipe", "pipe"),
            Class::C9 => ("what this user may not read", "unreadable"),
            Class::C10 => ("a directory with odd or very many names", "odd-entries"),
            Class::C11 => ("a root that is a link", "linked-root"),
            Class::Mode => ("a plain path", "plain"),
        }
    }

    /// The requirement that its cases are about.
    pub fn requirement(self) -> &'static str {
        match self {
            Class::A1 | Class::A4 | Class::A7 | Class::A8 | Class::A9 => "path.no-escape",
            Class::A10 => "ruling.root-aliases",
            Class::C1 | Class::C2 | Class::C3 | Class::C4 | Class::C5 | Class::C7 => "ruling.symlink-escape",
            Class::Mode => "ruling.file-mode",
            _ => "path.no-escape",
        }
    }
}
