//! Roofs of memory and link, measured in the same run.

use std::collections::BTreeMap;

use crate::benchmarks::Roof;
use crate::benchmarks::case::Case;
use crate::failure::Failure;
use crate::report::Side;

/// The benchmarks that are roofs of streaming kernels.
const STREAMING: [&str; 3] = ["memory.copy", "memory.read", "memory.write"];

/// The benchmark that is the roof of random access.
const GATHER: &str = "memory.gather";

/// The highest measured memory speeds, and the speed of the link.
#[derive(Debug, Default)]
pub(super) struct Roofs {
    /// By benchmark id and working set in bytes.
    speeds: BTreeMap<&'static str, BTreeMap<u64, Speed>>,
    /// One direction; `None` where CPU and GPU share their memory or it is unknown.
    link_gb_per_s: Option<f64>,
}

/// A measured roof.
#[derive(Debug)]
struct Speed {
    gb_per_s: f64,
    case: Case,
}

impl Roofs {
    pub(super) fn new(link_gb_per_s: Option<f64>) -> Self {
        Self { speeds: BTreeMap::new(), link_gb_per_s }
    }

    /// Records a measurement if it is a roof.
    pub(super) fn learn(&mut self, id: &str, case: &Case, bytes: f64, gb_per_s: f64) {
        let known = STREAMING.into_iter().chain([GATHER]).find(|roof| *roof == id);
        let Some(roof) = known.filter(|_| case.side == Side::Gpu) else { return };
        let speeds = self.speeds.entry(roof).or_default();
        let best = speeds.entry(working_set(case, bytes)).or_insert_with(|| Speed { gb_per_s, case: case.clone() });
        best.gb_per_s = best.gb_per_s.max(gb_per_s);
    }

    /// The share of the roof at the nearest working set that was measured; `None` without a roof. `bytes` is the
    /// input of the case.
    ///
    /// # Errors
    /// [`Failure::AboveRoof`] above 1.05 × the fastest roof of this working set or larger ones: what does not fit a
    /// cache is not measured against one. For streaming that is the fastest of reading, writing and copying: a
    /// kernel that mostly writes may be faster than a copy.
    pub(super) fn share(&self, roof: Roof, case: &Case, bytes: f64, gb_per_s: f64) -> Result<Option<f64>, Failure> {
        if roof == Roof::Link {
            return self.link_gb_per_s.map(|link| share(gb_per_s, link, link)).transpose();
        }
        let Some(speeds) = roof.id().filter(|_| case.side == Side::Gpu).and_then(|id| self.speeds.get(id)) else {
            return Ok(None);
        };
        let size = working_set(case, bytes);
        let fastest = bounds(roof).iter().filter_map(|id| self.fastest(id, size)).map(|speed| speed.gb_per_s);
        let fastest = fastest.fold(0.0, f64::max);
        let nearest = speeds.iter().min_by_key(|(bytes, _)| bytes.abs_diff(size));
        nearest.map(|(_, nearest)| share(gb_per_s, fastest, nearest.gb_per_s)).transpose()
    }

    /// The cases that gave the roof of this case its height, with their benchmarks.
    pub(super) fn fastest_cases(&self, roof: Roof, case: &Case, bytes: f64) -> Vec<(&'static str, Case)> {
        let size = working_set(case, bytes);
        bounds(roof).iter().filter_map(|id| Some((*id, self.fastest(id, size)?.case.clone()))).collect()
    }

    /// The fastest at half of this working set and above (sizes rarely coincide); if all are smaller, the largest.
    fn fastest(&self, id: &str, size: u64) -> Option<&Speed> {
        let speeds = self.speeds.get(id)?;
        let comparable = speeds.range(size / 2..).map(|(_, speed)| speed);
        comparable.max_by(|a, b| a.gb_per_s.total_cmp(&b.gb_per_s)).or_else(|| speeds.values().next_back())
    }
}

/// The benchmarks that nothing under this roof exceeds.
fn bounds(roof: Roof) -> &'static [&'static str] {
    match roof {
        Roof::Unbounded | Roof::Link => &[],
        Roof::Copy | Roof::Read => &STREAMING,
        Roof::Gather => &[GATHER],
    }
}

/// `gb_per_s` / `nearest`, unless it is more than 1.05 × `fastest`.
fn share(gb_per_s: f64, fastest: f64, nearest: f64) -> Result<f64, Failure> {
    if gb_per_s > 1.05 * fastest {
        return Err(Failure::AboveRoof { gb_per_s, roof_gb_per_s: fastest });
    }
    Ok(gb_per_s / nearest)
}

/// What a case touches again and again, bytes: the table where there is one, otherwise the input.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of bytes, not negative")]
fn working_set(case: &Case, bytes: f64) -> u64 {
    case.params.get("table_bytes").copied().unwrap_or(bytes) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_is_a_share_of_the_gather_from_the_nearest_table() {
        let mut roofs = Roofs::default();
        for (table_bytes, gb_per_s) in [(1e6, 2_000.0), (1e9, 400.0)] {
            let case = Case::new(Side::Gpu, 1_000).with("table_bytes", table_bytes);
            roofs.learn("memory.gather", &case, 4e3, gb_per_s);
        }
        let probe = |table_bytes, gb_per_s| {
            let case = Case::new(Side::Gpu, 1 << 20).with("table_bytes", table_bytes);
            roofs.share(Roof::Gather, &case, 4e6, gb_per_s)
        };
        assert_eq!(probe(8e8, 200.0), Ok(Some(0.5)));
        assert_eq!(probe(2e6, 200.0), Ok(Some(0.1)));
        let above = |gb_per_s, roof_gb_per_s| Err(Failure::AboveRoof { gb_per_s, roof_gb_per_s });
        assert_eq!(probe(1e6, 2_200.0), above(2_200.0, 2_000.0));
        assert_eq!(probe(1e9, 500.0), above(500.0, 400.0), "a large table is not in the cache of a small one");
    }

    #[test]
    fn a_kernel_that_mostly_writes_may_be_faster_than_a_copy_but_not_than_writing() {
        let mut roofs = Roofs::default();
        let case = Case::new(Side::Gpu, 1 << 20);
        roofs.learn("memory.copy", &case, 4e6, 100.0);
        assert!(roofs.share(Roof::Copy, &case, 4e6, 115.0).is_err());
        roofs.learn("memory.write", &case, 4e6, 120.0);
        assert_eq!(roofs.share(Roof::Copy, &case, 4e6, 115.0), Ok(Some(1.15)));
        assert!(roofs.share(Roof::Copy, &case, 4e6, 127.0).is_err());
        let again: Vec<&str> = roofs.fastest_cases(Roof::Copy, &case, 4e6).into_iter().map(|(id, _)| id).collect();
        assert_eq!(again, ["memory.copy", "memory.write"]);
    }

    #[test]
    fn a_transfer_faster_than_its_link_is_no_number() {
        let case = Case::new(Side::EndToEnd, 1 << 20);
        assert_eq!(
            Roofs::new(None).share(Roof::Link, &case, 4e6, 500.0),
            Ok(None),
            "memory is shared, or no link is known"
        );
        let known = Roofs::new(Some(60.0));
        assert_eq!(known.share(Roof::Link, &case, 4e6, 45.0), Ok(Some(0.75)));
        assert!(known.share(Roof::Link, &case, 4e6, 64.0).is_err());
    }
}
