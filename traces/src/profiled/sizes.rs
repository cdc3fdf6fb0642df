//! Instructions of kernels at several sizes of their input, for a regression: Rodinia's counters, or a table with the columns
//! `application,size,instructions`.

use std::path::Path;

use crossover_quantity::balance::BalanceOf;

use super::columns::Columns;
use super::detect::reason;
use super::found::MOST_COUNTED;
use super::{ReadSizes, SizedRun, rodinia};
use crate::error::{self, TraceError};
use crate::left_out::LeftOut;
use crate::table::{Row, Table};

/// Largest file.
const LARGEST_BYTES: u64 = 64 << 20;
/// Most runs of a file.
const MOST_RUNS: usize = 200_000;
/// Smallest size of an input, whose logarithm a regression takes.
const LEAST_SIZE: f64 = 1e-9;
/// Largest size of an input.
const MOST_SIZE: f64 = 1e15;
/// Columns of the plain table.
const COLUMNS: [&str; 3] = ["application", "size", "instructions"];

/// Reads all runs of a file.
///
/// # Errors
/// [`TraceError`]: unreadable, of no form that is known, without a usable line, or with too many.
pub(super) fn read(path: &Path) -> Result<ReadSizes, TraceError> {
    let text = error::text(path, LARGEST_BYTES)?;
    let table = Table::of(path, &text, &[])?;
    let columns = Columns::of_table(&table);
    let mut runs = Vec::new();
    let mut left_out = LeftOut::new("line", "lines");
    let mut take = |line: u64, run: Result<SizedRun, String>| match run {
        Ok(run) => runs.push(run),
        Err(problem) => left_out.add(|| format!("line {line}"), &problem),
    };
    let mut notes = Vec::new();
    if rodinia::is_header(&columns) {
        let mut has_launches = false;
        rodinia::each(path, &text, |line, _, sample| {
            take(
                line,
                sample.and_then(|sample| {
                    let [size, launches] = sample.size;
                    has_launches |= launches > 0.0;
                    let kernel = sample.kernel;
                    let instructions = kernel.instructions.filter(|count| *count >= 1.0 && size >= LEAST_SIZE);
                    let instructions = instructions.ok_or("inst_executed or input.size.1 is 0; allowed: above 0")?;
                    Ok(SizedRun { kernel: kernel.name, gpu: kernel.device, size, instructions })
                }),
            );
        })?;
        if has_launches {
            let remark = "sizes are those of input.size.1; input.size.2 is the number of launches";
            notes.push(format!("{}: {remark}", path.display()));
        }
    } else if ["application", "kernel"].iter().any(|name| columns.has(&[name])) || columns.has(&["size"]) {
        columns.need(path, &COLUMNS)?;
        table.each(|line, row| take(line, row.and_then(|row| run(&columns, &row))));
    } else {
        let expected = "expected Rodinia's counters, or a table with the columns application,size,instructions";
        let problem = format!("no sizes of kernels: {}; {expected}", reason(&text));
        return Err(TraceError::unusable(path, problem));
    }
    if runs.len() > MOST_RUNS {
        return Err(TraceError::unusable(path, format!("more than {MOST_RUNS} lines; split the file")));
    }
    if runs.is_empty() {
        return Err(TraceError::unusable(path, left_out.nothing_of("line")));
    }
    let mut all_left_out = Vec::new();
    left_out.note_of(path, left_out.total(BalanceOf::Runs, runs.len()).balance().as_ref(), &mut all_left_out);
    Ok(ReadSizes { runs, left_out: all_left_out, notes })
}

fn run(columns: &Columns, row: &Row<'_>) -> Result<SizedRun, String> {
    Ok(SizedRun {
        kernel: columns.named(row, "application")?,
        gpu: Some(columns.text(row, "gpu").to_owned()).filter(|gpu| !gpu.is_empty()),
        size: columns.number(row, "size", LEAST_SIZE..=MOST_SIZE)?,
        instructions: columns.number(row, "instructions", 1.0..=MOST_COUNTED)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossover_needs::test_data;

    fn read_text(text: &str) -> Result<ReadSizes, TraceError> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("space");
        read(file.path())
    }

    #[test]
    fn a_plain_table_is_read() {
        let read = read_text("Application,Size,Instructions,gpu\nsort,1024,1e6,K40\nsort,2048,NaN,\nsort,4096,4e6,\n");
        let read = read.expect("two runs");
        let first = SizedRun { kernel: "sort".into(), gpu: Some("K40".into()), size: 1_024.0, instructions: 1e6 };
        assert_eq!((&read.runs[0], read.runs.len()), (&first, 2));
        assert!(read.left_out[0].contains("line 3: instructions is “NaN”"), "{:?}", read.left_out);
    }

    #[test]
    fn other_tables_are_refused_with_what_is_missing() {
        let problem = |text| read_text(text).expect_err("refused").to_string();
        assert!(problem("application,size\na,1\n").contains("no column “instructions”"));
        assert!(problem("a,b\n1,2\n").contains("the first line, “a,b”"));
        assert!(problem("").contains("it is empty"));
        assert!(problem("application,size,instructions\na,x,1\n").contains("no valid line; line 2: size is “x”"));
    }

    #[test]
    fn the_published_table_is_read_whole() {
        let Some(file) = test_data("kernels/rodinia_kernels.csv") else { return };
        let read = read(&file).expect("the table");
        assert_eq!((read.runs.len(), read.left_out.len(), read.notes.len()), (3_155, 0, 1));
        let of = |size: f64| {
            read.runs.iter().find(|run| {
                run.kernel == "backprop bpnn_adjust_weights_cuda"
                    && run.gpu.as_deref() == Some("Tesla-K40")
                    && run.size == size
            })
        };
        assert_eq!(of(8_192.0).map(|run| run.instructions), Some(217_113.0));
    }
}
