"""Beginners' errors in CUDA C by the compiler's words, and what to try: one table.

The first rule that matches counts. ``{0}`` is the first group of the message's pattern, ``{name}``
the array that the line declares.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rule:
    """What to try if the message matches, and the line too."""

    message: str
    remedy: str
    line: str = ""
    patterns: tuple[re.Pattern[str], re.Pattern[str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Compile the patterns once."""
        object.__setattr__(self, "patterns", (re.compile(self.message), re.compile(self.line)))


_INDEX = "threadIdx.x, blockIdx.x, blockDim.x: each has the parts .x, .y and .z"
_CONSTANT = "must have a constant value"
_INTEGRAL = "must have integral or unscoped enum type"
_LVALUE = "must be a modifiable lvalue"
_NO_EFFECT = "expression has no effect"
_NOT_FOUND = r"(?:cannot|could not) open source file "
_POINTER = 'value of type "(?:const )?(?!char)\\w+ \\*" cannot be'
_ATTRIBUTE = r"\.\s*(?:shape|size|ndim|dtype|len)\b"

RULES = (
    # indices
    Rule(r"const uint3|const dim3", _INDEX),
    Rule(r'class "(?:uint3|dim3)" has no member', _INDEX),
    Rule('function from "(?:float|double|int)[234]" to', "its parts by name: v.x, v.y"),
    Rule(r"operand types are: (?:\w+[1-4]|dim3) \[", "its parts by name: v.x, v.y, v.z, v.w"),
    Rule(_INTEGRAL, "x * x * x: in C, ^ works on bits and is not a power", line=r"\^"),
    Rule(_INTEGRAL, "fmodf(x, y) for floating point, or two ints", line="%"),
    Rule(_INTEGRAL, "an int as the index: int i = ...;", line=r"\["),
    Rule('pointer-to-object type but it has type "(.+?)"', "one index less, or {0}* for an array"),
    Rule("must have (?:class|pointer-to-class) type", "the size as an argument: int n", _ATTRIBUTE),
    Rule('entity of type "\\w+ \\*"', "an index, to reach an element: a[i] = ...;"),
    Rule(_POINTER, "an index, to reach an element: a[i]"),
    # shared memory and arrays
    Rule(
        _CONSTANT,
        "a constant size (#define SIZE 256), or extern __shared__ float {name}[]; and shared_mem= "
        "at the launch",
        line="__shared__",
    ),
    Rule(_CONSTANT, "a constant size: #define SIZE 256", line=r"\["),
    Rule("initializer not allowed for __shared__", "the threads assign it, then __syncthreads()"),
    Rule('attribute "__shared__" does not apply', "a type: __shared__ float tile[32];"),
    Rule("Unresolved extern function '(\\w+)'", "the body of `{0}`: so far it is only declared"),
    Rule("too much shared data", "a smaller tile, a narrower type, or dynamic shared memory"),
    # functions and kernels
    Rule("__host__ function is not allowed", "__device__ in place of __host__"),
    Rule("__global__ function must have a void", "__global__ void, and results put into an array"),
    Rule(
        "return value type does not match",
        "no value after return: out[i] = ...; in a kernel, y = ...; in an ElementwiseKernel",
    ),
    Rule("explicit type is missing", "a type in front of the name: __global__ void for a kernel"),
    Rule("__global__ function cannot have ellipsis", "each argument with its type"),
    Rule("device-side kernel launch", "the launch in Python: kernel(blocks, threads, arguments)"),
    Rule('function "(\\w+)" has already been defined', "one definition of {0}, or another name"),
    Rule("missing return statement", "a return at the end of every path through the function"),
    Rule(
        r"linkage specification is not allowed|may not have extern \"C\" linkage",
        'a template without extern "C", for RawModule with name_expressions',
    ),
    Rule('overloaded function "atomic', "a pointer first, &a[i], then a value of the array's type"),
    Rule('overloaded function "(__\\w+_sync)"', "the mask first: {0}(0xffffffff, value, ...)"),
    Rule(
        'more than one instance of overloaded function "(\\w+)"',
        "{0} of two values of the same type",
    ),
    # warp matrices
    Rule(
        "::load_matrix_sync",
        "a fragment, a pointer to its type, a leading dimension; an accumulator's layout as fourth",
    ),
    Rule(
        "::store_matrix_sync",
        "a pointer to its type, an accumulator, a leading dimension, wmma::mem_row_major",
    ),
    Rule(
        "::mma_sync",
        "mma_sync(d, a, b, c): accumulators d and c, a of matrix_a, b of matrix_b, of one M, N, K",
    ),
    Rule("::fill_fragment", "fill_fragment(fragment, 0.0f)"),
    Rule(
        "incomplete type .*::fragment",
        "16, 16, 16 as M, N, K for half, and wmma::row_major or col_major for factors",
    ),
    Rule("must be a (?:class or )?namespace name", "#include <mma.h>", line=r"\bnvcuda\b"),
    Rule("must be a (?:class or )?namespace name", "using namespace nvcuda;", line=r"\bwmma\b"),
    Rule(
        "no instance of overloaded function|too (?:many|few) arguments in function call",
        "the number and types of arguments that the function takes",
    ),
    Rule('constructor exists .* to "(float|double|int)([234])"', "make_{0}{1}(...)"),
    # Python's habits
    Rule('operand of "\\*" must be a pointer', "x * x, or powf(x, y): C has no **", line=r"\*\*"),
    Rule("unrecognized preprocessing directive", "// in front of a comment", line="#"),
    Rule('"#" not expected here', "// in place of #: that begins a comment in C"),
    Rule('expected a "\\("', "for (int i = 0; i < n; ++i)", line=r"\bfor\b.*\bin\b"),
    Rule('expected a "\\("', "parentheses: if (i < n)", line=r"\b(?:if(?! constexpr)|while|for)\b"),
    Rule("too many characters in character constant", 'double quotes: "text"'),
    Rule("unrecognized token", "__global__ or __device__ in place of a decorator", line="@"),
    Rule("user-defined literal operator", "1.0f for a number; a name begins with a letter"),
    Rule("expected an identifier", "a name that begins with a letter", line=r"[\w>*] \d+[a-zA-Z_]"),
    Rule(_NO_EFFECT, "one index: a[row * width + column]", line=r"\[[^\]]*,"),
    # punctuation
    Rule(
        "unrecognized token",
        'straight quotes: "text"',
        line="[\u2018\u2019\u201c\u201d\u00ab\u00bb]",
    ),
    Rule("unrecognized token", "other characters: copied code may have look-alikes"),
    Rule("missing closing quote", 'a " at the end of the text'),
    Rule("comment unclosed", "*/ at the end of the comment"),
    Rule("#endif for this directive is missing", "#endif"),
    Rule('expected a "\\)"', "__restrict__", line=r"\brestrict\b"),
    Rule('expected a "\\)"', "float* a in place of float[] a", line=r"\w\s*\[\]\s*\w+\s*[,)]"),
    Rule(
        'expected a "\\)"',
        "two ; between the three parts: for (int i = 0; i < n; ++i)",
        line=r"\bfor\s*\((?:[^;]*;){3}",
    ),
    Rule('expected a "(\\)|\\])"', "a {0} for each opening one, a comma between two arguments"),
    Rule("has already been declared", "for (int i = 0; i < n; ++i)", line=r"\bfor\b[^;]*,[^;]*,"),
    Rule(
        '"(\\w+)" has already been declared', "no type the second time: {0} = ...; or another name"
    ),
    Rule("expected a declaration", "one }} fewer: this one closes nothing", line=r"^\s*\}"),
    Rule("expected a declaration", "no ; before the function's {{", line=r"^\s*\{|;\s*\{"),
    Rule("expected a declaration", "the statement inside a function"),
    Rule("expected a statement", "an if right before the else", line=r"\belse\b"),
    Rule("may only be used within a loop", "return; to end this thread's work"),
    # what assigns and what compares
    Rule(_LVALUE, "== to compare", line=r"\b(?:if|while)\b"),
    Rule(_LVALUE, "no const in front of the type, if the kernel is to write there", line=r"\["),
    Rule('use of "=" where', "== to compare"),
    Rule(_NO_EFFECT, "parentheses: __syncthreads();", line=r"__sync\w+\s*;"),
    Rule(_NO_EFFECT, "= to assign", line=r"\w\]?\s*=="),
    # what CUDA C does not have
    Rule('namespace "std" has no member', "CUDA's own: max, min, sqrtf, plain arrays, printf"),
    Rule("exception handling", "an error code in an array, in place of exceptions"),
    Rule(
        _NOT_FOUND + r'"(?:stdio|stdlib|cstdio|cstdlib|math|cmath|cuda_runtime)(?:\.h)?"',
        "no #include: printf, mathematics and CUDA's names are built in",
    ),
    Rule(_NOT_FOUND + r'"(?:stdint\.h|cstdint|inttypes\.h)"', "#include <cuda/std/cstdint>"),
    Rule(_NOT_FOUND, "the code itself in place of the #include"),
    Rule("unrecognized option", "options such as '-std=c++17', '-DTILE=16', '--use_fast_math'"),
)
