//! Nothing to do: without a build script cargo leaves out the build-dependencies.

fn main() {}
