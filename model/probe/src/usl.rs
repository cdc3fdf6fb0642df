//! Scaling of throughput with units: the universal scalability law of Gunther (Guerrilla Capacity Planning, Springer, 2007),
//! fitted by least squares.
//!
//! X(n) = γ·n / (1 + α·(n − 1) + β·n·(n − 1)), with α and β between 0 and 1 and γ not negative. The fit is that of the R package
//! `usl`: the same bounds, errors from the whole Jacobian with three degrees of freedom less than points, whether or not a
//! coefficient is at its bound.

use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::storage::Owned;
use nalgebra::{DMatrix, DVector, Dyn, Matrix3};
use thiserror::Error;

/// Fewest numbers of units for a fit of three coefficients.
pub const LEAST_UNITS: usize = 3;
/// A fit with a smaller R² is poor.
pub const POOR: f64 = 0.9;
/// Starts of the search, α and β.
const STARTS: [[f64; 2]; 4] = [[0.01, 1e-4], [0.2, 1e-3], [0.7, 1e-5], [0.02, 0.02]];
/// A coefficient outside its bounds by less is at its bound.
const CLOSE: f64 = 1e-9;

/// A measured throughput on a number of units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Units, at least 1.
    pub units: f64,
    /// Throughput: work per second, in any unit.
    pub throughput: f64,
}

/// A fitted law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    /// α: contention, the share of work that units cannot do at once.
    pub alpha: f64,
    /// β: coherency, the cost of keeping units consistent.
    pub beta: f64,
    /// γ: throughput of one unit.
    pub gamma: f64,
    /// Standard errors of the three; none if there are no more points than coefficients, or the points do not determine them.
    pub errors: Option<[f64; 3]>,
    /// R², the share of the variance that the law explains; below 0 the law is worse than the mean.
    pub r_squared: f64,
}

/// Why there is no fit; a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoScaling {
    /// Too few numbers of units.
    #[error("different numbers of units: {0}; a fit needs at least {LEAST_UNITS}")]
    TooFew(usize),
    /// Numbers outside their range.
    #[error("{units} units with a throughput of {throughput}; expected at least 1 unit and a throughput above 0")]
    Impossible {
        /// As given.
        units: String,
        /// As given.
        throughput: String,
    },
    /// The search did not converge.
    #[error("the fit of the scaling law did not converge")]
    NotFound,
}

impl Scaling {
    /// Fits the law to the points by least squares.
    ///
    /// # Errors
    /// [`NoScaling`]: too few numbers of units, or numbers outside their range.
    pub fn fit(points: &[Point]) -> Result<Self, NoScaling> {
        let groups = grouped(points)?;
        if groups.len() < LEAST_UNITS {
            return Err(NoScaling::TooFew(groups.len()));
        }
        // Throughput is scaled to about 1, so that steps have a similar size for all coefficients.
        let scale = groups.iter().map(|group| group.mean / group.units).fold(0.0, f64::max);
        let scaled: Vec<Group> = groups.iter().map(|group| Group { mean: group.mean / scale, ..*group }).collect();
        let candidates = BOUNDS.iter().flat_map(|bounds| STARTS.map(|start| (bounds, start)));
        let mut found: Vec<([f64; 3], usize, f64)> = candidates
            .filter_map(|(bounds, start)| {
                let coefficients = solve(&scaled, *bounds, start)?;
                let on_bounds = bounds.iter().flatten().count();
                Some((coefficients, on_bounds, squares(&scaled, coefficients)))
            })
            .collect();
        let nearest = found.iter().min_by(|a, b| a.2.total_cmp(&b.2)).map(|(nearest, ..)| *nearest);
        if let Some(refined) = nearest.and_then(|nearest| refined(&scaled, nearest)) {
            found.push((refined, 0, squares(&scaled, refined)));
        }
        let least = found.iter().map(|(.., squares)| *squares).fold(f64::INFINITY, f64::min);
        // Of laws that are equal but for rounding, the one with fewer free coefficients.
        let all: f64 = scaled.iter().map(|group| (group.weight * group.mean).powi(2)).sum();
        let alike = least * (1.0 + 1e-9) + 1e-20 * all;
        let best = found.iter().filter(|(.., squares)| *squares <= alike).max_by_key(|(_, on_bounds, _)| *on_bounds);
        let (best, ..) = best.ok_or(NoScaling::NotFound)?;
        let [alpha, beta, gamma] = [best[0], best[1], best[2] * scale];
        let law = Self { alpha, beta, gamma, errors: None, r_squared: 0.0 };
        // In units of the scale: squares of throughputs may be too large or too small for a number.
        let residuals = points.iter().map(|point| ((point.throughput - law.at(point.units)) / scale).powi(2));
        let residual: f64 = residuals.sum();
        let mean = points.iter().map(|point| point.throughput / scale).sum::<f64>() / points.len() as f64;
        let total: f64 = points.iter().map(|point| (point.throughput / scale - mean).powi(2)).sum();
        let is_constant = total <= 1e-24 * mean * mean * points.len() as f64;
        let r_squared = if is_constant { 1.0 } else { 1.0 - residual / total };
        let unscaled = Self { gamma: gamma / scale, ..law };
        let errors = errors(points, &unscaled, residual).map(|[alpha, beta, gamma]| [alpha, beta, gamma * scale]);
        Ok(Self { errors, r_squared, ..law })
    }

