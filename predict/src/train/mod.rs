//! Networks that are trained on measured runs.
