//! Kernels of a GPU as the operators of a task: which operator of the library stands for a kernel follows from its name, or from its
//! code, which is compared with that of known kernels.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use crossover_files::extension;
use crossover_measured::probe::task::MOST_OPERATORS;
use crossover_probe::code::{self, LEAST_CODE_SIMILARITY};
use crossover_probe::{KernelCode, TargetOperator};
use crossover_quantity::invalid::free_name;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_traces::TraceError;
use crossover_traces::profiled::{self, ProfiledKernel};

/// Largest file with code of kernels, bytes.
const LARGEST_CODE: u64 = 64 << 20;

/// Parts of names of kernels and functions, in lower case, with the operator of the library that does the same; the first part that a
/// name has counts. cuDNN's kernels of convolutions have the name of a product in theirs, so they stand first.
const PARTS: [(&str, &str); 33] = [
    // cuDNN, oneDNN.
    ("convolve", "convolution"),
    ("winograd", "convolution"),
    ("wgrad", "convolution"),
    ("dgrad", "convolution"),
    ("fprop", "convolution"),
    ("conv2d", "convolution"),
    ("conv3d", "convolution"),
    ("depthwise", "convolution"),
    // cuSPARSE, oneMKL.
    ("csrmv", "spmv"),
    ("spmv", "spmv"),
    ("mkl_sparse_d_mv", "spmv"),
    // cuBLAS, cuBLASLt, CUTLASS, oneMKL.
    ("dgemm", "dgemm"),
    ("d884gemm", "dgemm"),
    ("zgemm", "dgemm"),
    ("gemm", "sgemm"),
    ("gemv", "triad"),
    ("axpy", "triad"),
    // cuFFT, oneMKL.
    ("fft", "fft"),
    ("dfti", "fft"),
    // CUB, Thrust, PyTorch.
    ("radixsort", "sort"),
    ("radix_sort", "sort"),
    ("mergesort", "sort"),
    ("hash_join", "hash_join"),
    ("hashjoin", "hash_join"),
    ("indexselect", "random_access"),
    ("gather", "random_access"),
    ("scatter", "random_access"),
    ("embedding", "random_access"),
    ("reduce", "aggregate"),
    ("groupby", "aggregate"),
    ("elementwise", "triad"),
    ("sincos", "trigonometry"),
    ("softmax", "triad"),
];

/// The operators of a profile with launches as executions, and notes for the user.
///
/// # Errors
/// The file is no profile of kernels.
pub(super) fn read(path: &Path) -> Result<(Vec<TargetOperator>, Vec<String>), TraceError> {
    let read = profiled::kernels(path)?;
    let mut notes = read.left_out;
    notes.extend(read.notes);
    let mut operators = operators(&read.kernels);
    let launches: f64 = operators.iter().map(|of| of.executions).sum();
    let all = counted(operators.len() as f64, "kernel");
    if operators.len() > MOST_OPERATORS {
        operators.sort_by(|a, b| b.executions.total_cmp(&a.executions));
        operators.truncate(MOST_OPERATORS);
        notes.push(format!("of {all}, the {MOST_OPERATORS} with most launches are taken"));
    }
    notes.push(format!("{}: a launch counts as one execution, whatever its size", counted(launches, "launch")));
    Ok((operators, notes))
}

/// Kernels with the same short name and operator of the library are one operator of the task; those without one are matched by
/// their names later.
fn operators(kernels: &[ProfiledKernel]) -> Vec<TargetOperator> {
    let mut launches: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for kernel in kernels.iter().filter(|kernel| !kernel.name.is_empty()) {
        let key = (short(&kernel.name), library(&kernel.name).unwrap_or_default());
        *launches.entry(key).or_default() += kernel.launches as f64;
    }
    let is_shared = |name: &str| launches.keys().filter(|(other, _)| *other == name).count() > 1;
    let operator = |((name, library), executions): (&(&str, &str), &f64)| TargetOperator {
        name: if !library.is_empty() && is_shared(name) { format!("{name} ({library})") } else { (*name).to_owned() },
        executions: executions.clamp(1.0, 1e15),
        category: None,
        library_operator: (*library).to_owned(),
        from: Vec::new(),
    };
    launches.iter().map(operator).collect()
}

/// Whether a file has the extension of code of kernels.
pub(super) fn is_code(path: &Path) -> bool {
    extension::is_one_of(path, &["ptx", "sass"])
}

