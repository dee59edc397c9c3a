"""What a program of the capstone may use: lists of what is allowed; the rest is refused.

See ``plain_python``. Where a module's functions are PyTorch's operators, the list is PyTorch's own:
each of them is looked at again before it runs (``operations``).
"""

from __future__ import annotations

PARTS = {
    "__future__": "annotations",
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "collections.abc": "Callable Iterable Iterator Mapping Sequence",
    "contextlib": "contextmanager nullcontext suppress",
    "dataclasses": "asdict astuple dataclass field replace",
    "functools": "cache cached_property lru_cache partial reduce",
    "io": "BytesIO StringIO",
    "itertools": """
        accumulate batched chain combinations combinations_with_replacement compress count cycle
        dropwhile filterfalse groupby islice pairwise permutations product repeat starmap takewhile
        tee zip_longest
    """,
    "json": "dumps loads",
    "math": """
        acos asin atan atan2 ceil comb copysign cos cosh dist e erf erfc exp exp2 expm1 fabs
        factorial floor fmod frexp fsum gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp
        log log10 log1p log2 modf nan perm pi pow prod radians degrees remainder sin sinh sqrt
        sumprod tan tanh tau trunc
    """,
    "numpy": """
        abs absolute add all allclose amax amin any append arange argmax argmin argsort argwhere
        around array array_equal array_split asarray ascontiguousarray astype atleast_1d atleast_2d
        atleast_3d average bincount bool bool_ broadcast_to ceil clip column_stack concat
        concatenate copy cos cosh count_nonzero cumprod cumsum diag diff digitize divide dot dtype
        e einsum empty empty_like equal exp expand_dims eye fill_diagonal finfo flatnonzero flip
        fliplr flipud float16 float32 float64 floor frombuffer full full_like fromiter generic
        greater greater_equal histogram hstack identity iinfo indices inf inner int16 int32 int64
        int8 int_ intp isclose isfinite isin isinf isnan less less_equal linspace load log log10
        log1p log2 logical_and logical_not logical_or logical_xor logspace matmul max maximum mean
        median meshgrid min minimum mod moveaxis multiply nan nan_to_num ndarray ndim negative
        newaxis nonzero not_equal ones ones_like outer pad percentile pi power prod ptp quantile
        ravel repeat reshape rint roll rot90 round save searchsorted shape sign sin sinh size sort
        split sqrt square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh
        tensordot tile trace transpose tril triu true_divide uint16 uint32 uint64 uint8 unique
        unravel_index var vstack where zeros zeros_like
    """,
    "numpy.linalg": "det inv norm qr solve svd",
    "numpy.random": """
        Generator choice default_rng normal permutation rand randint randn random seed shuffle
        standard_normal uniform
    """,
    "statistics": "fmean mean median mode pstdev pvariance quantiles stdev variance",
    "torch": """
        Generator OutOfMemoryError Size Tensor as_tensor asarray autocast block_diag
        broadcast_shapes broadcast_tensors cartesian_prod cdist device dtype einsum enable_grad
        finfo from_numpy get_autocast_dtype get_default_dtype get_float32_matmul_precision
        get_rng_state iinfo inf inference_mode initial_seed is_autocast_enabled is_grad_enabled
        is_inference_mode_enabled is_tensor layout load manual_seed memory_format meshgrid nan
        newaxis no_grad norm pi save set_float32_matmul_precision set_grad_enabled set_rng_state
        split tensor tensordot unique unique_consecutive unravel_index use_deterministic_algorithms
    """,
    "torch.amp": "GradScaler autocast",
    "torch.autograd": "grad",
    "torch.backends": "",
    "torch.cuda": """
        Event Stream current_device current_stream device_count empty_cache is_available
        is_bf16_supported manual_seed manual_seed_all max_memory_allocated memory_allocated
        reset_peak_memory_stats stream synchronize
    """,
    "torch.distributed": """
        P2POp ReduceOp Work all_gather all_gather_into_tensor all_reduce all_to_all
        all_to_all_single barrier batch_isend_irecv broadcast gather get_backend get_rank
        get_world_size group irecv is_available is_initialized isend new_group recv reduce
        reduce_scatter reduce_scatter_tensor scatter send
    """,
    "torch.linalg": "",
    "torch.nn": """
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d AvgPool1d AvgPool2d
        BCELoss BCEWithLogitsLoss BatchNorm1d BatchNorm2d CELU Conv1d Conv2d Conv3d ConvTranspose1d
        ConvTranspose2d ConvTranspose3d CosineSimilarity CrossEntropyLoss Dropout Dropout1d
        Dropout2d ELU Embedding Flatten Fold GELU GLU GRU GRUCell GroupNorm Hardsigmoid Hardswish
        Hardtanh HuberLoss Identity InstanceNorm1d InstanceNorm2d KLDivLoss L1Loss LSTM LSTMCell
        LayerNorm LeakyReLU Linear LogSigmoid LogSoftmax MSELoss MaxPool1d MaxPool2d Mish Module
        ModuleDict ModuleList MultiheadAttention NLLLoss PReLU Parameter PixelShuffle
        PixelUnshuffle RMSNorm RNN RNNCell ReLU ReLU6 ReflectionPad2d SELU Sequential SiLU Sigmoid
        SmoothL1Loss Softmax Softplus Softsign Tanh Transformer TransformerDecoder
        TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer Unflatten Unfold
        Upsample ZeroPad2d
    """,
    "torch.nn.functional": "",
    "torch.nn.init": "",
    "torch.nn.utils": """
        clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm parameters_to_vector
        vector_to_parameters
    """,
    "torch.optim": """
        ASGD Adadelta Adagrad Adam AdamW Adamax NAdam Optimizer RAdam RMSprop Rprop SGD
    """,
    "torch.optim.lr_scheduler": """
        ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts ExponentialLR
        LRScheduler LinearLR MultiStepLR OneCycleLR PolynomialLR ReduceLROnPlateau SequentialLR
        StepLR
    """,
    "torch.utils": "",
    "torch.utils.checkpoint": "checkpoint checkpoint_sequential",
    "typing": "Any Callable Iterable Iterator Mapping Optional Sequence Union",
}
"""Modules, and what a program may use of each."""
THROUGH = frozenset({"torch.utils", "torch.cuda", "torch.backends", "torch.linalg", "numpy.linalg"})
"""Modules that are only a way to others, or to their functions."""
MODULES = PARTS.keys() - THROUGH
"""What may be imported, beside the program's own files."""
LISTED = f"these modules may be used: {', '.join(sorted(MODULES))}"
OF_OPERATORS = frozenset({"torch", "torch.linalg", "torch.nn.functional", "torch.nn.init"})
"""Modules of which a program may also use what is an operator of PyTorch."""
OF_CALLS = frozenset({"torch.nn.functional", "torch.nn.init"})
"""Modules whose own functions do nothing but call operators; a program may use all of them."""
_SPARSE = "bsc bsr compressed coo csc csr"
LEFT_OUT = {
    **{
        f"torch.sparse_{name}{what}": "its indices are not checked, and dense tensors do the same"
        for name in _SPARSE.split()
        for what in ("", "_tensor")
    },
    "torch.as_strided": "it looks past a tensor's own numbers",
    "torch.as_strided_": "it looks past a tensor's own numbers",
    "torch.compile": "what it runs is not counted here",
    "torch.distributed.init_process_group": "the ranks are there when the program begins",
    "torch.from_file": "files are in the store",
    "torch.frombuffer": "`torch.tensor` or `torch.from_numpy` makes a tensor",
    "torch.optim.lr_scheduler.LambdaLR": "a function of the step can set the rate",
    "torch.set_default_device": "give each tensor its device",
    "torch.set_num_threads": "times are not what is counted",
}
"""What a program might well ask for, and why it does not get it."""
LOADERS = {"torch.load": ("map_location", "mmap", "weights_only"), "numpy.load": ()}
"""Readers of files that could be told to run what is in them, and which options they may have."""
_NAMING = "add_module namedtuple register_buffer register_module register_parameter"
NAMING = frozenset(_NAMING.split())
"""Functions that name attributes by texts."""
SHOWN = frozenset({"_asdict", "_replace"})
"""Private names that a namedtuple has for everybody."""
_OF_OBJECTS = """
    AVG BAND BOR BXOR H MAX MIN PRODUCT SUM T WORLD add_module add_param_group all any apply
    argmax argmin argpartition argsort astype base_lrs bfloat16 bits bool buffers byte
    cache_clear cache_info children choice choose clip compress conj copy cpu cuda cumprod
    cumsum data default_factory defaults detach device diagonal dot double dtype dumps
    elapsed_time eps errno eval extra_repr field fill flags flat flatten flatten_parameters
    float forward from_iterable get_buffer get_last_lr get_lr get_parameter get_scale getter
    grad grad_fn half in_proj_bias in_proj_weight initial_seed int integers is_completed is_cpu
    is_cuda is_enabled is_leaf is_sparse item itemsize last_epoch layout load_state_dict long
    manual_seed max mean min modules name named_buffers named_children named_modules
    named_parameters names nbytes ndim nelement new_tensor normal num_batches_tracked numpy op
    optimizer out_proj param_groups parameters permutation permuted prod ptp query random ravel
    read read_many record record_event recv register_buffer register_forward_hook
    register_forward_pre_hook register_module register_parameter register_step_post_hook
    register_step_pre_hook remove requires_grad requires_grad_ reset_parameters resolution
    round running_mean running_var scale schedulers searchsorted seed send setter shape short
    shuffle size smallest_normal solve sort spawn squeeze standard_normal state state_dict step
    strerror strides sum swapaxes synchronize take throw tiny to tobytes tolist total train
    training transpose type uniform unique unscale_ update value var view wait wait_event
    wait_stream write zero_grad
"""
OF_OBJECTS = frozenset(_OF_OBJECTS.split())
"""What a program may use of a library's object, beside methods of Python's own and operators."""
_REFUSED = """
    as_strided as_strided_ bit_generator coalesce format format_map func gen get_state
    getbuffer mro readinto readinto1 resize resize_ resize_as resize_as_ resize_as_sparse_ set_
    set_state sparse_resize_ sparse_resize_and_clear_ to_mkldnn to_sparse to_sparse_bsc
    to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr with_traceback
"""
ENDINGS = frozenset({"close", "send", "throw"})
"""What Python calls of an object from which a generator yields, when that one ends."""
HOOKS = frozenset(
    f"register_{name}"
    for name in (
        *("backward_hook", "full_backward_hook", "full_backward_pre_hook", "hook"),
        *("multi_grad_hook", "post_accumulate_grad_hook"),
    )
)
"""What runs in a backward pass, where nobody asks for it."""
REFUSED = frozenset(_REFUSED.split()) | HOOKS
"""What it may use of no object, though it is one of these."""
UNCHECKED = frozenset({"check_invariants", "is_coalesced", "sparse_grad"})
"""Arguments that make a sparse tensor, or leave its indices unchecked."""
_METHODS = """
    __call__ __contains__ __enter__ __exit__ __getitem__ __init__ __iter__ __len__ __next__
    __post_init__
"""
OWN_METHODS = frozenset(_METHODS.split())
_BUILTINS = """
    ArithmeticError AssertionError AttributeError Ellipsis Exception False FileNotFoundError
    FloatingPointError IndexError KeyError LookupError None NotImplemented NotImplementedError
    OSError OverflowError RuntimeError StopIteration True TypeError ValueError ZeroDivisionError
    abs all any bool bytes callable classmethod dict divmod enumerate filter float format frozenset
    hasattr int isinstance issubclass iter len list map max min next object pow print property
    range repr reversed round set slice sorted staticmethod str sum super tuple zip
"""
BUILTINS = frozenset(_BUILTINS.split())
"""Names that are there without an import."""
GENERIC = frozenset({"dict", "frozenset", "list", "set", "tuple"})
