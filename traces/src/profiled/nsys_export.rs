//! The database that `nsys export --type sqlite` writes, and `nsys stats` beside a recording: launches of kernels, names, GPUs.
//! Tables: <https://docs.nvidia.com/nsight-systems/UserGuide/index.html#sqlite-schema-reference>.

use std::collections::BTreeMap;

use crossover_quantity::unread::UnreadKind;

use super::ProfiledKernel;
use super::found::{self, KernelCollector};
use super::gathered::Launch;
use super::nvprof::REGISTER_BYTES;
use super::sqlite::{Database, Table, Value};
use crate::error::TraceError;
use crate::unread::{UnreadColumns, file_name};

/// The table of launches.
const LAUNCHES: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
/// Columns of launches that are needed.
const NEEDED: [&str; 4] = ["start", "end", "gridX", "blockX"];
/// The table of CUDA graphs, which a recording has unless `--cuda-graph-trace=node` was set:
/// <https://docs.nvidia.com/nsight-systems/UserGuide/index.html#cli-profile-command-switch-options>.
const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
/// Why the time of graphs has no kernel.
const WITHOUT_KERNELS: &str =
    "CUDA graphs are recorded as a whole; `nsys profile --cuda-graph-trace=node` records their kernels";
/// How the names of the tables of launches begin in a `rocpd` database, which `rocprofv3` writes unless another format was set:
/// <https://rocm.docs.amd.com/projects/rocprofiler-sdk/en/latest/how-to/using-rocpd-output-format.html>.
const ROCPD: &str = "rocpd_kernel_dispatch";
/// Tables of memory copies and sets.
const COPIES: [&str; 2] = ["CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"];

/// Reads the launches of a database.
///
/// # Errors
/// [`TraceError`]: no database of Nsight Systems with launches, damaged, or there are too many kernels.
pub(super) fn read(bytes: &[u8], found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    let path = found.path();
    let unusable = |problem: String| TraceError::unusable(path, problem);
    let database = Database::of(bytes).map_err(unusable)?;
    let Some(table) = database.table(LAUNCHES).map_err(unusable)? else {
        let names = database.tables().map_err(unusable)?;
        return Err(unusable(without_launches(names.iter().map(|(name, _)| name.as_str()))));
    };
    if let Some(absent) = NEEDED.iter().find(|name| table.place(name).is_none()) {
        return Err(unusable(format!("table {LAUNCHES} has no column {absent}; expected {}", NEEDED.join(", "))));
    }
    let names = texts(&database, "StringIds", ["id", "value"]).map_err(unusable)?;
    let gpus = texts(&database, "TARGET_INFO_GPU", ["id", "name"]).map_err(unusable)?;
    let (mut launches, mut line) = (Vec::new(), 0_u64);
    let mut unread = UnreadColumns::of_time(table.columns(), &[]);
    database
        .each(&table, |_, row| {
            line += 1;
            // Any text for a value, none for none.
            unread.count(|place| if matches!(row.get(place), None | Some(Value::Null)) { "" } else { "value" });
            launches.push((line, seconds(&table, row), launch(&table, row, &names, &gpus)));
        })
        .map_err(unusable)?;
    for (line, seconds, launch) in launches {
        match launch {
            Ok(kernel) => found.add(Launch { kernel, ..Launch::default() })?,
            Err(problem) => found.leave_out(line, seconds, &problem),
        }
    }
    found.take_unread(&mut unread);
    name_other_activities(&database, found).map_err(unusable)
}

/// Why a database without the table of launches, but with these tables, cannot be used, and what to import instead.
fn without_launches<'a>(mut tables: impl Iterator<Item = &'a str>) -> String {
    if tables.any(|name| name.starts_with(ROCPD)) {
        return "a rocpd database of `rocprofv3`, which cannot be read; convert it with `rocpd convert -i FILE --output-format csv` and \
                import the `…kernel_trace.csv` that this writes, or profile again with `rocprofv3 --kernel-trace --output-format csv`"
            .to_owned();
    }
    format!(
        "an SQLite database without the table {LAUNCHES}; expected the export of a recording of Nsight Systems with CUDA (`nsys \
         profile --trace=cuda`)"
    )
}

/// Notes copies, and names the other tables of what has a start and an end: calls of libraries, graphs that were recorded as a
/// whole, ranges of a user.
fn name_other_activities(database: &Database<'_>, found: &mut KernelCollector<'_>) -> Result<(), String> {
    let file = file_name(found.path());
    let mut copies = 0;
    for (name, table) in database.tables()? {
        let has_times = ["start", "end"].iter().all(|column| table.place(column).is_some());
        if !has_times || name.eq_ignore_ascii_case(LAUNCHES) {
            continue;
        }
        let (mut rows, mut of_graphs) = (0, 0.0);
        let are_graphs = name == GRAPHS;
        let read = database.each(&table, |_, row| {
            rows += 1;
            if are_graphs {
                let time = seconds(&table, row).filter(|time| (0.0..=found::MOST_SECONDS).contains(time));
                of_graphs += time.unwrap_or(0.0);
            }
        });
        found.lose_time(of_graphs, WITHOUT_KERNELS);
        if let Err(problem) = read {
            found.note(&format!("table {name}, which is not used: {problem}"));
        } else if COPIES.contains(&name.as_str()) {
            copies += rows;
        } else if rows > 0 {
            found.unread().add_several(UnreadKind::Time, &name, &file, rows);
        }
    }
    found.note_copies(copies);
    Ok(())
}

