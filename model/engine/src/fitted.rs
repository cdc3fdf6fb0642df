//! The machines that the numbers of an engine were fitted to, which stay known when it moves to others.

use crossover_quantity::unit::Unit;

use super::profile::Engine;

impl Engine {
    /// Notes the machines that its numbers were fitted to, before it moves to others; nothing if they are noted already, or if they have no
    /// type.
    pub fn keep_fitted(&mut self) {
        if self.fitted_to.is_empty() && !self.machine.is_empty() {
            self.fitted_to = self.title();
        }
    }

    /// Number and type of the machines that its numbers were fitted to, as [`Self::fitted_to`] names them; its own if it does not.
    #[must_use]
    pub fn fitted_machines(&self) -> (f64, &str) {
        machines_in(&self.fitted_to).unwrap_or((self.machines, self.machine.as_str()))
    }

    /// Why its time on one machine cannot be judged: its numbers were fitted to several. `None` on several machines.
    #[must_use]
    pub fn why_not_on_one(&self) -> Option<String> {
        let (fitted, machine) = self.fitted_machines();
        (self.machines <= 1.0 && fitted > 1.0).then(|| {
            format!(
                "no measured data on one machine: measured on {} × {machine}, and the model has no memory limit of one machine",
                Unit::Count.format(fitted)
            )
        })
    }
}

/// Number and type of the machines in an [`Engine::title`].
fn machines_in(title: &str) -> Option<(f64, &str)> {
    let (before, machine) = title.rsplit_once(" × ")?;
    let count = before.rsplit_once(", ").map_or(before, |(_, count)| count);
    Some((count.replace(',', "").parse().ok()?, machine))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Engines;

    fn engine(machines: f64) -> Engine {
        let machine = "g6.2xlarge".to_owned();
        Engine { name: "RAPIDS 25.12 (L4)".to_owned(), machine, machines, ..Engines::plain().gpu }
    }

    #[test]
    fn the_machines_of_the_fit_stay_known_after_a_move() {
        let mut moved = engine(4.0);
        assert_eq!(moved.fitted_machines(), (4.0, "g6.2xlarge"), "its own");
        moved.keep_fitted();
        assert_eq!(moved.fitted_to, "RAPIDS 25.12 (L4), 4 × g6.2xlarge");
        (moved.machines, moved.machine) = (16.0, "g6.xlarge".to_owned());
        moved.keep_fitted();
        assert_eq!(moved.fitted_machines(), (4.0, "g6.2xlarge"));
        // A thousand is written with a comma, as between the name and the number.
        let mut many = engine(1200.0);
        many.keep_fitted();
        many.machines = 2.0;
        assert_eq!(many.fitted_machines(), (1200.0, "g6.2xlarge"));
        // Without a type, the title has no number.
        let mut unnamed = Engine { machine: String::new(), ..engine(4.0) };
        unnamed.keep_fitted();
        assert_eq!((unnamed.fitted_to.as_str(), unnamed.fitted_machines()), ("", (4.0, "")));
    }

    #[test]
    fn one_machine_is_not_judged_by_a_measurement_of_several() {
        let on = |measured: f64, now: f64| {
            let mut engine = engine(measured);
            engine.keep_fitted();
            engine.machines = now;
            engine.why_not_on_one()
        };
        assert_eq!([on(4.0, 4.0), on(4.0, 2.0), on(1.0, 1.0)], [None, None, None]);
        let why = on(4.0, 1.0).expect("it was measured on four");
        assert!(why.contains("no measured data on one machine: measured on 4 × g6.2xlarge"), "{why}");
    }
}
