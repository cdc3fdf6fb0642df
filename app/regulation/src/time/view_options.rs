//! View options. Clusters are stored by name, so that a choice survives reordering and undo.

use crossover_regulation::Regulation;

/// Clusters that are shown before the user has chosen any.
const FIRST: usize = 4;

/// View options of the section.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ViewOptions {
    /// Names of the clusters that are shown; none: the first ones.
    picked: Option<Vec<String>>,
    /// Whether the steady state is shown too.
    pub(super) whole_run: bool,
    /// The figure of the bars of all strategies.
    pub(super) benefit: Benefit,
    /// The figure of the curves of all controllers.
    pub(super) compared: Compared,
    /// Name of the cluster whose vGPUs are compared; an unknown one means the first.
    pub(super) compared_cluster: String,
}

/// The figure by which strategies are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Benefit {
    /// Throughput.
    #[default]
    Tops,
    /// Throughput for power, against that without control.
    Efficiency,
    /// Energy for work.
    Energy,
}

impl Benefit {
    pub(super) const ALL: [Self; 3] = [Self::Tops, Self::Efficiency, Self::Energy];

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Tops => "TOPS",
            Self::Efficiency => "TOPS per watt",
            Self::Energy => "energy per operation",
        }
    }
}

/// The figure of the curves of all controllers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Compared {
    /// The largest |e| of all clusters.
    #[default]
    Error,
    /// Throughput of all clusters.
    Tops,
    /// vGPUs of one cluster.
    Vgpus,
}

impl Compared {
    pub(super) const ALL: [Self; 3] = [Self::Error, Self::Tops, Self::Vgpus];

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Error => "largest |e|",
            Self::Tops => "TOPS",
            Self::Vgpus => "vGPUs",
        }
    }
}

impl ViewOptions {
    /// Whether a cluster is shown.
    pub(super) fn is_shown(&self, study: &Regulation, cluster: usize) -> bool {
        match &self.picked {
            None => cluster < FIRST,
            Some(names) => names.contains(&study.clusters[cluster].name),
        }
    }

    /// Indices of the clusters that are shown; the first ones if none of the chosen is there any more.
    pub(super) fn clusters(&self, study: &Regulation) -> Vec<usize> {
        let all = 0..study.clusters.len();
        let shown: Vec<usize> = all.clone().filter(|cluster| self.is_shown(study, *cluster)).collect();
        if shown.is_empty() { all.take(FIRST).collect() } else { shown }
    }

    /// Shows a cluster, or shows it no longer; one stays.
    pub(super) fn toggle(&mut self, study: &Regulation, cluster: usize) {
        let mut clusters = self.clusters(study);
        match clusters.iter().position(|shown| *shown == cluster) {
            Some(_) if clusters.len() == 1 => {}
            Some(index) => drop(clusters.remove(index)),
            None => clusters.push(cluster),
        }
        self.show(study, &clusters);
    }

    /// Shows all clusters.
    pub(super) fn show_all(&mut self, study: &Regulation) {
        self.show(study, &(0..study.clusters.len()).collect::<Vec<_>>());
    }

    /// Shows the first clusters, as at the beginning.
    pub(super) fn show_first(&mut self) {
        self.picked = None;
    }

    fn show(&mut self, study: &Regulation, clusters: &[usize]) {
        self.picked = Some(clusters.iter().map(|cluster| study.clusters[*cluster].name.clone()).collect());
    }

    /// Index of the cluster whose vGPUs are compared.
    pub(super) fn compared_cluster(&self, study: &Regulation) -> usize {
        study.clusters.iter().position(|cluster| cluster.name == self.compared_cluster).unwrap_or(0)
    }
}
