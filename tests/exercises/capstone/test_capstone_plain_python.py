"""What a program of the capstone may write, and what it may not: with the line that is named."""

from __future__ import annotations

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.plain_python import plain_trees

REFUSED = {
    "import os": "`os` may not be imported",
    "import torch.utils.data": "`torch.utils.data` may not be imported",
    "import threading": "`threading` may not be imported",
    "from torch.utils import data": "`torch.utils` may not be imported",
    "from torch import *": "`import *` is not allowed",
    "from .other import x": "the program has no file other.py",
    "from ..train import x": "the program has no file train.py",
    "from .train import __builtins__ as x": "`__builtins__` is not allowed",
    "from .train import __dict__ as x": "`__dict__` is not allowed",
    "def super(): return x\nsuper().__init__()": "`.__init__` is not allowed",
    "def f(super):\n    super().__init__()": "`.__init__` is not allowed",
    "import train": "`train` is one of the program's files",
    "import torch as __builtins__": "`__builtins__` is not allowed",
    "from operator import attrgetter": "`operator` may not be imported",
    "from functools import singledispatch": "`functools.singledispatch` is not allowed",
    "from contextlib import ExitStack": "`contextlib.ExitStack` is not allowed",
    "from io import open": "`io.open` is not allowed",
    "x = ().__class__": "`.__class__` is not allowed",
    "x = (1).real.__reduce_ex__(2)": "`.__reduce_ex__` is not allowed",
    "x = [1 for _ in ()].gi_frame": "`.gi_frame` is not allowed",
    "x = ValueError().tb_frame": "`.tb_frame` is not allowed",
    "x = print.f_globals": "`.f_globals` is not allowed",
    "x = int.mro()": "`.mro` is not allowed",
    "x = str._private": "`._private` is not allowed",
    "x = getattr(y, 'z')": "`getattr` is not allowed",
    "x = type(y)": "`type` is not allowed",
    "x = __import__": "`__import__` is not allowed",
    "def __getattr__(name): pass": "`__getattr__` is not allowed",
    "class A:\n    def __del__(self): pass": "`__del__` is not allowed",
    "class A:\n    if x:\n        def forward(self): pass": "only methods and fields",
    "class A:\n    class B: pass": "only methods and fields",
    "class A(metaclass=int): pass": "a class takes its bases alone",
    "match 1:\n    case int(real=x): pass": "`match` is not allowed",
    "async def f(): pass": "`async` is not allowed",
    "try:\n    pass\nexcept:\n    pass": "`except:` catches everything",
    "import torch\nx = torch": "the module `torch` is used as a value",
    "import torch\nf(torch.nn)": "the module `torch.nn` is used as a value",
    "import torch\nx = torch.nn.functional": "the module `torch.nn.functional` is used as a value",
    "import math\ndef f(math):\n    return math.f_back": "`math.f_back` is not allowed",
    "from torch import nn\ndef f(nn):\n    return nn.anything": "`torch.nn.anything` is not",
    "import torch\ntorch.relu = None": "`torch.relu` belongs to a library",
    "import torch\ndel torch.Tensor.item": "`torch.Tensor.item` belongs to a library",
    "from torch import nn\nnn.Module.train = None": "`nn.Module.train` belongs to a library",
    "import torch\ntorch.nn.Module.training = 1": "`torch.nn.Module.training` belongs to a library",
    "import torch\ntorch._C": "`torch._C` is private",
    "from torch import _C": "`torch._C` is private",
    "import torch\ntorch.Tensor._make_subclass": "`._make_subclass` is not allowed",
    "import torch\ntorch.compile(f)": "`torch.compile` is not allowed",
    "def f(model):\n    model.compile()": "`.compile` is not allowed",
    "import torch\ntorch.autograd.Function": "`torch.autograd.Function` is not allowed",
    "import torch\ntorch.func.grad": "`torch.func` is not allowed",
    "from torch.nn.parallel import DistributedDataParallel": "`torch.nn.parallel` may not be",
    "from torch import nn\nnn.parallel.DistributedDataParallel": "`torch.nn.parallel` is not",
    "import torch\ntorch.jit.script": "`torch.jit` is not allowed",
    "import torch\ntorch.ops.aten": "is not allowed here",
    "import torch\ntorch.overrides": "`torch.overrides` is not allowed",
    "import torch\ntorch.utils.data": "`torch.utils.data` is not allowed",
    "import torch\ntorch.utils.swap_tensors(a, b)": "`torch.utils.swap_tensors` is not allowed",
    "import torch\ntorch.PyTorchFileWriter('x')": "`torch.PyTorchFileWriter` is not allowed",
    "import torch\ntorch.DisableTorchFunction()": "`torch.DisableTorchFunction` is not allowed",
    "import torch\ntorch.UntypedStorage": "`torch.UntypedStorage` is not allowed",
    "import torch\ntorch.set_default_device('meta')": "`torch.set_default_device` is not allowed",
    "import torch\ntorch.load(f, weights_only=False)": "`torch.load` takes a file",
    "import torch\ntorch.load(f, pickle_module=p)": "`torch.load` takes a file",
    "import torch\nclass A: pass\nsuper(torch.Size, x).__init__()": "`.__init__` is not allowed",
    "class A: pass\nsuper(A, x).__init__()": "`.__init__` is not allowed",
    "import torch\ntorch.load(f, weights_only=x)": "`torch.load` takes a file",
    "import torch\ntorch.load(*given)": "`torch.load` takes a file",
    "import torch\ntorch.load(f, **given)": "`torch.load` takes a file",
    "import torch\nload = torch.load": "`torch.load` may only be called",
    "from torch import load": "`torch.load` may only be called",
    "import numpy as np\nnp.load(f, allow_pickle=True)": "`numpy.load` takes a file",
    "import numpy as np\nnp.memmap('x')": "`numpy.memmap` is not allowed",
    "from numpy import fromfile": "`numpy.fromfile` is not allowed",
    "import numpy as np\nnp.savetxt('x', a)": "`numpy.savetxt` is not allowed",
    "import numpy as np\nnp.from_dlpack(a)": "`numpy.from_dlpack` is not allowed",
    "import numpy as np\nnp.lib": "`numpy.lib` is not allowed",
    "def f(a):\n    a.tofile('x')": "`.tofile` is not allowed",
    "def f(a):\n    a.dump('x')": "`.dump` is not allowed",
    "def f(a):\n    a.untyped_storage()": "`.untyped_storage` is not allowed",
    "def f(a):\n    a.ctypes": "`.ctypes` is not allowed",
    "import torch.distributed as dist\ndist.FileStore('x')": "FileStore` is not allowed",
    "import torch.distributed as dist\ndist.all_gather_object(a, b)": "all_gather_object` is not",
    "import torch.distributed as dist\ndist.init_process_group()": "init_process_group` is not",
    "import torch.utils.checkpoint as c\nc.TorchDispatchMode": "TorchDispatchMode` is not allowed",
    "def f():\n    return torch.jit\nimport torch": "`torch.jit` is not allowed",
    "import math as m\nimport torch as m": "`m` is imported twice",
    "from .train import m\nimport torch as m": "`m` is imported twice",
    "class A:\n    if 1:\n        import torch\nx = A.torch": "an import in a class",
    "from functools import wraps": "`functools.wraps` is not allowed",
    "from torch.optim.lr_scheduler import wraps": "`torch.optim.lr_scheduler.wraps` is not allowed",
    "import statistics as s\nx = s.mul": "`statistics.mul` is not allowed",
    "from torch.optim import lr_scheduler as s\nx = s.LambdaLR": "a function of the step",
    "from . import train\ndef f(train):\n    return train.gi_frame": "`.gi_frame` is not allowed",
    "from . import train\ndef f(train):\n    return train.other": "`.other` is not known",
    "from . import train\nx = train": "the module `train` is used as a value",
    "from . import train\nx = [train][0]": "the module `train` is used as a value",
    "from . import train\nx = train.__dict__": "`.__dict__` is not allowed",
    "import torch\nx = torch.Tensor([1])": "`torch.Tensor` is a type here",
    "from torch import Tensor\nx = [Tensor]": "`torch.Tensor` is a type here",
    "import torch\nx = torch.FloatTensor": "`torch.FloatTensor` is not allowed",
    "import torch\nx = torch.frombuffer": "makes a tensor",
    "import torch\nx = torch.sparse_coo_tensor": "`torch.sparse_coo_tensor` is not allowed here: its",
    "from torch import sparse_csr": "`torch.sparse_csr` is not allowed here: its indices",
    "import torch\nx = torch.nn.ParameterDict()": "`torch.nn.ParameterDict` is not",
    "from torch.nn import ParameterDict": "`torch.nn.ParameterDict` is not allowed here",
    "from numpy import chararray": "`numpy.chararray` is not allowed",
    "import numpy as np\nx = np.random.RandomState(1)": "`numpy.random.RandomState` is not allowed",
    "x = '{0.y}'.format(z)": "`.format` is not allowed",
    "x.set_submodule('y', z)": "`.set_submodule` is not allowed",
    "x.to_sparse()": "`.to_sparse` is not allowed",
    "f(check_invariants=False)": "`check_invariants` is not allowed",
    "x.resize_(9)": "`.resize_` is not allowed",
    "x.resize(9, refcheck=False)": "`.resize` is not allowed",
    "import numpy as np\nx = np.ndarray((1,), object, y)": "`numpy.ndarray` is a type here",
    "import numpy as np\nx = np.recarray": "`numpy.recarray` is not allowed",
    "import numpy as np\nx: (y := np.ndarray) = 1": "`numpy.ndarray` is a type here",
    "import numpy as np\nx: y[np.ndarray] = 1": "`numpy.ndarray` is a type here",
    "import numpy as np\nlist = y\nx: list[np.ndarray] = 1": "`numpy.ndarray` is a type here",
    "import torch\ndef f(isinstance):\n    isinstance(1, torch.Tensor)": "`torch.Tensor` is a type",
    "import torch\nisinstance(1, print(torch.Tensor))": "`torch.Tensor` is a type here",
    "from . import train\ntrain.isinstance = print": "`isinstance` is Python's own",
    "import numpy as np\nx = np.random.PCG64().cffi": "`.cffi` is not allowed",
    "x.apply_(print)": "`.apply_` is not allowed",
    "x.new([1])": "`.new` is not allowed",
    "import torch\nx = torch.get_device_module('cpu')": "`torch.get_device_module` is not allowed",
    "import numpy as np\nnp.random.test()": "`numpy.random.test` is not allowed",
    "x.data_ptr()": "`.data_ptr` is not allowed",
    "x.data = y": "`.data` is not set here",
    "import numpy as np\nnp.random.set_bit_generator(x)": "set_bit_generator` is not allowed",
    "import numpy as np\nnp.vectorize(x)": "`numpy.vectorize` is not allowed",
    "from torch import nn\nnn.LazyLinear(1)": "`torch.nn.LazyLinear` is not allowed",
    "from torch import nn\nnn.utils.weight_norm(x)": "`torch.nn.utils.weight_norm` is not allowed",
    "import torch\ntorch.fbgemm_linear_int8_weight(x)": "fbgemm_linear_int8_weight` is not allowed",
    "import torch\ntorch.choose_qparams_optimized(x)": "choose_qparams_optimized` is not allowed",
    "import torch\ntorch.vmap(x)": "`torch.vmap` is not allowed",
    "import torch\ntorch.fork(x)": "`torch.fork` is not allowed",
    "import torch\ntorch.cuda.memory": "`torch.cuda.memory` is not allowed",
    "x.anything": "`.anything` is not known",
    "class A:\n    storage = 1": "`.storage` is not allowed",
    "class A:\n    def tofile(self): pass": "`.tofile` is not allowed",
    "x.untyped_storage = 1\ny.untyped_storage": "`.untyped_storage` is not allowed",
    "from collections import namedtuple\nA = namedtuple('A', 'ctypes')\nx.ctypes": "`.ctypes` is not",
    "from dataclasses import dataclass\nx = dataclass(int)": "`dataclass` stands above a class",
    "import dataclasses\nx = [dataclasses.dataclass]": "`dataclass` stands above a class",
    "def f():\n    try:\n        yield 1\n    finally:\n        x = 1": "a generator yields in",
    "def f():\n    with x:\n        for one in x:\n            yield one": "a generator yields in",
    "from contextlib import contextmanager as c\n@c\n@c\ndef f():\n"
    "    with x:\n        yield 1": "a generator yields in",
    "contextmanager = x\n@contextmanager\ndef f():\n    with x:\n        yield": "a generator yields",
    "from contextlib import contextmanager\ndef g(contextmanager):\n    @contextmanager\n"
    "    def f():\n        with x:\n            yield": "a generator yields in",
    "def f():\n    try:\n        def g(x=(yield 1)): pass\n    finally:\n        y = 1": "yields in",
    "def f():\n    with x:\n        g = lambda h=lambda i=(yield 1): i: h": "a generator yields in",
    "class A:\n    def f(self, x=(tofile := 1)): pass": "`.tofile` is not allowed",
    "x.gen = y": "`.gen` is not allowed",
    "x.func()": "`.func` is not allowed",
    "def f():\n    try:\n        yield 1\n    except g(): pass": "a generator yields in",
    "import torch\nx = torch.Generator().set_state(y)": "`.set_state` is not allowed",
    "x.register_hook(y)": "`.register_hook` is not allowed",
    "x = (": "was never closed",
    "x = '\0'": "null",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused_and_in_which_line(text):
    lines = "y = 1\n" * 4
    with pytest.raises(AnswerError) as told:
        plain_trees({"model.py": lines + text, "train.py": ""}, "fast")
    message = told.value.message
    assert REFUSED[text] in message
    if "null" not in REFUSED[text]:
        number = int(message.partition("fast/model.py, line ")[2].partition(":")[0])
        assert 5 <= number <= 5 + text.count("\n")
    assert message.startswith("fast/model.py")


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def close(self): pass",
        "x.throw = y",
        "class A:\n    class close: pass",
        "class A:\n    send: int = 1",
        "from collections import namedtuple\nA = namedtuple('A', 'first close')",
    ],
)
def test_nothing_of_a_program_is_called_when_a_generator_ends(text):
    with pytest.raises(AnswerError, match="is no name for what is yours"):
        plain_trees({"a.py": text}, "fast")


