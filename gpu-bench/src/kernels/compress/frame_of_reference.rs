//! Frame of reference on the GPU.

use super::{Decode, Encode, blocks, check_column, most_words, offsets};
use crate::cpu::compress::bitpack::LANES;
use crate::cpu::compress::frame_of_reference::{FrameOfReference, Stream};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;

const SOURCE: &str = concat!(
    include_str!("block.wgsl"),
    include_str!("bitpack.wgsl"),
    include_str!("reduce.wgsl"),
    include_str!("frame_of_reference.wgsl")
);

/// A stream in the GPU's memory; fields as in [`Stream`].
#[derive(Debug)]
pub struct Resident {
    /// Values.
    pub count: u32,
    /// Smallest value of each block.
    pub references: wgpu::Buffer,
    /// Where each block begins, and the end, in units of 128 words.
    pub offsets: wgpu::Buffer,
    /// The packed blocks.
    pub words: wgpu::Buffer,
}

impl Resident {
    /// Room for any column of this length.
    pub(super) fn for_any(gpu: &Gpu, count: u32) -> Result<Self, Failure> {
        let blocks = u64::from(blocks(count));
        Ok(Self {
            count,
            references: gpu.buffer("references", blocks)?,
            offsets: gpu.buffer("offsets", blocks + 1)?,
            words: gpu.buffer("packed words", most_words(count))?,
        })
    }

    pub(super) fn upload(gpu: &Gpu, stream: &Stream) -> Result<Self, Failure> {
        Ok(Self {
            count: stream.count,
            references: gpu.upload("references", &stream.references)?,
            offsets: gpu.upload("offsets", &stream.offsets)?,
            words: gpu.upload("packed words", &stream.words)?,
        })
    }

    pub(super) fn download(&self, gpu: &Gpu) -> Result<Stream, Failure> {
        let blocks = u64::from(blocks(self.count));
        let offsets = gpu.download(&self.offsets, blocks + 1)?;
        let words = u64::from(offsets.last().copied().unwrap_or(0)) * LANES as u64;
        Ok(Stream {
            count: self.count,
            references: gpu.download(&self.references, blocks)?,
            offsets,
            words: gpu.download(&self.words, words)?,
        })
    }
}

impl Decode for FrameOfReference {
    type Resident = Resident;

    fn upload(&self, gpu: &Gpu, stream: &Stream) -> Result<Resident, Failure> {
        Resident::upload(gpu, stream)
    }

    fn decode_program(&self, gpu: &Gpu, stream: &Resident, values: &wgpu::Buffer) -> Result<Program, Failure> {
        check_column(values, stream.count)?;
        let blocks = blocks(stream.count);
        let parameters = gpu.uniform(&[stream.count, blocks])?;
        let buffers = [&parameters, values, &stream.references, &stream.offsets, &stream.words];
        let kernel = gpu.kernel(SOURCE, "decode", &[])?;
        Ok(Program::new([gpu.dispatch(&kernel, &buffers, u64::from(blocks))?]))
    }
}

impl Encode for FrameOfReference {
    fn encode_program(&self, gpu: &Gpu, values: &wgpu::Buffer, count: u32) -> Result<(Program, Resident), Failure> {
        check_column(values, count)?;
        let blocks = blocks(count);
        let stream = Resident::for_any(gpu, count)?;
        let widths = gpu.buffer("widths", u64::from(blocks))?;
        let parameters = gpu.uniform(&[count, blocks])?;
        let frame = [&parameters, values, &stream.references, &widths];
        let encode = [&parameters, values, &stream.references, &stream.offsets, &stream.words];
        let program = Program::new([
            gpu.dispatch(&gpu.kernel(SOURCE, "frame", &[])?, &frame, u64::from(blocks))?,
            offsets::scan(gpu, &widths, &stream.offsets, blocks)?,
            gpu.dispatch(&gpu.kernel(SOURCE, "encode", &[])?, &encode, u64::from(blocks))?,
        ]);
        Ok((program, stream))
    }

    fn download(&self, gpu: &Gpu, stream: &Resident) -> Result<Stream, Failure> {
        stream.download(gpu)
    }
}

/// Sums a compressed column without writing its values; the buffer gets the lower and the upper word of the sum.
///
/// # Errors
/// What the GPU reports.
pub fn sum(gpu: &Gpu, stream: &Resident) -> Result<(Program, wgpu::Buffer), Failure> {
    let blocks = blocks(stream.count);
    let sum = gpu.upload("sum", &[0, 0])?;
    let parameters = gpu.uniform(&[stream.count, blocks])?;
    let buffers = [&parameters, &sum, &stream.references, &stream.offsets, &stream.words];
    let program = Program::new([
        gpu.dispatch(&gpu.kernel(SOURCE, "clear_sum", &[])?, &[&parameters, &sum], 1)?,
        gpu.dispatch(&gpu.kernel(SOURCE, "add_up", &[])?, &buffers, u64::from(blocks))?,
    ]);
    Ok((program, sum))
}
