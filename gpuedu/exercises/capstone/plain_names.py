"""Lists of what a program of the capstone may name, and what it may not; see ``plain_python``."""

from __future__ import annotations

import functools
import operator

_WHOLE = """
    itertools math numpy numpy.random statistics torch torch.amp torch.distributed torch.nn
    torch.nn.functional torch.nn.init torch.nn.utils torch.optim torch.optim.lr_scheduler
"""
IN_PARTS = {
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "contextlib": "contextmanager nullcontext suppress",
    "dataclasses": "asdict astuple dataclass field replace",
    "functools": "cache cached_property lru_cache partial reduce",
    "io": "BytesIO StringIO",
    "json": "dumps loads",
    "torch.autograd": "grad",
    "torch.utils.checkpoint": "checkpoint checkpoint_sequential",
    "torch.backends": "",
    "torch.utils": "",
}
"""Modules of which only these names may be used: others read files, or names given as texts."""
THROUGH = frozenset({"torch.utils", "torch.cuda", "torch.backends", "torch.linalg", "numpy.linalg"})
"""Modules that are only a way to others, or to their functions."""
MODULES = (frozenset(_WHOLE.split()) | IN_PARTS.keys()) - THROUGH
"""What may be imported, beside the program's own files."""
LISTED = f"these modules may be used: {', '.join(sorted(MODULES))}"
_FILES = "fromfile fromregex genfromtxt loadtxt memmap savetxt savez savez_compressed"
_SPARSE = """
    bsc bsc_tensor bsr bsr_tensor compressed_tensor coo coo_tensor csc csc_tensor csr csr_tensor
"""
LEFT_OUT = {
    "torch.compile": "what it runs is not counted here",
    "torch.as_strided": "it looks past a tensor's own numbers",
    "torch.set_num_threads": "times are not what is counted",
    "torch.from_file": "files are in the store",
    "torch.set_default_device": "give each tensor its device",
    "torch.set_default_tensor_type": "give each tensor its dtype",
    "torch.from_dlpack": "it shares memory with others",
    "torch.get_device_module": "import the modules that you need",
    "torch.frombuffer": "`torch.tensor` or `torch.from_numpy` makes a tensor",
    **{
        f"torch.sparse_{name}": "its indices are not checked, and dense tensors do the same"
        for name in _SPARSE.split()
    },
    "numpy.random.RandomState": "`numpy.random.default_rng` makes a generator",
    "numpy.random.set_state": "its place in the numbers is not checked",
    "torch.nn.ParameterDict": "a module's attributes hold parameters",
    "torch.distributed.init_process_group": "the ranks are there when the program begins",
    "torch.distributed.breakpoint": "nobody is there to answer",
    "numpy.from_dlpack": "it shares memory with others",
    **{
        f"torch.optim.lr_scheduler.{name}": "a function of the step can set the rate"
        for name in ("CyclicLR", "LambdaLR", "MultiplicativeLR")  # they show what any object holds
    },
    **{f"numpy.{name}": "files are in the store" for name in _FILES.split()},
    **{
        f"numpy.{name}": "`numpy.array` makes an array"
        for name in ("matrix", "recarray", "chararray")
    },
    **{f"numpy.{part}test": "nothing is tested here" for part in ("", "linalg.", "random.")},
}
_OF_TORCH = """
    Event Generator OutOfMemoryError Size Stream default_generator device dtype finfo iinfo
    get_default_dtype is_autocast_enabled is_grad_enabled is_inference_mode_enabled layout
    memory_format
"""
INNER_OF_TORCH = frozenset(_OF_TORCH.split())
"""What ``torch`` hands on of its compiled part, beside operators, and a program may have."""
GROUPS = frozenset({"P2POp", "ReduceOp", "Work", "group"})
"""Classes of ``torch.distributed`` that reach no file and no network."""
REACHING = (
    getattr, setattr, delattr, vars, globals, locals, eval, exec, compile, open, type, __import__,
    breakpoint, input, operator.attrgetter, operator.methodcaller, functools.wraps,
    functools.update_wrapper,
)  # fmt: skip
"""What some module may have imported, and would reach everything."""
_INNER = """
    ag_await ag_code ag_frame cr_await cr_code cr_frame cr_origin f_back f_builtins f_code f_globals
    f_lineno f_locals f_trace func_globals gi_code gi_frame gi_yieldfrom mro tb_frame tb_lasti
    tb_lineno tb_next tb_prev compile ctypes as_strided dump from_file share_memory share_memory_
    storage tofile untyped_storage apply_ map_ map2_ new set_ format format_map set_submodule
    bit_generator data_ptr capsule cffi resize resize_ resize_as_ resize_as_sparse_
    sparse_resize_ sparse_resize_and_clear_ to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo
    to_sparse_csc to_sparse_csr
"""
INNER_NAMES = frozenset(_INNER.split())
_METHODS = """
    __call__ __contains__ __enter__ __exit__ __getitem__ __init__ __iter__ __len__ __next__
    __post_init__
"""
UNCHECKED = frozenset({"check_invariants", "is_coalesced", "sparse_grad"})
"""Arguments that make a sparse tensor, or leave its indices unchecked."""
OWN_METHODS = frozenset(_METHODS.split())
_BUILTINS = (
    "ArithmeticError AssertionError AttributeError Ellipsis Exception False FileNotFoundError "
    "FloatingPointError IndexError KeyError LookupError None NotImplemented NotImplementedError "
    "OSError OverflowError RuntimeError StopIteration True TypeError ValueError ZeroDivisionError "
    "abs all any bool bytes callable dict divmod enumerate filter float format frozenset hasattr "
    "int isinstance issubclass iter len list map max min next object pow print property range repr "
    "reversed round set slice sorted staticmethod classmethod str sum super tuple zip"
)
BUILTINS = frozenset(_BUILTINS.split())
"""Names that are there without an import."""
GENERIC = frozenset({"dict", "frozenset", "list", "set", "tuple"})
LOADERS = {"torch.load": ("map_location", "mmap"), "numpy.load": ()}
"""Readers of files that could be told to run what is in them, and which options they may have."""
