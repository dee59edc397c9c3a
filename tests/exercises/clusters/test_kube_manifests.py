"""Manifests: read as Kubernetes reads them, within limits, and compared with its schemas."""

from __future__ import annotations

import json
import re
import sys

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from gpuedu import needs
from gpuedu.errors import AnswerError, MissingPackageError
from gpuedu.exercises.clusters.kubernetes import schemas
from gpuedu.exercises.clusters.kubernetes.manifests import MOST_CHARACTERS, read_manifest
from gpuedu.exercises.clusters.kubernetes.schemas import check_document

kubernetes_validate = pytest.importorskip("kubernetes_validate")

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: a
        image: b:1
"""


def errors(text):
    (document,) = read_manifest(text)
    return [(document.line(one.path), one.message) for one in check_document(document)[0]]


_TEXT = st.text(st.characters(codec="ascii"), max_size=12)
_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner),
    max_leaves=12,
)


@given(_PLAIN.filter(lambda one: one is not None))
def test_reads_json(value):
    (document,) = read_manifest(json.dumps(value))
    assert document.value == value


@given(st.text(st.sampled_from("a:-[]{}\"'|>\n\t #&*!%?,<1.e~"), max_size=60))
@example("[" * MOST_CHARACTERS)
@example("{a: " * (MOST_CHARACTERS // 4))
@example("? " * (MOST_CHARACTERS // 2))
@example("- " * (MOST_CHARACTERS // 2))
@example("a: " + "9" * 7000)
@example("\ud800")
def test_any_text_is_read_or_told(text):
    try:
        read_manifest(text)
    except AnswerError as fault:
        assert fault.message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a:\n\tb: 1", "line 2: it is indented by a tab"),
        ("a: 1\nb: 2\na: 3", "line 3: the key `a` is there twice, first in line 1"),
        ("a: &x 1\nb: *x", "line 1: `&x`: anchors"),
        ("a: *x", "line 1: `\\*x`: anchors"),
        ("a: !!python/name:os.system x", "line 1: the tag"),
        ("a: 1\n b: 2", "line 2: mapping values are not allowed here"),
        ("a: [1, 2", "line 1: expected ',' or ']'"),
        ("a: {" * 45, "line 1: more than 40 levels"),
        ("- 1\n" * 1500, "line 999: more than 1,000 values"),
        ("a" * 8001, "8,001 characters, at most 8,000"),
        ("<<: {a: 1}", "line 1: `<<` isn't read"),
    ],
)
def test_what_is_not_read_is_told_by_its_line(text, says):
    with pytest.raises(AnswerError, match=says):
        read_manifest(text)


@pytest.mark.parametrize(
    ("edit", "line", "says"),
    [
        (
            ("name: a\n        image", "name: on\n        image"),
            9,
            "YAML reads `on` as true or false",
        ),
        (("      - name: a", "      - name: 1e3"), 9, "YAML reads `1e3` as a number; quote it"),
        (("image: b:1", "images: b:1"), 10, "a field here; there is `image`"),
        (("        image: b:1", "        tolerations: []"), 10, "it's one of a pod's spec"),
        (("restartPolicy: Never", "restartPolicy: [Never]"), 7, "text, but it is a list"),
        (("kind: Job", "kind: job"), 2, "there is `apiVersion: batch/v1` with `kind: Job`"),
        (("batch/v1", "batch/v2"), 2, "there is `apiVersion: batch/v1` with `kind: Job`"),
        (("      containers:\n      - name: a\n        image: b:1\n", ""), 6, "no `containers`"),
        (("metadata: {name: a}", "metadata: {nmae: a}"), 3, "there is `name`"),
    ],
)
def test_what_a_schema_refuses_is_told_by_its_line(edit, line, says):
    found = errors(JOB.replace(*edit))
    assert found[0][0] == line
    assert says in found[0][1]


@pytest.mark.parametrize("edit", [("image", "image"), ("image", "imag"), ("Never", "3")])
def test_agrees_with_the_tool_itself(edit):
    text = JOB.replace(*edit)
    try:
        kubernetes_validate.validate(yaml.safe_load(text), schemas.VERSION, strict=True)
        is_refused = False
    except kubernetes_validate.ValidationError:
        is_refused = True
    assert bool(errors(text)) == is_refused


def test_what_is_refused_is_taken_out_and_the_rest_stays():
    (document,) = read_manifest(
        JOB.replace("restartPolicy: Never", "restartpolicy: Never\n      x: 1")
    )
    found, value = check_document(document)
    assert len(found) == 2
    assert value["spec"]["template"]["spec"]["containers"] == [{"name": "a", "image": "b:1"}]
    assert "restartpolicy" not in value["spec"]["template"]["spec"]
    assert document.value["spec"]["template"]["spec"]["x"] == 1


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("{pytorchReplicaSpecs: {Master: {replicas: 1, template: {}}}}", ""),
        ("{pytorchReplicaSpecs: {Chief: {template: {}}}}", "`Chief` isn.t a field|isn.t a field"),
        ("{nprocPerNode: 4, pytorchReplicaSpecs: {}}", "YAML reads `4` as a number"),
        ("{runPolicy: {cleanPodPolicy: All}}", "no `pytorchReplicaSpecs`"),
        ("{pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [{}]}}}}}", "no `name`"),
    ],
)
def test_a_pytorchjob_has_its_own_schema_and_pods_of_kubernetes(spec, says):
    found = errors(
        f"apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {{name: a}}\nspec: {spec}"
    )
    assert bool(found) == bool(says)
    assert not says or re.search(says, found[0][1])


def test_without_the_schemas_one_line_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "kubernetes_validate", None)
    schemas._schemas.cache_clear()
    schemas._validator.cache_clear()
    schemas._names.cache_clear()
    (document,) = read_manifest(JOB + "# without schemas\n")
    try:
        with pytest.raises(MissingPackageError, match="Kubernetes' schemas"):
            check_document(document)
    finally:
        schemas._schemas.cache_clear()
    assert "kubernetes_validate" in needs.NAMES
