//! Buffers of 32-bit words: creating, filling, reading back.

use std::sync::mpsc;

use super::Gpu;
use crate::failure::Failure;

/// Largest piece that is written at once: a single write of everything allocates staging memory of its
/// size each time, which is several times slower (gfx-rs/wgpu#9123).
const PIECE_BYTES: usize = 4 << 20;

impl Gpu {
    /// Words that fit in one buffer that a kernel sees.
    #[must_use]
    pub fn max_words(&self) -> u64 {
        self.description.limits.binding_bytes.min(self.description.limits.buffer_bytes) / 16 * 4
    }

    /// A buffer of 32-bit words for kernels; its content is undefined.
    ///
    /// # Errors
    /// [`Failure::TooLarge`] or [`Failure::OutOfMemory`].
    pub fn buffer(&self, label: &str, words: u64) -> Result<wgpu::Buffer, Failure> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        self.allocate(label, words, usage)
    }

    /// A buffer with any usage.
    ///
    /// # Errors
    /// [`Failure::TooLarge`] or [`Failure::OutOfMemory`].
    pub fn allocate(&self, label: &str, words: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, Failure> {
        // Whole vectors of four words: a kernel that reads vectors reaches the last word, and a kernel over nothing
        // still has its buffers (a binding shorter than one vector is not allowed).
        let bytes = words.max(1).next_multiple_of(4) * 4;
        let limits = self.description.limits;
        let limit = if usage.contains(wgpu::BufferUsages::STORAGE) {
            limits.binding_bytes.min(limits.buffer_bytes)
        } else {
            limits.buffer_bytes
        };
        if bytes > limit {
            return Err(Failure::TooLarge { what: label.to_owned(), bytes, limit });
        }
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size: bytes, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        match self.check() {
            Ok(()) => Ok(buffer),
            Err(Failure::OutOfMemory(_)) => Err(Failure::OutOfMemory(format!("{label} needs {bytes} bytes"))),
            Err(failure) => Err(failure),
        }
    }

    /// A buffer for kernels with this content.
    ///
    /// # Errors
    /// As [`Self::buffer`].
    pub fn upload(&self, label: &str, words: &[u32]) -> Result<wgpu::Buffer, Failure> {
        let buffer = self.buffer(label, words.len() as u64)?;
        self.write(&buffer, words)?;
        Ok(buffer)
    }

    /// Parameters that all invocations read.
    ///
    /// # Errors
    /// As [`Self::buffer`].
    pub fn uniform(&self, words: &[u32]) -> Result<wgpu::Buffer, Failure> {
        let mut padded = words.to_vec();
        padded.resize(words.len().next_multiple_of(4), 0);
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let buffer = self.allocate("parameters", padded.len() as u64, usage)?;
        self.write(&buffer, &padded)?;
        Ok(buffer)
    }

    /// Overwrites the beginning of a buffer.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn write(&self, buffer: &wgpu::Buffer, words: &[u32]) -> Result<(), Failure> {
        for (piece, bytes) in bytemuck::cast_slice(words).chunks(PIECE_BYTES).enumerate() {
            self.queue.write_buffer(buffer, (piece * PIECE_BYTES) as u64, bytes);
        }
        self.check()
    }

    /// The first words of a buffer.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn download(&self, buffer: &wgpu::Buffer, words: u64) -> Result<Vec<u32>, Failure> {
        if words == 0 {
            return Ok(Vec::new());
        }
        let bytes = words * 4;
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = self.allocate("download", words, usage)?;
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes);
        self.submit(encoder)?;
        self.map(&staging, wgpu::MapMode::Read, bytes)?;
        let view = staging.slice(..bytes).get_mapped_range().map_err(|error| Failure::Refused(error.to_string()))?;
        let mut content = vec![0_u32; usize::try_from(words).unwrap_or(usize::MAX)];
        bytemuck::cast_slice_mut(&mut content).copy_from_slice(&view);
        Ok(content)
    }

    /// Makes the beginning of a buffer visible to the CPU and waits for it.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn map(&self, buffer: &wgpu::Buffer, mode: wgpu::MapMode, bytes: u64) -> Result<(), Failure> {
        let (sender, receiver) = mpsc::channel();
        buffer.slice(..bytes).map_async(mode, move |mapped| {
            // The receiver is gone only if the wait below failed; that failure is the one reported.
            _ = sender.send(mapped);
        });
        self.wait()?;
        match receiver.try_recv() {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Failure::Refused(error.to_string())),
            Err(_) => Err(Failure::Refused("a buffer was not mapped".to_owned())),
        }
    }
}
