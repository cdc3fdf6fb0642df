//! The operators of the library on a GPU: the same data and the same outputs, in single precision.

use crate::failure::Failure;
use crate::gpu::program::Program;
use crate::gpu::{Gpu, WORKGROUP};
use crate::kernels::scan::Form;
use crate::kernels::{aggregate, filter, join, sort};
use crate::probe::operators::{
    Prepared, SINGLE, convolution, dense, random_access, single_fractions, sparse, tables, triad, trigonometry,
    weighted,
};

/// Maximum error of a sine in single precision: WGSL allows an absolute error of 2^-11.
const SINE: f64 = 1e-3;
/// Tolerance of single additions and multiplications.
const ELEMENTWISE: f64 = 1e-6;

/// Why an operator of double precision does not run.
const DOUBLE: &str = "no GPU kernel: double precision";

/// Generates the data of an operator on a GPU; returns its tolerance there, too.
///
/// # Errors
/// The operator has no kernel, or what the GPU reports.
pub fn prepare<'a>(key: &str, gpu: &'a Gpu) -> Result<(Box<dyn Prepared + 'a>, f64), Failure> {
    let (kernel, tolerance) = match key {
        "sgemm" => (product(gpu)?, SINGLE),
        "spmv" => (sparse_product(gpu)?, SINGLE),
        "convolution" => (convolve(gpu)?, SINGLE),
        "trigonometry" => (sines(gpu)?, SINE),
        "triad" => (vectors(gpu)?, ELEMENTWISE),
        "random_access" => (chains(gpu)?, 0.0),
        "filter" => (filtered(gpu)?, 0.0),
        "hash_join" => (joined(gpu)?, 0.0),
        "aggregate" => (grouped(gpu)?, 0.0),
        "sort" => (sorted(gpu)?, 0.0),
        _ => return Err(Failure::Unsupported(DOUBLE.to_owned())),
    };
    Ok((Box::new(kernel), tolerance))
}

/// Reads an output from a GPU.
type ReadValue = Box<dyn Fn(&Gpu) -> Result<f64, Failure> + Send>;

/// A program with its data.
struct Kernel<'a> {
    gpu: &'a Gpu,
    program: Program,
    /// Where the scale goes; none: the data are whole numbers.
    scale: Option<wgpu::Buffer>,
    /// What reads the output.
    value: ReadValue,
}

impl Prepared for Kernel<'_> {
    #[expect(clippy::cast_possible_truncation, reason = "a factor of about 1")]
    fn execute(&mut self, scale: f64) -> Result<(), Failure> {
        match &self.scale {
            Some(buffer) => self.gpu.write(buffer, &[(scale as f32).to_bits()])?,
            None if scale.round() == 1.0 => {}
            None => {
                let what = format!("whole numbers scaled by {scale} on a GPU, only by about 1");
                return Err(Failure::Unsupported(what));
            }
        }
        self.gpu.run(&self.program)
    }

    fn value(&mut self) -> Result<f64, Failure> {
        (self.value)(self.gpu)
    }
}

/// A kernel that makes single-precision numbers: entry point of a source, operands, numbers made, workgroups.
fn numbers<'a>(
    gpu: &'a Gpu,
    (source, entry): (&str, &str),
    operands: &[&[u32]],
    made: usize,
    groups: usize,
) -> Result<Kernel<'a>, Failure> {
    let scale = gpu.uniform(&[1.0_f32.to_bits()])?;
    let output = gpu.buffer("output", made as u64)?;
    let operands: Vec<wgpu::Buffer> =
        operands.iter().map(|words| gpu.upload("operand", words)).collect::<Result<_, _>>()?;
    let buffers: Vec<&wgpu::Buffer> = [&scale, &output].into_iter().chain(&operands).collect();
    let kernel = gpu.kernel(source, entry, &[])?;
    let program = Program::new([gpu.dispatch(&kernel, &buffers, groups as u64)?]);
    let value = move |gpu: &Gpu| {
        let words = gpu.download(&output, made as u64)?;
        Ok(weighted(bytemuck::cast_slice::<u32, f32>(&words)))
    };
    Ok(Kernel { gpu, program, scale: Some(scale), value: Box::new(value) })
}

