"""From what a play returned on one case to the faults of its properties."""

from __future__ import annotations

from gpuedu.exercises.contract import Case, Exercise, Fault, Finding
from gpuedu.exercises.guard import Outcome


def faults_of(
    exercise: Exercise, case: Case, outcome: Outcome
) -> tuple[dict[str, Fault], list[Finding]]:
    """Faults by property, and findings, of one case; raises ValueError for an unknown property."""
    names = [prop.name for prop in exercise.judge.properties]
    if outcome.problem is not None:
        said = (outcome.problem.message, outcome.problem.cause)
        return {name: Fault(name, *said) for name in case.decides or names}, []
    faults: dict[str, Fault] = {}
    findings: list[Finding] = []
    for item in exercise.judge.seen(case, outcome.observed):
        if isinstance(item, Finding):
            findings.append(item)
        elif item.property not in (case.decides or names):
            raise ValueError(
                f"{exercise.id}: case {case.label!r} does not decide {item.property!r}"
            )
        else:
            faults.setdefault(item.property, item)
    return faults, findings
