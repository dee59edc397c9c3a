"""What a program asks PyTorch for that could reach beyond its tensors: refused before it runs."""

from __future__ import annotations

import io
from textwrap import dedent, indent

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.no_files import no_files
from gpuedu.exercises.capstone.operations import AllowedOperations
from gpuedu.exercises.capstone.started import started

RUN = "import io\nimport numpy as np\nimport torch\nfrom torch import nn\n\ndef run(a, b):\n"
ATTACKS = {
    "_sparse_coo_tensor_with_dims_and_tensors": """
        build = torch.Size((1,)), torch.tensor([[4096]]), torch.tensor([1], dtype=torch.uint8)
        given = {"check_" + "invariants": False, "is_" + "coalesced": True}
        make = [one for one in (HIDDEN,) if one][0]
        torch.zeros(1, dtype=torch.uint8).add_(make(build[1], build[2], build[0], **given))
    """,
    "linalg_lu_solve": """
        eye, far = torch.eye(2), torch.tensor([2**30, 2**30], dtype=torch.int32)
        torch.linalg.lu_solve(eye, far, eye)
    """,
    "lu_unpack": """
        torch.lu_unpack(torch.eye(2), torch.tensor([2**30, 2**30], dtype=torch.int32))
    """,
    "segment_reduce": """
        torch.segment_reduce(torch.ones(2), "sum", lengths=torch.tensor([2**30]), unsafe=True)
    """,
    "_ctc_loss": """
        scores = torch.zeros(4, 1, 3).log_softmax(-1)
        nn.functional.ctc_loss(
            scores, torch.tensor([[2**20]]), torch.tensor([4]), torch.tensor([1])
        )
    """,
    "_embedding_bag_forward_only": """
        with torch.no_grad():
            nn.functional.embedding_bag(torch.tensor([[2**30]]), torch.eye(2))
    """,
    "_to_sparse": """
        [one for one in map(HIDDEN, (torch.eye(2),))]
    """,
    "nll_loss_backward": """
        scores, classes = torch.zeros(2, 3, requires_grad=True), torch.tensor([0, 1])
        loss = nn.functional.nll_loss(scores, classes)
        classes.data.fill_(2**40)
        loss.backward()
    """,
    "max_pool2d_with_indices_backward": """
        images = torch.zeros(1, 1, 4, 4, requires_grad=True)
        most, places = nn.functional.max_pool2d(images, 2, return_indices=True)
        places.data.fill_(2**40)
        most.sum().backward()
    """,
    "_fused_adamw_": """
        model = nn.Linear(9, 9)
        optimizer = torch.optim.AdamW(model.parameters(), fused=True)
        for one in model.parameters():
            small, same = torch.zeros(()), torch.zeros_like(one)
            optimizer.state[one].update(step=small, exp_avg=small, exp_avg_sq=same)
        model(torch.ones(9)).sum().backward()
        optimizer.step()
    """,
}
HIDDEN = {
    "_sparse_coo_tensor_with_dims_and_tensors": torch.sparse_coo_tensor,
    "_to_sparse": torch.Tensor.to_sparse,
}
"""Functions that the program's text may not name; here they reach it all the same."""


class _Seen(TorchDispatchMode):
    """What PyTorch carried out, below the guard."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.add(func._schema.name.removeprefix("aten::"))
        return func(*args, **(kwargs or {}))


def program_of(lines):
    return {"train.py": RUN + indent(dedent(lines).strip("\n"), "    ") + "\n"}


@pytest.mark.parametrize(
    ("name", "inference"),
    [(name, on) for name, text in ATTACKS.items() for on in {False, "backward" not in text}],
)
def test_an_operation_that_reaches_anywhere_is_refused_before_it_runs(name, inference):
    text, seen = ATTACKS[name].replace("HIDDEN", "a"), _Seen()
    program = program_of(text)
    if inference:
        lines = indent(dedent(text).strip("\n"), "    ")
        program = program_of(f"with torch.inference_mode():\n{lines}")
    with seen, pytest.raises(AnswerError) as told, started(program, "fast") as run:
        run(HIDDEN.get(name), None)
    assert f"`{name}`" in told.value.message
    assert name not in seen.names


REFUSED = {
    "torch.zeros(2, 2, **{'layout': HIDDEN})": "the layout `torch.sparse_coo`",
    "torch.zeros(2, device='meta')": "the device `meta`",
    "torch.linalg.inv(torch.eye(2))": "the operation `linalg_inv_ex`",
    "torch.asarray(b'abcd', dtype=torch.uint8)": "takes an array here, and no bytes",
    "torch.load(io.BytesIO(b'PK'))": "reads what `torch.save` wrote",
    "torch.save(1, io.BytesIO(), pickle_module=np.array)": "and nothing else",
    "torch.load(io.BytesIO(), map_location=print)": "`map_location` is a device",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_else_is_refused(line):
    program = program_of(f"    {line}".replace("HIDDEN", "a"))
    with pytest.raises(AnswerError) as told, started(program, "fast") as run:
        run(torch.sparse_coo, None)
    assert REFUSED[line] in told.value.message


def test_a_tensor_never_writes_to_bytes():
    content = bytes(8)
    program = program_of("""
        for make in torch.from_numpy, torch.as_tensor, torch.asarray:
            make(np.frombuffer(a, np.uint8)).fill_(7)
    """)
    with started(program, "fast") as run:
        run(content, None)
    assert content == bytes(8)


def test_an_array_that_may_be_written_is_shared():
    with no_files():
        array = np.zeros(2)
        torch.from_numpy(array).fill_(1)
    assert array.tolist() == [1, 1]


def test_what_was_saved_is_read_and_nothing_after_a_change():
    program = program_of("""
        file = io.BytesIO()
        torch.save({"one": torch.arange(6.0).view(2, 3).t()}, file)
        found = torch.load(io.BytesIO(file.getvalue()))["one"]
        changed = bytes(one ^ (at == 900) for at, one in enumerate(file.getvalue()))
        return found, changed
    """)
    with started(program, "fast") as run:
        found, changed = run(None, None)
        assert torch.equal(found, torch.arange(6.0).view(2, 3).t())
        with pytest.raises(AnswerError, match="wrote"):
            torch.load(io.BytesIO(changed))


LINES = """
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.1),
        nn.Conv2d(4, 8, 3, padding=1, groups=2), nn.GroupNorm(2, 8), nn.SiLU(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(32, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 4),
    ).to(memory_format=torch.channels_last)
    draws = torch.Generator().manual_seed(1)
    images = torch.rand(6, 1, 8, 8, generator=draws).to(memory_format=torch.channels_last)
    flipped = torch.where(torch.rand(6, 1, 1, 1, generator=draws) < 0.5, images.flip(-1), images)
    moved = torch.roll(nn.functional.pad(flipped, (1, 1, 1, 1))[..., 1:-1, 1:-1], 1, -1)
    classes = torch.randint(4, (6,), generator=draws)
    optimizer = a(model.parameters())
    rate = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
    for _ in range(3):
        with torch.autocast("cpu", torch.bfloat16):
            chosen = torch.randperm(6, generator=draws)
            loss = nn.functional.cross_entropy(
                model(moved[chosen]), classes[chosen], label_smoothing=0.1
            )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        rate.step()
    model.eval()
    with torch.inference_mode():
        scores = model(moved)
    return loss.item(), scores.softmax(-1).topk(2).indices.tolist()