/// Texts of a table by their numbers; none without the table.
fn texts(database: &Database<'_>, name: &str, [id, text]: [&str; 2]) -> Result<BTreeMap<i64, String>, String> {
    let mut texts = BTreeMap::new();
    let Some(table) = database.table(name)? else { return Ok(texts) };
    let (Some(id), Some(text)) = (table.place(id), table.place(text)) else { return Ok(texts) };
    database.each(&table, |_, row| {
        if let (Some(Value::Integer(id)), Some(Value::Text(text))) = (row.get(id), row.get(text)) {
            texts.insert(*id, text.clone());
        }
    })?;
    Ok(texts)
}

/// The time from start to end of a row, seconds.
fn seconds(table: &Table, row: &[Value]) -> Option<f64> {
    let number = |name: &str| table.place(name).and_then(|place| row.get(place)).and_then(Value::number);
    Some((number("end")? - number("start")?) * 1e-9)
}

fn launch(
    table: &Table,
    row: &[Value],
    names: &BTreeMap<i64, String>,
    gpus: &BTreeMap<i64, String>,
) -> Result<ProfiledKernel, String> {
    let value = |name: &str| table.place(name).and_then(|place| row.get(place));
    let number = |name: &str| value(name).and_then(Value::number);
    let named = |name: &str| value(name).and_then(Value::integer).and_then(|id| names.get(&id));
    let name = named("demangledName").or_else(|| named("shortName")).or_else(|| named("mangledName"));
    let name = name.filter(|name| !name.is_empty()).ok_or("the launch has no name")?;
    let product = |axes: [&str; 3]| axes.iter().filter_map(|axis| number(axis)).reduce(|a, b| a * b);
    let threads = product(["blockX", "blockY", "blockZ"]);
    let shared = [number("staticSharedMemory"), number("dynamicSharedMemory")];
    let kernel = ProfiledKernel {
        name: name.clone(),
        device: value("deviceId").and_then(Value::integer).and_then(|id| gpus.get(&id)).cloned(),
        launches: 1,
        seconds: seconds(table, row).filter(|seconds| *seconds > 0.0),
        threads,
        blocks: product(["gridX", "gridY", "gridZ"]),
        register_bytes: number("registersPerThread")
            .zip(threads)
            .map(|(count, threads)| count * threads * REGISTER_BYTES),
        shared_bytes: match shared {
            [Some(fixed), Some(of_launch)] => Some(fixed + of_launch),
            _ => None,
        },
        ..ProfiledKernel::default()
    };
    found::check(&kernel)?;
    Ok(kernel)
}

#[cfg(test)]
mod tests {
    use super::super::kernels;
    use super::super::sqlite::Value::{self, Integer};
    use super::super::sqlite::tests::database;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    /// A file with these launches, and what reading it gives.
    fn read(launches: Vec<Vec<Value>>) -> Result<super::super::ReadKernels, String> {
        let bytes = database(&[
            (
                "CUPTI_ACTIVITY_KIND_KERNEL",
                "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, \
                 demangledName INTEGER NOT NULL, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX \
                 INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER)",
                launches,
            ),
            (
                "StringIds",
                "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
                vec![vec![Value::Null, text("gemm(float*)")], vec![Value::Null, text("copy(int*)")]],
            ),
            (
                "TARGET_INFO_GPU",
                "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT)",
                vec![vec![Integer(1), Integer(0), text("NVIDIA L4")]],
            ),
        ]);
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("space");
        kernels(file.path()).map_err(|error| error.to_string())
    }

    fn launch(start: i64, end: i64, name: i64) -> Vec<Value> {
        [start, end, 0, name, 64, 80, 2, 1, 128, 1, 1, 1_024, 2_048].map(Integer).to_vec()
    }

    #[test]
    fn launches_are_joined_with_their_names_and_gpus() {
        let read = read(vec![launch(1_000, 46_000, 1), launch(50_000, 105_000, 1), launch(200_000, 201_000, 2)]);
        let read = read.expect("kernels");
        let seen: Vec<_> = read.kernels.iter().map(|kernel| (&*kernel.name, kernel.launches)).collect();
        assert_eq!((read.form.label(), seen), ("Nsight Systems", vec![("gemm(float*)", 2), ("copy(int*)", 1)]));
        let kernel = &read.kernels[0];
        assert_eq!(
            (kernel.device.as_deref(), kernel.threads, kernel.blocks),
            (Some("NVIDIA L4"), Some(128.0), Some(160.0))
        );
        assert_eq!((kernel.register_bytes, kernel.shared_bytes), (Some(32_768.0), Some(3_072.0)));
        assert!(kernel.seconds.is_some_and(|seconds| (seconds - 50e-6).abs() < 1e-15), "{kernel:?}");
    }

