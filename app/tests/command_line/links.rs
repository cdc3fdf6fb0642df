//! Links to a view as arguments.

use std::path::Path;

use crossover_page::storage::link::{self, Front};
use crossover_page::storage::scenario;

use super::{PUBLISHED, REGULATION, refusal, result, run};

fn link_to(file: &str) -> String {
    let scenario = scenario::open(Path::new(file)).expect("a scenario");
    link::write(&scenario, &Front::Tool("Sweep".to_owned())).expect("a link")
}

#[test]
fn a_link_is_read_wherever_a_scenario_is() {
    for file in [PUBLISHED, REGULATION] {
        assert_eq!(result(&["evaluate", &link_to(file)]), result(&["evaluate", file]), "{file}");
    }
    let changed = |scenario: &str| result(&["evaluate", scenario, "--set", "cluster.machines=200"]);
    assert_eq!(changed(&link_to(PUBLISHED)), changed(PUBLISHED));
    // Without a display the report is printed.
    assert_eq!(run(&[&link_to(PUBLISHED)]), run(&[PUBLISHED]));
}

#[test]
fn a_bad_link_is_refused_with_the_reason_and_without_its_text() {
    let link = link_to(PUBLISHED);
    let cut = &link[..link.len() / 2];
    for (link, problem) in [
        (cut, "it is incomplete or damaged; copy it again as a whole"),
        ("crossover://example.org/", "it does not begin with crossover://view/"),
        ("crossover://view/9/AAAA", "it has version 9, and this program reads version 1; use a newer Crossover"),
    ] {
        let expected = format!("crossover: cannot open the link: {problem}\n");
        for arguments in [&[link][..], &["evaluate", link]] {
            assert_eq!(refusal(1, arguments), expected);
        }
    }
}
