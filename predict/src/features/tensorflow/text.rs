//! Graphs in the text format of protobuf (`.pbtxt`): translated to the bytes of the same messages, fields that are not read left
//! out. Format: <https://protobuf.dev/reference/protobuf/textformat-spec/>.

use prost::encoding::encode_varint;

/// Deepest nesting of messages.
const DEEPEST: usize = 64;
/// Names of element types, in the order of `types.proto`.
const DATA_TYPES: [&str; 26] = [
    "INVALID",
    "FLOAT",
    "DOUBLE",
    "INT32",
    "UINT8",
    "INT16",
    "INT8",
    "STRING",
    "COMPLEX64",
    "INT64",
    "BOOL",
    "QINT8",
    "QUINT8",
    "QINT32",
    "BFLOAT16",
    "QINT16",
    "QUINT16",
    "UINT16",
    "COMPLEX128",
    "HALF",
    "RESOURCE",
    "VARIANT",
    "UINT32",
    "UINT64",
    "FLOAT8_E5M2",
    "FLOAT8_E4M3FN",
];

/// Messages that are read.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Message {
    SavedModel,
    MetaGraph,
    Signature,
    TensorInfo,
    Graph,
    Library,
    Function,
    OpDef,
    Argument,
    Node,
    Attribute,
    AttributeList,
    FunctionName,
    Shape,
    Dimension,
    Tensor,
    /// An entry of a map, with the message of its values; `None` for texts.
    Entry(Option<&'static Self>),
}

/// Content of a field that is read.
enum Content {
    Message(Message),
    Scalar,
}

impl Message {
    /// Number and content of a field.
    fn field(self, name: &str) -> Option<(u64, Content)> {
        use Content::Scalar;
        let message = |number: u64, message: Self| Some((number, Content::Message(message)));
        match (self, name) {
            (Self::SavedModel, "meta_graphs") => message(2, Self::MetaGraph),
            (Self::MetaGraph, "graph_def") => message(2, Self::Graph),
            (Self::MetaGraph, "signature_def") => message(5, Self::Entry(Some(&Self::Signature))),
            (Self::Signature, "outputs") => message(2, Self::Entry(Some(&Self::TensorInfo))),
            (Self::Graph, "node") => message(1, Self::Node),
            (Self::Graph, "library") => message(2, Self::Library),
            (Self::Library, "function") => message(1, Self::Function),
            (Self::Function, "signature") => message(1, Self::OpDef),
            (Self::Function, "node_def") => message(3, Self::Node),
            (Self::Function, "ret") => message(4, Self::Entry(None)),
            (Self::OpDef, "input_arg") => message(2, Self::Argument),
            (Self::OpDef, "output_arg") => message(3, Self::Argument),
            (Self::Node, "attr") => message(5, Self::Entry(Some(&Self::Attribute))),
            (Self::Attribute, "list") => message(1, Self::AttributeList),
            (Self::Attribute | Self::AttributeList, "shape") => message(7, Self::Shape),
            (Self::Attribute | Self::AttributeList, "tensor") => message(8, Self::Tensor),
            (Self::Attribute, "func") => message(10, Self::FunctionName),
            (Self::Shape, "dim") => message(2, Self::Dimension),
            (Self::Tensor, "tensor_shape") => message(2, Self::Shape),
            (Self::Entry(Some(value)), "value") => message(2, *value),
            (Self::SavedModel, "saved_model_schema_version")
            | (Self::Node | Self::OpDef | Self::Argument | Self::FunctionName | Self::TensorInfo, "name")
            | (Self::Entry(_), "key")
            | (Self::Dimension, "size")
            | (Self::Tensor, "dtype") => Some((1, Scalar)),
            (Self::Node, "op") | (Self::Entry(None), "value") | (Self::Attribute | Self::AttributeList, "s") => {
                Some((2, Scalar))
            }
            (Self::Node, "input") | (Self::Attribute | Self::AttributeList, "i") | (Self::Shape, "unknown_rank") => {
                Some((3, Scalar))
            }
            (Self::Tensor, "tensor_content") => Some((4, Scalar)),
            (Self::Attribute | Self::AttributeList, "b") => Some((5, Scalar)),
            (Self::Attribute | Self::AttributeList, "type") => Some((6, Scalar)),
            (Self::Tensor, "int_val") => Some((7, Scalar)),
            (Self::Tensor, "int64_val") => Some((10, Scalar)),
            _ => None,
        }
    }
}

