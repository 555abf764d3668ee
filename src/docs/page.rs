//! A Markdown page as a row of pieces: headings, prose, code blocks, each with the lines of the file it stands on.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

/// One piece of a page, in the order of the page.
#[derive(Debug)]
pub enum Piece {
    /// A heading and its level.
    Heading(u8, Prose),
    /// A paragraph, a list item, a table cell.
    Prose(Prose),
    /// A code block, fenced or indented.
    Code(Code),
}

/// Text that runs on, with its code spans written with backticks.
#[derive(Debug, Default)]
pub struct Prose {
    /// The text. A line break in the page is a space.
    pub text: String,
    /// Where the code spans stand in the text, without their backticks.
    pub codes: Vec<Range<usize>>,
    lines: Lines,
}

/// A code block.
#[derive(Debug, Default)]
pub struct Code {
    /// The first word after the fence, in lower case; empty where there is none.
    pub language: String,
    /// What stands in the block, without the last line's LF.
    pub text: String,
    lines: Lines,
    /// Where the line feeds of the text are.
    feeds: Vec<usize>,
}

impl Prose {
    /// The line of the page that a place in the text stands on.
    pub fn line(&self, at: usize) -> usize {
        self.lines.of(at)
    }
}

impl Code {
    /// The line of the page that a place in the text stands on.
    pub fn line(&self, at: usize) -> usize {
        let (start, line) = self.lines.before(at);
        let feeds = |end: usize| self.feeds.partition_point(|feed| *feed < end);
        line + feeds(at) - feeds(start.min(at))
    }

    /// Whether the block is a program.
    pub fn is_program(&self) -> bool {
        !self.is_plain() && !self.language.starts_with("json") && !matches!(self.language.as_str(), "http" | "ndjson")
    }

    /// Whether the block is plain text: a result may stand in it. Programs are left alone.
    pub fn is_plain(&self) -> bool {
        matches!(
            self.language.as_str(),
            "" | "text" | "txt" | "plain" | "plaintext" | "output" | "console" | "none" | "log" | "result" | "response"
        )
    }
}

/// Places in a text and the lines of the page that they stand on.
#[derive(Debug, Default)]
struct Lines(Vec<(usize, usize)>);

impl Lines {
    fn before(&self, at: usize) -> (usize, usize) {
        let index = self.0.partition_point(|(place, _)| *place <= at);
        self.0[..index].last().or(self.0.first()).copied().unwrap_or((0, 1))
    }

    fn of(&self, at: usize) -> usize {
        self.before(at).1
    }
}

/// Where the lines of a text begin.
struct LineTable(Vec<usize>);

impl LineTable {
    fn new(text: &str) -> Self {
        LineTable(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn line(&self, at: usize) -> usize {
        self.0.partition_point(|start| *start <= at)
    }
}

/// Reads a page.
pub fn read(text: &str) -> Vec<Piece> {
    let text = &without_components(text);
    let table = LineTable::new(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader =
        Reader { table, pieces: Vec::new(), prose: Prose::default(), code: None, heading: None, skip: false };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.event(event, &range, text);
    }
    reader.flush();
    reader.pieces
}

/// Lines that are the tag of a component alone (`<Tabs>`, `</Step>`, as MDX has them) made blank: they would hide what
/// follows as HTML. No place in the text moves.
fn without_components(text: &str) -> String {
    let is_component = |line: &str| {
        let line = line.trim();
        let name = line.strip_prefix("</").or_else(|| line.strip_prefix('<')).unwrap_or_default();
        line.ends_with('>') && name.starts_with(|c: char| c.is_ascii_uppercase()) && !line[1..].contains('<')
    };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if is_component(line) {
            let end = line.trim_end_matches(['\n', '\r']);
            out.extend(std::iter::repeat_n(' ', end.len()));
            out.push_str(&line[end.len()..]);
        } else {
            out.push_str(line);
        }
    }
    out
}

struct Reader {
    table: LineTable,
    pieces: Vec<Piece>,
    prose: Prose,
    code: Option<Code>,
    heading: Option<u8>,
    skip: bool,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, range: &Range<usize>, text: &str) {
        match event {
            Event::Start(Tag::MetadataBlock(_)) => self.skip = true,
            Event::End(TagEnd::MetadataBlock(_)) => self.skip = false,
            _ if self.skip => {}
            Event::Start(Tag::Heading { level, .. }) => {
                self.flush();
                self.heading = Some(level as u8);
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => first_word(&info),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some(Code { language, ..Code::default() });
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(mut code) = self.code.take() {
                    if code.text.ends_with('\n') {
                        code.text.pop();
                    }
                    code.feeds = code.text.match_indices('\n').map(|(at, _)| at).collect();
                    self.pieces.push(Piece::Code(code));
                }
            }
            Event::Text(part) => match &mut self.code {
                Some(code) => {
                    code.lines.0.push((code.text.len(), self.table.line(range.start)));
                    code.text.push_str(&part);
                }
                None => self.push(&part, range),
            },
            Event::Code(part) => {
                self.push("`", range);
                let start = self.prose.text.len();
                self.prose.text.push_str(&part);
                self.prose.codes.push(start..self.prose.text.len());
                self.prose.text.push('`');
            }
            Event::InlineHtml(part) => self.push(&part, range),
            Event::SoftBreak | Event::HardBreak => self.push(" ", range),
            Event::Start(tag) if is_block(&tag) => self.flush(),
            Event::End(tag) if is_block_end(tag) => self.flush(),
            _ => {}
        }
        debug_assert!(range.end <= text.len());
    }