    #[test]
    fn other_times_of_launches_and_other_activities_are_named_with_their_count() {
        let two = |times: [i64; 2]| times.map(Integer).to_vec();
        let mut launches = vec![[1_000, 2_000, 1, 8, 64, 5].map(Integer).to_vec(); 2];
        launches[1][5] = Value::Null;
        let bytes = database(&[
            (
                "CUPTI_ACTIVITY_KIND_KERNEL",
                "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, shortName INTEGER, gridX INTEGER, blockX INTEGER, \
                 queue_ns INTEGER)",
                launches,
            ),
            (
                "StringIds",
                "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
                vec![vec![Value::Null, text("gemm")]],
            ),
            (
                "CUPTI_ACTIVITY_KIND_MEMCPY",
                "CREATE TABLE M (start INTEGER, end INTEGER)",
                vec![two([1, 2]), two([3, 4])],
            ),
            ("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CREATE TABLE G (start INTEGER, end INTEGER)", vec![two([1, 9]); 3]),
            ("NVTX_EVENTS", "CREATE TABLE N (start INTEGER, end INTEGER)", Vec::new()),
        ]);
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("space");
        let read = kernels(file.path()).expect("kernels");
        let named: Vec<_> = read.unread.names().map(|name| (name.name, name.count)).collect();
        assert_eq!(named, [("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", 3), ("queue_ns", 1)]);
        // Two launches of 1,000 ns, and three graphs of 8 ns.
        let [time] = &read.balances[..] else { panic!("{:?}", read.balances) };
        assert!(
            (time.accounted * 1e9 - 2_000.0).abs() < 1e-6 && (time.missing() * 1e9 - 24.0).abs() < 1e-6,
            "{time:?}"
        );
        assert!(time.unaccounted[0].reason.contains("--cuda-graph-trace=node"), "{time:?}");
        assert!(
            read.notes.iter().any(|note| note.ends_with("2 lines of memory copies and sets: not kernels")),
            "{:?}",
            read.notes
        );
    }

    proptest::proptest! {
        /// A launch without a name is left out; its time is in the file all the same.
        #[test]
        fn the_time_of_all_launches_comes_out_or_is_named(
            launches in proptest::collection::vec((1_i32..1_000_000, proptest::bool::weighted(0.3)), 1..20),
        ) {
            let [mut kept, mut lost] = [500.0, 0.0];
            let mut rows = vec![launch(0, 500, 1)];
            for (nanoseconds, is_bad) in launches {
                rows.push(launch(1_000, 1_000 + i64::from(nanoseconds), if is_bad { 9 } else { 1 }));
                *(if is_bad { &mut lost } else { &mut kept }) += f64::from(nanoseconds);
            }
            let read = read(rows).expect("kernels");
            let [time] = &read.balances[..] else { panic!("{:?}", read.balances) };
            for (found, stated) in [(time.total, kept + lost), (time.accounted, kept), (time.missing(), lost)] {
                proptest::prop_assert!((found * 1e9 - stated).abs() < 1e-6 * (kept + lost), "{:?}: {}", time, stated);
            }
        }
    }

    #[test]
    fn a_launch_without_a_name_is_left_out_and_another_database_refused() {
        let read = read(vec![launch(1_000, 2_000, 1), launch(3_000, 4_000, 9)]).expect("kernels");
        assert!(read.left_out.join("").contains("line 2: the launch has no name"), "{:?}", read.left_out);
        let other = database(&[("T", "CREATE TABLE T (a INTEGER)", vec![vec![Integer(1)]])]);
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), other).expect("space");
        let problem = kernels(file.path()).expect_err("no launches").to_string();
        assert!(problem.contains("without the table CUPTI_ACTIVITY_KIND_KERNEL"), "{problem}");
    }

    /// Names of tables end with the id of the node and the process.
    #[test]
    fn a_database_of_rocprofv3_is_named_with_the_command_that_converts_it() {
        let dispatches = "rocpd_kernel_dispatch_00001a2b_0c3d_7e4f_8a5b_6c7d8e9fa0b1";
        let sql = format!("CREATE TABLE {dispatches} (id INTEGER, start BIGINT, end BIGINT)");
        let of_amd = database(&[(dispatches, sql.as_str(), vec![[1, 1_000, 2_000].map(Integer).to_vec()])]);
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), of_amd).expect("space");
        let problem = kernels(file.path()).expect_err("no launches").to_string();
        for words in
            ["a rocpd database of `rocprofv3`", "rocpd convert -i FILE --output-format csv", "kernel_trace.csv"]
        {
            assert!(problem.contains(words), "{problem}");
        }
        assert!(!problem.contains("Nsight"), "{problem}");
    }
}
