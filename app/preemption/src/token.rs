//! Colours of policies and kernels.

use crossover_chart::theme::Token;
use crossover_preemption::Policy;

/// Colours of cost terms that no policy has: easy to tell apart, and from the background.
const KERNELS: [u8; 6] = [4, 3, 8, 1, 6, 7];

/// The colour of a policy, the same in every chart and table.
pub(super) fn policy(policy: Policy) -> Token {
    let place = Policy::ALL.iter().position(|of| *of == policy).unwrap_or(0);
    match u8::try_from(place) {
        Ok(place) if place < 7 => Token::Rule(place),
        Ok(7) => Token::Term(5),
        _ => Token::Term(2),
    }
}

/// The colour of a kernel, by its position in the study.
pub(super) fn kernel(place: usize) -> Token {
    Token::Term(KERNELS[place % KERNELS.len()])
}
