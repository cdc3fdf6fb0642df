//! Attributes and inputs of a node.

use super::super::shape::Shape;
use super::messages::AttributeProto;
use super::tensor::Tensor;

/// Attributes of a node.
pub(super) struct Attributes<'a>(pub(super) &'a [AttributeProto]);

impl<'a> Attributes<'a> {
    pub(super) fn find(&self, name: &str) -> Option<&'a AttributeProto> {
        self.0.iter().find(|attribute| attribute.name == name)
    }

    pub(super) fn number(&self, name: &str, otherwise: i64) -> i64 {
        self.find(name).map_or(otherwise, |attribute| attribute.i)
    }

    pub(super) fn numbers(&self, name: &str) -> Option<&'a [i64]> {
        self.find(name).map(|attribute| attribute.ints.as_slice()).filter(|numbers| !numbers.is_empty())
    }

    pub(super) fn floats(&self, name: &str) -> Option<&'a [f32]> {
        self.find(name).map(|attribute| attribute.floats.as_slice()).filter(|numbers| !numbers.is_empty())
    }

    pub(super) fn text(&self, name: &str) -> &'a [u8] {
        self.find(name).map_or(b"", |attribute| &attribute.s)
    }
}

/// Inputs of a node.
pub(super) struct Inputs<'a>(pub(super) &'a [Option<&'a Tensor>]);

impl<'a> Inputs<'a> {
    pub(super) fn tensor(&self, place: usize) -> Option<&'a Tensor> {
        self.0.get(place).copied().flatten()
    }

    pub(super) fn shape(&self, place: usize) -> Option<&'a Shape> {
        self.tensor(place)?.shape.as_ref()
    }

    pub(super) fn values(&self, place: usize) -> Option<&'a [i64]> {
        self.tensor(place)?.values.as_deref()
    }
    pub(super) fn floats(&self, place: usize) -> Option<&'a [f32]> {
        self.tensor(place)?.floats.as_deref()
    }
}
