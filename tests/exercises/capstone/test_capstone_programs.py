"""Programs of several files: as one text, in a folder, and run from their texts."""

from __future__ import annotations

import io

import pytest

from gpuedu.errors import AnswerError, WorkspaceError
from gpuedu.exercises.capstone.programs import (
    MOST_FILES,
    given_program,
    loaded,
    packed,
    read_folder,
    require_program,
    unpacked,
    write_program,
)
from gpuedu.exercises.capstone.untouched import torch_untouched
from gpuedu.exercises.guard import play_guarded

PROGRAM = {
    "train.py": "from . import data, model as m\nfrom .data import rows\n\n\ndef run():\n"
    "    return m.twice(rows()), data.rows is rows\n",
    "data.py": "def rows():\n    return [1, 2]\n",
    "model.py": "import math\n\nfrom .data import rows\n\n\ndef twice(values):\n"
    "    return [math.prod([2, one]) for one in values or rows()]\n",
}


@pytest.mark.parametrize(
    "given",
    [("make_it_fast", "reader"), ("make_it_fast_too", "writer")],
)
def test_a_program_is_the_same_after_it_was_one_text(given):
    program = given_program(*given)
    assert "train.py" in program
    assert unpacked(packed(program)) == program
    assert packed(unpacked(packed(PROGRAM))) == packed(PROGRAM)


def test_what_stands_before_the_first_file_belongs_to_none():
    assert unpacked("x = 1\n# === a.py\ny = 2\n") == {"a.py": "y = 2\n"}
    assert unpacked("") == {}


def test_files_find_each_other():
    with loaded(PROGRAM, "fast", "train") as train:
        assert train.run() == ([2, 4], True)


def test_each_run_begins_with_nothing_of_an_earlier_one():
    program = {"train.py": "seen = []\n\ndef run():\n    seen.append(1)\n    return len(seen)\n"}
    for _ in range(2):
        with loaded(program, "fast", "train") as train:
            assert train.run() == 1


def test_a_missing_file_is_named():
    with pytest.raises(AnswerError, match=r"no file train\.py"), loaded({}, "fast", "train"):
        pass
    program = {name: text for name, text in PROGRAM.items() if name != "model.py"}
    told = r"fast/train\.py, line 1: .* no file model\.py"
    with pytest.raises(AnswerError, match=told), loaded(program, "fast", "train"):
        pass


def test_an_error_names_file_and_line():
    program = {**PROGRAM, "data.py": "def rows():\n    values = [1]\n    return values[3]\n"}

    def play():
        with loaded(program, "fast", "train") as train:
            return train.run()

    problem = play_guarded(play, 10).problem
    assert "in fast/data.py, on line 3: `return values[3]`" in str(problem)


@pytest.mark.parametrize(
    ("text", "name", "file"),
    [
        ("from .model import math", "math", "model"),
        ("from . import model\nmodel.math", "math", "model"),
        ("from .other import model", "model", "other"),
    ],
)
def test_no_module_is_reached_through_a_file_of_ones_own(text, name, file):
    program = {**PROGRAM, "train.py": f"{text}\n", "other.py": "from . import model\n"}
    told = rf"`{name}` is a module that fast/{file}\.py imports"
    with pytest.raises(AnswerError, match=told), loaded(program, "fast", "train"):
        pass


BODIES = {
    "np.save({path}, np.ones(3))": "numpy.save",
    "np.load({path})": "numpy.load",
    "torch.save(torch.ones(3), {path})": "torch.save",
    "torch.load({path})": "torch.load",
}


@pytest.mark.parametrize("body", BODIES)
def test_no_file_of_the_disk_is_read_or_written(tmp_path, body):
    path = tmp_path / "there.npy"
    text = f"import numpy as np\nimport torch\n\n\ndef run():\n    {body.format(path=repr(str(path)))}\n"
    told = f"`{BODIES[body]}` takes an `io.BytesIO`"
    with (
        loaded({"train.py": text}, "fast", "train") as train,
        pytest.raises(AnswerError, match=told),
    ):
        train.run()
    assert list(tmp_path.iterdir()) == []