/// Whether bytes begin as the text of a graph or of a saved model.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let mut reader = Reader { bytes, place: 0 };
    reader.space();
    let name = reader.word();
    reader.space();
    matches!((name, reader.peek()), (b"node" | b"library" | b"versions" | b"meta_graphs", Some(b'{')))
        || matches!((name, reader.peek()), (b"saved_model_schema_version", Some(b':')))
}

/// The bytes of the messages of a text, and whether it is a saved model; otherwise what is wrong, and where.
pub(super) fn bytes_of(text: &[u8]) -> Result<(Vec<u8>, bool), String> {
    let mut first = Reader { bytes: text, place: 0 };
    first.space();
    let is_saved = matches!(first.word(), b"saved_model_schema_version" | b"meta_graphs");
    let mut reader = Reader { bytes: text, place: 0 };
    let root = if is_saved { Message::SavedModel } else { Message::Graph };
    let bytes = reader.message(Some(root), None, 0)?;
    Ok((bytes, is_saved))
}

struct Reader<'a> {
    bytes: &'a [u8],
    place: usize,
}

/// A value as the text has it.
enum Scalar<'a> {
    Text(Vec<u8>),
    Word(&'a [u8]),
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.place).copied()
    }

    fn wrong(&self, expected: &str) -> String {
        let line = self.bytes[..self.place.min(self.bytes.len())].split(|byte| *byte == b'\n').count();
        format!("line {line}: expected {expected}")
    }

    /// Skips white space and comments.
    fn space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'#' {
                while self.peek().is_some_and(|byte| byte != b'\n') {
                    self.place += 1;
                }
            } else if byte.is_ascii_whitespace() {
                self.place += 1;
            } else {
                break;
            }
        }
    }

    /// A name or number.
    fn word(&mut self) -> &'a [u8] {
        let start = self.place;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte)) {
            self.place += 1;
        }
        &self.bytes[start..self.place]
    }

    fn is_next(&mut self, byte: u8) -> bool {
        self.space();
        let is_next = self.peek() == Some(byte);
        self.place += usize::from(is_next);
        is_next
    }

    /// The fields of a message up to its closing bracket, or to the end of the text; `None` for a message that is not read.
    fn message(&mut self, message: Option<Message>, closing: Option<u8>, depth: usize) -> Result<Vec<u8>, String> {
        if depth > DEEPEST {
            return Err(self.wrong(&format!("messages nested at most {DEEPEST} deep")));
        }
        let mut written = Vec::new();
        loop {
            self.space();
            match (self.peek(), closing) {
                (None, None) => return Ok(written),
                (Some(byte), Some(closing)) if byte == closing => {
                    self.place += 1;
                    return Ok(written);
                }
                (None, Some(closing)) => return Err(self.wrong(&char::from(closing).to_string())),
                _ => {}
            }
            let name = self.name()?;
            let field = message.and_then(|message| message.field(std::str::from_utf8(name).ok()?));
            let has_colon = self.is_next(b':');
            if has_colon && self.is_next(b'[') {
                while !self.is_next(b']') {
                    self.value(field.as_ref(), has_colon, depth, &mut written)?;
                    self.is_next(b',');
                }
            } else {
                self.value(field.as_ref(), has_colon, depth, &mut written)?;
            }
            if !self.is_next(b',') {
                self.is_next(b';');
            }
        }
    }

    /// The name of a field; one of an extension stands in brackets.
    fn name(&mut self) -> Result<&'a [u8], String> {
        if self.is_next(b'[') {
            while self.peek().is_some_and(|byte| byte != b']') {
                self.place += 1;
            }
            self.is_next(b']');
            return Ok(b"");
        }
        let name = self.word();
        if name.is_empty() { Err(self.wrong("the name of a field")) } else { Ok(name) }
    }

    /// Writes the value of a field.
    fn value(
        &mut self,
        field: Option<&(u64, Content)>,
        has_colon: bool,
        depth: usize,
        written: &mut Vec<u8>,
    ) -> Result<(), String> {
        for (opening, closing) in [(b'{', b'}'), (b'<', b'>')] {
            if self.is_next(opening) {
                let message = match field {
                    Some((_, Content::Message(message))) => Some(*message),
                    _ => None,
                };
                let content = self.message(message, Some(closing), depth + 1)?;
                if let Some((number, Content::Message(_))) = field {
                    bytes(*number, &content, written);
                }
                return Ok(());
            }
        }
        if !has_colon {
            return Err(self.wrong("a colon or a bracket after the name of a field"));
        }
        let scalar = self.scalar()?;
        match (field, scalar) {
            (Some((number, Content::Scalar)), Scalar::Text(content)) => bytes(*number, &content, written),
            (Some((number, Content::Scalar)), Scalar::Word(word)) => {
                let value = whole(word).ok_or_else(|| self.wrong("a whole number, true, false or an element type"))?;
                encode_varint(number << 3, written);
                encode_varint(value, written);
            }
            _ => {}
        }
        Ok(())
    }

    /// A text, possibly in several parts, or a word.
    fn scalar(&mut self) -> Result<Scalar<'a>, String> {
        let mut content: Option<Vec<u8>> = None;
        loop {
            self.space();
            match self.peek() {
                Some(quote @ (b'"' | b'\'')) => {
                    self.place += 1;
                    self.quoted(quote, content.get_or_insert_default())?;
                }
                _ if content.is_some() => return Ok(Scalar::Text(content.unwrap_or_default())),
                _ => break,
            }
        }
        let word = self.word();
        if word.is_empty() { Err(self.wrong("a value")) } else { Ok(Scalar::Word(word)) }
    }

    /// The content of a text up to its quotation mark.
    fn quoted(&mut self, quote: u8, content: &mut Vec<u8>) -> Result<(), String> {
        loop {
            let byte = self.peek().ok_or_else(|| self.wrong("a closing quotation mark"))?;
            self.place += 1;
            match byte {
                byte if byte == quote => return Ok(()),
                b'\\' => {
                    let escaped = self.escaped().ok_or_else(|| self.wrong("a character after \\"))?;
                    content.push(escaped);
                }
                byte => content.push(byte),
            }
        }
    }

    /// The byte of an escape sequence: a letter, up to three octal digits, or up to two hexadecimal ones.
    fn escaped(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.place += 1;
        let start = self.place;
        let digits = |reader: &mut Self, start: usize, most: usize, radix: u32| {
            while reader.place < start + most && reader.peek().is_some_and(|byte| char::from(byte).is_digit(radix)) {
                reader.place += 1;
            }
            let digits = std::str::from_utf8(&reader.bytes[start..reader.place]).ok()?;
            u8::try_from(u32::from_str_radix(digits, radix).ok()?).ok()
        };
        match byte {
            b'a' => Some(7),
            b'b' => Some(8),
            b'f' => Some(12),
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'v' => Some(11),
            b'0'..=b'7' => digits(self, start - 1, 3, 8),
            b'x' | b'X' => digits(self, start, 2, 16),
            other => Some(other),
        }
    }
}

/// The number of a word: a number, a truth value or an element type.
fn whole(word: &[u8]) -> Option<u64> {
    let word = std::str::from_utf8(word).ok()?;
    match word {
        "true" | "True" | "t" => return Some(1),
        "false" | "False" | "f" => return Some(0),
        _ => {}
    }
    if let Some(name) = word.strip_prefix("DT_") {
        // A reference has the number of its type and 100; types without a place here have four bytes.
        let (name, reference) = name.strip_suffix("_REF").map_or((name, 0), |name| (name, 100));
        let place = DATA_TYPES.iter().position(|known| *known == name).unwrap_or(0);
        return u64::try_from(place).ok().map(|place| place + reference);
    }
    let number = word.parse::<i64>().map(i64::cast_unsigned).or_else(|_| word.parse::<u64>());
    // Floating-point numbers are not read, but may stand in a list of any type.
    number.ok().or_else(|| word.parse::<f64>().ok().map(|_| 0))
}

/// Writes a field of bytes.
fn bytes(number: u64, content: &[u8], written: &mut Vec<u8>) {
    encode_varint(number << 3 | 2, written);
    encode_varint(content.len() as u64, written);
    written.extend_from_slice(content);
}
