//! Whether transfer or compute bounds a cluster, by its control error and the dead zone of the control table.

use crossover_regulation::table;

/// What bounds a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Balance {
    /// The control error is in the dead zone.
    Even,
    /// It is above.
    Transfer,
    /// It is below.
    Compute,
}

impl Balance {
    /// That of a control error e = p_p − p_d.
    pub(crate) fn of(error: f64, dead_zone: [f64; 2]) -> Self {
        if table::is_inside(error, dead_zone) {
            Self::Even
        } else if error > dead_zone[1] {
            Self::Transfer
        } else {
            Self::Compute
        }
    }

    /// "balanced", "transfer-bound" or "compute-bound".
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Even => "balanced",
            Self::Transfer => "transfer-bound",
            Self::Compute => "compute-bound",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Balance;

    /// The published dead zone is −0.1 … 0.1, ends included (paragraph 110).
    #[test]
    fn an_error_in_the_dead_zone_is_balanced() {
        let words = |error: f64| Balance::of(error, [-0.1, 0.1]).in_words();
        assert_eq!([-0.1, 0.0, 0.1].map(words), ["balanced"; 3]);
        assert_eq!([-0.1589, 0.101].map(words), ["compute-bound", "transfer-bound"]);
    }
}