    /// Throughput on a number of units.
    #[must_use]
    pub fn at(&self, units: f64) -> f64 {
        self.gamma * units / denominator(self.alpha, self.beta, units)
    }

    /// Efficiency: throughput ÷ (units × throughput of one unit).
    #[must_use]
    pub fn efficiency(&self, units: f64) -> f64 {
        1.0 / denominator(self.alpha, self.beta, units)
    }

    /// Units with the highest throughput, at least 1; none if it grows without limit.
    #[must_use]
    pub fn peak(&self) -> Option<f64> {
        if self.alpha >= 1.0 {
            return Some(1.0);
        }
        let peak = ((1.0 - self.alpha) / self.beta).sqrt();
        (self.beta > 0.0 && peak.is_finite()).then(|| peak.max(1.0))
    }

    /// Whether R² is below 0.9.
    #[must_use]
    pub fn is_poor(&self) -> bool {
        self.r_squared.is_nan() || self.r_squared < POOR
    }
}

fn denominator(alpha: f64, beta: f64, units: f64) -> f64 {
    1.0 + alpha * (units - 1.0) + beta * units * (units - 1.0)
}

/// Measurements on the same number of units.
#[derive(Debug, Clone, Copy)]
struct Group {
    units: f64,
    mean: f64,
    /// Square root of their number: the weight of a residual.
    weight: f64,
}

/// The mean throughput of each number of units, in ascending order.
///
/// # Errors
/// [`NoScaling`]: numbers outside their range.
pub(super) fn means(points: &[Point]) -> Result<Vec<Point>, NoScaling> {
    let groups = grouped(points)?;
    Ok(groups.into_iter().map(|group| Point { units: group.units, throughput: group.mean }).collect())
}

fn grouped(points: &[Point]) -> Result<Vec<Group>, NoScaling> {
    let is_possible = |point: &&Point| {
        point.units.is_finite() && point.units >= 1.0 && point.throughput.is_finite() && point.throughput > 0.0
    };
    if let Some(Point { units, throughput }) = points.iter().find(|point| !is_possible(point)) {
        return Err(NoScaling::Impossible { units: units.to_string(), throughput: throughput.to_string() });
    }
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.units.total_cmp(&b.units));
    let groups = sorted.chunk_by(|a, b| a.units == b.units).map(|alike| {
        let count = alike.len() as f64;
        let mean = alike.iter().map(|point| point.throughput).sum::<f64>() / count;
        Group { units: alike[0].units, mean, weight: count.sqrt() }
    });
    Ok(groups.collect())
}

/// Values of coefficients at a bound; none: free.
type Bounds = [Option<f64>; 2];

/// All combinations of bounds of α and β.
const BOUNDS: [Bounds; 9] = [
    [None, None],
    [None, Some(0.0)],
    [Some(0.0), None],
    [Some(0.0), Some(0.0)],
    [Some(1.0), None],
    [None, Some(1.0)],
    [Some(1.0), Some(0.0)],
    [Some(0.0), Some(1.0)],
    [Some(1.0), Some(1.0)],
];

/// A least-squares problem with some free coefficients, γ being the last of them.
struct Problem<'a> {
    groups: &'a [Group],
    bounds: Bounds,
    free: DVector<f64>,
}

impl Problem<'_> {
    fn coefficients(&self) -> [f64; 3] {
        let mut free = self.free.iter().copied();
        let [alpha, beta] = self.bounds.map(|bound| bound.unwrap_or_else(|| free.next().unwrap_or(0.0)));
        [alpha, beta, free.next().unwrap_or(0.0)]
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Problem<'_> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, free: &DVector<f64>) {
        self.free.copy_from(free);
    }

    fn params(&self) -> DVector<f64> {
        self.free.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let [alpha, beta, gamma] = self.coefficients();
        let residual = |group: &Group| {
            let law = gamma * group.units / denominator(alpha, beta, group.units);
            group.weight * (law - group.mean)
        };
        let residuals = DVector::from_iterator(self.groups.len(), self.groups.iter().map(residual));
        residuals.iter().all(|residual| residual.is_finite()).then_some(residuals)
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let coefficients = self.coefficients();
        let is_free = [self.bounds[0].is_none(), self.bounds[1].is_none(), true];
        let mut jacobian = DMatrix::zeros(self.groups.len(), self.free.len());
        for (row, group) in self.groups.iter().enumerate() {
            let gradient = gradient(coefficients, group.units);
            let columns = gradient.into_iter().zip(is_free).filter(|(_, is_free)| *is_free);
            for (column, (slope, _)) in columns.enumerate() {
                jacobian[(row, column)] = group.weight * slope;
            }
        }
        Some(jacobian)
    }
}

