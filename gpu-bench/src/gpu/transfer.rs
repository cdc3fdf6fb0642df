//! Host memory to GPU memory and back, through reused buffers.
//!
//! What ends in `_parallel` copies on the threads of the rayon pool it is called in; one core rarely fills a
//! PCIe link.

use std::sync::mpsc::{self, Receiver};

use rayon::prelude::*;

use super::Gpu;
use super::program::Program;
use crate::failure::Failure;

/// Words of one staging buffer, 16 MiB: large enough that a submission costs little beside it, small enough that the
/// first and the last piece, which overlap with nothing, cost little beside the whole.
const WORDS_PER_PIECE: usize = 4 << 20;

/// Bytes of one staging buffer.
const PIECE_BYTES: u64 = WORDS_PER_PIECE as u64 * 4;

/// Staging buffers: the CPU works on one while the GPU copies the other.
const STAGES: usize = 2;

/// Words that one thread copies at a time.
const WORDS_PER_THREAD: usize = 1 << 16;

/// Sends words to buffers of the GPU.
///
/// After a failure the state of its buffers is undefined: make a new one.
#[derive(Debug)]
pub struct HostToDevice<'gpu> {
    gpu: &'gpu Gpu,
    stages: [Stage; STAGES],
}

/// Receives words from buffers of the GPU.
///
/// After a failure the state of its buffers is undefined: make a new one.
#[derive(Debug)]
pub struct DeviceToHost<'gpu> {
    gpu: &'gpu Gpu,
    stages: [Stage; STAGES],
}

/// A copy of the first words of one buffer to the beginning of another.
#[derive(Debug, Clone, Copy)]
pub struct Copy<'buffers> {
    /// What is copied.
    pub from: &'buffers wgpu::Buffer,
    /// Where to.
    pub to: &'buffers wgpu::Buffer,
    /// How many words.
    pub words: u64,
}

impl Copy<'_> {
    fn record(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.copy_buffer_to_buffer(self.from, 0, self.to, 0, self.words * 4);
    }
}

/// A staging buffer and what has to happen before the CPU may touch it.
#[derive(Debug)]
struct Stage {
    buffer: wgpu::Buffer,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    submission: Option<wgpu::SubmissionIndex>,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl<'gpu> HostToDevice<'gpu> {
    /// Allocates the staging buffers.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn new(gpu: &'gpu Gpu) -> Result<Self, Failure> {
        let usage = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
        let stages = stages(gpu, "to the GPU", usage)?.map(|mut stage| {
            stage.request(wgpu::MapMode::Write, None);
            stage
        });
        Ok(Self { gpu, stages })
    }

    /// Overwrites the beginning of a buffer and waits until the GPU has the words.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn send(&mut self, words: &[u32], to: &wgpu::Buffer) -> Result<(), Failure> {
        self.send_by(words, to, |mut view, words| view.copy_from_slice(bytemuck::cast_slice(words)))
    }

    /// [`Self::send`] with the copying on all threads.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn send_parallel(&mut self, words: &[u32], to: &wgpu::Buffer) -> Result<(), Failure> {
        self.send_by(words, to, fill_parallel)
    }

    fn send_by(
        &mut self,
        words: &[u32],
        to: &wgpu::Buffer,
        fill: impl Fn(wgpu::WriteOnly<'_, [u8]>, &[u32]),
    ) -> Result<(), Failure> {
        let gpu = self.gpu;
        for (piece, words) in words.chunks(WORDS_PER_PIECE).enumerate() {
            let stage = &mut self.stages[piece % STAGES];
            let bytes = words.len() as u64 * 4;
            stage.wait(gpu)?;
            let mut view = stage.buffer.slice(..bytes).get_mapped_range_mut().map_err(refused)?;
            fill(view.slice(..), words);
            drop(view);
            stage.buffer.unmap();
            let mut encoder = gpu.encoder();
            encoder.copy_buffer_to_buffer(&stage.buffer, 0, to, piece as u64 * PIECE_BYTES, bytes);
            let submission = gpu.start(encoder)?;
            stage.request(wgpu::MapMode::Write, Some(submission));
        }
        gpu.wait()
    }
}

