//! MIG instances: the part of a GPU that an instance is, and the number of GPUs for given instances.
//! <https://docs.nvidia.com/datacenter/tesla/mig-user-guide/#supported-mig-profiles>

use std::collections::BTreeMap;

use crossover_allocation::Part;

/// A profile of instances, like `3g.20gb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Profile {
    /// Slices of compute: of the instance, or of a compute instance inside it (`1c.3g.20gb`).
    pub(crate) compute: u32,
    /// Slices of the GPU instance.
    gpu_slices: u32,
    /// Memory, GB.
    memory_gb: u32,
}

impl Profile {
    /// The profile that a text names, perhaps with an attribute behind it (`1g.10gb.me`, `1g.10gb+me`).
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (named, _) = text.split_once('+').unwrap_or((&text, ""));
        let mut parts = named.split('.').peekable();
        let number = |part: &str, unit: &str| part.strip_suffix(unit).and_then(|digits| digits.parse::<u32>().ok());
        let compute = parts.next_if(|part| number(part, "c").is_some()).and_then(|part| number(part, "c"));
        let gpu_slices = parts.next().and_then(|part| number(part, "g")).filter(|slices| (1..=7).contains(slices))?;
        let memory_gb = parts.next().and_then(|part| number(part, "gb")).filter(|gb| (1..=1_000).contains(gb))?;
        let compute = compute.unwrap_or(gpu_slices);
        (1..=gpu_slices).contains(&compute).then_some(Self { compute, gpu_slices, memory_gb })
    }

    /// The part of a product that an instance is: its slices of seven, of four on products with four.
    pub(crate) fn part(self, product: &str) -> Part {
        Part::slices(self.compute, slices(product))
    }

    /// Slices of memory that an instance takes, of eight, of four on products with four.
    fn memory_slices(self, product: &str) -> u32 {
        if slices(product) == 4 {
            return self.gpu_slices.min(4);
        }
        match memory_gb(product) {
            // To the nearest: 1/8 of 80 GB is sold as 10 GB, 1/8 of 141 GB as 18 GB.
            Some(all) => ((16 * self.memory_gb + all) / (2 * all)).clamp(1, 8),
            None => [1, 2, 4, 4, 8, 8, 8][self.gpu_slices.clamp(1, 7) as usize - 1],
        }
    }
}

/// How many GPUs are cut into so many instances of each profile: as many as their slices of compute and of memory need.
pub(crate) fn gpus(product: &str, instances: &BTreeMap<Profile, u64>) -> u64 {
    let sum = |of: &dyn Fn(Profile) -> u32| -> u64 {
        let each = instances.iter().map(|(profile, count)| count.saturating_mul(u64::from(of(*profile))));
        each.fold(0, u64::saturating_add)
    };
    let compute = sum(&|profile| profile.gpu_slices).div_ceil(u64::from(slices(product)));
    let memory = sum(&|profile| profile.memory_slices(product));
    compute.max(memory.div_ceil(if slices(product) == 4 { 4 } else { 8 }))
}

/// Slices of compute of a product: A30 and RTX PRO 6000 have four, the others seven.
fn slices(product: &str) -> u32 {
    let words: Vec<String> = words(product).map(str::to_ascii_uppercase).collect();
    let has = |word: &str| words.iter().any(|known| known == word);
    if has("A30") || has("PRO") && has("6000") { 4 } else { 7 }
}

/// Memory in the name of a product, GB.
pub(crate) fn memory_gb(product: &str) -> Option<u32> {
    let gb = |word: &str| {
        let digits = word.strip_suffix("GB").or_else(|| word.strip_suffix("gb"))?;
        digits.parse().ok().filter(|gb| (1..=1_000).contains(gb))
    };
    words(product).find_map(gb)
}

fn words(product: &str) -> impl Iterator<Item = &str> {
    product.split(|c: char| !c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(text: &str) -> Profile {
        Profile::parse(text).expect("a profile")
    }

    fn gpus_of(product: &str, instances: &[(&str, u64)]) -> u64 {
        gpus(product, &instances.iter().map(|(name, count)| (profile(name), *count)).collect())
    }

    /// Most instances of each profile on one GPU: tables of the MIG user guide.
    #[test]
    fn as_many_instances_as_the_guide_allows_make_one_gpu() {
        let table = [
            ("A100-SXM4-40GB", "1g.5gb", 7),
            ("A100-SXM4-40GB", "1g.10gb", 4),
            ("A100-SXM4-40GB", "2g.10gb", 3),
            ("A100-SXM4-40GB", "3g.20gb", 2),
            ("A100-SXM4-40GB", "4g.20gb", 1),
            ("A100-SXM4-40GB", "7g.40gb", 1),
            ("NVIDIA-A100-SXM4-80GB", "1g.20gb", 4),
            ("NVIDIA-H100-80GB-HBM3", "1g.10gb", 7),
            ("NVIDIA-H100-80GB-HBM3", "3g.40gb", 2),
            ("NVIDIA-H200-141GB", "1g.18gb", 7),
            ("NVIDIA-H200-141GB", "1g.35gb", 4),
            ("NVIDIA-A30", "1g.6gb", 4),
            ("NVIDIA-A30", "2g.12gb", 2),
            ("a100", "2g.10gb", 3),
            ("a100", "3g.20gb", 2),
        ];
        for (product, name, most) in table {
            assert_eq!(gpus_of(product, &[(name, most)]), 1, "{product} {name}");
            assert_eq!(gpus_of(product, &[(name, most + 1)]), 2, "{product} {name}");
        }
    }

    #[test]
    fn all_balanced_is_one_gpu() {
        assert_eq!(gpus_of("A100-SXM4-40GB", &[("1g.5gb", 2), ("2g.10gb", 1), ("3g.20gb", 1)]), 1);
        assert_eq!(gpus_of("a100", &[("1g.5gb", 16), ("2g.10gb", 8), ("3g.20gb", 8)]), 8);
    }

    #[test]
    fn what_is_no_profile_is_none() {
        for text in ["", "1g", "0g.5gb", "8g.5gb", "1g.0gb", "1g.5", "9c.1g.5gb", "INVALID", "99999999999g.5gb", "g.gb"]
        {
            assert_eq!(Profile::parse(text), None, "{text}");
        }
        assert_eq!(profile("1g.10gb.me"), profile("1g.10gb+me"));
        assert_eq!(profile("1c.3g.20gb").part("A100"), Part { of: 1, whole: 7 });
        assert_eq!(profile("3g.20gb").part("A100"), Part { of: 3, whole: 7 });
        assert_eq!(profile("2g.12gb").part("NVIDIA-A30"), Part { of: 2, whole: 4 });
    }
}
