//! Generic resources of Slurm: `gpu:a100:8(S:0-1)` of a node, `gres/gpu:a100:2` of a job, `cpu=8,mem=120G,gres/gpu=4`
//! of either.
//! <https://slurm.schedmd.com/gres.html>

/// So many of a resource, perhaps of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gres {
    /// `gpu`, `shard`, `mps` …
    pub(super) kind: String,
    /// Type; empty if none is named.
    pub(super) of: String,
    /// How many.
    pub(super) count: u64,
}

impl Gres {
    /// The name under which nodes offer it and jobs request it.
    pub(super) fn resource(&self) -> String {
        if self.of.is_empty() { self.kind.clone() } else { format!("{}:{}", self.kind, self.of) }
    }
}

/// The resources of a list; other trackable resources than generic ones are passed over.
///
/// # Errors
/// A count is no number.
pub(super) fn list(text: &str) -> Result<Vec<Gres>, String> {
    let entries = outside_brackets(text);
    let entries = entries.split(',').map(str::trim).filter(|entry| !matches!(*entry, "" | "(null)" | "N/A"));
    entries.filter_map(|entry| one(entry).transpose()).collect()
}

/// Kinds of GPUs and of their shares.
const KINDS: [&str; 3] = ["gpu", "shard", "mps"];

/// The kinds of generic resources of a list that are not read. `is_tracked`: it also has other resources than generic ones.
pub(super) fn others(text: &str, is_tracked: bool) -> Vec<String> {
    let entries = outside_brackets(text);
    let entries = entries.split(',').map(str::trim).filter(|entry| !matches!(*entry, "" | "(null)" | "N/A"));
    let kinds = entries.filter_map(|entry| {
        let generic = entry.strip_prefix("gres/").or_else(|| entry.strip_prefix("gres:"));
        let kind = generic.or_else(|| Some(entry).filter(|_| !is_tracked))?.split([':', '=']).next()?;
        (!kind.is_empty() && !KINDS.contains(&kind)).then(|| kind.to_owned())
    });
    kinds.collect()
}

/// One resource of a list; nothing if it is none of the generic ones.
fn one(entry: &str) -> Result<Option<Gres>, String> {
    let entry = entry.strip_prefix("gres/").or_else(|| entry.strip_prefix("gres:")).unwrap_or(entry);
    let is_count = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    // Older versions write `gpu:a100:2`, newer ones also `gpu:a100=2`; a type may begin with a digit: `gpu:1g.5gb:2`.
    let (name, count) = match entry.split_once('=') {
        Some(parts) => parts,
        None => match entry.rsplit_once(':') {
            Some((name, count)) if is_count(count) && (name.contains(':') || !count.contains('g')) => (name, count),
            _ => (entry, "1"),
        },
    };
    let (kind, of) = name.split_once(':').unwrap_or((name, ""));
    if !KINDS.contains(&kind) {
        return Ok(None);
    }
    let number = number(count).ok_or_else(|| format!("“{entry}” has no number at its end; expected one like gpu:2"))?;
    // `no_consume` is a flag of slurm.conf in the place of a type.
    let of = of.split(':').filter(|word| *word != "no_consume").collect::<Vec<_>>().join(":");
    Ok(Some(Gres { kind: kind.to_owned(), of, count: number }))
}

/// A count, perhaps with a suffix of powers of 1024.
pub(super) fn number(text: &str) -> Option<u64> {
    let suffixes = [(['k', 'K'], 10), (['m', 'M'], 20), (['g', 'G'], 30), (['t', 'T'], 40)];
    let scaled = suffixes.into_iter().find_map(|(suffix, power)| Some((text.strip_suffix(suffix)?, 1_u64 << power)));
    let (digits, factor) = scaled.unwrap_or((text, 1));
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// The value of `cpu=`, `mem=` or `node=` in a list of trackable resources.
pub(super) fn tracked<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split(',').find_map(|entry| entry.trim().strip_prefix(name)?.strip_prefix('='))
}

/// MiB of an amount of memory: `120000M`, `1G`, `1.50T`; without a unit MiB.
pub(super) fn memory_mib(text: &str) -> Option<f64> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "K" | "KB" => 1.0 / 1024.0,
        "" | "M" | "MB" => 1.0,
        "G" | "GB" => 1024.0,
        "T" | "TB" => 1_048_576.0,
        "P" | "PB" => 1_073_741_824.0,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * factor).filter(|mib| (0.0..=4e9).contains(mib))
}

/// Without sockets and places in round brackets, which have commas of their own.
fn outside_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut outside = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forms of the manual page of gres.conf, of `scontrol show node`, and of `squeue --json` from 21.08 to 24.11.
    #[test]
    fn all_ways_to_write_a_resource_are_read() {
        let cases: [(&str, &[(&str, u64)]); 16] = [
            ("(null)", &[]),
            ("", &[]),
            ("gpu:8", &[("gpu", 8)]),
            ("gpu", &[("gpu", 1)]),
            ("gpu:a100", &[("gpu:a100", 1)]),
            ("gpu:a100:8(S:0-1)", &[("gpu:a100", 8)]),
            ("gpu:h100:1(IDX:0),gpu:h200:4(IDX:2,3-5)", &[("gpu:h100", 1), ("gpu:h200", 4)]),
            ("gpu:a100:4(S:0,2),shard:a100:16(S:0,2)", &[("gpu:a100", 4), ("shard:a100", 16)]),
            ("gres:gpu:8", &[("gpu", 8)]),
            ("gres/gpu:a100:2", &[("gpu:a100", 2)]),
            ("gres/gpu=4,gres/gpu:a100=4", &[("gpu", 4), ("gpu:a100", 4)]),
            ("cpu=8,mem=120000M,node=1,billing=80,gres/gpu=8", &[("gpu", 8)]),
            ("gpu:a100_1g.5gb:7", &[("gpu:a100_1g.5gb", 7)]),
            ("gpu:1g.5gb:7", &[("gpu:1g.5gb", 7)]),
            ("gpu:1g.5gb", &[("gpu:1g.5gb", 1)]),
            ("craynetwork:4,license/x=2,mps:1K", &[("mps", 1024)]),
        ];
        for (text, expected) in cases {
            let found = list(text).expect("it can be read");
            let found: Vec<(String, u64)> = found.iter().map(|gres| (gres.resource(), gres.count)).collect();
            let expected: Vec<(String, u64)> =
                expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert!(list("gres/gpu=many").is_err());
        assert_eq!(others("gpu:2,npu:8,fpga", false), ["npu", "fpga"]);
        assert_eq!(others("cpu=8,mem=1G,gres/npu=8,gres/gpu=1", true), ["npu"]);
    }

    #[test]
    fn memory_has_units_of_1024() {
        assert_eq!(
            (memory_mib("120000M"), memory_mib("1G"), memory_mib("512K")),
            (Some(120_000.0), Some(1024.0), Some(0.5))
        );
        assert_eq!((memory_mib("1.50T"), memory_mib("7"), memory_mib("-1M")), (Some(1_572_864.0), Some(7.0), None));
        assert_eq!((memory_mib("x"), memory_mib("NaN"), memory_mib("1X")), (None, None, None));
        assert_eq!(tracked("cpu=8,mem=120000M,node=2", "node"), Some("2"));
        assert_eq!(tracked("cpu=8", "mem"), None);
    }
}
