//! Codecs of 32-bit columns on the GPU, in the formats of [`crate::cpu::compress`].
//!
//! A workgroup codes one block of 4096 values. Buffers of columns are read and written four words at a time, so
//! they hold a whole number of vectors: see [`column()`].

pub mod data;
pub mod delta;
pub mod dictionary;
pub mod frame_of_reference;
pub mod lz4;
pub mod offsets;
pub mod run_length;

use crate::cpu::compress::{BLOCK, Codec};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;

/// A codec whose streams the GPU decompresses.
pub trait Decode: Codec {
    /// A stream in the GPU's memory.
    type Resident;

    /// Brings a stream into the GPU's memory.
    ///
    /// # Errors
    /// What the GPU reports.
    fn upload(&self, gpu: &Gpu, stream: &Self::Stream) -> Result<Self::Resident, Failure>;

    /// Decompresses into a [`column()`] of the stream's length. A damaged stream gives wrong values, never an access
    /// outside the buffers.
    ///
    /// # Errors
    /// What the GPU reports.
    fn decode_program(&self, gpu: &Gpu, stream: &Self::Resident, values: &wgpu::Buffer) -> Result<Program, Failure>;

    /// Whether the programs that ran on the stream so far found it sound; codecs without a check of their own
    /// find every stream sound.
    ///
    /// # Errors
    /// [`Failure::WrongResult`] with what is wrong.
    fn check(&self, _gpu: &Gpu, _stream: &Self::Resident) -> Result<(), Failure> {
        Ok(())
    }
}

/// A codec whose streams the GPU also writes.
pub trait Encode: Decode {
    /// Compresses a [`column()`] of `count` values into a stream large enough for the worst case.
    ///
    /// # Errors
    /// What the GPU reports.
    fn encode_program(
        &self,
        gpu: &Gpu,
        values: &wgpu::Buffer,
        count: u32,
    ) -> Result<(Program, Self::Resident), Failure>;

    /// Brings a stream back.
    ///
    /// # Errors
    /// What the GPU reports.
    fn download(&self, gpu: &Gpu, stream: &Self::Resident) -> Result<Self::Stream, Failure>;
}

/// A buffer for `count` values, in whole vectors of four words; kernels may write to the end of the last one.
///
/// # Errors
/// What the GPU reports.
pub fn column(gpu: &Gpu, label: &str, count: u32) -> Result<wgpu::Buffer, Failure> {
    gpu.buffer(label, u64::from(count).next_multiple_of(4))
}

/// Blocks of a column.
fn blocks(count: u32) -> u32 {
    count.div_ceil(4096)
}

/// Words of all blocks of a column, each packed as wide as can be.
fn most_words(count: u32) -> u64 {
    u64::from(blocks(count)) * BLOCK as u64
}

/// Refuses a buffer that is not a [`column()`] of this length.
fn check_column(buffer: &wgpu::Buffer, count: u32) -> Result<(), Failure> {
    let bytes = u64::from(count).next_multiple_of(4) * 4;
    if buffer.size() >= bytes {
        Ok(())
    } else {
        Err(Failure::Refused(format!("{count} values take a buffer of {bytes} bytes; it has {}", buffer.size())))
    }
}