/// The kernels in a file of PTX or SASS.
///
/// # Errors
/// It cannot be read, or has no kernel.
pub(super) fn code_of(path: &Path) -> Result<Vec<KernelCode>> {
    let text =
        crossover_files::read::text(path, LARGEST_CODE).with_context(|| format!("cannot read {}", path.display()))?;
    let kernels = code::kernels(&text);
    if kernels.is_empty() {
        bail!("{}: no kernel found; expected PTX, or SASS as cuobjdump -sass or nvdisasm prints it", path.display());
    }
    Ok(kernels)
}

/// Each kernel of a file of code as an operator with one execution, and notes for the user.
///
/// # Errors
/// It has no kernel, or more than a task has operators.
pub(super) fn read_code(path: &Path) -> Result<(Vec<TargetOperator>, Vec<String>)> {
    let kernels = code_of(path)?;
    if kernels.len() > MOST_OPERATORS {
        let count = kernels.len();
        bail!("{}: {count} kernels; a task has at most {MOST_OPERATORS} operators", path.display());
    }
    let mut operators: Vec<TargetOperator> = Vec::new();
    for kernel in &kernels {
        operators.push(TargetOperator {
            name: free_name(&kernel.function(), operators.iter().map(|other| other.name.as_str())),
            executions: 1.0,
            library_operator: library(&kernel.name).unwrap_or_default().to_owned(),
            ..TargetOperator::default()
        });
    }
    let note =
        "code does not say how often a kernel is launched: each counts as one execution (probe build --multiplier)";
    Ok((operators, vec![note.to_owned()]))
}

/// A kernel of which the user says what it does.
pub(super) struct KnownKernel {
    /// Key of its operator: of the library, or of a program of the user.
    pub(super) operator: String,
    /// Its code.
    pub(super) code: KernelCode,
}

/// Gives operators without one the operator of the most similar known kernel, where it is similar enough; returns notes for the user.
/// An operator is the kernel of its name in `code`.
pub(super) fn recognise(operators: &mut [TargetOperator], code: &[KernelCode], known: &[KnownKernel]) -> Vec<String> {
    let mut notes = Vec::new();
    for of in operators.iter_mut().filter(|of| of.library_operator.is_empty()) {
        let Some(own) = code.iter().find(|kernel| kernel.name == of.name || has_function(&of.name, &kernel.function()))
        else {
            continue;
        };
        let similarities = known.iter().filter_map(|known| Some((own.similarity(&known.code)?, known)));
        let Some((similarity, best)) = similarities.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            notes.push(format!("{}: its code, or that of all known kernels, is too short to compare", of.name));
            continue;
        };
        let (share, function) = (Unit::Share.format(similarity), best.code.function());
        let least = Unit::Share.format(LEAST_CODE_SIMILARITY);
        if similarity >= LEAST_CODE_SIMILARITY {
            of.library_operator.clone_from(&best.operator);
            notes.push(format!(
                "{}: matched to {} by code similar to {function} ({share}; threshold {least})",
                of.name, best.operator
            ));
        } else {
            notes.push(format!(
                "{}: no known kernel has similar code; nearest is {function} ({share}; threshold {least})",
                of.name
            ));
        }
    }
    notes
}

/// Whether an operator has the name of a function: with its namespaces, or with fewer of them in a profile.
fn has_function(operator: &str, function: &str) -> bool {
    operator == function || function.strip_suffix(operator).is_some_and(|namespaces| namespaces.ends_with("::"))
}

/// The operator of the library that does what a kernel does, by its name.
fn library(kernel: &str) -> Option<&'static str> {
    let name = kernel.to_lowercase();
    PARTS.iter().find(|(part, _)| name.contains(part)).map(|(_, operator)| *operator)
}

/// The name of a function of C++ without its result, arguments of its template and parameters.
fn short(kernel: &str) -> &str {
    let name = kernel.strip_prefix("void ").unwrap_or(kernel);
    let end = name.find(['<', '(']).filter(|end| *end > 0).unwrap_or(name.len());
    name[..end].trim()
}

#[cfg(test)]
mod tests {
    use crossover_measured::probe::library::operator;

    use super::*;

