"""Manifests against Kubernetes' own schemas, offline, as strictly as an API server checks fields.

The schemas come with the package ``kubernetes-validate``: its loader reads them, once, and
``jsonschema`` compares. Kubeflow's PyTorchJob is none of Kubernetes' own kinds; see ``kubeflow``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import islice
from typing import Any

from gpuedu.exercises.clusters.kubernetes import kubeflow
from gpuedu.exercises.clusters.kubernetes.manifests import Document, Path
from gpuedu.needs import missing_of

VERSION = "1.35.0"
"""Of Kubernetes, whose schemas are used; the newest ones where the package has them no more.

Before 1.35 they asked for a field of ``podFailurePolicy`` that a server fills in.
"""
_CORE = "io.k8s.api.core.v1"
_OWNERS = {
    "a Job's spec": "io.k8s.api.batch.v1.JobSpec",
    "a pod's spec": f"{_CORE}.PodSpec",
    "a container": f"{_CORE}.Container",
}
_MOST_ERRORS, _ROUNDS = 50, 6
_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "a mapping",
    "array": "a list",
    "null": "nothing",
}


@dataclass(frozen=True)
class SchemaError:
    """A value that a schema doesn't allow.

    Attributes:
        path: Of the value; of an unknown field, its own; of a missing one, what it's missing in.
        message: What is wrong, without the path.
        is_missing: A required field isn't there.
    """

    path: Path
    message: str
    is_missing: bool = False


@cache
def _schemas() -> tuple[dict[str, Any], Any]:
    """The definitions of all kinds, and a registry in which they're found."""
    try:
        from kubernetes_validate import utils
        from referencing import Registry, Resource
    except ModuleNotFoundError as fault:
        raise missing_of(fault) or fault from None
    version = VERSION if VERSION in utils.all_versions() else utils.latest_version()
    folder = f"kubernetes-json-schema/v{version}-local-strict"
    found = utils.schema_contents(f"{folder}/_definitions.json", version)
    registry = Registry().with_resource(found["$id"], Resource.from_contents(found))
    return found, registry


@cache
def _names() -> dict[tuple[str, str], str]:
    """Definitions by ``apiVersion`` and ``kind``."""
    names = {}
    for name, schema in _schemas()[0]["$defs"].items():
        for one in schema.get("x-kubernetes-group-version-kind", ()):
            group = f"{one['group']}/" if one["group"] else ""
            is_alone = len(schema["x-kubernetes-group-version-kind"]) == 1
            if is_alone and "kind" in schema.get("properties", {}):
                names[f"{group}{one['version']}", one["kind"]] = name
    return names


@cache
def _validator(api_version: str, kind: str) -> Any:
    from jsonschema import Draft202012Validator

    definitions, registry = _schemas()
    place = f"{definitions['$id']}#/$defs/"
    if (api_version, kind) == (kubeflow.API_VERSION, kubeflow.KIND):
        return Draft202012Validator(kubeflow.schema(place), registry=registry)
    name = _names().get((api_version, kind))
    return name and Draft202012Validator({"$ref": place + name}, registry=registry)


def kinds_like(api_version: str, kind: str) -> str:
    """The kind and version that somebody may have meant, or nothing."""
    known = [*_names(), (kubeflow.API_VERSION, kubeflow.KIND)]
    same = [pair for pair in known if pair[1].lower() == kind.lower()]
    if same:
        best = next((pair for pair in same if pair[0] == api_version), same[0])
        return f"`apiVersion: {best[0]}` with `kind: {best[1]}`"
    near = get_close_matches(kind, [pair[1] for pair in known], 1)
    return f"`kind: {near[0]}`" if near else ""


@lru_cache(maxsize=64)
def check_document(document: Document) -> tuple[tuple[SchemaError, ...], Any]:
    """What a schema doesn't allow, in the order of lines, and the value without all that.

    So what is well-formed can be looked at even if something else isn't.

    Raises:
        MissingPackageError: Kubernetes' schemas aren't installed.
    """
    value = copy.deepcopy(document.value)
    if not isinstance(value, dict):
        return (SchemaError((), f"should be a mapping, but is {_kind(value)}"),), None
    api_version, kind = value.get("apiVersion"), value.get("kind")
    for name, found in (("apiVersion", api_version), ("kind", kind)):
        if not isinstance(found, str):
            return (SchemaError((), f"has no `{name}` that is text", True),), None
    validator = _validator(api_version, kind)
    if validator is None:
        like = kinds_like(api_version, kind)
        hint = f"; there is {like}" if like else ""
        told = f"no kind `{kind}` in `{api_version}` is known here{hint}"
        return (SchemaError(("kind",), told),), None
    errors = list(islice(_errors(validator, value, document), _MOST_ERRORS))
    fresh = errors
    for _ in range(_ROUNDS):
        wrong = [one for one in fresh if not one.is_missing]
        if not wrong:
            break
        for one in sorted(wrong, key=lambda one: _order(one.path), reverse=True):
            _remove(value, one.path)
        fresh = list(islice(_errors(validator, value, document), _MOST_ERRORS))
    else:
        value = None
    return tuple(sorted(errors, key=lambda one: document.line(one.path))), value


def _order(path: Path) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, x, "") if isinstance(x, int) else (1, 0, x) for x in path)


def _remove(value: Any, path: Path) -> None:
    """Takes away what a path leads to; an item of a list leaves its place, so that others stay."""
    for step in path[:-1]:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(value, dict) and path:
        value.pop(path[-1], None)
    elif isinstance(value, list) and path[-1] < len(value):
        value[path[-1]] = None if value[path[-1]] is not None else {}


def _errors(validator: Any, value: Any, document: Document) -> Iterator[SchemaError]:
    for error in validator.iter_errors(value):
        path = tuple(error.absolute_path)
        if error.validator == "additionalProperties":
            allowed = error.schema.get("properties", {})
            for name in sorted(set(error.instance) - set(allowed)):
                yield SchemaError((*path, name), f"isn't a field here{_meant(name, allowed)}")
        elif error.validator == "required":
            absent = [name for name in error.validator_value if name not in error.instance]
            yield SchemaError(path, f"has no `{absent[0]}`, which it needs", True)
        else:
            yield SchemaError(path, _mistyped(error, path, document))


def _meant(name: str, allowed: dict[str, Any]) -> str:
    lower = {one.lower(): one for one in allowed}
    near = get_close_matches(name.lower(), lower, 1, 0.75)
    if near:
        return f"; there is `{lower[near[0]]}`"
    definitions = _schemas()[0]["$defs"]
    owners = [who for who, full in _OWNERS.items() if name in definitions[full]["properties"]]
    return f"; it's one of {owners[0]}" if owners else ""


def _mistyped(error: Any, path: Path, document: Document) -> str:
    is_quantity = error.validator == "oneOf" and "type" in error.validator_value[0]
    types = error.validator_value if error.validator == "type" else []
    types = [types] if isinstance(types, str) else list(types)
    if is_quantity:
        types = [kind for one in error.validator_value for kind in one["type"]]
    names = list(dict.fromkeys(_KINDS.get(one, one) for one in types if one != "null"))
    if not names:
        return f"isn't allowed: {str(error.message)[:120]}"
    written = document.written.get(path)
    kind = _kind(error.instance)
    told = f"YAML reads `{written}` as {kind}" if written else f"it is {kind}"
    told = f"should be {' or '.join(names)}, but {told}"
    is_text = "string" in types and written
    return f"{told}; quote it" if is_text else told


def _kind(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return {str: "text", list: "a list", dict: "a mapping"}[type(value)]
