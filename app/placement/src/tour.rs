//! The tours of the page: one about operators, and of a query one about its plan or its answer.

use crossover_page::tour::{OF_PARAMETERS, Part, STRIP, Step, TABLE};

/// The curves of the operators.
pub(super) const CURVES: Part = Part("curves");
/// The bars of the operators.
pub(super) const BARS: Part = Part("bars");
/// The tree of a plan.
pub(super) const TREE: Part = Part("tree");
/// What is beside the tree.
pub(super) const DETAILS: Part = Part("details");
/// The steps that lead to an answer.
pub(super) const WAY: Part = Part("way");
/// The goal of a decision.
pub(super) const GOAL: Part = Part("goal");
/// The chart of the options, and what the recommended one costs.
pub(super) const OPTIONS: Part = Part("options");

/// The cards of a study of operators, in their order.
pub(super) const OF_OPERATORS: [Step; 5] = [
    Step {
        part: STRIP,
        title: "The answer",
        text: "The speedup of the workload, its time before and after, and its bottleneck. Choose another network to see all \
               of them change.",
    },
    Step {
        part: CURVES,
        title: "Curves",
        text: "The speedup along one number, with a curve for each network. Drag the dot of an operator, or the threshold line: \
               the scenario changes with it.",
    },
    Step {
        part: BARS,
        title: "Bars",
        text: "The time of each operator on CPU and on GPU, term by term. Hover over a term to read it; the longest is the \
               bottleneck.",
    },
    Step {
        part: TABLE,
        title: "Operators",
        text: "A row for each operator: times, speedups, side and reason. Click a row to see its curves, or a column title to \
               sort.",
    },
    OF_PARAMETERS,
];

/// The cards of a query that the hardware model places, in their order.
pub(super) const OF_PLAN: [Step; 5] = [
    Step {
        part: STRIP,
        title: "The answer",
        text: "The speedup of the query, its time before and after, and its bottleneck. Hover over a figure for its meaning.",
    },
    Step {
        part: TREE,
        title: "The plan",
        text: "A box for each operator, in the colour of its side. Click a box for its numbers, or right-click it to choose its \
               side.",
    },
    Step {
        part: DETAILS,
        title: "Totals",
        text: "Where the time of the whole plan goes. Click a box of the plan to see the numbers of its operator here instead.",
    },
    Step {
        part: TABLE,
        title: "Operators",
        text: "A row for each operator, with its side and the reason. Click a row to see its operator, or a column title to \
               sort.",
    },
    OF_PARAMETERS,
];

/// The cards of a query with a decision, in their order.
pub(super) const OF_ANSWER: [Step; 5] = [
    Step {
        part: STRIP,
        title: "The verdict",
        text: "Move, try, stay or cannot be judged, with time, cost and likelihood. Hover over a figure for its meaning.",
    },
    Step {
        part: WAY,
        title: "Three steps",
        text: "What runs, where it could run, and the answer. Click 2 Where to check today’s machines and to enter prices.",
    },
    Step {
        part: GOAL,
        title: "The goal",
        text: "Least cost within a time limit, or least time within a budget. Enter your runs per month for the saving per \
               month.",
    },
    Step {
        part: OPTIONS,
        title: "The options",
        text: "The time and cost of every option, and what the recommended one costs. Scroll down for the table, the next step \
               and the evidence.",
    },
    OF_PARAMETERS,
];