fn words(numbers: &[f32]) -> &[u32] {
    bytemuck::cast_slice(numbers)
}

#[expect(clippy::cast_possible_truncation, reason = "all operands are exact in single precision")]
fn single(numbers: impl Iterator<Item = f64>) -> Vec<f32> {
    numbers.map(|number| number as f32).collect()
}

fn product(gpu: &Gpu) -> Result<Kernel<'_>, Failure> {
    let numbers_of = |multiplier| single_fractions(dense::SINGLE_SIDE.pow(2), multiplier);
    let (left, right) = (numbers_of(dense::LEFT), numbers_of(dense::RIGHT));
    let tiles = (dense::SINGLE_SIDE / 64).pow(2);
    let source = (include_str!("dense.wgsl"), "product");
    numbers(gpu, source, &[words(&left), words(&right)], dense::SINGLE_SIDE.pow(2), tiles)
}

#[expect(clippy::cast_possible_truncation, reason = "7 million entries")]
fn sparse_product(gpu: &Gpu) -> Result<Kernel<'_>, Failure> {
    let all = || (0..sparse::ROWS).flat_map(|row| (0..sparse::NEIGHBOURS).map(move |k| (row, k)));
    let starts: Vec<u32> = (0..=sparse::ROWS).map(|row| (row * sparse::NEIGHBOURS) as u32).collect();
    let columns: Vec<u32> = all().map(|(row, k)| sparse::column(row, k)).collect();
    let entries = single(all().map(|(row, k)| sparse::entry(row, k)));
    let vector = single((0..sparse::ROWS).map(sparse::vector));
    let operands = [&starts[..], &columns, words(&entries), words(&vector)];
    numbers(gpu, (include_str!("sparse.wgsl"), "product"), &operands, sparse::ROWS, workgroups(sparse::ROWS))
}

fn convolve(gpu: &Gpu) -> Result<Kernel<'_>, Failure> {
    let (images, filters) = (convolution::images(), convolution::filters());
    let points = convolution::IMAGES * convolution::FILTERS * convolution::SIDE.pow(2);
    let source = (include_str!("convolution.wgsl"), "convolve");
    numbers(gpu, source, &[words(&images), words(&filters)], points, workgroups(points))
}

fn sines(gpu: &Gpu) -> Result<Kernel<'_>, Failure> {
    let angles = single((0..trigonometry::COUNT).map(trigonometry::angle));
    let source = (include_str!("trigonometry.wgsl"), "sines");
    numbers(gpu, source, &[words(&angles)], trigonometry::COUNT, workgroups(trigonometry::COUNT))
}

fn vectors(gpu: &Gpu) -> Result<Kernel<'_>, Failure> {
    let (one, other) = (single_fractions(triad::COUNT, triad::ONE), single_fractions(triad::COUNT, triad::OTHER));
    let source = (include_str!("triad.wgsl"), "triad");
    numbers(gpu, source, &[words(&one), words(&other)], triad::COUNT, workgroups(triad::COUNT))
}

fn workgroups(invocations: usize) -> usize {
    invocations.div_ceil(usize::try_from(WORKGROUP).unwrap_or(usize::MAX))
}

fn chains(gpu: &Gpu) -> Result<Kernel<'_>, Failure> {
    let table: Vec<u32> = random_access::table().into_iter().flat_map(halves).collect();
    let table = gpu.upload("table", &table)?;
    let sums = gpu.buffer("sums of chains", random_access::CHAINS.into())?;
    let program = walk(gpu, &table, &sums, random_access::CHAINS, random_access::STEPS)?;
    let value = move |gpu: &Gpu| Ok(random_access::total(&gpu.download(&sums, random_access::CHAINS.into())?));
    Ok(Kernel { gpu, program, scale: None, value: Box::new(value) })
}

