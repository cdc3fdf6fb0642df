//! Kernels, and programs made of their dispatches.

use super::Gpu;
use crate::failure::Failure;

/// A compiled kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    pipeline: wgpu::ComputePipeline,
}

/// One kernel over its data.
#[derive(Debug, Clone)]
pub struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
    groups: (u32, u32),
}

/// Dispatches that run one after the other, each with the results of the ones before it.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// In order.
    pub dispatches: Vec<Dispatch>,
}

impl Program {
    /// The dispatches in this order.
    #[must_use]
    pub fn new(dispatches: impl IntoIterator<Item = Dispatch>) -> Self {
        Self { dispatches: dispatches.into_iter().collect() }
    }

    /// The same, several times in a row.
    #[must_use]
    pub fn repeated(&self, times: u32) -> Self {
        Self::new((0..times).flat_map(|_| self.dispatches.iter().cloned()))
    }

    pub(super) fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        for dispatch in &self.dispatches {
            pass.set_pipeline(&dispatch.pipeline);
            pass.set_bind_group(0, &dispatch.bindings, &[]);
            pass.dispatch_workgroups(dispatch.groups.0, dispatch.groups.1, 1);
        }
    }
}

impl Gpu {
    /// Compiles one entry point of a WGSL source. Constants override the `override` declarations.
    ///
    /// # Errors
    /// [`Failure::Refused`] with the compiler's message.
    pub fn kernel(&self, wgsl: &str, entry: &str, constants: &[(&str, f64)]) -> Result<Kernel, Failure> {
        let source = wgpu::ShaderSource::Wgsl(wgsl.into());
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(entry), source });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: None,
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                // Kernels do it themselves: not every driver keeps the promise it makes here.
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        self.check()?;
        Ok(Kernel { pipeline })
    }

    /// A kernel over buffers, bound in order from 0, in `groups` workgroups. More than 65 535 of them are
    /// spread over two dimensions, and a few more may run: a kernel counts
    /// `workgroup_id.x + workgroup_id.y * num_workgroups.x` and leaves if that is too large.
    ///
    /// # Errors
    /// What the driver reports, e.g. buffers that do not fit the kernel.
    pub fn dispatch(&self, kernel: &Kernel, buffers: &[&wgpu::Buffer], groups: u64) -> Result<Dispatch, Failure> {
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &kernel.pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        self.check()?;
        Ok(Dispatch {
            pipeline: kernel.pipeline.clone(),
            bindings,
            groups: spread(groups, self.description.limits.workgroups)?,
        })
    }

    /// Runs a program once and waits for it.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn run(&self, program: &Program) -> Result<(), Failure> {
        let submission = self.launch(program)?;
        self.wait_for(Some(submission))
    }

    /// Submits a program without waiting for it.
    ///
    /// # Errors
    /// What the driver reports.
    pub fn launch(&self, program: &Program) -> Result<wgpu::SubmissionIndex, Failure> {
        let mut encoder = self.encoder();
        program.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        self.start(encoder)
    }
}

/// Workgroups in x and y: the fewest rows that hold them all, rows nearly equal.
fn spread(groups: u64, limit: u32) -> Result<(u32, u32), Failure> {
    let limit = u64::from(limit.max(1));
    let rows = groups.div_ceil(limit).max(1);
    let columns = groups.div_ceil(rows);
    match (u32::try_from(columns), u32::try_from(rows)) {
        (Ok(columns), Ok(rows)) if u64::from(rows) <= limit => Ok((columns, rows)),
        _ => Err(Failure::TooLarge { what: "a dispatch".to_owned(), bytes: groups, limit: limit * limit }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_beyond_one_dimension_are_spread_over_two() {
        assert_eq!(spread(0, 65_535), Ok((0, 1)));
        assert_eq!(spread(65_535, 65_535), Ok((65_535, 1)));
        assert_eq!(spread(65_536, 65_535), Ok((32_768, 2)));
        let (x, y) = spread(97_657, 65_535).expect("fits");
        assert!(u64::from(x) * u64::from(y) >= 97_657);
        assert!(spread(26, 5).is_err());
    }
}
