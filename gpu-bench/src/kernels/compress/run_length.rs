//! Run-length coding on the GPU.

use super::{Decode, Encode, blocks, check_column, most_words, offsets};
use crate::cpu::compress::run_length::{RunLength, Stream};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;

const SOURCE: &str = concat!(include_str!("block.wgsl"), include_str!("prefix.wgsl"), include_str!("run_length.wgsl"));

/// A stream in the GPU's memory; fields as in [`Stream`].
#[derive(Debug)]
pub struct Resident {
    /// Values.
    pub count: u32,
    /// Entries before each block, and all.
    pub offsets: wgpu::Buffer,
    /// Value of each run.
    pub values: wgpu::Buffer,
    /// Where each run ends in its block, two to a word.
    pub ends: wgpu::Buffer,
}

impl Decode for RunLength {
    type Resident = Resident;

    fn upload(&self, gpu: &Gpu, stream: &Stream) -> Result<Resident, Failure> {
        Ok(Resident {
            count: stream.count,
            offsets: gpu.upload("offsets", &stream.offsets)?,
            values: gpu.upload("run values", &stream.values)?,
            ends: gpu.upload("run ends", &stream.ends)?,
        })
    }

    fn decode_program(&self, gpu: &Gpu, stream: &Resident, values: &wgpu::Buffer) -> Result<Program, Failure> {
        check_column(values, stream.count)?;
        let blocks = blocks(stream.count);
        let parameters = gpu.uniform(&[stream.count, blocks])?;
        let kernel = gpu.kernel(SOURCE, "decode", &[])?;
        let buffers = [&parameters, values, &stream.offsets, &stream.values, &stream.ends];
        Ok(Program::new([gpu.dispatch(&kernel, &buffers, u64::from(blocks))?]))
    }
}

impl Encode for RunLength {
    fn encode_program(&self, gpu: &Gpu, values: &wgpu::Buffer, count: u32) -> Result<(Program, Resident), Failure> {
        check_column(values, count)?;
        let blocks = blocks(count);
        let stream = Resident {
            count,
            offsets: gpu.buffer("offsets", u64::from(blocks) + 1)?,
            values: gpu.buffer("run values", most_words(count))?,
            ends: gpu.buffer("run ends", most_words(count) / 2)?,
        };
        let sizes = gpu.buffer("entries", u64::from(blocks))?;
        let parameters = gpu.uniform(&[count, blocks])?;
        let measure = [&parameters, values, &sizes];
        let encode = [&parameters, values, &stream.offsets, &stream.values, &stream.ends];
        let program = Program::new([
            gpu.dispatch(&gpu.kernel(SOURCE, "measure", &[])?, &measure, u64::from(blocks))?,
            offsets::scan(gpu, &sizes, &stream.offsets, blocks)?,
            gpu.dispatch(&gpu.kernel(SOURCE, "encode", &[])?, &encode, u64::from(blocks))?,
        ]);
        Ok((program, stream))
    }

    fn download(&self, gpu: &Gpu, stream: &Resident) -> Result<Stream, Failure> {
        let offsets = gpu.download(&stream.offsets, u64::from(blocks(stream.count)) + 1)?;
        let entries = u64::from(offsets.last().copied().unwrap_or(0));
        Ok(Stream {
            count: stream.count,
            offsets,
            values: gpu.download(&stream.values, entries)?,
            ends: gpu.download(&stream.ends, entries / 2)?,
        })
    }
}
