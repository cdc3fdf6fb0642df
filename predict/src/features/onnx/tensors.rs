//! The tensors of a graph by their names: constants, inputs, and what the file declares of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::Dimensions;
use super::super::network::{first_names, shown};
use super::super::shape::{MOST_DIMENSIONS, Shape, elements};
use super::constant::constant_tensor;
use super::declared::{dimension_name, dimensions, element_type, fixed};
use super::messages::{GraphProto, ValueInfoProto};
use super::tensor::Tensor;

/// Tensors of a graph.
pub(super) struct Tensors<'a> {
    pub(super) places: HashMap<&'a str, usize>,
    pub(super) all: Vec<Tensor>,
    /// Shapes in the file of tensors that nodes give.
    pub(super) declared: HashMap<&'a str, &'a ValueInfoProto>,
    /// Names of the first dimensions of inputs.
    pub(super) batch_names: BTreeSet<&'a str>,
    /// Sizes of named dimensions that the caller sets.
    pub(super) dimensions: &'a Dimensions,
    /// Number of nodes of each unknown operator whose output size is assumed.
    pub(super) assumed: BTreeMap<String, usize>,
    /// Samples of a batch, if the file fixes them.
    pub(super) batch: u64,
    pub(super) notes: Vec<String>,
}

impl<'a> Tensors<'a> {
    /// Constants and inputs.
    pub(super) fn of(graph: &'a GraphProto, sizes: &'a Dimensions) -> Result<Self, String> {
        let mut all = Self {
            places: HashMap::new(),
            all: Vec::new(),
            declared: HashMap::new(),
            batch_names: BTreeSet::new(),
            dimensions: sizes,
            assumed: BTreeMap::new(),
            batch: 1,
            notes: Vec::new(),
        };
        let mut elsewhere = 0_usize;
        for constant in &graph.initializer {
            elsewhere += usize::from(constant.data_location == 1);
            let tensor = constant_tensor(constant, &constant.dims)?;
            all.add(&constant.name, tensor)?;
        }
        for sparse in &graph.sparse_initializer {
            let values = sparse.values.as_ref().ok_or("a sparse constant has no values")?;
            let tensor = Tensor { values: None, ..constant_tensor(values, &sparse.dims)? };
            all.add(&values.name, tensor)?;
        }
        if elsewhere > 0 {
            all.notes.push(format!("{elsewhere} of the weights are in another file, which is not needed"));
        }
        let inputs: Vec<&ValueInfoProto> =
            graph.input.iter().filter(|input| !all.places.contains_key(input.name.as_str())).collect();
        let leading = inputs.iter().filter_map(|input| dimensions(input)?.first());
        all.batch_names = leading
            .filter_map(|dimension| dimension.dim_param.as_deref())
            .filter(|name| !matches!(*name, "" | "?"))
            .collect();
        all.check_names(&inputs)?;
        let mut unknown = BTreeSet::new();
        let mut batches = BTreeSet::new();
        for input in inputs {
            let declared = dimensions(input).filter(|dimensions| dimensions.len() <= MOST_DIMENSIONS);
            let shape = declared.map(|_| all.declared_shape(input, true).unwrap_or_default());
            if let (Some(dimensions), Some(shape)) = (declared, &shape) {
                for (place, (dimension, size)) in dimensions.iter().zip(shape).enumerate() {
                    if size.is_none() {
                        unknown.insert(dimension_name(&input.name, place, dimension));
                    }
                }
                if let [first, _, ..] = dimensions {
                    batches.insert(fixed(first).filter(|size| *size > 0));
                }
            }
            let data_type = element_type(input);
            all.add(&input.name, Tensor { shape, data_type, ..Tensor::default() })?;
        }
        if let (1, Some(Some(batch))) = (batches.len(), batches.first()) {
            all.batch = *batch;
            if all.batch > 1 {
                all.notes.push(format!(
                    "the first dimension of the inputs, {batch}, is taken as the batch; sizes are of one sample"
                ));
            }
        }
        if !unknown.is_empty() {
            all.notes.push(format!(
                "input dimensions without a size: {}; sizes that depend on them are not known; set them in the file, or with \
                 --dimension NAME=SIZE",
                first_names(unknown.iter().map(String::as_str))
            ));
        }
        all.declared =
            graph.value_info.iter().chain(&graph.output).map(|declared| (declared.name.as_str(), declared)).collect();
        Ok(all)
    }

