//! A table of kernels with the columns of a kernel of a study: `name`, `instructions`, `ipc`, `threads` and `blocks` are required,
//! the others optional.

use std::collections::BTreeSet;
use std::path::Path;

use crossover_quantity::invalid::did_you_mean;

use super::ProfiledKernel;
use super::columns::Columns;
use super::found::{self, KernelCollector};
use super::gathered::Launch;
use super::number;
use crate::error::TraceError;
use crate::left_out::shown;
use crate::table::{Row, Table};

/// All columns, in the order of the description.
pub(super) const ALL: [&str; 11] = [
    "name",
    "instructions",
    "ipc",
    "register_bytes",
    "shared_bytes",
    "threads",
    "blocks",
    "miss_rate",
    "class",
    "is_idempotent",
    "weight",
];
/// Most unknown columns that a note names.
const MOST_NAMED: usize = 12;
/// Required columns.
const NEEDED: [&str; 5] = ["name", "instructions", "ipc", "threads", "blocks"];

/// Whether a header is that of such a table, or of one from which something is missing.
pub(super) fn is_header(columns: &Columns) -> bool {
    columns.has(&["name"]) && ALL.iter().skip(1).any(|name| columns.place(name).is_some())
}

/// Reads all kernels.
///
/// # Errors
/// [`TraceError`]: columns are missing, or there are too many kernels.
pub(super) fn read(text: &str, found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    let table = Table::of(found.path(), text, &[])?;
    let columns = Columns::of_table(&table);
    columns.need(found.path(), &NEEDED).map_err(|missing| with_unknown(found.path(), missing, &columns))?;
    if let Some(unknown) = unknown(&columns) {
        found.note(&format!("{unknown}: ignored; columns of a kernel are {}", ALL.join(", ")));
    }
    let mut names = BTreeSet::new();
    let mut outcome = Ok(());
    table.each(|line, row| match row.and_then(|row| kernel(&columns, &row, &mut names)) {
        Ok(kernel) if outcome.is_ok() => outcome = found.add(Launch { kernel, ..Launch::default() }),
        Ok(_) => {}
        Err(problem) => found.leave_out(line, None, &problem),
    });
    outcome
}

/// Unknown columns with suggestions: "columns “regs”, “colour”"; none if all are known.
fn unknown(columns: &Columns) -> Option<String> {
    let unknown = || columns.names().iter().filter(|name| !name.is_empty() && !ALL.contains(&name.as_str()));
    let absent: Vec<&str> = ALL.into_iter().filter(|known| columns.place(known).is_none()).collect();
    let listed: Vec<String> = unknown()
        .take(MOST_NAMED)
        .map(|name| {
            let meant = did_you_mean(name, &absent);
            let meant = meant.strip_prefix(", ").map_or_else(String::new, |meant| format!(" ({meant})"));
            format!("“{}”{meant}", shown(name))
        })
        .collect();
    let count = unknown().count();
    let more = if count == listed.len() { String::new() } else { format!(" and {} more", count - listed.len()) };
    match count {
        0 => None,
        1 => Some(format!("column {}", listed[0])),
        _ => Some(format!("columns {}{more}", listed.join(", "))),
    }
}

/// An error about missing columns, with the unknown ones: one may be a misspelling of the other.
fn with_unknown(path: &Path, missing: TraceError, columns: &Columns) -> TraceError {
    match (unknown(columns), missing) {
        (Some(unknown), TraceError::Unusable { problem, .. }) => {
            TraceError::unusable(path, format!("{problem}; not known: {unknown}"))
        }
        (_, missing) => missing,
    }
}

fn kernel(columns: &Columns, row: &Row<'_>, names: &mut BTreeSet<String>) -> Result<ProfiledKernel, String> {
    let optional = |name: &str, least: f64, most: f64| columns.optional(row, name, least..=most);
    let kernel = ProfiledKernel {
        name: columns.named(row, "name")?,
        launches: 1,
        instructions: optional("instructions", 1.0, found::MOST_COUNTED)?,
        ipc: optional("ipc", 1e-6, 1e9)?,
        register_bytes: optional("register_bytes", 0.0, found::MOST_BYTES)?,
        shared_bytes: optional("shared_bytes", 0.0, found::MOST_BYTES)?,
        threads: optional("threads", 1.0, found::MOST_THREADS)?,
        blocks: optional("blocks", 1.0, found::MOST_BLOCKS)?,
        miss_rate: optional("miss_rate", 0.0, 1.0)?,
        class: number::class("class", columns.text(row, "class"))?,
        is_idempotent: whether("is_idempotent", columns.text(row, "is_idempotent"))?,
        weight: optional("weight", 0.0, 1e9)?,
        ..ProfiledKernel::default()
    };
    if !names.insert(kernel.name.clone()) {
        return Err(format!("duplicate name “{}”", shown(&kernel.name)));
    }
    Ok(kernel)
}

