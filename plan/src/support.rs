//! Lists that come with NVIDIA's tools: which operator classes have a GPU version, and how much faster they are there.