    fn push(&mut self, part: &str, range: &Range<usize>) {
        self.prose.lines.0.push((self.prose.text.len(), self.table.line(range.start)));
        self.prose.text.push_str(part);
    }

    fn flush(&mut self) {
        let prose = std::mem::take(&mut self.prose);
        let heading = self.heading.take();
        if prose.text.trim().is_empty() {
            return;
        }
        self.pieces.push(match heading {
            Some(level) => Piece::Heading(level, prose),
            None => Piece::Prose(prose),
        });
    }
}

fn first_word(info: &CowStr<'_>) -> String {
    let word = info.split([' ', ',', '{', '\t']).find(|word| !word.is_empty()).unwrap_or_default();
    word.trim_start_matches('.').to_lowercase()
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. })
}

fn is_block_end(tag: TagEnd) -> bool {
    !matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<(String, String, usize)> {
        let pieces = read(text).into_iter();
        let codes = pieces.filter_map(|piece| match piece {
            Piece::Code(code) => Some((code.language.clone(), code.text.clone(), code.line(0))),
            _ => None,
        });
        codes.collect()
    }

    #[test]
    fn blocks_of_every_kind_with_their_lines() {
        let page = "# a\n\n```json\n{}\n```\n\n- item\n\n  ~~~ Text x\n  a\n\n   b\n  ~~~\n\n> quote\n> ````\n> c\n> d\n> ````\n\n    indented\n";
        assert_eq!(
            codes(page),
            [
                ("json".into(), "{}".into(), 4),
                ("text".into(), "a\n\n b".into(), 10),
                (String::new(), "c\nd".into(), 17),
                (String::new(), "indented".into(), 21),
            ]
        );
    }

    #[test]
    fn lines_are_right_with_crlf_and_inside_a_block() {
        let page = "a\r\n\r\n> ```\r\n> x\r\n>\r\n> y\r\n> ```\r\n";
        let pieces = read(page);
        let Piece::Code(code) = &pieces[1] else { panic!("{pieces:?}") };
        assert_eq!(code.text, "x\n\ny");
        let lines: Vec<usize> = (0..4).map(|at| code.line(at)).collect();
        assert_eq!(lines, [4, 4, 5, 6]);
    }

    #[test]
    fn components_do_not_hide_blocks() {
        assert_eq!(codes("<Tabs>\n<Tab title=\"a\">\n```json\n{}\n```\n</Tab>\n</Tabs>\n").len(), 1);
    }

    #[test]
    fn prose_keeps_its_code_spans() {
        let pieces = read("- **a**: `b` and\n  `` c `d` ``\n\n| x |\n|---|\n| `y` |\n");
        let texts: Vec<&str> = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Prose(prose) => prose.text.as_str(),
                _ => panic!(),
            })
            .collect();
        assert_eq!(texts, ["a: `b` and `c `d``", "x", "`y`"]);
        let Piece::Prose(prose) = &pieces[0] else { panic!() };
        let codes: Vec<_> =
            prose.codes.iter().map(|code| (&prose.text[code.clone()], prose.line(code.start))).collect();
        assert_eq!(codes, [("b", 1), ("c `d`", 2)]);
    }
}
