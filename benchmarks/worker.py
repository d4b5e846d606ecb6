"""One framework in a process of its own, driven over pipes by ``run.py``.

Reads JSON lines {"do": "make" | "run" | "drop", …} and answers each with one JSON line.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "2")

from shapes import Sizes


def table(framework: str, sizes: Sizes):
    """The framework's workloads and its version."""
    if framework in ("torch", "torchc"):
        from frameworks import torch_ as module

        return module.workloads(sizes, compiled=framework == "torchc"), module.VERSION
    if framework in ("lucid", "lucid_eager"):
        from frameworks import lucid_ as module

        return module.workloads(sizes, compiled=framework == "lucid"), module.VERSION
    if framework == "jax":
        from frameworks import jax_ as module
    else:
        from frameworks import mlx_ as module
    return module.workloads(sizes), module.VERSION


def main() -> None:
    """Serves until the pipe closes."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a framework prints must not mix with the answers
    framework, seed = sys.argv[1], int(sys.argv[2])
    sizes = Sizes.drawn(seed) if seed else Sizes()
    workloads, version = table(framework, sizes)
    call, turn = None, 0

    def answer(**fields: object) -> None:
        print(json.dumps(fields), file=answers, flush=True)

    answer(version=version, workloads=list(workloads))
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "make":
                start = time.perf_counter()
                call, turn = workloads[request["workload"]](), 0
                made = time.perf_counter() - start
                start = time.perf_counter()
                call(0)
                answer(construct_s=made, first_s=time.perf_counter() - start)
            elif request["do"] == "run":
                times = []
                until = time.perf_counter() + request["seconds"]
                while len(times) < request["least"] or time.perf_counter() < until:
                    turn += 1
                    start = time.perf_counter()
                    call(turn)
                    times.append(time.perf_counter() - start)
                answer(times=times)
            else:
                call = None
                gc.collect()
                answer(peak_kib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        except Exception as error:  # a framework that lacks something is a row in the table
            answer(error=f"{type(error).__name__}: {str(error)[:300]}")


if __name__ == "__main__":
    main()