    /// Names as Nsight Systems prints them, of cuBLAS, CUTLASS, cuDNN, cuFFT, cuSPARSE, CUB and `PyTorch`; and functions of oneMKL.
    #[test]
    fn kernels_of_the_usual_libraries_have_an_operator() {
        for (name, expected) in [
            ("ampere_sgemm_128x64_tn", "sgemm"),
            ("volta_dgemm_128x64_nn", "dgemm"),
            ("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>(T1::Params)", "sgemm"),
            ("void implicit_convolve_sgemm<float, float, (int)1024>(int, int, int, const float *)", "convolution"),
            ("volta_scudnn_128x64_relu_interior_nn_v1_winograd", "convolution"),
            ("sm80_xmma_fprop_implicit_gemm_f32f32_nhwc", "convolution"),
            ("void regular_fft<(unsigned int)1024, (EPT)4>(kernel_parameters_t)", "fft"),
            ("void cusparse::csrmv_v3_kernel<int, double>(T1)", "spmv"),
            ("void cub::DeviceRadixSortOnesweepKernel<cub::Policy>(T1 *)", "sort"),
            ("void at::native::vectorized_elementwise_kernel<(int)4>(int, T2, T3)", "triad"),
            ("void at::native::reduce_kernel<(int)512, (int)1>(T3)", "aggregate"),
            ("cblas_dgemm", "dgemm"),
            ("DftiComputeForward", "fft"),
            ("mkl_sparse_d_mv", "spmv"),
        ] {
            assert_eq!(library(name), Some(expected), "{name}");
        }
        assert_eq!(library("my_kernel(float *)"), None);
        assert!(PARTS.iter().all(|(part, key)| operator(key).is_some() && *part == part.to_lowercase()));
    }

    const SPMV: &str = include_str!("../../../model/probe/tests/probe/kernels/spmv.ptx");
    const RENAMED: &str = include_str!("../../../model/probe/tests/probe/kernels/renamed.ptx");
    const SAXPY: &str = include_str!("../../../model/probe/tests/probe/kernels/saxpy.ptx");

    /// The kernel that a profile names without its namespace is known by another name; saxpy is not known.
    #[test]
    fn a_kernel_is_recognised_by_its_code() {
        let operator =
            |name: &str| TargetOperator { name: name.into(), library_operator: String::new(), ..Default::default() };
        let mut operators = ["row_product", "saxpy", "elsewhere"].map(operator);
        let code: Vec<KernelCode> = [RENAMED, SAXPY].into_iter().flat_map(code::kernels).collect();
        let known: Vec<KnownKernel> =
            code::kernels(SPMV).into_iter().map(|code| KnownKernel { operator: "spmv".to_owned(), code }).collect();
        let notes = recognise(&mut operators, &code, &known);
        assert_eq!(operators.map(|of| of.library_operator), ["spmv", "", ""]);
        // 20 and 8 sequences, three in common: 3 ÷ 25.
        assert_eq!(
            notes,
            [
                "row_product: matched to spmv by code similar to csr (100 %; threshold 50 %)",
                "saxpy: no known kernel has similar code; nearest is csr (12 %; threshold 50 %)",
            ]
        );
    }

    #[test]
    fn a_name_is_that_of_the_function() {
        assert_eq!(short("void reduce<float>(float*, int)"), "reduce");
        assert_eq!(short("ampere_sgemm_128x64_tn"), "ampere_sgemm_128x64_tn");
        assert_eq!(short("(anonymous namespace)::f(int)"), "(anonymous namespace)::f(int)");
    }

    #[test]
    fn launches_of_one_function_are_executions_and_others_stay_apart() {
        let kernel = |name: &str, launches: u64| ProfiledKernel { name: name.into(), launches, ..Default::default() };
        let found = operators(&[
            kernel("void cutlass::Kernel<a_dgemm>(P)", 3),
            kernel("void cutlass::Kernel<b_dgemm>(P)", 4),
            kernel("void cutlass::Kernel<c_sgemm>(P)", 5),
            kernel("mine", 1),
        ]);
        let found: Vec<(&str, &str, f64)> =
            found.iter().map(|of| (&*of.name, &*of.library_operator, of.executions)).collect();
        assert_eq!(
            found,
            [("cutlass::Kernel (dgemm)", "dgemm", 7.0), ("cutlass::Kernel (sgemm)", "sgemm", 5.0), ("mine", "", 1.0)]
        );
    }
}
