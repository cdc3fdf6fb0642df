//! Operations and bytes of the layers of a network for a batch, for an estimate of its time. What a file does not tell costs an
//! assumed amount or is left out, and is named.

use super::network::{Layer, Network};
use super::operator::Operator;

/// Operations and bytes of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerWork<'a> {
    /// The layer.
    pub layer: &'a Layer,
    /// Floating-point operations for the batch.
    pub flops: f64,
    /// Bytes read from and written to memory for the batch.
    pub bytes: f64,
    /// How much of it the file tells.
    pub known: Known,
}

/// How much of the work of a layer a file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// All of it.
    All,
    /// The operator is unknown: it is assumed to read its inputs and write its outputs with one operation per output element.
    Sizes,
    /// Operations or a size are missing: the layer takes at least this much.
    Part,
}

impl Network {
    /// The work of every layer for a batch, in the order of the layers.
    #[must_use]
    pub fn work(&self, batch: u64) -> Vec<LayerWork<'_>> {
        self.layers.iter().map(|layer| layer.work(batch)).collect()
    }
}

impl Layer {
    fn work(&self, batch: u64) -> LayerWork<'_> {
        let samples = batch as f64;
        let unknown = matches!(self.operator, Operator::Other(_));
        // A layer of which one size is known reads about as much as it writes.
        let output = self.output_size.or(self.input_size);
        let whole = self.bytes_moved(batch);
        let assumed = || {
            let (input, output) = (self.input_size.or(self.output_size)?, output?);
            let moved = Self {
                input_size: Some(input),
                output_size: Some(output),
                parameters: Some(self.parameters.unwrap_or(0)),
                ..self.clone()
            };
            moved.bytes_moved(batch)
        };
        let bytes = whole.or_else(assumed);
        let flops = self.flops.map(|flops| flops as f64).or_else(|| output.filter(|_| unknown).map(|size| size as f64));
        let known = match (self.flops, whole) {
            (Some(_), Some(_)) => Known::All,
            (None, Some(_)) if unknown => Known::Sizes,
            _ => Known::Part,
        };
        LayerWork {
            layer: self,
            flops: flops.unwrap_or(0.0) * samples,
            bytes: bytes.map_or(0.0, |bytes| bytes as f64),
            known,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::Form;
    use super::*;

    fn network(layers: Vec<Layer>) -> Network {
        Network { form: Form::LayerList, layers, input: None, notes: Vec::new() }
    }

    #[test]
    fn an_unknown_operator_costs_its_own_traffic_and_one_operation_per_element() {
        let unknown = Operator::named("Fancy");
        let of = network(vec![Layer::new("f", unknown, [Some(100), Some(50)], Some(10), None)]);
        let [work] = &of.work(4)[..] else { panic!("one layer") };
        // 4 samples of 50 operations; (100 + 50) · 4 + 10 numbers of 4 bytes.
        assert_eq!((work.flops, work.bytes, work.known), (200.0, 610.0 * 4.0, Known::Sizes));
    }

    #[test]
    fn what_is_missing_is_a_part() {
        let of = network(vec![
            Layer::new("no steps", Operator::Conv2D, [Some(8), Some(8)], Some(3), None),
            Layer::new("no input", Operator::Relu, [None, Some(8)], Some(0), None),
            Layer::new("no size", Operator::named("Fancy"), [None, None], None, None),
        ]);
        let work = of.work(1);
        let seen: Vec<(f64, f64, Known)> = work.iter().map(|work| (work.flops, work.bytes, work.known)).collect();
        assert_eq!(seen, [(0.0, 76.0, Known::Part), (8.0, 64.0, Known::Part), (0.0, 0.0, Known::Part)]);
    }
}
