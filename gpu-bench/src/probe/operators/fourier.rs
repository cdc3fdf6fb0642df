//! Fourier transforms of many complex signals.

use std::hint::black_box;
use std::sync::Arc;

use rayon::prelude::*;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

use super::{DOUBLE, Operator, Prepared, fraction, weighted};
use crate::failure::Failure;

/// Points of a signal.
const POINTS: usize = 4_096;
/// Signals.
const SIGNALS: usize = 256;

pub(super) const FFT: Operator =
    Operator { key: "fft", true_value: 56_553.127_126_455_44, tolerance: DOUBLE, prepare: || Box::new(Signals::new()) };

/// Signals and their spectra, one after the other.
struct Signals {
    transform: Arc<dyn Fft<f64>>,
    times: Vec<Complex<f64>>,
    spectra: Vec<Complex<f64>>,
}

impl Signals {
    fn new() -> Self {
        let point = |place| Complex::new(fraction(place, 7_919), fraction(place, 104_729));
        let signals: Vec<_> = (0..POINTS * SIGNALS).into_par_iter().map(point).collect();
        Self { transform: FftPlanner::new().plan_fft_forward(POINTS), spectra: signals.clone(), times: signals }
    }
}

impl Prepared for Signals {
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        let transform = &self.transform;
        let scratch = || vec![Complex::default(); transform.get_inplace_scratch_len()];
        let pairs = self.spectra.par_chunks_mut(POINTS).zip(self.times.par_chunks(POINTS));
        pairs.for_each_init(scratch, |scratch, (spectrum, signal)| {
            for (to, from) in spectrum.iter_mut().zip(signal) {
                *to = from * scale;
            }
            transform.process_with_scratch(spectrum, scratch);
        });
        black_box(&mut self.spectra);
        Ok(())
    }

    /// The norm of all spectra, the parts of each weighted by their frequency.
    fn value(&mut self) -> Result<f64, Failure> {
        let squares: Vec<f64> = self.spectra.par_iter().map(Complex::norm_sqr).collect();
        Ok(weighted(&squares).sqrt())
    }
}
