//! The library of probe operators: their meaning, size and other names.
//!
//! gpu-bench runs them; it has their code and their true values.

use serde::{Deserialize, Serialize};

/// Version of the library. It changes whenever the result or the time of an operator changes: probes of two versions are not
/// compared.
pub const LIBRARY_VERSION: u32 = 1;

/// Category of work; operators of the same category are matched first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Simulation and numerics.
    Hpc,
    /// Deep learning.
    Ai,
    /// Queries over tables.
    Data,
}

impl Category {
    /// All of them, in the order of menus.
    pub const ALL: [Self; 3] = [Self::Hpc, Self::Ai, Self::Data];

    /// Name for the user.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Hpc => "HPC",
            Self::Ai => "AI",
            Self::Data => "data",
        }
    }
}

/// An operator of the library.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LibraryOperator {
    /// Name in probe tasks.
    pub key: &'static str,
    /// Categories of work in which it dominates.
    pub categories: &'static [Category],
    /// Description, one sentence.
    pub meaning: &'static str,
    /// Other names of the same operation: lower case, words separated by spaces.
    pub aliases: &'static [&'static str],
    /// Work of one execution.
    pub amount: Amount,
    /// Reference time of one execution on one thread, seconds: of an AMD EPYC, November 2026. It only tells before a probe is sent how
    /// long it takes about.
    pub reference_seconds: f64,
}

/// Work of one execution of an operator. It converts rows of a query and operations of a layer into executions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// Rows read.
    Rows(f64),
    /// Multiplications and additions.
    Flop(f64),
    /// Numbers in the output.
    Numbers(f64),
}

/// All operators, in the order of lists.
pub const LIBRARY: [LibraryOperator; 12] = [
    LibraryOperator {
        key: "dgemm",
        categories: &[Category::Hpc],
        meaning: "Product of two dense matrices in double precision",
        aliases: &[
            "gemm",
            "dense matrix product",
            "matrix multiplication",
            "matmul",
            "lu",
            "cholesky",
            "hpl",
            "dense solver",
        ],
        amount: Amount::Flop(2.0 * 640.0 * 640.0 * 640.0),
        reference_seconds: 0.025,
    },
    LibraryOperator {
        key: "sgemm",
        categories: &[Category::Ai],
        meaning: "Product of two dense matrices in single precision",
        aliases: &[
            "gemm",
            "matmul",
            "linear",
            "dense",
            "addmm",
            "bmm",
            "fully connected",
            "attention",
            "multihead attention",
            "embedding product",
            "lstm",
            "gru",
        ],
        amount: Amount::Flop(2.0 * 768.0 * 768.0 * 768.0),
        reference_seconds: 0.045,
    },
    LibraryOperator {
        key: "spmv",
        categories: &[Category::Hpc],
        meaning: "Product of a sparse matrix and a vector in double precision",
        aliases: &["sparse matrix vector", "sparse matvec", "csr", "conjugate gradient", "hpcg", "stencil", "graph"],
        amount: Amount::Numbers(262_144.0),
        reference_seconds: 0.0045,
    },
    LibraryOperator {
        key: "fft",
        categories: &[Category::Hpc, Category::Ai],
        meaning: "Fourier transform of complex numbers in double precision",
        aliases: &["fourier", "fft1d", "fft3d", "spectral", "dft"],
        amount: Amount::Numbers(1_048_576.0),
        reference_seconds: 0.006,
    },
    LibraryOperator {
        key: "convolution",
        categories: &[Category::Ai],
        meaning: "Convolution of images with small filters in single precision",
        aliases: &["conv", "conv1d", "conv2d", "conv3d", "conv transpose2d", "depthwise conv2d", "filter bank"],
        amount: Amount::Flop(2.0 * 9.0 * 32.0 * 16.0 * 16.0 * 64.0 * 64.0),
        reference_seconds: 0.012,
    },
    LibraryOperator {
        key: "trigonometry",
        categories: &[Category::Hpc],
        meaning: "Sines and cosines in double precision",
        aliases: &["trigonometric functions", "sin", "cos", "sincos", "tan", "transcendental", "rotation"],
        amount: Amount::Numbers(1_048_576.0),
        reference_seconds: 0.012,
    },
    LibraryOperator {
        key: "triad",
        categories: &[Category::Hpc, Category::Ai],
        meaning: "Sum of one vector and a multiple of another, limited by memory bandwidth",
        aliases: &[
            "stream",
            "axpy",
            "daxpy",
            "add",
            "relu",
            "gelu",
            "elementwise",
            "activation",
            "batch norm2d",
            "layer norm",
            "dropout",
        ],
        amount: Amount::Numbers(4_194_304.0),
        reference_seconds: 0.0032,
    },
    LibraryOperator {
        key: "random_access",
        categories: &[Category::Hpc, Category::Ai, Category::Data],
        meaning: "Random reads of single words in a large table, limited by latency",
        aliases: &["gups", "gather", "scatter", "embedding", "pointer chase", "lookup", "index scan"],
        amount: Amount::Numbers(262_144.0),
        reference_seconds: 0.035,
    },
    LibraryOperator {
        key: "filter",
        categories: &[Category::Data],
        meaning: "Rows of a table below a threshold",
        aliases: &["select", "selection", "where", "scan", "seq scan", "table scan", "project"],
        amount: Amount::Rows(16_777_216.0),
        reference_seconds: 0.005,
    },
    LibraryOperator {
        key: "hash_join",
        categories: &[Category::Data],
        meaning: "Rows of two tables with the same key",
        aliases: &[
            "join",
            "broadcast hash join",
            "sort merge join",
            "shuffled hash join",
            "merge join",
            "nested loop join",
        ],
        amount: Amount::Rows(2_359_296.0),
        reference_seconds: 0.046,
    },
    LibraryOperator {
        key: "aggregate",
        categories: &[Category::Data],
        meaning: "Sums over the rows of each group",
        aliases: &["hash aggregate", "group by", "sort aggregate", "sum", "count", "distinct", "window"],
        amount: Amount::Rows(8_388_608.0),
        reference_seconds: 0.0085,
    },
    LibraryOperator {
        key: "sort",
        categories: &[Category::Data],
        meaning: "Sort of the rows of a table",
        aliases: &["order by", "radix sort", "top n", "take ordered", "limit"],
        amount: Amount::Rows(2_097_152.0),
        reference_seconds: 0.016,
    },
];

/// The operator with a key.
#[must_use]
pub fn operator(key: &str) -> Option<&'static LibraryOperator> {
    LIBRARY.iter().find(|operator| operator.key == key)
}