impl<'gpu> DeviceToHost<'gpu> {
    /// Allocates the staging buffers.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn new(gpu: &'gpu Gpu) -> Result<Self, Failure> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        Ok(Self { gpu, stages: stages(gpu, "from the GPU", usage)? })
    }

    /// Fills `words` with the beginning of a buffer.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn receive(&mut self, from: &wgpu::Buffer, words: &mut [u32]) -> Result<(), Failure> {
        self.receive_by(from, words, |words, view| bytemuck::cast_slice_mut(words).copy_from_slice(view))
    }

    /// [`Self::receive`] with the copying on all threads.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn receive_parallel(&mut self, from: &wgpu::Buffer, words: &mut [u32]) -> Result<(), Failure> {
        self.receive_by(from, words, empty_parallel)
    }

    fn receive_by(
        &mut self,
        from: &wgpu::Buffer,
        words: &mut [u32],
        empty: impl Fn(&mut [u32], &[u8]),
    ) -> Result<(), Failure> {
        let lengths: Vec<u64> = words.chunks(WORDS_PER_PIECE).map(|piece| piece.len() as u64 * 4).collect();
        for (piece, bytes) in lengths.iter().enumerate().take(STAGES) {
            self.start(from, piece, *bytes)?;
        }
        for (piece, words) in words.chunks_mut(WORDS_PER_PIECE).enumerate() {
            let stage = &mut self.stages[piece % STAGES];
            stage.wait(self.gpu)?;
            let view = stage.buffer.slice(..lengths[piece]).get_mapped_range().map_err(refused)?;
            empty(words, &view);
            drop(view);
            stage.buffer.unmap();
            if let Some(bytes) = lengths.get(piece + STAGES) {
                self.start(from, piece + STAGES, *bytes)?;
            }
        }
        Ok(())
    }

    /// Lets the GPU copy a piece.
    fn start(&mut self, from: &wgpu::Buffer, piece: usize, bytes: u64) -> Result<(), Failure> {
        let stage = &mut self.stages[piece % STAGES];
        let mut encoder = self.gpu.encoder();
        encoder.copy_buffer_to_buffer(from, piece as u64 * PIECE_BYTES, &stage.buffer, 0, bytes);
        let submission = self.gpu.start(encoder)?;
        stage.request(wgpu::MapMode::Read, Some(submission));
        Ok(())
    }
}

impl Stage {
    /// Asks for the buffer as soon as the GPU is done with it.
    fn request(&mut self, mode: wgpu::MapMode, submission: Option<wgpu::SubmissionIndex>) {
        let (sender, mapped) = mpsc::channel();
        self.buffer.slice(..).map_async(mode, move |outcome| {
            // The receiver is gone only with the whole transfer.
            _ = sender.send(outcome);
        });
        self.pending = Some(Pending { submission, mapped });
    }

    /// Waits until the CPU may touch the buffer.
    fn wait(&mut self, gpu: &Gpu) -> Result<(), Failure> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        gpu.wait_for(pending.submission)?;
        match pending.mapped.try_recv() {
            Ok(outcome) => outcome.map_err(refused),
            Err(_) => Err(Failure::Refused("a staging buffer was not mapped".to_owned())),
        }
    }
}

impl Gpu {
    /// A buffer that kernels read and the CPU writes directly.
    ///
    /// # Errors
    /// [`Failure::Unsupported`] where the driver does not offer it, or as [`Gpu::buffer`].
    pub fn buffer_from_host(&self, label: &str, words: u64) -> Result<wgpu::Buffer, Failure> {
        self.mappable(label, words, wgpu::BufferUsages::MAP_WRITE)
    }

    /// A buffer that kernels write and the CPU reads directly.
    ///
    /// # Errors
    /// [`Failure::Unsupported`] where the driver does not offer it, or as [`Gpu::buffer`].
    pub fn buffer_to_host(&self, label: &str, words: u64) -> Result<wgpu::Buffer, Failure> {
        self.mappable(label, words, wgpu::BufferUsages::MAP_READ)
    }

    /// Host memory that the GPU reads and writes by itself, at the speed of the bus: pinned memory, in which engines keep
    /// what crosses it.
    ///
    /// # Errors
    /// [`Failure::Unsupported`] where the driver does not offer it, or as [`Gpu::buffer`].
    pub fn pinned(&self, label: &str, words: u64) -> Result<wgpu::Buffer, Failure> {
        if !self.has_mappable_buffers() {
            return Err(Failure::Unsupported(
                "the driver has no host memory that the GPU can read directly".to_owned(),
            ));
        }
        // What the CPU writes may lie on the GPU; what it reads lies in host memory.
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        self.allocate(label, words, usage)
    }

    /// [`Self::pinned`] memory with this content.
    ///
    /// # Errors
    /// As [`Self::pinned`].
    pub fn pinned_words(&self, label: &str, words: &[u32]) -> Result<wgpu::Buffer, Failure> {
        let pinned = self.pinned(label, words.len() as u64)?;
        // The CPU cannot write it: the words come by way of the GPU.
        let on_gpu = self.upload(label, words)?;
        self.copy(&on_gpu, &pinned, words.len() as u64)?;
        Ok(pinned)
    }