def test_no_array_shows_the_bytes_of_another():
    text = "import numpy as np\nnp.frombuffer(np.array([None]), np.int64)\n"
    with (
        pytest.raises(AnswerError, match="takes bytes here"),
        loaded({"train.py": text}, "fast", "train"),
    ):
        pass


def test_numpy_reads_arrays_alone():
    text = "import io\nimport numpy as np\nnp.load(io.BytesIO(b'PK\\x03\\x04'))\n"
    with (
        pytest.raises(AnswerError, match="reads one array here"),
        loaded({"train.py": text}, "fast", "train"),
    ):
        pass


def test_files_in_memory_are_read_and_written_and_nothing_stays_changed():
    import numpy as np
    import torch

    before = torch.save, torch.load, np.save, np.load
    text = (
        "import io\nimport numpy as np\nimport torch\n\n\ndef run():\n    file = io.BytesIO()\n"
        "    torch.save({'a': torch.ones(2)}, file)\n    other = io.BytesIO()\n"
        "    np.save(other, np.arange(3))\n    there = torch.load(io.BytesIO(file.getvalue()))\n"
        "    return there['a'].tolist(), np.load(io.BytesIO(other.getvalue())).tolist()\n"
    )
    with loaded({"train.py": text}, "fast", "train") as train:
        assert train.run() == ([1.0, 1.0], [0, 1, 2])
    assert (torch.save, torch.load, np.save, np.load) == before
    np.save(io.BytesIO(), np.ones(1))


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({}, "should be the program's files"),
        ([("a.py", "")], "got list"),
        ({"a.py": b"x"}, "texts by name"),
        ({"a b.py": ""}, "cannot be the name"),
        ({"torch.py": ""}, "cannot be the name"),
        ({"a.txt": ""}, "cannot be the name"),
        ({f"a{n}.py": "" for n in range(MOST_FILES + 1)}, "more than 20 files"),
        ({"a.py": "#" * 60_001}, "60,000 characters"),
    ],
)
def test_what_is_no_program(value, told):
    with pytest.raises(AnswerError, match=told):
        require_program(value)


def test_a_folder_is_written_once_and_read_again(tmp_path):
    folder = tmp_path / "fast"
    assert write_program(PROGRAM, folder) == list(PROGRAM)
    (folder / "data.py").write_text("mine = 1\n")
    (folder / "notes.txt").write_text("mine")
    assert write_program(PROGRAM, folder) == []
    assert read_folder(folder) == {**PROGRAM, "data.py": "mine = 1\n"}


def test_a_folder_that_is_none(tmp_path):
    (tmp_path / "fast").write_text("a file")
    with pytest.raises(WorkspaceError, match="is a file"):
        write_program(PROGRAM, tmp_path / "fast")
    with pytest.raises(AnswerError, match="no Python file"):
        read_folder(tmp_path)
    (tmp_path / "a.py").write_bytes(b"\xff")
    with pytest.raises(AnswerError, match="cannot be read"):
        read_folder(tmp_path)


def test_a_function_of_pytorch_whose_code_is_another_is_told():
    from torch.nn.utils import parameters_to_vector

    before = parameters_to_vector.__code__
    try:
        with pytest.raises(AnswerError, match="parameters_to_vector"), torch_untouched():
            parameters_to_vector.__code__ = (lambda parameters: parameters).__code__
    finally:
        parameters_to_vector.__code__ = before


OWN = """
class Kept:
    _size = 2
    _twice = _size * 2

    def __init__(self):
        self._x = 1

    def _more(self, n):
        return self._x + n + self._twice

    def get(self):
        return self._more(self._size)


def more(_n):
    return _n


def inside(self):
    return self._held


def run(store):
    return inside(store)


three = more(_n=3)
"""


def test_what_is_private_is_the_programs_own():
    class Store:
        _held = "secret"

    with loaded({"train.py": OWN}, "fast", "train") as train:
        assert (train.Kept().get(), train.more(_n=3), train.three) == (7, 3, 3)
        with pytest.raises(AttributeError):
            train.run(Store())


