"""PyTorchJob of Kubeflow's Training Operator, version 1 of its API: a small model of its fields.

Sources: kubeflow/training-operator, ``pkg/apis/kubeflow.org/v1`` (``pytorch_types.go``,
``common_types.go``, ``pytorch_validation.go``) and ``pkg/webhooks/pytorch``, as of release 1.9.
"""

from __future__ import annotations

from typing import Any

API_VERSION, KIND = "kubeflow.org/v1", "PyTorchJob"
MASTER, WORKER = "Master", "Worker"
CONTAINER, PORT_NAME, PORT = "pytorch", "pytorchjob-port", 23456
"""The container that the operator looks for, and the port at which its master listens."""
RESTARTS = ("Always", "OnFailure", "Never", "ExitCode")
_POD_TEMPLATE = "io.k8s.api.core.v1.PodTemplateSpec"
_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_METRIC = "io.k8s.api.autoscaling.v2.MetricSpec"


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def _a(*types: str) -> dict[str, Any]:
    return {"type": [*types, "null"]}


def schema(definitions: str) -> dict[str, Any]:
    """A JSON schema.

    Args:
        definitions: what stands before the name of one of Kubernetes' own in a reference.
    """
    number, text, flag = _a("integer"), _a("string"), _a("boolean")
    replicas = {
        **_object(
            replicas=number, template={"$ref": definitions + _POD_TEMPLATE}, restartPolicy=text
        ),
        "required": ["template"],
    }
    scheduling = _object(
        minAvailable=number,
        queue=text,
        minResources={
            "type": ["object", "null"],
            "additionalProperties": {"$ref": definitions + _QUANTITY},
        },
        priorityClass=text,
        scheduleTimeoutSeconds=number,
    )
    run = _object(
        cleanPodPolicy=text,
        ttlSecondsAfterFinished=number,
        activeDeadlineSeconds=number,
        backoffLimit=number,
        schedulingPolicy=scheduling,
        suspend=flag,
        managedBy=text,
    )
    elastic = _object(
        minReplicas=number,
        maxReplicas=number,
        rdzvBackend=text,
        rdzvPort=number,
        rdzvHost=text,
        rdzvId=text,
        rdzvConf={"type": ["array", "null"], "items": _object(key=text, value=text)},
        standalone=flag,
        nProcPerNode=number,
        maxRestarts=number,
        metrics={"type": ["array", "null"], "items": {"$ref": definitions + _METRIC}},
    )
    spec = _object(
        runPolicy=run,
        elasticPolicy=elastic,
        nprocPerNode=text,
        pytorchReplicaSpecs={
            "type": "object",
            "properties": {MASTER: replicas, WORKER: replicas},
            "additionalProperties": False,
        },
    )
    top = _object(
        apiVersion=text,
        kind=text,
        metadata={"$ref": definitions + _META},
        spec={**spec, "required": ["pytorchReplicaSpecs"]},
        status={"type": ["object", "null"]},
    )
    return {**top, "required": ["spec"]}
