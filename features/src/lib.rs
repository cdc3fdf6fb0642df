//! Empty: the manifest beside it says which features every crate has its dependencies compiled with.
