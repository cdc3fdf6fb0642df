//! What is said where nobody measured.