@pytest.mark.parametrize("kind", ["LRScheduler", "SequentialLR", "ReduceLROnPlateau"])
def test_a_scheduler_shows_no_other_object(kind):
    text = f"from torch.optim import lr_scheduler as s\nshow = s.{kind}.state_dict\nshow(object)\n"
    told = "`state_dict` is taken from the class"
    with pytest.raises(AnswerError, match=told), loaded({"train.py": text}, "fast", "train"):
        pass


SETS = """
from dataclasses import dataclass
import torch
from torch import nn

@dataclass
class Point:
    x: int
    y: torch.Tensor = None

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.calls = nn.Linear(2, 2), 0

def run():
    run.times = 2
    point, net, weight = Point(3), Net(), torch.ones(2, requires_grad=True)
    point.x += 4
    net.calls += 1
    net.inner.note, weight.grad, Point.shown = "a", None, True
    for net.calls in range(run.times):
        pass
    del net.inner.note
    return point.x, net.calls
"""


def test_a_program_sets_attributes_of_what_is_its_own():
    with loaded({"train.py": SETS}, "fast", "train") as train:
        assert train.run() == (7, 1)


CLASSES = """
import itertools
from torch import nn

class Net(nn.Module):
    rates = [0.1, 0.2]

    def forward(self, x):
        return self.training, x

    def eval(self):
        return super().eval()

def run():
    kinds = [nn.ReLU, nn.GELU]
    words = list(map(str.strip, [" a", "b "]))
    joined = list(itertools.chain.from_iterable([words, dict.fromkeys("c")]))
    return Net.forward(Net().eval(), Net.rates), [kind().training for kind in kinds], joined
"""


def test_a_program_uses_what_classes_have():
    with loaded({"train.py": CLASSES}, "fast", "train") as train:
        assert train.run() == ((False, [0.1, 0.2]), [True, True], ["a", "b", "c"])


NOT_GOT = {
    "[nn.Module][0].eval(x)": "`eval` is taken from the class Module",
    "Net.state_dict(x)": "`state_dict` is taken from the class Net",
    "super(Net, Net).state_dict": "`state_dict` is taken from a class by `super`",
    "super(Net).train": "`train` is taken from a class by `super`",
    "for kind in (nn.Linear, Net):\n    kind.forward": "`forward` is taken from the class Linear",
}


@pytest.mark.parametrize("text", NOT_GOT)
def test_a_program_takes_no_librarys_function_from_a_class(text):
    start = "from torch import nn\nx = nn.ReLU()\nclass Net(nn.Module):\n    kept = 1\n"
    with (
        pytest.raises(AnswerError, match=NOT_GOT[text]),
        loaded({"train.py": start + text}, "fast", "train"),
    ):
        pass


EXTENDED = {
    "from collections import OrderedDict\nclass A(OrderedDict): pass": "the class A extends Ord",
    "import io\nclass A(io.BytesIO): pass": "the class A extends BytesIO",
    "class A(property): pass": "the class A extends property",
    "import torch\nclass A(torch.no_grad): pass": "the class A extends no_grad",
}


@pytest.mark.parametrize("text", EXTENDED)
def test_what_a_program_does_not_extend(text):
    with pytest.raises(AnswerError, match=EXTENDED[text]), loaded({"t.py": text}, "fast", "t"):
        pass


STATES_OF_RANDOM_NUMBERS = """
import torch
def run(change):
    state = torch.get_rng_state()
    first = torch.rand(1)
    if change:
        state[8] += 1
    torch.set_rng_state(state)
    return torch.equal(first, torch.rand(1))
"""


def test_random_numbers_go_on_from_a_state_that_was_there():
    with loaded({"train.py": STATES_OF_RANDOM_NUMBERS}, "fast", "train") as train:
        assert train.run(False)
        with pytest.raises(AnswerError, match=r"takes what `torch\.get_rng_state` gave"):
            train.run(True)


def test_arrays_of_tensors_are_copies_and_own_sequences_are_gone_through():
    text = (
        "import torch\nclass A:\n    def __getitem__(self, at): return [5, 6][at]\n"
        "x = torch.zeros(2)\ny = x.numpy()\nx += 1\nz = list(A())\n"
    )
    with loaded({"train.py": text}, "fast", "train") as train:
        assert (train.y.tolist(), train.z) == ([0, 0], [5, 6])