/// Chains of reads all over a table, each of which has the position of the next one; what each chain adds up goes to `sums`.
/// The table has pairs of words, as many as a power of two: the first is added up, less its lowest 8 bits, the second has
/// the position of the next read.
///
/// # Errors
/// What the GPU reports.
pub fn walk(gpu: &Gpu, table: &wgpu::Buffer, sums: &wgpu::Buffer, chains: u32, steps: u32) -> Result<Program, Failure> {
    let parameters = gpu.uniform(&[chains, steps])?;
    let source = concat!(include_str!("../../kernels/generator.wgsl"), include_str!("random_access.wgsl"));
    let kernel = gpu.kernel(source, "walk", &[])?;
    let groups = u64::from(chains).div_ceil(WORKGROUP);
    Ok(Program::new([gpu.dispatch(&kernel, &[&parameters, sums, table], groups)?]))
}

/// Upper and lower half.
#[expect(clippy::cast_possible_truncation, reason = "halves")]
fn halves(word: u64) -> [u32; 2] {
    [(word >> 32) as u32, word as u32]
}

fn rows(words: &[u32]) -> Result<u32, Failure> {
    u32::try_from(words.len()).map_err(|_| Failure::Unsupported("tables of 2^32 rows".to_owned()))
}

fn filtered(gpu: &Gpu) -> Result<Kernel<'_>, Failure> {
    let column = tables::column();
    let words = gpu.upload("column", &column)?;
    let filter = filter::append(gpu, Form::preferred(gpu), &words, rows(&column)?, tables::BOUND)?;
    let (kept, count) = (filter.kept, filter.count);
    let value = move |gpu: &Gpu| {
        let count = gpu.download(&count, 1)?.first().copied().unwrap_or(0);
        Ok(tables::kept(&gpu.download(&kept, count.into())?))
    };
    Ok(Kernel { gpu, program: filter.program, scale: None, value: Box::new(value) })
}

fn joined(gpu: &Gpu) -> Result<Kernel<'_>, Failure> {
    let (keys, probe) = (tables::build_keys(), tables::probe_keys());
    let (build_rows, probe_rows) = (rows(&keys)?, rows(&probe)?);
    let (keys, probe) = (gpu.upload("keys", &keys)?, gpu.upload("keys that are looked for", &probe)?);
    let payloads = gpu.upload("payloads", &tables::payloads())?;
    let table = join::Table::new(gpu, &keys, &payloads, build_rows)?;
    let found = table.probe_aggregate(gpu, &probe, probe_rows)?;
    let program = Program::new(table.program.dispatches.iter().chain(&found.program.dispatches).cloned());
    let value = move |gpu: &Gpu| {
        table.check(gpu)?;
        Ok(tables::joined(found.result(gpu)?))
    };
    Ok(Kernel { gpu, program, scale: None, value: Box::new(value) })
}

#[expect(clippy::cast_possible_truncation, reason = "a thousand groups")]
fn grouped(gpu: &Gpu) -> Result<Kernel<'_>, Failure> {
    let (codes, values) = (tables::codes(), tables::values());
    let count = rows(&codes)?;
    let (codes, values) = (gpu.upload("codes", &codes)?, gpu.upload("values", &values)?);
    let groups = aggregate::group_by(gpu, &codes, &values, count, tables::GROUPS as u32)?;
    let program = groups.program.clone();
    let value = move |gpu: &Gpu| Ok(tables::grouped(&groups.result(gpu)?));
    Ok(Kernel { gpu, program, scale: None, value: Box::new(value) })
}

fn sorted(gpu: &Gpu) -> Result<Kernel<'_>, Failure> {
    let keys = tables::sort_keys();
    let (count, to) = (rows(&keys)?, gpu.buffer("sorted keys", keys.len() as u64)?);
    let from = gpu.upload("keys", &keys)?;
    let program = sort::keys(gpu, Form::preferred(gpu), &from, &to, count)?;
    let value = move |gpu: &Gpu| Ok(tables::ordered(&gpu.download(&to, count.into())?));
    Ok(Kernel { gpu, program, scale: None, value: Box::new(value) })
}