/// Yes or no; nothing where the field is empty.
fn whether(field: &str, text: &str) -> Result<Option<bool>, String> {
    match text.to_ascii_lowercase().as_str() {
        "" => Ok(None),
        "true" | "yes" | "1" => Ok(Some(true)),
        "false" | "no" | "0" => Ok(Some(false)),
        _ => Err(format!("{field} is “{}”; allowed: true or false", shown(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ProfileFormat;
    use super::super::found::tests::read_as;
    use super::*;
    use crossover_measured::kernels::Class;

    const HEADER: &str =
        " Name ,INSTRUCTIONS,ipc,register_bytes,shared_bytes,threads,blocks,miss_rate,class,is_idempotent,weight\n";

    #[test]
    fn all_columns_are_read_whatever_letters_they_have() {
        let text = format!("{HEADER}gemm,3e8,300,32768,6144,256,120,0.3,memory,true,2\nadd,1e6,20,,,128,64,,,,\n");
        let read = read_as(&text, read, ProfileFormat::Plain).expect("kernels");
        let [gemm, add] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        let expected = ProfiledKernel {
            name: "gemm".into(),
            launches: 1,
            instructions: Some(3e8),
            ipc: Some(300.0),
            register_bytes: Some(32_768.0),
            shared_bytes: Some(6_144.0),
            threads: Some(256.0),
            blocks: Some(120.0),
            miss_rate: Some(0.3),
            class: Some(Class::Memory),
            is_idempotent: Some(true),
            weight: Some(2.0),
            ..ProfiledKernel::default()
        };
        assert_eq!(*gemm, expected);
        assert_eq!((add.class, add.is_idempotent, add.weight, add.shared_bytes), (None, None, None, None));
        assert!(read.notes.is_empty() && read.left_out.is_empty());
    }

    /// The table of the first test, as a spreadsheet in German writes it; and with commas between fields, so that numbers stand in quotes.
    #[test]
    fn decimal_commas_are_those_of_the_whole_table() {
        let english = "name,instructions,ipc,threads,blocks,miss_rate\ngemm,300000,2.5,256,1024,0.125\n";
        let expected = read_as(english, read, ProfileFormat::Plain).expect("a kernel").kernels;
        for text in [
            "name;instructions;ipc;threads;blocks;miss_rate\ngemm;300.000;2,5;256;1.024;0,125\n",
            "name,instructions,ipc,threads,blocks,miss_rate\ngemm,300.000,\"2,5\",256,1.024,\"0,125\"\n",
        ] {
            let german = read_as(text, read, ProfileFormat::Plain).expect("a kernel");
            assert_eq!((german.kernels, german.left_out), (expected.clone(), Vec::new()), "{text}");
        }
        // One number that contradicts the others is no number.
        let mixed = "name;instructions;ipc;threads;blocks;miss_rate\na;1000;2,5;1;1;0,1\nb;1000;2.5;1;1;0,1\n";
        let left_out = read_as(mixed, read, ProfileFormat::Plain).expect("a kernel").left_out.join("");
        assert!(left_out.contains("line 3: ipc is “2.5”; allowed: a number"), "{left_out}");
    }

    #[test]
    fn columns_that_are_not_known_are_named_with_what_may_be_meant() {
        let text = "name,instructions,ipc,threads,blocks,registers_bytes,colour\nk,1e6,2,64,8,100,red\n";
        let read_kernels = read_as(text, read, ProfileFormat::Plain).expect("a kernel");
        let [note] = &read_kernels.notes[..] else { panic!("{:?}", read_kernels.notes) };
        assert!(
            note.contains("columns “registers_bytes” (did you mean “register_bytes”?), “colour”: ignored; columns of a kernel are name, "),
            "{note}"
        );
        let problem = read_as("name,instruction,ipc,threads,blocks\nk,1,1,1,1\n", read, ProfileFormat::Plain)
            .expect_err("a column");
        let problem = problem.to_string();
        assert!(problem.contains("no column “instructions”"), "{problem}");
        assert!(problem.ends_with("not known: column “instruction” (did you mean “instructions”?)"), "{problem}");
    }

    #[test]
    fn of_many_columns_that_are_not_known_the_first_are_named_and_too_many_are_refused() {
        let table = |count: usize| {
            let names = (0..count).map(|number| format!(",metric {number}")).collect::<Vec<_>>().concat();
            let cells = ",1".repeat(count);
            format!("name,instructions,ipc,threads,blocks{names}\nk,1e6,2,64,8{cells}\n")
        };
        let notes = read_as(&table(9_995), read, ProfileFormat::Plain).expect("a kernel").notes;
        assert!(
            notes[0].contains("columns “metric 0”, ") && notes[0].contains("“metric 11” and 9983 more:"),
            "{notes:?}"
        );
        let problem = read_as(&table(99_995), read, ProfileFormat::Plain).expect_err("too many").to_string();
        assert!(problem.ends_with("line 1: 100000 columns; allowed: at most 10000"), "{problem}");
    }

    #[test]
    fn missing_columns_and_bad_lines_are_named() {
        let problem = read_as("name,ipc,blocks\nk,1,2\n", read, ProfileFormat::Plain).expect_err("columns").to_string();
        assert!(problem.contains("no columns “instructions”, “threads” in “name,ipc,blocks”"), "{problem}");
        let text = format!(
            "{HEADER}a,1e6,2,,,1,1,,,,\na,1e6,2,,,1,1,,,,\nb,NaN,2,,,1,1,,,,\nc,1e6,2,,,1,1,,busy,,\nd,1e6,2,,,1,1,,,maybe,\ne,1"
        );
        let left_out = read_as(&text, read, ProfileFormat::Plain).expect("one kernel").left_out.join("");
        let expected = "5 lines were left out: line 3: duplicate name “a”; line 4: instructions is “NaN”; allowed: a \
                        number from 1 to 1000000000000000000; line 5: class is “busy”; allowed: memory or compute";
        assert!(left_out.contains(expected), "{left_out}");
    }
}
