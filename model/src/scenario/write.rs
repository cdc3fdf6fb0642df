//! Writing a scenario as RON text.

use ron::ser::PrettyConfig;

use super::Scenario;

impl Scenario {
    /// The scenario as the text of a `.ron` file; [`super::read`] gives back the same scenario, bit by bit.
    #[must_use]
    pub fn to_ron(&self) -> String {
        let config = PrettyConfig::new().depth_limit(8).new_line("\n").struct_names(false);
        // A scenario holds only types that RON can write.
        let mut text = ron::ser::to_string_pretty(self, config).unwrap_or_default();
        text.push('\n');
        text
    }
}
