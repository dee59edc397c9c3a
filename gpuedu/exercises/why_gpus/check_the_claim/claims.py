"""Sentences that articles print, and the sourced facts from which to compute the right number.

The facts are data, so that the notebook can show them as a page with their sources.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A document that anybody can open: its title, its address, when it was read."""

    title: str
    url: str
    read: str = "2026-11"


@dataclass(frozen=True)
class Fact:
    """One number with its unit, a sentence that says what it is, and where it stands."""

    name: str
    value: float
    unit: str
    says: str
    source: Source


@dataclass(frozen=True)
class Claim:
    """A sentence as articles print it, and the numbers to compute instead: key to question."""

    sentence: str
    asks: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Chip:
    """A GPU by its catalog: a name for keys, a name for readers, SMs, FP32 lanes of each."""

    key: str
    name: str
    sms: int
    lanes_per_sm: int


@dataclass(frozen=True)
class Page:
    """The page that the exercise shows, and the numbers from which its truths are computed.

    Attributes:
        claims: sentences with what is asked of each.
        facts: with their sources.
        chips: the two GPUs whose lanes are asked for; of the first, the busy SMs, too.
        parameters: of the model that is trained.
        peaks: H100s whose dense peak is asked for, together.
        memory_gb: of a GPU that holds a part of GPT-3.
        blocks: of the kernel that runs all the time.
        tpus: chips whose matrix units are asked for.
    """

    claims: tuple[Claim, ...]
    facts: tuple[Fact, ...]
    chips: tuple[Chip, Chip]
    parameters: float
    peaks: int
    memory_gb: int
    blocks: int
    tpus: int

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the learner's dict: two numbers for the first claim, one for others."""
        return tuple(key for claim in self.claims for key, _ in claim.asks)


_HOPPER = Source(
    "NVIDIA H100 Tensor Core GPU Architecture, sections on the GH100 GPU and its SM",
    "https://developer.nvidia.com/blog/nvidia-hopper-architecture-in-depth/",
)
_H100 = Source(
    "NVIDIA H100 Tensor Core GPU, product specifications, column SXM, with the footnote",
    "https://www.nvidia.com/en-us/data-center/h100/",
)
_TURING = Source(
    "NVIDIA Turing GPU Architecture (WP-09183-001), appendix on the Tesla T4",
    "https://images.nvidia.com/aem-dam/en-zz/Solutions/design-visualization/technologies/"
    "turing-architecture/NVIDIA-Turing-Architecture-Whitepaper.pdf",
)
_ZERO = Source(
    "Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, "
    "section 3.1",
    "https://arxiv.org/abs/1910.02054",
)
_GPT3 = Source(
    "Brown et al., Language Models are Few-Shot Learners, abstract",
    "https://arxiv.org/abs/2005.14165",
)
_NVML = Source(
    "NVML API Reference Guide, nvmlUtilization_t",
    "https://docs.nvidia.com/deploy/nvml-api/structnvmlUtilization__t.html",
)
_TPU = Source("Google Cloud, TPU v5p", "https://cloud.google.com/tpu/docs/v5p")

FACTS: tuple[Fact, ...] = (
    Fact("h100_sms", 132, "SMs", "streaming multiprocessors (SMs) of an H100 SXM", _HOPPER),
    Fact("h100_fp32_lanes_per_sm", 128, "lanes", "FP32 lanes of one SM of an H100", _HOPPER),
    Fact("t4_sms", 40, "SMs", "streaming multiprocessors of a T4", _TURING),
    Fact("t4_fp32_lanes_per_sm", 64, "lanes", "FP32 lanes of one SM of a T4", _TURING),
    Fact(
        "weight_bytes",
        2,
        "bytes",
        "a weight in 16 bits, for each parameter (mixed precision: 16 bits "
        "to compute with, 32 bits to add up in)",
        _ZERO,
    ),
    Fact("gradient_bytes", 2, "bytes", "a gradient in 16 bits, for each parameter", _ZERO),
    Fact("master_bytes", 4, "bytes", "the optimizer's 32-bit copy of the weight", _ZERO),
    Fact(
        "momentum_bytes",
        4,
        "bytes",
        "the mean of past gradients in 32 bits, which Adam keeps for each "
        "parameter (Adam is the optimizer: the rule that changes the weights)",
        _ZERO,
    ),
    Fact(
        "variance_bytes",
        4,
        "bytes",
        "the mean of their squares in 32 bits, which Adam keeps as well",
        _ZERO,
    ),
    Fact(
        "h100_bf16_tflop_per_s",
        1979,
        "TFLOP/s",
        "bfloat16 peak of an H100 SXM, printed with a footnote: with sparsity, that is, for "
        "matrices in which two of every four weights are zero; for dense ones it is half",
        _H100,
    ),
    Fact("h100_memory_gb", 80, "GB", "memory of an H100 SXM", _H100),
    Fact("gpt3_parameters", 175e9, "parameters", "size of GPT-3", _GPT3),
    Fact(
        "utilization_counts_kernels",
        1,
        "kernel",
        "utilization is the share of time in which at least one kernel (a program on the GPU) "
        "ran. A kernel's threads come in blocks, and a block of threads runs on one SM",
        _NVML,
    ),
    Fact("v5p_tensor_cores", 2, "TensorCores", "TensorCores of one TPU v5p chip", _TPU),
    Fact("v5p_matrix_units_per_core", 4, "units", "matrix units of one v5p TensorCore", _TPU),
)

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "A GPU has 3000-4000 cores.",
        (
            ("h100_fp32_lanes", "FP32 lanes of an H100 SXM"),
            ("t4_fp32_lanes", "FP32 lanes of a T4"),
        ),
    ),
    Claim(
        "A model of 354 million parameters fits easily: that is 0.7 GB.",
        (
            (
                "training_bytes_354m",
                "bytes to train 354e6 parameters in mixed precision with Adam, activations aside",
            ),
        ),
    ),
    Claim(
        "An H100 computes 1979 TFLOP/s in bfloat16.",
        (("h100_dense_tflop_per_s", "bfloat16 peak for dense matrices, in TFLOP/s"),),
    ),
    Claim(
        "GPT-3 runs on a good GPU.",
        (("gpus_to_hold_gpt3", "GPUs of 80 GB (1 GB = 1e9 bytes) that hold its 16-bit weights"),),
    ),
    Claim(
        "GPU utilization is at 100%: the device is fully used.",
        (
            (
                "busy_sms_percent",
                "percent of the 132 SMs that are busy when one kernel of one block runs all the "
                "time and utilization shows 100%",
            ),
        ),
    ),
    Claim(
        "A TPU has thousands of cores.",
        (("v5p_matrix_units", "matrix units of one TPU v5p chip"),),
    ),
)

PAGE = Page(
    CLAIMS,
    FACTS,
    chips=(Chip("h100", "an H100 SXM", 132, 128), Chip("t4", "a T4", 40, 64)),
    parameters=354e6,
    peaks=1,
    memory_gb=80,
    blocks=1,
    tpus=1,
)
"""The page of the published course."""

KEYS: tuple[str, ...] = PAGE.keys
