//! By which model the pages of the operators are computed, and whether they may judge the query as a whole: where there is a
//! decision between whole engines, only the page *Answer* does.

use crossover_export::decided::engine_titles;
use crossover_placement::Placement;
use crossover_placement::whole::Whole;

/// The verdict of the hardware model on a query as a whole. Pages take speedups and times of the whole placement from it alone.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct HardwareVerdict<'a> {
    /// The placement.
    pub(super) whole: &'a Whole,
}

impl<'a> HardwareVerdict<'a> {
    /// `None` in whole engines: what runs the query there is decided between more options than these two.
    pub(in super::super) fn of(whole: &'a Whole) -> Option<Self> {
        whole.work.is_none().then_some(Self { whole })
    }

    /// Time with all operators on CPUs ÷ time as placed.
    pub(super) fn speedup(self) -> f64 {
        self.whole.speedup()
    }
}

/// "by the hardware model of RTX 4090 over PCIe 4.0 ×16", "by the model of Spark 3.5.3, 8 × c5d.12xlarge and RAPIDS 25.12 (L4),
/// 4 × g6.2xlarge".
pub(super) fn by_model(study: &Placement) -> String {
    if let Some(engines) = study.engines.as_deref() {
        let [cpu, gpu] = engine_titles(engines);
        return format!("by the model of {cpu} and {gpu}");
    }
    let named = |name: &str, other: &str| if name.is_empty() { other.to_owned() } else { name.to_owned() };
    format!(
        "by the hardware model of {} over {}",
        named(&study.gpu.name, "this GPU"),
        named(&study.bus.name, "this bus")
    )
}
