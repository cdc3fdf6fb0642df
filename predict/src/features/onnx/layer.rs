//! A node as a layer of the network: its operator, the elements that it takes and gives, and its parameters.

use super::super::network::{ElementBits, Layer};
use super::super::operator::Operator;
use super::super::shape::elements;
use super::bits::Bits;
use super::infer;
use super::messages::NodeProto;
use super::tensor::Tensor;
use super::tensors::Tensors;

/// Element types of tensors that are not parameters: 32 and 64 bit integers, signed and unsigned, texts and booleans.
const NOT_LEARNED: [i32; 6] = [6, 7, 8, 9, 12, 13];

impl Tensors<'_> {
    pub(super) fn layer(&mut self, node: &NodeProto, index: usize, places: &[Option<usize>]) -> Layer {
        let (mut input, mut parameters) = (Some(0_u64), Some(0_u64));
        let [mut of_inputs, mut of_outputs, mut of_parameters] = [Bits::default(); 3];
        for place in places.iter().flatten() {
            let tensor = &self.all[*place];
            if !tensor.is_constant {
                let size = self.size(*place);
                of_inputs.add(size, tensor.bits());
                input = input.zip(size).and_then(|(sum, size)| sum.checked_add(size));
                continue;
            }
            let root = tensor.root.unwrap_or(*place);
            let root = &mut self.all[root];
            if !root.is_counted && !NOT_LEARNED.contains(&root.data_type) {
                root.is_counted = true;
                let size = root.shape.as_deref().and_then(elements);
                of_parameters.add(size, root.bits());
                parameters = parameters.zip(size).and_then(|(sum, size)| sum.checked_add(size));
            }
        }
        let outputs: Vec<usize> =
            node.output.iter().filter_map(|name| self.places.get(name.as_str()).copied()).collect();
        let sizes: Vec<Option<u64>> = outputs.iter().map(|place| self.size(*place)).collect();
        // Outputs after the first are masks and statistics of mostly unknown size; those of a split are all inferred.
        let output = sizes.iter().copied().try_fold(0_u64, |sum, size| sum.checked_add(size?));
        let output = output.or_else(|| sizes.first().copied().flatten().filter(|_| node.op_type != "Split"));
        // Rows of a learned table are looked up.
        let is_table = node.op_type == "Gather"
            && places.first().copied().flatten().is_some_and(|place| {
                let table = &self.all[place];
                table.is_constant && !NOT_LEARNED.contains(&table.data_type)
            });
        let operator = if is_table { Operator::Embedding } else { operator(node) };
        let taken: Vec<Option<&Tensor>> = places.iter().map(|place| place.map(|place| &self.all[place])).collect();
        let first = outputs.first().and_then(|place| self.size(*place));
        let steps = infer::steps(node, &operator, &taken, input, first, self.batch);
        for place in &outputs {
            of_outputs.add(self.size(*place), self.all[*place].bits());
        }
        let bits = ElementBits { input: of_inputs.mean(), output: of_outputs.mean(), parameters: of_parameters.mean() };
        Layer { bits, ..Layer::new(name(node, index), operator, [input, output], parameters, steps) }
    }
}

/// The operator of a node. A sum, mean or extreme of ONNX is one of tensors, element by element.
pub(super) fn operator(node: &NodeProto) -> Operator {
    match (node.domain.as_str(), node.op_type.as_str()) {
        ("" | "ai.onnx", "Sum") => Operator::AddV2,
        ("" | "ai.onnx", "Mean") => Operator::Elementwise("Mean"),
        (_, op_type) => Operator::named(op_type),
    }
}

pub(super) fn name(node: &NodeProto, index: usize) -> String {
    let output = node.output.iter().find(|output| !output.is_empty());
    match (node.name.as_str(), output) {
        ("", None) => format!("{} {index}", node.op_type),
        ("", Some(output)) => output.clone(),
        (name, _) => name.to_owned(),
    }
}