def test_what_is_nested_deeply_is_refused():
    with pytest.raises(AnswerError, match=r"fast/a\.py: something in it is nested too deeply"):
        plain_trees({"a.py": "a = 1\na" + ".real" * 500}, "fast")


ACCEPTED = {
    "comprehensions": "x = {a: [b for b in range(a) if b] for a in range(3)}",
    "a dataclass": "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass A:\n    a: int",
    "a closure": "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    return g",
    "a decorator": "import torch\n@torch.no_grad()\ndef f(x):\n    return x.sum().item()",
    "a context": "from contextlib import contextmanager\n@contextmanager\ndef f():\n    yield 1",
    "a context that ends": "from contextlib import contextmanager\n@contextmanager\ndef f():\n"
    "    try:\n        yield 1\n    finally:\n        x = 1",
    "a generator in parts": "def f():\n    yield 1\n    try:\n        y = 1\n    except ValueError:\n"
    "        y = 2\n    with x:\n        y = (one for one in x)",
    "a module": "from torch import nn\nclass A(nn.Module):\n    def __init__(self):\n"
    "        super().__init__()\n        self.a, self._b = nn.Linear(1, 1), 2\n"
    "    def forward(self, x):\n        return self.a(x)",
    "try": "try:\n    x = 1 / 0\nexcept (ZeroDivisionError, ValueError) as fault:\n    x = fault\n"
    "finally:\n    y = 1",
    "a generator": "def f():\n    yield from range(3)",
    "own files": "from . import train\nfrom .train import run as go\nx = train.run().real\n"
    "def f():\n    from . import train\n    train.x = 1",
    "loads": "import io, torch\nx = torch.load(io.BytesIO(b''), map_location='cpu')",
    "dotted": "import torch.nn.functional as F\nimport torch.distributed as dist\nx = F.relu",
    "ranks": "import torch.distributed as dist\nx = dist.all_reduce, dist.ReduceOp.SUM",
    "precision": "import torch\nx = torch.autocast('cpu', torch.bfloat16), torch.inference_mode()",
    "gradients": "import torch\nfrom torch.autograd import grad\nx = torch.autograd.grad, grad",
    "checkpoints": "from torch.utils.checkpoint import checkpoint",
    "types": "import torch\nfrom torch import Tensor\nn: torch.Tensor = 1\n"
    "def f(x: Tensor) -> Tensor:\n    return isinstance(x, (int, torch.Tensor))",
    "arrays as types": "import numpy as np\nimport torch\n"
    "def f(x: np.ndarray | None, y: tuple[np.ndarray, ...]) -> dict[str, torch.Tensor]:\n"
    "    return isinstance(x, np.ndarray | torch.Tensor)",
    "parts of torch": "import torch\nx = torch.Size, torch.float32, torch.strided, torch.finfo, "
    "torch.Generator, torch.device, torch.get_default_dtype, torch.set_grad_enabled, "
    "torch.linalg.norm, torch.cuda.synchronize, torch.channels_last",
    "own names": "from collections import namedtuple\nA = namedtuple('A', ['images', 'captions'])\n"
    "class B:\n    first, rank = 1, 2\n    def other(self): return self.first\n"
    "x = A(1, 2).captions + B().other() + B.rank",
    "types by name": "from __future__ import annotations\nfrom collections.abc import Sequence\n"
    "from typing import Any\ndef f(x: Sequence[Any]) -> Any:\n    return x",
    "texts": "import json\nx = json.dumps([1]), json.loads('1')",
    "weights only": "import io, torch\nx = torch.load(io.BytesIO(b''), weights_only=True)",
    "a buffer": "import torch\nfrom torch import nn\nclass A(nn.Module):\n    def __init__(self):\n"
    "        super(A, self).__init__()\n        self.register_buffer('mask', torch.ones(1))\n"
    "    def forward(self, x):\n        return x * self.mask",
    "a tuple's": "from collections import namedtuple\nA = namedtuple('A', 'a')\nx = A(1)._replace(a=2)",
    "lambdas": "x = sorted([1], key=lambda one: -one)\nassert x, f'{x!r:>{3}}'\nwith_walrus = (y := 1)",
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_accepted(name):
    assert plain_trees({"a.py": ACCEPTED[name], "train.py": "run = x = 1"}, "fast")["a"].body


def test_what_is_an_error_elsewhere_is_one_here():
    with pytest.raises(AnswerError, match=r"torch\.backends\.cudnn"):
        text = "import torch\ntorch.backends.cudnn.enabled = False"
        plain_trees({"a.py": text}, "fast")


@pytest.mark.parametrize(
    "text",
    [
        "import torch.utils.data",
        "import torch\ntorch.func.grad",
        "import torch\ntorch.utils.data",
        "import torch\ntorch.utils.swap_tensors",
        "from torch.nn.parallel import DistributedDataParallel",
        "from torch import nn\nnn.parallel.DistributedDataParallel",
    ],
)
def test_a_module_that_is_refused_lists_those_that_are_not(text):
    with pytest.raises(AnswerError) as told:
        plain_trees({"a.py": text}, "fast")
    assert "torch.optim.lr_scheduler" in told.value.remedy
    assert "torch.autograd" in told.value.remedy
