//! Moving the words below a bound to the front, eight or sixteen at a time where the processor can. Compilers do
//! not find this form by themselves, and it halves the time of a filter.

#![expect(clippy::inline_always, reason = "vector instructions are in force only in what is inlined")]

/// Writes the words below `bound` to the front of `kept`, in order, as far as there is room; returns how many
/// there are.
pub(super) fn compact(words: &[u32], bound: u32, kept: &mut [u32]) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(simd) = pulp::x86::V4::try_new() {
            return simd.vectorize(x86::Avx512 { simd, words, bound, kept });
        }
        if let Some(simd) = pulp::x86::V3::try_new() {
            return simd.vectorize(x86::Avx2 { simd, words, bound, kept });
        }
    }
    compact_by_word(words, bound, kept)
}

/// Writes every word and advances only behind those that stay: no branch depends on the data.
#[inline(always)]
fn compact_by_word(words: &[u32], bound: u32, kept: &mut [u32]) -> usize {
    let mut count = 0;
    for word in words {
        if let Some(place) = kept.get_mut(count) {
            *place = *word;
        }
        count += usize::from(*word < bound);
    }
    count
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{__m256i, __m512i};

    use pulp::NullaryFnOnce;
    use pulp::x86::{V3, V4};

    use super::compact_by_word;

    /// For each mask of eight words, the places of those that stay.
    static PLACES: [[u32; 8]; 256] = places();

    const fn places() -> [[u32; 8]; 256] {
        let mut places = [[0; 8]; 256];
        let mut mask = 0;
        while mask < 256 {
            let (mut lane, mut count) = (0, 0);
            while lane < 8 {
                if mask >> lane & 1 == 1 {
                    places[mask][count] = lane;
                    count += 1;
                }
                lane += 1;
            }
            mask += 1;
        }
        places
    }

    pub(super) struct Avx512<'a> {
        pub(super) simd: V4,
        pub(super) words: &'a [u32],
        pub(super) bound: u32,
        pub(super) kept: &'a mut [u32],
    }

    impl NullaryFnOnce for Avx512<'_> {
        type Output = usize;

        #[inline(always)]
        fn call(self) -> usize {
            let Self { simd, words, bound, kept } = self;
            let bounds: __m512i = bytemuck::cast([bound; 16]);
            let (blocks, rest) = words.as_chunks::<16>();
            let mut count = 0;
            for (block_number, block) in blocks.iter().enumerate() {
                let Some(places) = kept.get_mut(count..).and_then(|kept| kept.first_chunk_mut::<16>()) else {
                    let rest = &words[block_number * 16..];
                    return count + compact_by_word(rest, bound, kept.get_mut(count..).unwrap_or_default());
                };
                let block: __m512i = bytemuck::cast(*block);
                let mask = simd.avx512f._mm512_cmplt_epu32_mask(block, bounds);
                *places = bytemuck::cast(simd.avx512f._mm512_maskz_compress_epi32(mask, block));
                count += mask.count_ones() as usize;
            }
            count + compact_by_word(rest, bound, kept.get_mut(count..).unwrap_or_default())
        }
    }

    pub(super) struct Avx2<'a> {
        pub(super) simd: V3,
        pub(super) words: &'a [u32],
        pub(super) bound: u32,
        pub(super) kept: &'a mut [u32],
    }

    impl NullaryFnOnce for Avx2<'_> {
        type Output = usize;

        #[inline(always)]
        fn call(self) -> usize {
            let Self { simd, words, bound, kept } = self;
            // AVX2 compares signed words only; flipping the highest bits keeps the order.
            let flip: __m256i = bytemuck::cast([1_u32 << 31; 8]);
            let bounds: __m256i = bytemuck::cast([bound ^ (1 << 31); 8]);
            let (blocks, rest) = words.as_chunks::<8>();
            let mut count = 0;
            for (block_number, block) in blocks.iter().enumerate() {
                let Some(places) = kept.get_mut(count..).and_then(|kept| kept.first_chunk_mut::<8>()) else {
                    let rest = &words[block_number * 8..];
                    return count + compact_by_word(rest, bound, kept.get_mut(count..).unwrap_or_default());
                };
                let block: __m256i = bytemuck::cast(*block);
                let below = simd.avx2._mm256_cmpgt_epi32(bounds, simd.avx2._mm256_xor_si256(block, flip));
                let mask = simd.avx._mm256_movemask_ps(bytemuck::cast(below)).cast_unsigned() as usize & 0xFF;
                *places = bytemuck::cast(simd.avx2._mm256_permutevar8x32_epi32(block, bytemuck::cast(PLACES[mask])));
                count += mask.count_ones() as usize;
            }
            count + compact_by_word(rest, bound, kept.get_mut(count..).unwrap_or_default())
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn every_instruction_set_of_this_machine_keeps_the_same_words() {
            let words: Vec<u32> = (0..1_000_u32).map(|place| place.wrapping_mul(0x9E37_79B1)).collect();
            for length in (0..70).chain([1_000]) {
                for bound in [0, 1, 1 << 30, (1 << 31) + 5, u32::MAX] {
                    let words = &words[..length];
                    let expected: Vec<u32> = words.iter().copied().filter(|word| *word < bound).collect();
                    // Exactly enough room, as behind a count, and room for all.
                    for room in [expected.len(), length] {
                        let mut kept = vec![7; room];
                        if let Some(simd) = V4::try_new() {
                            let count = simd.vectorize(Avx512 { simd, words, bound, kept: &mut kept });
                            assert_eq!(kept[..count], expected, "AVX-512, {length} words below {bound}");
                        }
                        if let Some(simd) = V3::try_new() {
                            kept.fill(7);
                            let count = simd.vectorize(Avx2 { simd, words, bound, kept: &mut kept });
                            assert_eq!(kept[..count], expected, "AVX2, {length} words below {bound}");
                        }
                        kept.fill(7);
                        let count = compact_by_word(words, bound, &mut kept);
                        assert_eq!(kept[..count], expected, "word by word, {length} words below {bound}");
                    }
                }
            }
        }
    }
}
