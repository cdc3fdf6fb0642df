//! The recommended number of units: the knee of the measurements or the peak of the fitted law, whichever is smaller.

use crossover_quantity::estimate::{BAND_CONFIDENCE, student};

use super::kneedle::knee;
use super::usl::{NoScaling, Point, Scaling, means};

/// With fewer points the coefficients are uncertain, as the R package warns.
const FEW: usize = 6;
/// Of the law: α, β and γ.
const COEFFICIENTS: usize = 3;

/// Scaling of throughput, from measurements on several numbers of units.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaled {
    /// The fitted law.
    pub law: Scaling,
    /// Units with the largest throughput by the law; none if it grows without limit.
    pub peak: Option<f64>,
    /// Units at the knee of the measured throughput; none without a knee.
    pub knee: Option<f64>,
    /// Recommended units of a task.
    pub recommended: Recommended,
    /// Mean throughput of each number of units, in ascending order.
    pub means: Vec<Point>,
}

/// The recommended number of units, with its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recommended {
    /// The knee.
    Knee(u64),
    /// The peak.
    Peak(u64),
    /// Without knee and peak: the most units that were measured.
    Most(u64),
}

impl Recommended {
    /// Units.
    #[must_use]
    pub fn units(self) -> u64 {
        let (Self::Knee(units) | Self::Peak(units) | Self::Most(units)) = self;
        units
    }
}

impl Scaled {
    /// Fits the law and finds knee and peak.
    ///
    /// # Errors
    /// [`NoScaling`]: too few numbers of units, or numbers outside their range.
    pub fn new(points: &[Point]) -> Result<Self, NoScaling> {
        let law = Scaling::fit(points)?;
        let means = means(points)?;
        let pairs: Vec<[f64; 2]> = means.iter().map(|point| [point.units, point.throughput]).collect();
        let (knee, peak) = (knee(&pairs), law.peak());
        let most = means.last().map_or(1.0, |point| point.units);
        Ok(Self { law, peak, knee, recommended: recommended(&law, knee, peak, most), means })
    }

    /// Root mean square of the relative residuals of the law, over the mean throughput of each number of units.
    #[must_use]
    pub fn residual(&self) -> f64 {
        (self.squares() / self.means.len().max(1) as f64).sqrt()
    }

    /// Half of the 90 % interval of mean throughputs around the law, as a share of it: by Student's t, of the numbers of units less the
    /// coefficients. `None` if none are left: then the law goes through the means however much they vary.
    #[must_use]
    pub fn around(&self) -> Option<f64> {
        let freedom = self.means.len().checked_sub(COEFFICIENTS).filter(|left| *left > 0)? as f64;
        Some(student(freedom, BAND_CONFIDENCE) * (self.squares() / freedom).sqrt())
    }

    /// Sum of the squares of the relative residuals.
    fn squares(&self) -> f64 {
        self.means.iter().map(|mean| (mean.throughput / self.law.at(mean.units) - 1.0).powi(2)).sum()
    }

    /// Reasons to doubt the fit, which has this many measurements.
    #[must_use]
    pub fn cautions(&self, measurements: usize) -> Vec<String> {
        let mut cautions = Vec::new();
        if self.law.is_poor() {
            let r_squared = self.law.r_squared;
            cautions.push(format!(
                "the scaling law fits poorly (R² = {r_squared:.2}), so its coefficients and peak are unreliable"
            ));
        }
        if measurements < FEW {
            cautions.push(format!("only {measurements} measurements, so the coefficients are uncertain"));
        }
        if self.knee.is_some() && self.knee == self.means.first().map(|point| point.units) {
            cautions.push("the knee is at the smallest number of units; measure fewer units".to_owned());
        }
        let most = self.means.last().map_or(0.0, |point| point.units);
        if let Recommended::Peak(units) = self.recommended
            && units as f64 > most
        {
            cautions.push(format!("the peak is beyond the largest measured number of units, {most}"));
        }
        cautions
    }
}

fn recommended(law: &Scaling, knee: Option<f64>, peak: Option<f64>, most: f64) -> Recommended {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1, and `as` saturates")]
    let whole = |units: f64| units.max(1.0) as u64;
    match (knee, peak) {
        (Some(knee), peak) if peak.is_none_or(|peak| knee <= peak) => Recommended::Knee(whole(knee)),
        // Of the two whole numbers around the peak, the one with the higher throughput.
        (_, Some(peak)) => {
            let [below, above] = [peak.floor().max(1.0), peak.ceil().max(1.0)];
            Recommended::Peak(whole(if law.at(above) > law.at(below) { above } else { below }))
        }
        (_, None) => Recommended::Most(whole(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Throughputs on 1, 2, 4, … units, each off by 10 % from X(n) = n.
    fn off_by_a_tenth(numbers: i32) -> Scaled {
        let law = Scaling { alpha: 0.0, beta: 0.0, gamma: 1.0, errors: None, r_squared: 1.0 };
        let mean = |place: i32| {
            let units = 2.0_f64.powi(place);
            Point { units, throughput: units * (1.0 + 0.1 * (-1.0_f64).powi(place)) }
        };
        let means = (0..numbers).map(mean).collect();
        Scaled { law, peak: None, knee: None, recommended: Recommended::Most(1), means }
    }

    /// Five squares of 0.01 and two degrees of freedom: t is 2.920 for 90 % in every table. One degree: 6.314.
    #[test]
    fn the_interval_around_the_law_counts_its_coefficients() {
        for (numbers, freedom, t) in [(5, 2.0_f64, 2.920), (4, 1.0, 6.314)] {
            let expected = t * (f64::from(numbers) * 0.01 / freedom).sqrt();
            let found = off_by_a_tenth(numbers).around().expect("an interval");
            assert!((found - expected).abs() < 1e-3, "{numbers}: {found} for {expected}");
        }
        assert_eq!(off_by_a_tenth(3).around(), None);
    }
}