"""
OPTIMIZERS = {
    "AdamW": torch.optim.AdamW,
    "fused AdamW": lambda weights: torch.optim.AdamW(weights, fused=True),
    "fused Adam": lambda weights: torch.optim.Adam(weights, fused=True, amsgrad=True),
    "fused SGD": lambda weights: torch.optim.SGD(weights, 0.1, momentum=0.9, fused=True),
    "plain fused SGD": lambda weights: torch.optim.SGD(weights, 0.1, fused=True),
    "fused Adagrad": lambda weights: torch.optim.Adagrad(weights, fused=True),
    "foreach SGD": lambda weights: torch.optim.SGD(weights, 0.1, momentum=0.9, foreach=True),
    "foreach RMSprop": lambda weights: torch.optim.RMSprop(weights, foreach=True, centered=True),
    "foreach NAdam": lambda weights: torch.optim.NAdam(weights, foreach=True),
    "foreach RAdam": lambda weights: torch.optim.RAdam(weights, foreach=True),
    "foreach Adamax": lambda weights: torch.optim.Adamax(weights, foreach=True),
    "Rprop": lambda weights: torch.optim.Rprop(weights, foreach=False),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_what_fast_programs_use_runs(name):
    with started(program_of(LINES), "fast") as run:
        loss, best = run(OPTIMIZERS[name], None)
    assert 0 < loss < 5
    assert len(best) == 6


CONVOLUTIONS = {
    "plain": lambda: nn.Conv2d(4, 6, 3),
    "strides": lambda: nn.Conv2d(4, 6, (3, 2), stride=2, padding=(1, 0), dilation=(1, 2)),
    "groups": lambda: nn.Conv2d(4, 4, 3, padding="same", groups=4, bias=False),
    "transposed": lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1, groups=2),
    "one side": lambda: nn.Sequential(nn.Flatten(2), nn.Conv1d(4, 2, 5, stride=3)),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_gradients_of_convolutions_run_and_no_others(name):
    images = torch.rand(2, 4, 9, 9, requires_grad=True)
    with AllowedOperations():
        CONVOLUTIONS[name]()(images).sum().backward()
    weight, options = torch.rand(6, 4, 3, 3), ([1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True] * 3)
    backward = torch.ops.aten.convolution_backward
    for side in (6, 8):
        with AllowedOperations(), pytest.raises(AnswerError, match="do not fit together"):
            backward(torch.rand(2, 6, 7, side), images.detach(), weight, [6], *options)


def attention(mask, is_causal):
    states = torch.rand(2, 3, 5, 8, requires_grad=True)
    mixed = functional.scaled_dot_product_attention(
        states, states, states, attn_mask=mask, is_causal=is_causal
    )
    mixed.sum().backward()


def test_attention_and_recurrence_by_hand_run():
    with AllowedOperations():
        attention(None, True)
        attention(torch.rand(5, 5) > 0.5, False)
        attention(torch.rand(2, 1, 5, 5), False)
        nn.MultiheadAttention(8, 2, batch_first=True)(*[torch.rand(2, 5, 8)] * 3)
        functional.one_hot(torch.tensor([1, 2]), 4)
        functional.affine_grid(torch.eye(2, 3)[None], [1, 1, 4, 4], align_corners=False)
        functional.embedding(torch.tensor([1]), torch.eye(3, requires_grad=True)).sum().backward()
        torch.eye(3, requires_grad=True).gather(1, torch.zeros(3, 1).long()).sum().backward()
        torch.eye(3, requires_grad=True)[torch.tensor([0, 2])].sum().backward()
