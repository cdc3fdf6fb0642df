//! Tables of results of `MLPerf` Training as CSV: what `mlperf_logging.result_summarizer` writes, with a column of minutes for
//! each benchmark, or one line for each result, with the columns model and minutes. Columns are known by their names, which
//! changed over the years. <https://github.com/mlcommons/logging/tree/master/mlperf_logging/result_summarizer>

use std::path::Path;

use crossover_quantity::unread::{suggests_accelerator, suggests_time};

use super::Probed;
use super::found::RunCollector;
use super::quantity;
use crate::error::TraceError;
use crate::left_out::shown;
use crate::table::{Row, Table};
use crate::unread::{UnreadColumns, file_name};

/// How the names of benchmarks begin, in small letters without other signs.
const BENCHMARKS: [&str; 26] = [
    "3dunet",
    "bert",
    "cosmoflow",
    "deepcam",
    "deepseek",
    "dlrm",
    "flux",
    "gnmt",
    "gnn",
    "gpt",
    "llama",
    "maskrcnn",
    "minigo",
    "ncf",
    "opencatalyst",
    "openfold",
    "qwen",
    "resnet",
    "retinanet",
    "rgat",
    "rnnt",
    "ssd",
    "stablediffusion",
    "transformer",
    "translation",
    "unet3d",
];

/// Whether a header is that of such a table.
pub(super) fn has_columns(header: &[String]) -> bool {
    Columns::of(header).is_some()
}

/// Reads all results.
///
/// # Errors
/// [`TraceError`]: it is no such table.
pub(super) fn read(path: &Path, text: &str, found: &mut RunCollector) -> Result<(), TraceError> {
    let table = Table::of(path, text, &[])?;
    let header = table.columns();
    let Some(columns) = Columns::of(&header) else {
        return Err(TraceError::unusable(
            path,
            "line 1: expected columns such as Submitter, System, # of Accelerators",
        ));
    };
    let mut has_nodes = false;
    let mut unread = UnreadColumns::at(columns.unread(&header));
    table.each(|line, row| {
        let results = row.as_ref().map_or(1, |row| columns.count(row));
        let outcome = row.and_then(|row| {
            unread.count(|place| Columns::text(&row, Some(place)));
            has_nodes |= columns.is_ambiguous(&row);
            let system = columns.system_of(&row)?;
            columns.results(&row, |probe, minutes| {
                if let Err(problem) = system.result(probe, minutes, found) {
                    found.leave_out(1, || format!("line {line}"), &problem);
                }
            })
        });
        if let Err(problem) = outcome {
            found.leave_out(results, || format!("line {line}"), &problem);
        }
    });
    unread.report(&file_name(path), found.unread());
    if has_nodes {
        found.note(format!(
            "{}: accelerator counts are assumed to be of all nodes together; some tables have counts per node",
            path.display()
        ));
    }
    Ok(())
}

/// Where the columns stand.
#[derive(Default)]
struct Columns {
    submitter: Option<usize>,
    system: Option<usize>,
    nodes: Option<usize>,
    accelerator: Option<usize>,
    /// Accelerators of all nodes.
    total: Option<usize>,
    /// Whether that column says that it is the total.
    is_named_total: bool,
    per_node: Option<usize>,
    processor: Option<usize>,
    processors: Option<usize>,
    results: Results,
}

/// Where the minutes stand.
enum Results {
    /// A line is a result: the name of its benchmark, its minutes, and what they are measured in, if a column says so.
    Long { model: usize, minutes: usize, unit: Option<usize> },
    /// A line is a system: the columns of its benchmarks with their names.
    Wide(Vec<(usize, String)>),
}

impl Default for Results {
    fn default() -> Self {
        Self::Wide(Vec::new())
    }
}

/// A system of a line.
struct System {
    centre: String,
    unit: String,
    units: Option<f64>,
}