/// Partial derivatives of the law with respect to α, β and γ.
fn gradient([alpha, beta, gamma]: [f64; 3], units: f64) -> [f64; 3] {
    let denominator = denominator(alpha, beta, units);
    let by_alpha = -gamma * units * (units - 1.0) / (denominator * denominator);
    [by_alpha, by_alpha * units, units / denominator]
}

/// The best law with coefficients at these bounds; `None` if it violates the others, or does not converge.
fn solve(groups: &[Group], bounds: Bounds, start: [f64; 2]) -> Option<[f64; 3]> {
    let free = start.iter().zip(bounds).filter(|(_, bound)| bound.is_none()).map(|(start, _)| *start);
    let free: Vec<f64> = free.chain([1.0]).collect();
    let problem = Problem { groups, bounds, free: DVector::from_vec(free) };
    let (found, report) = LevenbergMarquardt::new().with_patience(200).minimize(problem);
    let coefficients = found.coefficients();
    let [alpha, beta, gamma] = coefficients;
    let is_inside = |value: f64| (-CLOSE..=1.0 + CLOSE).contains(&value);
    let is_found = report.objective_function.is_finite() && is_inside(alpha) && is_inside(beta) && gamma >= 0.0;
    is_found.then_some([alpha.clamp(0.0, 1.0), beta.clamp(0.0, 1.0), gamma])
}

/// Refines a law within the bounds by a pattern search along α, β and the diagonals, with the best γ for both: a search that left
/// the bounds is rejected, even if it passed a better law. `None` if no law is better by more than rounding.
fn refined(groups: &[Group], start: [f64; 3]) -> Option<[f64; 3]> {
    const FIRST_STEP: f64 = 0.25;
    const LAST_STEP: f64 = 1e-9;
    const MOST_STEPS: u32 = 500;
    const WAYS: [[f64; 2]; 8] =
        [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]];
    let at = |alpha: f64, beta: f64| {
        let [own, with] = groups.iter().fold([0.0, 0.0], |[own, with], group| {
            let law = group.weight * group.units / denominator(alpha, beta, group.units);
            [own + law * law, with + law * group.weight * group.mean]
        });
        let coefficients = [alpha, beta, with / own];
        (coefficients, squares(groups, coefficients))
    };
    let before = squares(groups, start);
    let (mut best, mut least) = (start, before);
    let mut step = FIRST_STEP;
    // The number of steps is bounded, as a narrow valley needs many small ones.
    for _ in 0..MOST_STEPS {
        if step < LAST_STEP {
            break;
        }
        let tried = WAYS
            .map(|[alpha, beta]| at((best[0] + step * alpha).clamp(0.0, 1.0), (best[1] + step * beta).clamp(0.0, 1.0)));
        match tried.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((coefficients, squares)) if squares < least => (best, least) = (coefficients, squares),
            _ => step /= 2.0,
        }
    }
    (least < before * (1.0 - 1e-9)).then_some(best)
}

fn squares(groups: &[Group], [alpha, beta, gamma]: [f64; 3]) -> f64 {
    let square = |group: &Group| {
        let law = gamma * group.units / denominator(alpha, beta, group.units);
        (group.weight * (law - group.mean)).powi(2)
    };
    groups.iter().map(square).sum()
}

/// Standard errors from the Jacobian at the fit.
fn errors(points: &[Point], law: &Scaling, residual: f64) -> Option<[f64; 3]> {
    let freedom = points.len().checked_sub(3).filter(|freedom| *freedom > 0)?;
    // Scaled to γ of about 1, as in the search, so that the matrix is far from singular.
    let mut normal: Matrix3<f64> = Matrix3::zeros();
    let scale = [1.0, 1.0, law.gamma];
    for point in points {
        let gradient = gradient([law.alpha, law.beta, law.gamma], point.units);
        for row in 0..3 {
            for column in 0..3 {
                normal[(row, column)] += gradient[row] * scale[row] * gradient[column] * scale[column];
            }
        }
    }
    let inverse = normal.try_inverse()?;
    let variance = residual / freedom as f64;
    let errors = [0, 1, 2].map(|place| (inverse[(place, place)] * variance).sqrt() * scale[place]);
    errors.iter().all(|error| error.is_finite()).then_some(errors)
}