    pub(super) fn add(&mut self, name: &'a str, tensor: Tensor) -> Result<(), String> {
        if name.is_empty() {
            return Err("a tensor has no name; expected a unique name".to_owned());
        }
        if self.places.insert(name, self.all.len()).is_some() {
            return Err(format!("tensor {} is defined twice; expected once", shown(name)));
        }
        self.all.push(tensor);
        Ok(())
    }

    /// The shape in the file, with a batch of 1.
    pub(super) fn declared_shape(&self, declared: &ValueInfoProto, is_input: bool) -> Option<Shape> {
        let dimensions = dimensions(declared).filter(|dimensions| dimensions.len() <= MOST_DIMENSIONS)?;
        let sizes = dimensions.iter().enumerate().map(|(place, dimension)| {
            let fixed = fixed(dimension);
            let is_batch = dimension.dim_param.as_deref().is_some_and(|name| self.batch_names.contains(name));
            // Old writers use 0 or −1 for an open batch.
            let is_open = is_input && place == 0 && fixed.is_none_or(|size| size == 0);
            let named = || self.dimensions.get(&dimension_name(&declared.name, place, dimension)).copied();
            if is_batch || is_open { Some(1) } else { fixed.or_else(named) }
        });
        Some(sizes.collect())
    }

    /// Checks that the dimensions that the caller sets are open dimensions of inputs.
    fn check_names(&self, inputs: &[&ValueInfoProto]) -> Result<(), String> {
        let (mut open, mut batch) = (BTreeSet::new(), BTreeSet::new());
        for input in inputs {
            for (place, dimension) in dimensions(input).unwrap_or_default().iter().enumerate() {
                let name = dimension_name(&input.name, place, dimension);
                let is_batch = place == 0 || self.batch_names.contains(name.as_str());
                if fixed(dimension).is_none_or(|size| size == 0) {
                    let names = if is_batch { &mut batch } else { &mut open };
                    names.insert(name);
                }
            }
        }
        let Some(name) = self.dimensions.keys().find(|name| !open.contains(*name)) else { return Ok(()) };
        if batch.contains(name) {
            return Err(format!("dimension {} is the batch; set it with --batch", shown(name)));
        }
        let known = if open.is_empty() {
            "it has none".to_owned()
        } else {
            format!("it has {}", first_names(open.iter().map(String::as_str)))
        };
        Err(format!("no open dimension {} among those of the inputs; {known}", shown(name)))
    }

    /// Adds a tensor within a branch; the place that its name had before.
    pub(super) fn define(&mut self, name: &'a str, tensor: Tensor) -> Option<usize> {
        self.all.push(tensor);
        self.places.insert(name, self.all.len() - 1)
    }

    /// Elements of a tensor for one sample.
    pub(super) fn size(&self, place: usize) -> Option<u64> {
        let shape = self.all[place].shape.as_deref()?;
        let all = elements(shape)?;
        let has_batch = shape.iter().flatten().any(|size| size.is_multiple_of(self.batch));
        Some(if has_batch && all.is_multiple_of(self.batch) { all / self.batch } else { all })
    }

    /// Input elements of the graph for one sample.
    pub(super) fn input(&self, graph: &GraphProto) -> Option<u64> {
        let places = graph.input.iter().filter_map(|input| self.places.get(input.name.as_str()));
        let taken = places.filter(|place| !self.all[**place].is_constant);
        taken.map(|place| self.size(*place)).try_fold(0_u64, |sum, size| sum.checked_add(size?))
    }
}
