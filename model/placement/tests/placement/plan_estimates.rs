//! Numbers that an engine did not report, by hand.

use crossover_query::{Amount, Kind, Node, Numbers, Plan, Rule, fill};

/// A node that reads from these.
fn node(kind: Kind, inputs: &[usize]) -> Node {
    Node { inputs: inputs.to_vec(), ..Node::new(kind.label(), kind) }
}

/// A scan of rows of a width.
fn scan(rows: f64, width: f64) -> Node {
    Node { rows_out: Some(Amount::reported(rows)), row_width: Some(Amount::reported(width)), ..node(Kind::Scan, &[]) }
}

fn numbers(nodes: Vec<Node>) -> Vec<Numbers> {
    fill(&Plan { nodes, ..Plan::default() })
}

#[test]
fn a_filter_of_which_nothing_is_known_passes_a_fifth() {
    let filter = numbers(vec![node(Kind::Filter, &[1]), scan(1000.0, 16.0)])[0];
    assert_eq!(filter.rows_in, Amount::derived(1000.0, Rule::SumOfInputs));
    assert_eq!(filter.rows_out, Amount::estimated(200.0, Rule::UsualFilter));
    assert_eq!(filter.row_width, Amount::derived(16.0, Rule::SameAsInput));
    assert_eq!(filter.bytes_in, Amount::derived(16_000.0, Rule::SumOfInputs));
    assert_eq!(filter.bytes_out, Amount::estimated(3200.0, Rule::RowsTimesWidth));
    assert_eq!(filter.selectivity(), Some(0.2));
}

#[test]
fn an_aggregate_gives_a_tenth_of_its_rows_rounded_up() {
    let aggregate = numbers(vec![node(Kind::Aggregate, &[1]), scan(95.0, 8.0)])[0];
    assert_eq!(aggregate.rows_out, Amount::estimated(10.0, Rule::UsualGroups));
}

#[test]
fn a_join_gives_the_rows_of_its_larger_input_as_wide_as_both() {
    let join = numbers(vec![node(Kind::Join, &[1, 2]), scan(1000.0, 8.0), scan(300.0, 24.0)])[0];
    assert_eq!(join.rows_in, Amount::derived(1300.0, Rule::SumOfInputs));
    assert_eq!(join.rows_out, Amount::estimated(1000.0, Rule::UsualJoin));
    assert_eq!(join.row_width, Amount::estimated(32.0, Rule::SumOfWidths));
    // 1000 × 8 + 300 × 24.
    assert_eq!(join.bytes_in, Amount::derived(15_200.0, Rule::SumOfInputs));
    assert_eq!(join.bytes_out.value, 32_000.0);
}

#[test]
fn operators_that_drop_no_row_give_what_they_read() {
    for kind in [Kind::Project, Kind::Sort, Kind::Window, Kind::Shuffle, Kind::Broadcast, Kind::Gather, Kind::Wrapper] {
        let given = numbers(vec![node(kind, &[1]), scan(1000.0, 16.0)])[0].rows_out;
        assert_eq!(given, Amount::derived(1000.0, Rule::SameAsInput), "{kind:?}");
    }
    let union = numbers(vec![node(Kind::Union, &[1, 2]), scan(1000.0, 16.0), scan(500.0, 16.0)])[0];
    assert_eq!(union.rows_out.value, 1500.0);
}

#[test]
fn bytes_and_rows_of_an_exchange_give_the_width_of_what_stands_around_it() {
    let exchange = Node {
        rows_out: Some(Amount::reported(100.0)),
        bytes_out: Some(Amount::reported(2400.0)),
        ..node(Kind::Shuffle, &[2])
    };
    let rows = Node { rows_out: Some(Amount::reported(100.0)), ..node(Kind::Project, &[]) };
    let found = numbers(vec![node(Kind::Sort, &[1]), exchange, rows]);
    assert_eq!(found[1].row_width, Amount::derived(24.0, Rule::BytesPerRow));
    assert_eq!(found[0].row_width, Amount::derived(24.0, Rule::SameAsInput), "above it");
    assert_eq!(found[2].row_width, Amount::estimated(24.0, Rule::NearestWidth), "below it");
}

#[test]
fn a_command_that_reads_nothing_has_no_rows() {
    for kind in [Kind::Other, Kind::Write] {
        let command = numbers(vec![node(kind, &[])])[0];
        assert_eq!(command.rows_in, Amount::estimated(0.0, Rule::ReadsNothing));
        assert_eq!((command.rows_out.value, command.bytes_in.value, command.bytes_out.value), (0.0, 0.0, 0.0));
    }
}

#[test]
fn a_source_of_which_nothing_is_known_has_a_million_rows_of_64_bytes() {
    let source = numbers(vec![node(Kind::Scan, &[])])[0];
    assert_eq!(source.rows_out.value, 1e6);
    assert_eq!(source.rows_in, Amount::estimated(1e6, Rule::UsualRows));
    assert_eq!(source.row_width, Amount::estimated(64.0, Rule::UsualWidth));
    assert_eq!(source.bytes_out.value, 6.4e7);
    assert!(source.bytes_out.is_estimated());
}

#[test]
fn rows_follow_from_bytes_and_width() {
    let source = Node {
        bytes_out: Some(Amount::reported(1600.0)),
        row_width: Some(Amount::reported(16.0)),
        ..node(Kind::Scan, &[])
    };
    assert_eq!(numbers(vec![source])[0].rows_out, Amount::derived(100.0, Rule::BytesPerRow));
}

#[test]
fn a_repeated_part_has_the_numbers_of_the_first() {
    let again = Node { reuses: Some(1), ..node(Kind::Shuffle, &[]) };
    let found = numbers(vec![node(Kind::Join, &[1, 3]), node(Kind::Shuffle, &[2]), scan(1000.0, 16.0), again]);
    assert_eq!(found[3].rows_out.value, 1000.0);
    assert_eq!(found[3].row_width.value, 16.0);
    assert_eq!(found[0].rows_in.value, 2000.0);
}

#[test]
fn what_is_guessed_once_is_a_guess_ever_after() {
    let found = numbers(vec![node(Kind::Sort, &[1]), node(Kind::Filter, &[2]), scan(1000.0, 16.0)]);
    assert_eq!(found[0].rows_out, Amount::estimated(200.0, Rule::SameAsInput));
    assert!(!found[2].bytes_out.is_estimated());
}

#[test]
fn no_rows_have_no_selectivity() {
    assert_eq!(numbers(vec![node(Kind::Filter, &[1]), scan(0.0, 16.0)])[0].selectivity(), None);
}
