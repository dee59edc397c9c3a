"""Results of experiments: what is written is read; what is not theirs is refused."""

from __future__ import annotations

import json

import pytest

from gpuedu.errors import CatalogError, UnknownNameError
from gpuedu.experiments import read_results
from gpuedu.experiments.__main__ import find_experiments, main
from gpuedu.experiments.results import FOLDER, write_results


def test_what_is_written_is_read(tmp_path):
    write_results("surface", "losses by rate", {"losses": [1.5, None]}, tmp_path)
    found = read_results("surface", tmp_path)
    assert found.values == {"losses": [1.5, None]}
    assert found.what == "losses by rate"
    assert found.versions["torch"] in found.source
    assert found.date[:10] in found.source


def test_a_missing_experiment_is_named_with_those_that_are_there(tmp_path):
    write_results("surface", "losses by rate", {}, tmp_path)
    with pytest.raises(UnknownNameError, match="'surfce'; there are: surface"):
        read_results("surfce", tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"name": "surface"}'])
def test_a_file_of_another_form_is_refused(tmp_path, text):
    (tmp_path / "surface.json").write_text(text, "utf-8")
    with pytest.raises(CatalogError, match=r"surface\.json"):
        read_results("surface", tmp_path)


def test_nan_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_results("surface", "losses", {"loss": float("nan")}, tmp_path)


def test_every_experiment_has_results_of_its_form_and_nothing_else_lies_there():
    experiments = find_experiments()
    files = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}
    assert set(files) == set(experiments)
    for name, module in experiments.items():
        assert read_results(name).what == module.WHAT


def test_an_unknown_name_is_told(capsys):
    assert main(["no-such"]) == 2
    assert "no experiment 'no-such'" in capsys.readouterr().err


def test_the_list_computes_nothing(capsys):
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.count("\n") == len(find_experiments())
