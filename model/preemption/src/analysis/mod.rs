//! Instructions of a kernel by application and size of the input: the analysis that the published method needs before it
//! schedules.
//!
//! Two laws of y instructions at size x are fitted to each application by least squares: ln y = a + b·ln x and
//! ln y = a + b·x. The third candidate is the mean of ln y. The one with the least
//! cross-validation error is used, and that error is the error of the scheduler's estimate.
//!
//! Standard errors, R² and prediction intervals are those of every textbook on linear regression (Weisberg, Applied Linear
//! Regression, Wiley, 2014, chapter 2), with the error at sizes that were left out in place of that of the residuals.
//!
//! - `line`: a law that was fitted
//! - `cross_validation`: cross-validation over sizes, and the choice of the law

mod cross_validation;
mod line;

use std::collections::BTreeMap;

use statrs::distribution::{ChiSquared, ContinuousCDF as _};
use thiserror::Error;

use self::cross_validation::choose;
use self::line::Line;
use crossover_quantity::estimate::{CONFIDENCE, FITTED_CONFIDENCE, student};

/// With fewer points the error is a rough estimate.
pub const ENOUGH_POINTS: usize = 4;
/// A law with more than this share of the error of the mean explains little.
const LITTLE: f64 = 0.9;
/// Logarithms that differ by less differ by rounding.
const ROUNDING: f64 = 1e-9;
/// Logarithms of numbers that are neither zero nor infinite.
const LOGARITHMS: [f64; 2] = [-708.0, 709.0];

/// A launch whose instructions were counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Application; its points share a law.
    pub application: String,
    /// Size of the input in any unit, above 0.
    pub size: f64,
    /// Instructions, in any unit, above 0.
    pub instructions: f64,
}

/// How instructions y depend on the size x.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Law {
    /// ln y = a.
    Constant,
    /// ln y = a + b·ln x.
    Power,
    /// ln y = a + b·x.
    Exponential,
}

impl Law {
    /// All, the simplest first: of two with equal error the simpler one is used.
    pub const ALL: [Self; 3] = [Self::Constant, Self::Power, Self::Exponential];

    /// "power law".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Power => "power law",
            Self::Exponential => "exponential law",
        }
    }

    /// "ln y = a + b·ln x".
    #[must_use]
    pub fn formula(self) -> &'static str {
        match self {
            Self::Constant => "ln y = a",
            Self::Power => "ln y = a + b·ln x",
            Self::Exponential => "ln y = a + b·x",
        }
    }

    /// Coefficients.
    fn count(self) -> usize {
        if self == Self::Constant { 1 } else { 2 }
    }

    /// The factor of b.
    fn of_size(self, size: f64) -> f64 {
        match self {
            Self::Constant => 0.0,
            Self::Power => size.ln(),
            Self::Exponential => size,
        }
    }
}

/// A number of a law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficient {
    /// As fitted.
    pub value: f64,
    /// Standard error; none if there are no more points than coefficients.
    pub standard_error: Option<f64>,
}

/// The law fitted to an application.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedLaw {
    /// Name of the application.
    pub application: String,
    /// How its instructions depend on the size.
    pub law: Law,
    /// a.
    pub intercept: Coefficient,
    /// b; none of the constant.
    pub slope: Option<Coefficient>,
    /// Share of the variance of ln y that the law explains, at the points that it was fitted to.
    pub r_squared: f64,
    /// σ: root mean square error of ln y in cross-validation.
    pub error: f64,
    /// The same of the mean of ln y.
    pub error_of_constant: f64,
    /// Points.
    pub points: usize,
    /// Different sizes.
    pub sizes: usize,
    /// Smallest and largest size.
    pub range: [f64; 2],
    line: Line,
}

/// Instructions at a size.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// In the unit of the points.
    pub instructions: f64,
    /// Lower end of the 95 % interval of a launch.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// 90 % interval, for the provenance of a fitted number.
    pub fitted: (f64, f64),
    /// Warnings, as whole sentences.
    pub cautions: Vec<String>,
}

/// Why no law was fitted or nothing predicted, as a sentence for the user.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LawError {
    /// A single point.
    #[error("one point of {application:?}; a law needs at least 2, of different sizes")]
    TooFew {
        /// Whose.
        application: String,
    },
    /// All points have one size.
    #[error("all points of {application:?} have a size of {size}; a law needs at least 2 sizes")]
    OneSize {
        /// Whose.
        application: String,
        /// In the unit of the points.
        size: f64,
    },
    /// A number that cannot be.
    #[error("{what} of {application:?}: {value}; expected a number above 0")]
    Impossible {
        /// "size" or "instructions".
        what: &'static str,
        /// Whose.
        application: String,
        /// As given.
        value: f64,
    },
}

/// Fits a law to each application, in the order of their names. The order of the points does not matter.
///
/// # Errors
/// [`LawError`], of each application by itself: a single point or size, or a number that is not above 0.
#[must_use]
pub fn fit_laws(points: &[Point]) -> Vec<Result<FittedLaw, LawError>> {
    let mut applications: BTreeMap<&str, Vec<[f64; 2]>> = BTreeMap::new();
    for point in points {
        applications.entry(&point.application).or_default().push([point.size, point.instructions]);
    }
    applications.into_iter().map(|(application, points)| FittedLaw::of(application, points)).collect()
}

