//! Delta coding on the GPU.

use super::frame_of_reference::Resident as Differences;
use super::{Decode, Encode, blocks, check_column, offsets};
use crate::cpu::compress::delta::{Delta, Stream};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;

const SOURCE: &str = concat!(
    include_str!("block.wgsl"),
    include_str!("bitpack.wgsl"),
    include_str!("reduce.wgsl"),
    include_str!("prefix.wgsl"),
    include_str!("delta.wgsl")
);

/// A stream in the GPU's memory; fields as in [`Stream`].
#[derive(Debug)]
pub struct Resident {
    /// What each block starts from.
    pub starts: wgpu::Buffer,
    /// The differences.
    pub differences: Differences,
}

impl Decode for Delta {
    type Resident = Resident;

    fn upload(&self, gpu: &Gpu, stream: &Stream) -> Result<Resident, Failure> {
        Ok(Resident {
            starts: gpu.upload("starts", &stream.starts)?,
            differences: Differences::upload(gpu, &stream.differences)?,
        })
    }

    fn decode_program(&self, gpu: &Gpu, stream: &Resident, values: &wgpu::Buffer) -> Result<Program, Failure> {
        let coded = &stream.differences;
        check_column(values, coded.count)?;
        let blocks = blocks(coded.count);
        let parameters = gpu.uniform(&[coded.count, blocks])?;
        let buffers = [&parameters, values, &coded.references, &coded.offsets, &coded.words, &stream.starts];
        let kernel = gpu.kernel(SOURCE, "decode", &[])?;
        Ok(Program::new([gpu.dispatch(&kernel, &buffers, u64::from(blocks))?]))
    }
}

impl Encode for Delta {
    fn encode_program(&self, gpu: &Gpu, values: &wgpu::Buffer, count: u32) -> Result<(Program, Resident), Failure> {
        check_column(values, count)?;
        let blocks = blocks(count);
        let coded = Differences::for_any(gpu, count)?;
        let starts = gpu.buffer("starts", u64::from(blocks))?;
        let widths = gpu.buffer("widths", u64::from(blocks))?;
        let parameters = gpu.uniform(&[count, blocks])?;
        let frame = [&parameters, values, &coded.references, &widths, &starts];
        let encode = [&parameters, values, &coded.references, &coded.offsets, &coded.words];
        let program = Program::new([
            gpu.dispatch(&gpu.kernel(SOURCE, "frame", &[])?, &frame, u64::from(blocks))?,
            offsets::scan(gpu, &widths, &coded.offsets, blocks)?,
            gpu.dispatch(&gpu.kernel(SOURCE, "encode", &[])?, &encode, u64::from(blocks))?,
        ]);
        Ok((program, Resident { starts, differences: coded }))
    }

    fn download(&self, gpu: &Gpu, stream: &Resident) -> Result<Stream, Failure> {
        let starts = gpu.download(&stream.starts, u64::from(blocks(stream.differences.count)))?;
        Ok(Stream { starts, differences: stream.differences.download(gpu)? })
    }
}
