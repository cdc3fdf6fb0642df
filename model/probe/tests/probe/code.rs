//! Kernels recognised by their code. The similarities were also counted by a script in Python, with sets of tuples.

use crossover_probe::code::{KernelCode, LEAST_CODE_SIMILARITY, kernels};

const SPMV: &str = include_str!("kernels/spmv.ptx");
/// The same kernel with another name, other registers and other labels.
const RENAMED: &str = include_str!("kernels/renamed.ptx");
const DGEMM: &str = include_str!("kernels/dgemm.ptx");
const SAXPY: &str = include_str!("kernels/saxpy.ptx");
const GATHER: &str = include_str!("kernels/gather.ptx");
const SASS: &str = include_str!("kernels/saxpy.sass");

fn one(text: &str) -> KernelCode {
    let mut all = kernels(text);
    assert_eq!(all.len(), 1, "one kernel");
    all.remove(0)
}

fn similarity(a: &str, b: &str) -> f64 {
    one(a).similarity(&one(b)).expect("both are long enough")
}

#[test]
fn a_renamed_kernel_is_the_same() {
    assert_eq!((one(SPMV).name.as_str(), one(RENAMED).function().as_str()), ("csr", "mine::row_product"));
    assert!((similarity(SPMV, RENAMED) - 1.0).abs() < 1e-12);
}

/// 20 sequences each, 6 in common: 6 ÷ 34. Gather and saxpy have 9 and 8, 5 of them in common: 5 ÷ 12.
#[test]
fn other_kernels_are_others() {
    assert!((similarity(SPMV, DGEMM) - 6.0 / 34.0).abs() < 1e-12);
    assert!((similarity(GATHER, SAXPY) - 5.0 / 12.0).abs() < 1e-12);
    let all = [SPMV, DGEMM, SAXPY, GATHER];
    for (place, a) in all.iter().enumerate() {
        for b in &all[place + 1..] {
            assert!(similarity(a, b) < LEAST_CODE_SIMILARITY);
        }
    }
}

/// 20 sequences become 22, of which 20 are the former: 20 ÷ 22.
#[test]
fn an_unrolled_loop_is_the_same_kernel() {
    let begin = SPMV.find("mul.wide.s32 \t%rd13").expect("the body of the loop");
    let end = SPMV.find("add.s32 \t%r14").expect("its end");
    let unrolled = format!("{}{}{}", &SPMV[..end], SPMV[begin..end].repeat(2), &SPMV[end..]);
    assert!((similarity(SPMV, &unrolled) - 20.0 / 22.0).abs() < 1e-12);
}

/// The threshold: a replaced instruction of 26 changes three of the 20 sequences, of which each kernel then has 17 in common.
#[test]
fn a_replaced_instruction_changes_three_sequences() {
    let replaced = SPMV.replace("fma.rn.f64", "fma.rz.f64");
    assert!((similarity(SPMV, &replaced) - 17.0 / 23.0).abs() < 1e-12);
}

#[test]
fn ptx_and_sass_have_nothing_in_common_and_a_short_kernel_is_not_compared() {
    assert!(similarity(SAXPY, SASS).abs() < 1e-12);
    assert!((similarity(SASS, &SASS.replace("R7", "R9").replace("_Z5saxpyifPKfPf", "f")) - 1.0).abs() < 1e-12);
    let short = ".entry f()\n{\nadd.s32 %r1, %r1, 1;\nadd.s32 %r1, %r1, 1;\nadd.s32 %r1, %r1, 1;\nret;\n}\n";
    assert_eq!(one(short).similarity(&one(short)), None);
}
