//! Writing a scenario as RON text.

use ron::ser::PrettyConfig;

use super::Scenario;

impl Scenario {
    /// The scenario as the text of a `.ron` file; [`super::read`] gives back the same scenario, bit by bit.
    ///
    /// Comments and the layout of a file that was written by hand are not kept.
    ///
    /// # Panics
    /// Never: RON can write every type of a scenario.
    #[must_use]
    pub fn to_ron(&self) -> String {
        let config = PrettyConfig::new().depth_limit(5).new_line("\n").struct_names(false);
        let text = ron::ser::to_string_pretty(self, config);
        text.expect("a scenario holds only types that RON can write") + "\n"
    }
}
