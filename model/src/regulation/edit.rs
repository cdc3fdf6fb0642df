//! Edits that keep a study consistent: names stay unique, sources follow their field and go with its value, limits
//! enclose what they limit.

use super::study::Regulation;

impl Regulation {
    /// Gives a cluster, a controller or a precision whose name stands at this path another one; false if there is
    /// none.
    pub(crate) fn rename(&mut self, path: &str, name: &str) -> bool {
        let at = |list: &str, other: &str| path == format!("{list}.{other}.name");
        if let Some(index) = self.clusters.iter().position(|cluster| at("clusters", &cluster.name)) {
            self.rename_cluster(index, name);
        } else if let Some(index) = self.controllers.iter().position(|controller| at("controllers", &controller.name)) {
            self.rename_controller(index, name);
        } else if let Some(index) = self.ladder.iter().position(|rung| at("ladder", &rung.name)) {
            self.rename_rung(index, name);
        } else {
            return false;
        }
        true
    }

    /// Gives a cluster another name; its sources follow. Nothing happens if there is no such cluster.
    pub fn rename_cluster(&mut self, index: usize, name: &str) {
        if let Some(cluster) = self.clusters.get_mut(index) {
            let before = std::mem::replace(&mut cluster.name, name.to_owned());
            self.move_sources("clusters", &before, name);
        }
    }

    /// Gives a controller another name; its sources and the policy follow.
    pub fn rename_controller(&mut self, index: usize, name: &str) {
        if let Some(controller) = self.controllers.get_mut(index) {
            let before = std::mem::replace(&mut controller.name, name.to_owned());
            if self.policy.controller == before {
                name.clone_into(&mut self.policy.controller);
            }
            self.move_sources("controllers", &before, name);
        }
    }

    /// Gives a precision another name; its sources and the clusters follow.
    pub fn rename_rung(&mut self, index: usize, name: &str) {
        if let Some(rung) = self.ladder.get_mut(index) {
            let before = std::mem::replace(&mut rung.name, name.to_owned());
            for cluster in &mut self.clusters {
                for precision in [&mut cluster.precision, &mut cluster.lowest_precision, &mut cluster.highest_precision]
                {
                    if *precision == before {
                        name.clone_into(precision);
                    }
                }
            }
            self.move_sources("ladder", &before, name);
        }
    }

    fn move_sources(&mut self, list: &str, from: &str, to: &str) {
        let (from, to) = (format!("{list}.{from}."), format!("{list}.{to}."));
        let moved: Vec<String> = self.sources.keys().filter(|path| path.starts_with(&from)).cloned().collect();
        for path in moved {
            if let Some(source) = self.sources.remove(&path) {
                self.sources.insert(format!("{to}{}", &path[from.len()..]), source);
            }
        }
    }
}
