//! Dictionary coding on the GPU. The dictionary itself is built on the CPU.

use super::{Decode, Encode, blocks, check_column, most_words};
use crate::cpu::compress::bitpack::LANES;
use crate::cpu::compress::dictionary::{Dictionary, Stream};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::{Kernel, Program};

const SOURCE: &str = concat!(include_str!("block.wgsl"), include_str!("bitpack.wgsl"), include_str!("dictionary.wgsl"));

/// A stream in the GPU's memory with its dictionary.
#[derive(Debug)]
pub struct Resident {
    /// Values.
    pub count: u32,
    /// Bits per code.
    pub width: u32,
    /// The dictionary.
    pub dictionary: wgpu::Buffer,
    /// The packed blocks.
    pub words: wgpu::Buffer,
    /// Not 0 if a program met something that the dictionary does not hold.
    pub missing: wgpu::Buffer,
}

fn resident(gpu: &Gpu, dictionary: &Dictionary, count: u32, words: wgpu::Buffer) -> Result<Resident, Failure> {
    Ok(Resident {
        count,
        width: dictionary.width(),
        dictionary: gpu.upload("dictionary", dictionary.values())?,
        words,
        missing: gpu.upload("missing", &[0])?,
    })
}

/// Width and length are constants of the kernel: one compilation per column, no division or loop bound unknown.
fn kernel(gpu: &Gpu, entry: &str, dictionary: &Dictionary) -> Result<Kernel, Failure> {
    let entries = dictionary.values().len().max(1) as f64;
    gpu.kernel(SOURCE, entry, &[("WIDTH", f64::from(dictionary.width())), ("ENTRIES", entries)])
}

impl Decode for Dictionary {
    type Resident = Resident;

    fn upload(&self, gpu: &Gpu, stream: &Stream) -> Result<Resident, Failure> {
        resident(gpu, self, stream.count, gpu.upload("codes", &stream.words)?)
    }

    fn decode_program(&self, gpu: &Gpu, stream: &Resident, values: &wgpu::Buffer) -> Result<Program, Failure> {
        check_column(values, stream.count)?;
        let blocks = blocks(stream.count);
        let parameters = gpu.uniform(&[stream.count, blocks])?;
        let buffers = [&parameters, values, &stream.dictionary, &stream.missing, &stream.words];
        Ok(Program::new([gpu.dispatch(&kernel(gpu, "decode", self)?, &buffers, u64::from(blocks))?]))
    }

    fn check(&self, gpu: &Gpu, stream: &Resident) -> Result<(), Failure> {
        if gpu.download(&stream.missing, 1)? == [0] {
            Ok(())
        } else {
            Err(Failure::WrongResult("a value or a code is not in the dictionary".to_owned()))
        }
    }
}

impl Encode for Dictionary {
    fn encode_program(&self, gpu: &Gpu, values: &wgpu::Buffer, count: u32) -> Result<(Program, Resident), Failure> {
        check_column(values, count)?;
        let blocks = blocks(count);
        let stream = resident(gpu, self, count, gpu.buffer("codes", most_words(count))?)?;
        let parameters = gpu.uniform(&[count, blocks])?;
        let buffers = [&parameters, values, &stream.dictionary, &stream.missing, &stream.words];
        let program = Program::new([gpu.dispatch(&kernel(gpu, "encode", self)?, &buffers, u64::from(blocks))?]);
        Ok((program, stream))
    }

    fn download(&self, gpu: &Gpu, stream: &Resident) -> Result<Stream, Failure> {
        let words = u64::from(blocks(stream.count)) * u64::from(stream.width) * LANES as u64;
        Ok(Stream { count: stream.count, width: stream.width, words: gpu.download(&stream.words, words)? })
    }
}
