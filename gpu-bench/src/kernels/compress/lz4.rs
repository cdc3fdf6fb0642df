//! LZ4 decompression on the GPU.

use super::{Decode, blocks, check_column};
use crate::cpu::compress::lz4::{Lz4, Stream};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;

/// Memory of a workgroup: a block, a word before it.
const WORKGROUP_BYTES: u32 = 4097 * 4;

/// A stream in the GPU's memory.
#[derive(Debug)]
pub struct Resident {
    /// Values.
    pub count: u32,
    /// Compressed bytes.
    pub bytes: u32,
    /// Where each block begins, and the end, bytes.
    pub offsets: wgpu::Buffer,
    /// A word of no meaning, then the blocks.
    pub words: wgpu::Buffer,
    /// How decoding of each block ended; 0: well.
    pub statuses: wgpu::Buffer,
}

impl Decode for Lz4 {
    type Resident = Resident;

    fn upload(&self, gpu: &Gpu, stream: &Stream) -> Result<Resident, Failure> {
        let mut words = vec![0_u32; 1 + stream.bytes.len().div_ceil(4)];
        bytemuck::cast_slice_mut(&mut words)[4..4 + stream.bytes.len()].copy_from_slice(&stream.bytes);
        Ok(Resident {
            count: stream.count,
            bytes: u32::try_from(stream.bytes.len()).unwrap_or(u32::MAX),
            offsets: gpu.upload("offsets", &stream.offsets)?,
            words: gpu.upload("LZ4 blocks", &words)?,
            // No block counts as sound before a program has decoded it.
            statuses: gpu.upload("statuses", &vec![u32::MAX; blocks(stream.count) as usize])?,
        })
    }

    fn decode_program(&self, gpu: &Gpu, stream: &Resident, values: &wgpu::Buffer) -> Result<Program, Failure> {
        check_column(values, stream.count)?;
        let offered = gpu.description.limits.workgroup_bytes;
        if offered < WORKGROUP_BYTES {
            let what = format!("{WORKGROUP_BYTES} bytes of workgroup memory; the adapter has {offered}");
            return Err(Failure::Unsupported(what));
        }
        let blocks = blocks(stream.count);
        let parameters = gpu.uniform(&[stream.count, blocks, stream.bytes])?;
        let kernel = gpu.kernel(include_str!("lz4.wgsl"), "decode", &[])?;
        let buffers = [&parameters, &stream.words, &stream.offsets, values, &stream.statuses];
        Ok(Program::new([gpu.dispatch(&kernel, &buffers, u64::from(blocks))?]))
    }

    fn check(&self, gpu: &Gpu, stream: &Resident) -> Result<(), Failure> {
        let statuses = gpu.download(&stream.statuses, u64::from(blocks(stream.count)))?;
        let Some((block, status)) = statuses.iter().enumerate().find(|(_, status)| **status != 0) else {
            return Ok(());
        };
        let what = match status {
            1 => "its place in the directory is impossible",
            2 => "the input ends within a sequence",
            3 => "a sequence runs over the end of the block",
            4 => "a match begins before the block",
            5 => "the block ends too early",
            _ => "it was not decoded to the end",
        };
        Err(Failure::WrongResult(format!("LZ4 block {block}: {what}")))
    }
}