def test_numpy_runs_no_method_of_the_programs():
    text = (
        "import numpy as np\nclass A:\n    def __len__(self): return 1\n"
        "    def __getitem__(self, at): return at\nnp.array([A()], dtype=object)\n"
    )
    with (
        pytest.raises(AnswerError, match="given an object of the class A"),
        loaded({"train.py": text}, "fast", "train"),
    ):
        pass


NOT_SET = {
    "import torch\ntorch.ones(2).is_contiguous = print": "`is_contiguous` of a Tensor is set",
    "from torch import nn\nnn.ReLU().eval = print": "`eval` of a ReLU is set",
    "from torch import nn\n[nn.Linear][0].forward = print": "an attribute of the class Linear",
    "from torch.nn import functional\nfunctional.relu.x = 1": "belongs to a library",
    "from torch.nn import functional\n[functional.relu][0].x = 1": "an object of function",
    "from functools import cached_property as c\nkept = c(abs)\nkept.attrname = 'x'": "of cached_pr",
    "from dataclasses import field\nkept = field()\nkept.name = 'x'": "an object of Field",
    "from functools import partial\nkept = partial(abs)\nfor kept.x in [1]:\n    y = 1": "partial",
}


@pytest.mark.parametrize("text", NOT_SET)
def test_a_program_sets_no_attribute_of_a_librarys(text):
    with (
        pytest.raises(AnswerError, match=NOT_SET[text]),
        loaded({"train.py": text}, "fast", "train"),
    ):
        pass


def test_a_dataclass_has_no_types_to_give():
    text = """
from dataclasses import dataclass, field
import numpy as np

kept = field(default=1)

@dataclass
class Point:
    x: np.ndarray = kept
"""
    with loaded({"train.py": text}, "fast", "train") as train:
        assert (train.Point().x, train.kept.type) == (1, None)


LOADED = {
    "class Own(lr_scheduler.StepLR):\n    def state_dict(self): return {'__array_interface__': 1}\n"
    "Own(optimizer, 1).load_state_dict({'__array_interface__': 1})": "has no '__array_interface__'",
    "torch.nn.Module().add_module('__array_interface__', None)": "is no name for a part",
    "torch.nn.ModuleDict({'__array__': torch.nn.Linear(1, 1)})": "is no name for a part",
    "torch.nn.Module().register_buffer('__array__', torch.ones(1))": "is no name for a part",
    "scheduler.load_state_dict({'__array_interface__': 1})": "has no '__array_interface__'",
    "scheduler.load_state_dict({'last_epoch': scheduler})": "of type SequentialLR",
    "optimizer.load_state_dict({'state': {}, 'param_groups': [scheduler]})": "of type SequentialLR",
    "torch.optim.Optimizer.load_state_dict(scheduler, {})": "is taken from the class Opt",
}
STATES = """
import torch
from torch.optim import lr_scheduler

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=1.0)
scheduler = lr_scheduler.SequentialLR(
    optimizer, [lr_scheduler.ConstantLR(optimizer), lr_scheduler.ExponentialLR(optimizer, 0.9)], [2]
)
scheduler.load_state_dict(scheduler.state_dict())
optimizer.load_state_dict(optimizer.state_dict())
"""


def test_states_of_schedulers_and_optimizers_are_shown_and_come_back():
    with loaded({"train.py": STATES}, "fast", "train") as train:
        assert train.scheduler.state_dict()["last_epoch"] == 0


def test_a_state_is_copied_before_it_is_looked_at():
    text = (
        STATES
        + """
given = {"last_epoch": 1}
class Own(lr_scheduler.StepLR):
    def state_dict(self):
        given["last_epoch"] = given
        return {"last_epoch": 1}
own = Own(optimizer, 1)
own.load_state_dict(given)
"""
    )
    with loaded({"train.py": text}, "fast", "train") as train:
        assert train.own.last_epoch == 1


@pytest.mark.parametrize("line", LOADED)
def test_no_other_state_is_loaded(line):
    text = STATES + line
    with (
        pytest.raises(AnswerError, match=LOADED[line]),
        loaded({"train.py": text}, "fast", "train"),
    ):
        pass