    /// Copies the beginning of a buffer to another, and waits for it.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn copy(&self, from: &wgpu::Buffer, to: &wgpu::Buffer, words: u64) -> Result<(), Failure> {
        self.run_between(&[], &Program::default(), &[Copy { from, to, words }])
    }

    /// Copies, runs a program, and copies again, all in one submission; waits for it.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn run_between(&self, before: &[Copy<'_>], program: &Program, after: &[Copy<'_>]) -> Result<(), Failure> {
        let mut encoder = self.encoder();
        for copy in before {
            copy.record(&mut encoder);
        }
        program.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        for copy in after {
            copy.record(&mut encoder);
        }
        self.submit(encoder)
    }

    fn mappable(&self, label: &str, words: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, Failure> {
        if !self.has_mappable_buffers() {
            return Err(Failure::Unsupported("the driver has no buffers for kernels that the CPU maps".to_owned()));
        }
        let usage = usage | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        self.allocate(label, words, usage)
    }

    /// Writes the beginning of a [`Self::buffer_from_host`]; programs that start later see it.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn write_mapped(&self, words: &[u32], to: &wgpu::Buffer) -> Result<(), Failure> {
        self.write_mapped_by(words, to, |mut view, words| view.copy_from_slice(bytemuck::cast_slice(words)))
    }

    /// [`Self::write_mapped`] with the copying on all threads.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn write_mapped_parallel(&self, words: &[u32], to: &wgpu::Buffer) -> Result<(), Failure> {
        self.write_mapped_by(words, to, fill_parallel)
    }

    fn write_mapped_by(
        &self,
        words: &[u32],
        to: &wgpu::Buffer,
        fill: impl FnOnce(wgpu::WriteOnly<'_, [u8]>, &[u32]),
    ) -> Result<(), Failure> {
        if words.is_empty() {
            return Ok(());
        }
        let bytes = words.len() as u64 * 4;
        self.map(to, wgpu::MapMode::Write, bytes)?;
        fill(to.slice(..bytes).get_mapped_range_mut().map_err(refused)?.slice(..), words);
        to.unmap();
        self.check()
    }

    /// Fills `words` with the beginning of a [`Self::buffer_to_host`].
    ///
    /// # Errors
    /// What the driver reports.
    pub fn read_mapped(&self, from: &wgpu::Buffer, words: &mut [u32]) -> Result<(), Failure> {
        self.read_mapped_by(from, words, |words, view| bytemuck::cast_slice_mut(words).copy_from_slice(view))
    }

    /// [`Self::read_mapped`] with the copying on all threads.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn read_mapped_parallel(&self, from: &wgpu::Buffer, words: &mut [u32]) -> Result<(), Failure> {
        self.read_mapped_by(from, words, empty_parallel)
    }

    fn read_mapped_by(
        &self,
        from: &wgpu::Buffer,
        words: &mut [u32],
        empty: impl FnOnce(&mut [u32], &[u8]),
    ) -> Result<(), Failure> {
        if words.is_empty() {
            return Ok(());
        }
        let bytes = words.len() as u64 * 4;
        self.map(from, wgpu::MapMode::Read, bytes)?;
        empty(words, &from.slice(..bytes).get_mapped_range().map_err(refused)?);
        from.unmap();
        self.check()
    }
}

fn stages(gpu: &Gpu, label: &str, usage: wgpu::BufferUsages) -> Result<[Stage; STAGES], Failure> {
    let stage = || Ok(Stage { buffer: gpu.allocate(label, PIECE_BYTES / 4, usage)?, pending: None });
    Ok([stage()?, stage()?])
}

/// Views of mapped memory go to other threads only in pieces whose length the compiler knows.
fn fill_parallel(view: wgpu::WriteOnly<'_, [u8]>, words: &[u32]) {
    const BYTES: usize = WORDS_PER_THREAD * 4;
    let (pieces, mut rest) = view.into_chunks::<BYTES>();
    let pieces: Vec<wgpu::WriteOnly<'_, [u8; BYTES]>> = pieces.into_iter().collect();
    let whole = words.par_chunks_exact(WORDS_PER_THREAD);
    rest.copy_from_slice(bytemuck::cast_slice(whole.remainder()));
    pieces.into_par_iter().zip(whole).for_each(|(piece, words)| {
        wgpu::WriteOnly::<[u8]>::from(piece).copy_from_slice(bytemuck::cast_slice(words));
    });
}

fn empty_parallel(words: &mut [u32], view: &[u8]) {
    words
        .par_chunks_mut(WORDS_PER_THREAD)
        .zip(view.par_chunks(WORDS_PER_THREAD * 4))
        .for_each(|(words, view)| bytemuck::cast_slice_mut(words).copy_from_slice(view));
}

fn refused(error: impl std::error::Error) -> Failure {
    Failure::Refused(error.to_string())
}
