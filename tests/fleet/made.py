# SPDX-License-Identifier: Apache-2.0
"""Made-up results in the form of `inquest diagnose --format json`."""
import hashlib
import json

HOUR = 3600 * 10**9
DAY = 24 * HOUR
T0 = 1_790_000_000 * 10**9

RULES = "0" * 32


def unit(host=None, rank=None, device=None, gpu=None):
    one = {"host": host, "rank": rank, "device": device, "pid": None}
    if gpu:
        one["gpu"] = gpu
    return one


def result(name, cause, *, rule="test.rule", where=None, hours=1.0, gpus=(),
           start=T0, job=None, versions=None, findings=(), suspects=(),
           steps=None, rules=RULES, world_size=None):
    """One result. `gpus`: (UUID, host) pairs; `steps`: first and last."""
    where = where or unit()
    root = {"id": "F1", "rule": rule, "cause": cause, "role": "root",
            "severity": "error", "confidence": "confirmed", "survived": False,
            "unit": where, "first_time": start, "count": 1, "facts": {},
            "evidence": []}
    all_findings = [] if cause in ("none", "unknown") else [root]
    all_findings += [dict(root, id=f"F{n + 2}", rule=one, role="symptom")
                     for n, one in enumerate(findings)]
    timed = start is not None and hours is not None
    return {
        "schema": "inquest.diagnosis/1",
        "tool": {"name": "inquest", "version": "0.1.0"},
        "rules_version": {"facts": 1, "count": 1, "digest": rules},
        "run": {"id": hashlib.md5(name.encode()).hexdigest(), "job": job,
                "host": None, "start_time": start,
                "end_time": int(start + hours * HOUR) if timed else None,
                "times_from": "run" if timed else None,
                "exit_code": 1, "signal": None, "world_size": world_size,
                "first_step": steps[0] if steps else None,
                "last_step": steps[1] if steps else None,
                "steps_from": "log" if steps else None,
                "gpus": [{"uuid": uuid, "host": host, "pci": None,
                          "name": "H100", "driver": None}
                         for uuid, host in gpus],
                "versions": versions or {}},
        "verdict": {"cause": cause, "rule": rule, "confidence": "confirmed",
                    "title": cause, "summary": f"{name} died of {cause}",
                    "unit": where, "facts": {}, "fixes": [],
                    "suspects": [{"text": one} for one in suspects],
                    "inputs": []},
        "findings": all_findings, "skipped": [], "limits": [], "logs": [],
        "coverage": [],
    }


def ndjson(results):
    return "".join(json.dumps(one, sort_keys=True) + "\n" for one in results)