impl Columns {
    fn of(header: &[String]) -> Option<Self> {
        let names: Vec<String> = header.iter().map(|name| plain(name)).collect();
        let place = |known: &[&str]| known.iter().find_map(|known| names.iter().position(|name| name == known));
        let submitter = place(&["submitter", "organization"]);
        let system =
            place(&["system", "systemname"]).or_else(|| names.iter().position(|name| name.starts_with("systemname")));
        let accelerator = place(&["acceleratormodelname", "accelerator", "acceleratorname"]);
        let processor = place(&["hostprocessormodelname", "processor", "hostprocessor"]);
        // In the tables of the first years each column of models was followed by one that was called “#”.
        let behind = |place: Option<usize>| {
            place.map(|place| place + 1).filter(|at| names.get(*at).is_some_and(|name| name == "#"))
        };
        let named_total = place(&["totalaccelerators", "acceleratorscount", "acceleratorcount"]);
        let total = named_total
            .or_else(|| place(&["#ofaccelerators", "#accelerators", "numberofaccelerators", "a#", "accelerators"]))
            .or_else(|| behind(accelerator));
        let processors = place(&["totalprocessors", "hostprocessorscount", "#ofprocessors", "#processors", "p#"]);
        let results = Results::of(header, &names)?;
        let columns = Self {
            submitter,
            system,
            nodes: place(&["numberofnodes", "#ofnodes", "#nodes", "nodes"]),
            accelerator,
            total,
            is_named_total: named_total.is_some(),
            per_node: place(&["acceleratorspernode"]),
            processor,
            processors: processors.or_else(|| behind(processor)),
            results,
        };
        let has_units = columns.total.or(columns.per_node).or(columns.processors).is_some();
        (columns.submitter.or(columns.system).is_some() && has_units).then_some(columns)
    }

    /// Places and names of columns that speak of a time or of an accelerator, or have other results, and are not used.
    fn unread(&self, header: &[String]) -> impl Iterator<Item = (usize, String)> {
        let mut used = vec![self.submitter, self.system, self.nodes, self.accelerator, self.total, self.per_node];
        used.extend([self.processor, self.processors]);
        match &self.results {
            Results::Long { model, minutes, unit } => used.extend([Some(*model), Some(*minutes), *unit]),
            Results::Wide(benchmarks) => used.extend(benchmarks.iter().map(|(place, _)| Some(*place))),
        }
        let is_unread = move |(place, name): &(usize, &String)| {
            let is_of_interest = suggests_time(name) || suggests_accelerator(name) || is_benchmark(&plain(name));
            is_of_interest && !used.contains(&Some(*place))
        };
        header.iter().enumerate().filter(is_unread).map(|(place, name)| (place, name.clone()))
    }

    fn text<'a>(row: &'a Row<'_>, place: Option<usize>) -> &'a str {
        place.map(|place| row.field(place)).filter(|text| !is_empty(text)).unwrap_or_default()
    }

    /// Whether the number of accelerators of a line may be those of one of its nodes.
    fn is_ambiguous(&self, row: &Row<'_>) -> bool {
        let nodes = without_commas(Self::text(row, self.nodes)).parse::<f64>();
        self.total.is_some() && !self.is_named_total && nodes.is_ok_and(|nodes| nodes > 1.0)
    }

    fn system_of(&self, row: &Row<'_>) -> Result<System, String> {
        let text = |place| Self::text(row, place);
        let number = |field: &str, place| {
            let text = Self::text(row, place);
            let is_said = !text.is_empty() && text.parse() != Ok(0.0);
            is_said.then(|| quantity::units(field, &without_commas(text))).transpose()
        };
        let accelerators = match number("the number of accelerators", self.total)? {
            Some(total) => Some(total),
            None => match number("accelerators per node", self.per_node)? {
                Some(of_a_node) => {
                    let total = of_a_node * number("the number of nodes", self.nodes)?.unwrap_or(1.0);
                    Some(quantity::units("the number of accelerators", &total.to_string())?)
                }
                None => None,
            },
        };
        let (units, unit) = match accelerators {
            Some(accelerators) => (Some(accelerators), text(self.accelerator)),
            // A system without any is its processors.
            None => (number("the number of processors", self.processors)?, text(self.processor)),
        };
        let centre = format!("{} {}", text(self.submitter), text(self.system));
        Ok(System { centre: centre.trim().to_owned(), unit: unit.to_owned(), units })
    }

    /// Results of a line.
    fn count(&self, row: &Row<'_>) -> usize {
        match &self.results {
            Results::Long { .. } => 1,
            Results::Wide(benchmarks) => benchmarks.iter().filter(|(place, _)| !is_empty(row.field(*place))).count(),
        }
    }

