//! Code of GPU kernels compared: kernels in PTX or SASS that do the same have most sequences of mnemonics in common, whatever the names
//! of kernel, registers and labels are.

use std::collections::BTreeSet;

/// Mnemonics of a sequence.
const LENGTH: usize = 3;
/// Fewest sequences of a kernel that is compared. Shorter kernels contain little but the index of a thread.
const LEAST_SEQUENCES: usize = 6;
/// Least similarity of two kernels that do the same. Of two kernels with n sequences each, c in common, it is c ÷ (2n − c): 0.5 is two
/// thirds in common. A replaced instruction changes three sequences, so up to one instruction in nine may differ.
pub const LEAST_CODE_SIMILARITY: f64 = 0.5;
/// Begin of mnemonics of PTX that belong to the call of a kernel, not to its work.
const CALL_OF_PTX: [&str; 4] = ["ld.param", "cvta", "ret", "exit"];
/// Registers of PTX with the position of a thread, which any kernel reads.
const POSITIONS: [&str; 5] = ["%tid", "%ntid", "%ctaid", "%nctaid", "%laneid"];
/// The same of SASS.
const CALL_OF_SASS: [&str; 5] = ["S2R", "S2UR", "ULDC", "EXIT", "NOP"];

/// The code of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelCode {
    /// Its name, as in the file: that of C++ is mangled.
    pub name: String,
    /// Its sequences of mnemonics, each once: unrolling a loop repeats those of its body.
    sequences: BTreeSet<[String; LENGTH]>,
}

impl KernelCode {
    fn new(name: &str, mnemonics: &[String]) -> Self {
        let sequences =
            mnemonics.windows(LENGTH).filter_map(|window| <[String; LENGTH]>::try_from(window.to_vec()).ok());
        Self { name: name.to_owned(), sequences: sequences.collect() }
    }

    /// Similarity of two kernels, 0 to 1: sequences in common ÷ all sequences of both (Jaccard). `None`: a kernel is too short.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> Option<f64> {
        if self.sequences.len().min(other.sequences.len()) < LEAST_SEQUENCES {
            return None;
        }
        let common = self.sequences.intersection(&other.sequences).count();
        let all = self.sequences.len() + other.sequences.len() - common;
        Some(common as f64 / all as f64)
    }

    /// Name of its function, with namespaces and without parameters: `mine::f` of `_ZN4mine1fEPf` (Itanium C++ ABI, 5.1). A name of C is
    /// itself.
    #[must_use]
    pub fn function(&self) -> String {
        unmangled(&self.name).unwrap_or_else(|| self.name.clone())
    }
}

/// The kernels of a text in PTX or SASS, as nvcc, cuobjdump and nvdisasm print it; empty if it is neither.
#[must_use]
pub fn kernels(text: &str) -> Vec<KernelCode> {
    if text.contains(".entry") { of_ptx(text) } else { of_sass(text) }
}

/// Kernels in PTX (Parallel Thread Execution ISA, 4.2): statements end with a semicolon.
fn of_ptx(text: &str) -> Vec<KernelCode> {
    let text = without_comments(text);
    let mut kernels = Vec::new();
    // What a function begins, and so ends the one before it.
    for part in text.split(".entry").skip(1) {
        let part = part.split(".func").next().unwrap_or_default();
        let Some((head, body)) = part.split_once('{') else { continue };
        let name = head.trim_start().split(|c: char| c == '(' || c.is_whitespace()).next().unwrap_or_default();
        let mnemonics: Vec<String> = body.split(';').filter_map(ptx_mnemonic).map(str::to_owned).collect();
        kernels.push(KernelCode::new(name, &mnemonics));
    }
    kernels
}

/// The text without comments, and without directives that end with their line.
fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let lines = lines.filter(|line| ![".loc", ".file", "#"].iter().any(|begin| line.trim_start().starts_with(begin)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The mnemonic of a statement of PTX; none of a directive, and of what belongs to the call of a kernel.
fn ptx_mnemonic(statement: &str) -> Option<&str> {
    let mut words = statement.split_whitespace();
    let mnemonic = words.find(|word| {
        let is_label = word.ends_with(':');
        !is_label && !word.starts_with('@') && !word.starts_with(['{', '}', '('])
    })?;
    let is_call = CALL_OF_PTX.iter().any(|begin| mnemonic.starts_with(begin))
        || words.any(|word| POSITIONS.iter().any(|register| word.starts_with(register)));
    (mnemonic.starts_with(|c: char| c.is_ascii_lowercase()) && !is_call).then_some(mnemonic)
}

/// Kernels in SASS: a line for each instruction.
fn of_sass(text: &str) -> Vec<KernelCode> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let of_nvdisasm = line.strip_prefix(".text.").and_then(|name| name.strip_suffix(':'));
        if let Some(name) = line.strip_prefix("Function : ").or(of_nvdisasm) {
            found.push((name.trim().to_owned(), Vec::new()));
        } else if let (Some((_, mnemonics)), Some(mnemonic)) = (found.last_mut(), sass_mnemonic(line)) {
            mnemonics.push(mnemonic.to_owned());
        }
    }
    let kernels = found.into_iter().map(|(name, mut mnemonics)| {
        // Behind its end a kernel jumps to itself.
        if mnemonics.last().is_some_and(|last| last == "BRA") {
            mnemonics.pop();
        }
        KernelCode::new(&name, &mnemonics)
    });
    kernels.collect()
}