impl FittedLaw {
    /// From sizes and instructions.
    fn of(application: &str, mut points: Vec<[f64; 2]>) -> Result<Self, LawError> {
        for [size, instructions] in &points {
            check(application, "size", *size)?;
            check(application, "instructions", *instructions)?;
        }
        points.sort_by(|[a, y], [b, z]| a.total_cmp(b).then(y.total_cmp(z)));
        let points: Vec<[f64; 2]> = points.into_iter().map(|[size, instructions]| [size, instructions.ln()]).collect();
        let sizes = points.chunk_by(is_of_one_size).count();
        let application = application.to_owned();
        let [Some([smallest, _]), Some([largest, _])] = [points.first(), points.last()] else {
            return Err(LawError::TooFew { application });
        };
        if points.len() < 2 {
            return Err(LawError::TooFew { application });
        }
        if sizes < 2 {
            return Err(LawError::OneSize { application, size: *smallest });
        }
        let (law, [error, error_of_constant]) = choose(&points, sizes);
        let line = Line::through(law, &points);
        let [intercept, slope] = line.coefficients(&points);
        Ok(Self {
            application,
            law,
            intercept,
            slope: (law != Law::Constant).then_some(slope),
            r_squared: line.r_squared(&points),
            error,
            error_of_constant,
            points: points.len(),
            sizes,
            range: [*smallest, *largest],
            line,
        })
    }

    /// Instructions of a launch with an input of this size, with their 95 % interval:
    /// exp(ln y ± t·σ·√(1 + 1/n + (x − x̄)²/Σ(xᵢ − x̄)²)), t of Student's distribution with as many degrees of freedom as there
    /// are more sizes than coefficients.
    /// Beyond the measured sizes the interval does not hold; a caution says so.
    ///
    /// # Errors
    /// [`LawError::Impossible`]: a size that is not above 0.
    pub fn predict(&self, size: f64) -> Result<Prediction, LawError> {
        check(&self.application, "size", size)?;
        let [least, most] = LOGARITHMS;
        let log = self.line.at(size).clamp(least, most);
        let within = |confidence: f64| {
            let half = student(self.freedom(), confidence) * self.error * self.line.widening(size);
            let half = half.min(most - least);
            ((log - half).max(least).exp(), (log + half).min(most).exp())
        };
        let mut cautions = self.cautions();
        let [smallest, largest] = self.range;
        if size < smallest || size > largest {
            cautions.push(format!(
                "{:?} was measured at sizes from {smallest} to {largest}: the prediction at {size} is an extrapolation",
                self.application
            ));
        }
        let (low, high) = within(CONFIDENCE);
        Ok(Prediction { instructions: log.exp(), low, high, fitted: within(FITTED_CONFIDENCE), cautions })
    }

    /// 90 % interval of σ, for the provenance of a fitted number: σ·√(ν/χ²), where χ² are the
    /// 95 % and 5 % quantiles of its distribution with ν degrees of freedom, as many as those of a prediction. That is exact of
    /// residuals that are normal; those at sizes that were left out are nearly so.
    #[must_use]
    pub fn error_interval(&self) -> (f64, f64) {
        let freedom = self.freedom();
        let end = |below: f64| {
            let square = ChiSquared::new(freedom).map_or(freedom, |chi| chi.inverse_cdf(below));
            self.error * (freedom / square).sqrt()
        };
        let tail = (1.0 - FITTED_CONFIDENCE) / 2.0;
        (end(1.0 - tail), end(tail))
    }

    /// Degrees of freedom: points of one size count as one residual.
    fn freedom(&self) -> f64 {
        self.sizes.saturating_sub(self.law.count()).max(1) as f64
    }

    /// Warnings that hold at every size, as whole sentences.
    #[must_use]
    pub fn cautions(&self) -> Vec<String> {
        let Self { application, points, .. } = self;
        let mut cautions = Vec::new();
        if self.sizes == 2 {
            cautions.push(format!(
                "{application:?} was measured at two sizes only: the error of its {} in between is unknown, and that of the mean is used",
                self.law.label()
            ));
        } else if self.law == Law::Constant {
            cautions.push(format!(
                "the instructions of {application:?} do not depend on the input size: no law has less cross-validation error than \
                 their mean"
            ));
        } else if self.error > LITTLE * self.error_of_constant {
            cautions.push(format!(
                "the instructions of {application:?} depend little on the input size: the cross-validation error of the {} is a factor of \
                 {:.2}, that of their mean {:.2}",
                self.law.label(),
                self.error.exp(),
                self.error_of_constant.exp()
            ));
        }
        if *points < ENOUGH_POINTS {
            cautions.push(format!("{points} points of {application:?} are few: its error is a rough estimate"));
        }
        cautions
    }
}

fn check(application: &str, what: &'static str, value: f64) -> Result<(), LawError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(LawError::Impossible { what, application: application.to_owned(), value })
}

fn is_of_one_size([a, _]: &[f64; 2], [b, _]: &[f64; 2]) -> bool {
    a == b
}
