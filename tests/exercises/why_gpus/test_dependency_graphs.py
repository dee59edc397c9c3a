import pytest

from gpuedu.exercises.why_gpus.who_is_independent.picture import apart, chain, tree


def test_the_tree_of_pairwise_adds_neighbors():
    steps = tree(8)
    assert [len(step.after) for step in steps] == [0] * 8 + [2] * 7
    assert steps[14].after == (12, 13) and steps[8].after == (0, 1)


@pytest.mark.parametrize(("n", "deep"), [(2, 1), (8, 3), (32, 5)])
def test_the_tree_is_as_deep_as_the_logarithm(n, deep):
    steps = tree(n)
    depth = [0] * len(steps)
    for index, step in enumerate(steps):
        depth[index] = max((depth[before] + 1 for before in step.after), default=0)
    assert max(depth) == deep and len(steps) == 2 * n - 1


def test_a_chain_has_an_addition_fewer_than_numbers():
    steps = chain(8)
    depth = [0] * len(steps)
    for index, step in enumerate(steps):
        depth[index] = 0 if step.is_given else 1 + max(depth[before] for before in step.after)
    assert sum(not step.is_given for step in steps) == max(depth) == 7


def test_steps_apart_wait_for_given_numbers_only():
    steps = apart(8)
    assert all(steps[before].is_given for step in steps for before in step.after)
    assert sum(not step.is_given for step in steps) == 8