/// The mnemonic of a line such as `/*0050*/ @P0 FFMA R7, R2, R3, R7 ; /* 0x… */`.
fn sass_mnemonic(line: &str) -> Option<&str> {
    let (_, instruction) = line.strip_prefix("/*")?.split_once("*/")?;
    let instruction = instruction.split(';').next().filter(|_| instruction.contains(';'))?;
    let mut words = instruction.split_whitespace().filter(|word| !word.starts_with('@') && !matches!(*word, "{" | "}"));
    let mnemonic = words.next().filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()))?;
    let is_call = CALL_OF_SASS.iter().any(|call| mnemonic.split('.').next() == Some(*call));
    // The assembler takes either, by what is idle.
    let mnemonic = if mnemonic.starts_with("IMAD.MOV") { "MOV" } else { mnemonic };
    (!is_call).then_some(mnemonic)
}

/// Names in a mangled name, up to arguments of a template or parameters.
fn unmangled(name: &str) -> Option<String> {
    let rest = name.strip_prefix("_Z")?;
    let (mut rest, is_nested) = rest.strip_prefix('N').map_or((rest, false), |rest| (rest, true));
    let mut names: Vec<&str> = Vec::new();
    while let Some(end) = rest.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0) {
        let length: usize = rest[..end].parse().ok()?;
        names.push(rest.get(end..end.checked_add(length)?)?);
        rest = &rest[end + length..];
        if !is_nested {
            break;
        }
    }
    (!names.is_empty()).then(|| names.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> KernelCode {
        let mut all = kernels(text);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    #[test]
    fn mnemonics_are_those_of_the_work() {
        let code = one(
            ".visible .entry _Z1fPf(\n.param .u64 p\n)\n.maxntid 256, 1, 1\n{\n.reg .f32 %f<3>;\n.loc 1 3 5\nld.param.u64 %rd1, [p];\n\
             mov.u32 %r1, %tid.x; // the thread\n$L1:\n@!%p1 bra $L2;\n{ // callseq 0\ncall.uni\ng,\n(\nparam0\n);\n}\n\
             fma.rn.f32 %f2, %f1, %f1, %f1;\nret;\n}\n.func (.param .b32 r) g()\n{\nadd.s32 %r1, %r1, 1;\nsub.s32 %r1, %r1, 1;\n}\n",
        );
        let expected = ["bra", "call.uni", "fma.rn.f32"].map(str::to_owned);
        assert_eq!((code.function().as_str(), code.sequences), ("f", BTreeSet::from([expected])));
    }

    #[test]
    fn a_line_of_sass_is_an_instruction() {
        for (line, expected) in [
            ("/*0050*/   @P0 FFMA R7, R2, c[0x0][0x164], R7 ;   /* 0x0000590002077a23 */", Some("FFMA")),
            ("/*0058*/   { IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;", Some("MOV")),
            ("/*0010*/   S2R R4, SR_CTAID.X ;", None),
            ("/* 0x000fe40000000f00 */", None),
            ("code for sm_80", None),
        ] {
            assert_eq!(sass_mnemonic(line), expected, "{line}");
        }
    }

    /// As c++filt prints them, without parameters and arguments of templates.
    #[test]
    fn a_mangled_name_is_that_of_its_function() {
        for (name, expected) in [
            ("_Z5saxpyifPKfPf", "saxpy"),
            ("_ZN4mine11row_productEiPKiS1_PKdS3_Pd", "mine::row_product"),
            ("_ZN2at6native6reduceILi512EEEvPf", "at::native::reduce"),
            ("csr", "csr"),
            ("_Z", "_Z"),
            ("_Z99short", "_Z99short"),
            ("_Z18446744073709551615x", "_Z18446744073709551615x"),
        ] {
            assert_eq!(KernelCode::new(name, &[]).function(), expected);
        }
    }

    #[test]
    fn a_text_without_kernels_has_none() {
        for text in ["", "milk, eggs\n", ".entry", ".entry f(", "Function"] {
            assert!(kernels(text).is_empty(), "{text}");
        }
    }
}
