//! How many units are worth while: up to the knee of what was measured, or to the peak of the law, whichever comes first.

use super::kneedle::knee;
use super::usl::{NoScaling, Point, Scaling, means};

/// Fewer points than this leave the coefficients uncertain, as the R package warns.
const FEW: usize = 6;

/// What measurements at several numbers of units say.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaled {
    /// The law that is nearest to the points.
    pub law: Scaling,
    /// Units with the largest throughput by the law; none if it grows for ever.
    pub peak: Option<f64>,
    /// Units at which the measured throughput begins to flatten; none if it does not.
    pub knee: Option<f64>,
    /// How many units a task should get.
    pub recommended: Recommended,
    /// Different numbers of units, with the mean of their throughput, in ascending order.
    pub means: Vec<Point>,
}

/// How many units a task should get, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recommended {
    /// Up to the knee.
    Knee(u64),
    /// Up to the peak.
    Peak(u64),
    /// Nothing flattens, and the law grows for ever: as many as were measured.
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
    /// What these points say.
    ///
    /// # Errors
    /// [`NoScaling`]: too few numbers of units, or numbers that cannot be.
    pub fn new(points: &[Point]) -> Result<Self, NoScaling> {
        let law = Scaling::fit(points)?;
        let means = means(points)?;
        let pairs: Vec<[f64; 2]> = means.iter().map(|point| [point.units, point.throughput]).collect();
        let (knee, peak) = (knee(&pairs), law.peak());
        let most = means.last().map_or(1.0, |point| point.units);
        Ok(Self { law, peak, knee, recommended: recommended(&law, knee, peak, most), means })
    }

    /// What the law misses of the mean throughput of each number of units: root mean square, relative.
    #[must_use]
    pub fn miss(&self) -> f64 {
        let misses = self.means.iter().map(|mean| (mean.throughput / self.law.at(mean.units) - 1.0).powi(2));
        (misses.sum::<f64>() / self.means.len().max(1) as f64).sqrt()
    }

    /// What a careful reader should know before trusting it, of so many measurements.
    #[must_use]
    pub fn cautions(&self, measurements: usize) -> Vec<String> {
        let mut cautions = Vec::new();
        if self.law.is_poor() {
            let r_squared = self.law.r_squared;
            cautions.push(format!(
                "the law explains too little (R² = {r_squared:.2}): its coefficients and its peak mean little"
            ));
        }
        if measurements < FEW {
            cautions.push(format!("{measurements} measurements only: the coefficients are uncertain"));
        }
        if self.knee.is_some() && self.knee == self.means.first().map(|point| point.units) {
            cautions.push(
                "the knee is at the smallest number of units: measure fewer, or throughput hardly grows".to_owned(),
            );
        }
        let most = self.means.last().map_or(0.0, |point| point.units);
        if let Recommended::Peak(units) = self.recommended
            && units as f64 > most
        {
            cautions.push(format!("the peak lies beyond the {most} units that were measured"));
        }
        cautions
    }
}

fn recommended(law: &Scaling, knee: Option<f64>, peak: Option<f64>, most: f64) -> Recommended {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1, and `as` saturates")]
    let whole = |units: f64| units.max(1.0) as u64;
    match (knee, peak) {
        (Some(knee), peak) if peak.is_none_or(|peak| knee <= peak) => Recommended::Knee(whole(knee)),
        // Of the two whole numbers around the peak the one with more throughput.
        (_, Some(peak)) => {
            let [below, above] = [peak.floor().max(1.0), peak.ceil().max(1.0)];
            Recommended::Peak(whole(if law.at(above) > law.at(below) { above } else { below }))
        }
        (_, None) => Recommended::Most(whole(most)),
    }
}
