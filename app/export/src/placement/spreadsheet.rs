//! Recommendations as CSV: one line for each operator × network × compression.

use crossover_placement::{Parameter, Term};
use crossover_quantity::text::csv::Records;

use super::{Recommendation, Recommendations};

/// The break-even that has a column: the first that planners ask for.
const BREAK_EVEN: Parameter = Parameter::CPU_TIME;

pub(super) fn csv(recommendations: &Recommendations<'_>) -> String {
    let mut csv = Records::default();
    csv.push(header());
    for row in &recommendations.rows {
        csv.push(record(row));
    }
    csv.into_text()
}

fn header() -> Vec<String> {
    let names = [
        "operator",
        "network",
        "compression",
        "cpu_seconds",
        "gpu_seconds",
        "speedup",
        "placement",
        "pinned",
        "margin_percent",
        "reason",
    ];
    let terms =
        ["cpu", "gpu"].into_iter().flat_map(|side| Term::ALL.map(|term| format!("{side}_{}_seconds", term.key())));
    let break_even = [format!("break_even_{}", BREAK_EVEN.info().key), "break_even_gpu_recommended".to_owned()];
    names.map(str::to_owned).into_iter().chain(terms).chain(break_even).collect()
}

fn record(row: &Recommendation<'_>) -> Vec<String> {
    let key = BREAK_EVEN.info().key;
    let break_even = row.break_even.iter().find(|(parameter, _)| *parameter == key).and_then(|(_, found)| *found);
    let gpu_recommended = row.break_even_gpu_recommended.iter().find(|(parameter, _)| *parameter == key);
    let mut fields = vec![
        row.operator.to_owned(),
        row.network.to_owned(),
        row.compression.to_string(),
        row.cpu_seconds.to_string(),
        row.gpu_seconds.to_string(),
        row.speedup.to_string(),
        row.placement.to_owned(),
        row.pinned.to_string(),
        row.margin_percent.to_string(),
        row.reason.to_owned(),
    ];
    fields.extend(row.breakdown.cpu.iter().chain(&row.breakdown.gpu).map(|(_, seconds)| seconds.to_string()));
    fields.push(break_even.map(|value| value.to_string()).unwrap_or_default());
    fields.push(gpu_recommended.map_or("", |(_, side)| side).to_owned());
    fields
}

#[cfg(test)]
mod tests {
    use crossover_placement::evaluate;

    use super::super::tests::{published, written};
    use crate::Format;
    use crate::csv::parse;

    #[test]
    fn csv_keeps_every_bit_and_names_with_quotes_and_commas() {
        let mut study = published();
        "say \"cheese\", twice\nplease".clone_into(&mut study.operators[0].name);
        let records = parse(&written(Format::Csv, &study));
        let column = |name: &str| records[0].iter().position(|title| title == name).unwrap();
        let outcome = evaluate(&study);
        assert_eq!(records.len(), 1 + outcome.rows.len());
        for (record, row) in records[1..].iter().zip(&outcome.rows) {
            assert_eq!(record.len(), records[0].len());
            assert_eq!(record[column("operator")], study.operators[row.operator].name);
            assert_eq!(record[column("speedup")].parse(), Ok(row.speedup()));
            assert_eq!(record[column("gpu_seconds")].parse(), Ok(row.cost.gpu.total()));
            assert_eq!(record[column("reason")], row.reason);
        }
        // Filter over Ethernet: 0.1 · 10,000/9 nodes · 8 = 888.889 s of network; published break-even 8.7302 ms.
        let number = |name: &str| records[1][column(name)].parse::<f64>().unwrap();
        assert_eq!(format!("{:.3}", number("cpu_network_seconds")), "888.889");
        assert_eq!(format!("{:.4e}", number("break_even_cpu_seconds_per_100mb")), "8.7302e-3");
        assert_eq!(records[1][column("break_even_gpu_recommended")], "above");
        assert_eq!(records[2][column("break_even_cpu_seconds_per_100mb")], "", "the GPU is faster at every t");
    }
}