    /// Shows each benchmark of a line with its minutes; those without any were not submitted.
    fn results(&self, row: &Row<'_>, mut visit: impl FnMut(&str, &str)) -> Result<(), String> {
        match &self.results {
            Results::Long { model, minutes, unit } => {
                let unit = Self::text(row, *unit);
                if !unit.is_empty() && !plain(unit).contains("minute") {
                    return Err(format!("it is measured in “{}”; expected minutes", shown(unit)));
                }
                visit(row.field(*model), row.field(*minutes));
            }
            Results::Wide(benchmarks) => {
                for (place, name) in benchmarks {
                    let minutes = row.field(*place);
                    if !is_empty(minutes) {
                        visit(name, minutes);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Results {
    fn of(header: &[String], names: &[String]) -> Option<Self> {
        let place = |known: &[&str]| known.iter().find_map(|known| names.iter().position(|name| name == known));
        let unit = place(&["units", "unit", "units1", "metric"]);
        let model = place(&["model", "modelmlc", "benchmark", "benchmarkmlc", "benchmarkname"]);
        let minutes = names.iter().position(|name| name.contains("minutes")).or_else(|| place(&["timetotrain"]));
        // Only a column of units tells that a plain result has minutes.
        let minutes = minutes.or_else(|| unit.and_then(|_| place(&["result", "avgresultatsystemname"])));
        if let (Some(model), Some(minutes)) = (model, minutes) {
            return Some(Self::Long { model, minutes, unit });
        }
        // The summarizer writes benchmarks between these two; those with a colon are of weak scaling, or no times.
        let between = place(&["notes"]).zip(place(&["detailsurl"])).map(|(notes, details)| notes + 1..details);
        let benchmarks = header.iter().zip(names).enumerate().filter(|(place, (header, name))| {
            !header.contains(':')
                && (is_benchmark(name) || between.as_ref().is_some_and(|between| between.contains(place)))
        });
        let benchmarks: Vec<_> = benchmarks.map(|(place, (header, _))| (place, header.clone())).collect();
        (!benchmarks.is_empty()).then_some(Self::Wide(benchmarks))
    }
}

impl System {
    fn result(&self, probe: &str, minutes: &str, found: &mut RunCollector) -> Result<(), String> {
        let field = format!("the time of {}", shown(probe));
        let seconds = quantity::above_zero(&field, &without_commas(minutes))? * 60.0;
        if !quantity::is_above_zero(seconds) {
            return Err(format!("{field} is “{}”; expected minutes", shown(minutes)));
        }
        let run = Probed::new(probe, found.units(self.units, probe));
        let (centre, unit) = (self.centre.clone(), self.unit.clone());
        found.add(Probed { centre, unit, seconds: Some(seconds), ..run });
        Ok(())
    }
}

/// Whether a column is that of a known benchmark, by its [`plain`] name.
fn is_benchmark(name: &str) -> bool {
    BENCHMARKS.iter().any(|known| name.starts_with(known))
}

/// A name in small letters, of which only letters, digits and “#” are left.
fn plain(name: &str) -> String {
    name.chars().filter(|of| of.is_alphanumeric() || *of == '#').flat_map(char::to_lowercase).collect()
}

/// Whether a field says nothing.
fn is_empty(text: &str) -> bool {
    ["", "-", "N/A", "n/a"].contains(&text)
}

/// A number without the commas that part its thousands, as in 11,616.
fn without_commas(text: &str) -> String {
    let whole = text.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let is_parted = !first.is_empty() && first.len() <= 3 && groups.all(|group| group.len() == 3);
    if is_parted { text.replace(',', "") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> super::super::Read {
        let mut found = RunCollector::new(["result", "results"]);
        read(Path::new("a.csv"), text, &mut found).expect("such a table");
        found.end(Path::new("a.csv"), "result").expect("a run")
    }

    fn run(centre: &str, unit: &str, probe: &str, units: f64, minutes: f64) -> Probed {
        let (centre, unit) = (centre.to_owned(), unit.to_owned());
        Probed { centre, unit, seconds: Some(minutes * 60.0), ..Probed::new(probe, units) }
    }

    #[test]
    fn a_table_of_the_summarizer_has_a_run_for_each_benchmark() {
        let read = found(
            "division,availability,submitter,system,number_of_nodes,host_processor_model_name,host_processors_count,\
             accelerator_model_name,accelerators_count,framework,notes,bert,gpt3,a_new_one,details_url,code_url\n\
             closed,onprem,NVIDIA,eos_n1452,1452,Xeon 8480C,2904,H100,11616,NeMo,,,3.44,7,https://a,https://b\n\
             closed,onprem,Intel,xeon,16,Xeon 8380,32,N/A,0,PyTorch,,20.5,,,https://a,https://b\n",
        );
        let expected = [
            run("NVIDIA eos_n1452", "H100", "gpt3", 11_616.0, 3.44),
            run("NVIDIA eos_n1452", "H100", "a_new_one", 11_616.0, 7.0),
            run("Intel xeon", "Xeon 8380", "bert", 32.0, 20.5),
        ];
        assert_eq!((&read.runs[..], read.left_out, read.notes.len()), (&expected[..], None, 0));
    }

    #[test]
    fn a_line_for_each_result_is_read() {
        let read = found(
            "Public ID,Submitter,System Name (click + for details),# of Nodes,Accelerator,# of Accelerators,Model MLC,\
             Latency (in minutes)\n\
             4.1-0001,NVIDIA,Eos,64,H100,\"1,024\",llama2-70b-lora,1.19\n",
        );
        assert_eq!(read.runs, [run("NVIDIA Eos", "H100", "llama2-70b-lora", 1_024.0, 1.19)]);
        assert!(read.notes[0].contains("all nodes together"), "{:?}", read.notes);
    }

    /// Columns of the system descriptions of `MLPerf`, and a result of weak scaling.
    #[test]
    fn other_accelerator_columns_times_and_results_are_named_with_their_count() {
        let read = found(
            "submitter,system,accelerators_count,accelerator_memory_capacity,queue_time,bert,gpt3:weak,colour\n\
             A,b,8,80 GB,12,2,900,red\nA,c,8,N/A,,2,901,red\n",
        );
        let expected = "not used: columns accelerator_memory_capacity (1, first in a.csv), gpt3:weak (2, first in a.csv), \
                        queue_time (1, first in a.csv)";
        assert_eq!((read.runs.len(), &read.notes[..]), (2, &[expected.to_owned()][..]));
    }

    #[test]
    fn other_names_of_columns_are_known() {
        let cases = [
            ("Submitter,System,Accelerator,a#,Benchmark,Result (minutes)\nA,b,H100,8,bert,2\n", 8.0, "H100"),
            ("Submitter,System,Processor,#,Accelerator,#,BERT\nA,b,Xeon,2,H100,8,2\n", 2.0, "Xeon"),
            (
                "Submitter,System,Accelerator,Total Accelerators,Model,Units,Result\nA,b,H100,8,bert,Minutes,2\n",
                8.0,
                "H100",
            ),
            ("Submitter,System,Accelerators_per_node,# of Nodes,Model,Minutes\nA,b,4,3,bert,2\n", 12.0, ""),
        ];
        for (text, units, unit) in cases {
            let read = found(text);
            let [run] = &read.runs[..] else { panic!("{text}") };
            if text.contains("Processor,#") {
                assert_eq!((run.units, run.unit.as_str()), (8.0, "H100"), "{text}");
            } else {
                assert_eq!((run.units, run.unit.as_str(), run.centre.as_str()), (units, unit, "A b"), "{text}");
            }
            assert_eq!(run.seconds, Some(120.0), "{text}");
        }
    }

    #[test]
    fn bad_numbers_are_left_out_and_other_results_of_the_line_read() {
        let read = found(
            "submitter,system,accelerators_count,bert,resnet\nA,b,8,-1,2\nA,b,-8,1,1\nA,b,8,nan,1e308\nA,b,8\nA,b,,,1\n",
        );
        let of: Vec<_> = read.runs.iter().map(|run| (run.probe.as_str(), run.units)).collect();
        assert_eq!(of, [("resnet", 8.0), ("resnet", 1.0)]);
        let left_out = read.left_out.expect("five");
        assert!(
            left_out.contains("5 results were left out (6 of 8 runs): line 2: the time of bert is “-1”"),
            "{left_out}"
        );
        assert!(left_out.contains("line 3: the number of accelerators is “-8”"), "{left_out}");
        assert!(read.notes[0].contains("1 run (resnet)"), "{:?}", read.notes);
    }

    #[test]
    fn results_that_are_no_minutes_are_left_out() {
        let read = found(
            "Organization,System Name,# of Accelerators,Model,Units,Result\nA,b,8,bert,Samples/s,100\nA,b,8,bert,Minutes,1\n",
        );
        assert_eq!(read.runs.len(), 1);
        assert!(read.left_out.expect("one").contains("line 2: it is measured in “Samples/s”"));
    }

    #[test]
    fn commas_part_thousands_only() {
        for (text, expected) in
            [("11,616", "11616"), ("1,024.5", "1024.5"), ("1,5", "1,5"), ("8", "8"), (",024", ",024")]
        {
            assert_eq!(without_commas(text), expected);
        }
    }
}
