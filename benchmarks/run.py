"""Lucid beside its peers: persistent processes that take turns, round by round.

    python benchmarks/run.py [--peers-python PATH] [--only NAME ...] [--rounds N] [--drawn SEED]

Construction, first call and steady state are timed apart. Every timed call gets a fresh input from
a ring of eight and its result is read. Only ratios within one run mean something: machines drift.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
LUCID = ("lucid",)
PEERS = ("torch", "torchc", "jax", "mlx")
# Where what counts is the first call, not the steady state.
COLD = {"tf12_cold": "first_s"}
# These compile nothing: their first call is no first compiled call.
EAGER = ("torch",)


class Worker:
    """One framework's process."""

    def __init__(self, framework: str, python: str, seed: int) -> None:
        self.framework = framework
        environment = {**os.environ, "OMP_NUM_THREADS": "2"}
        if not framework.startswith("lucid"):
            environment.pop("PYTHONPATH", None)
        self.process = subprocess.Popen(
            [python, str(HERE / "worker.py"), framework, str(seed)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=environment, cwd=HERE,
        )  # fmt: skip
        hello = self._answer()
        self.version = hello.get("version")
        self.workloads = set(hello.get("workloads", ()))

    def ask(self, **request: object) -> dict:
        """One request and its answer; a process that ended answers with an error."""
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            return {"error": "the process ended"}
        return self._answer()

    def _answer(self) -> dict:
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "the process ended"}

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def measure(workers: list[Worker], name: str, rounds: int, seconds: float) -> dict[str, dict]:
    """One workload in every framework that has it."""
    rows: dict[str, dict] = {}
    for worker in workers:
        if name in worker.workloads:
            rows[worker.framework] = worker.ask(do="make", workload=name)
    live = [w for w in workers if "first_s" in rows.get(w.framework, {})]
    for worker in live:
        rows[worker.framework]["medians"] = []
        worker.ask(do="run", seconds=seconds / 4, least=2)
    for turn in range(rounds):
        # The order changes, so that no framework always runs on another's warm or hot machine.
        for worker in live[turn % len(live) :] + live[: turn % len(live)]:
            answer = worker.ask(do="run", seconds=seconds, least=2)
            if "times" in answer:
                rows[worker.framework]["medians"].append(statistics.median(answer["times"]))
    for worker in live:
        row = rows[worker.framework]
        if row["medians"]:
            row["steady_s"] = statistics.median(row["medians"])
        worker.ask(do="drop")
    return rows


def ratio(name: str, rows: dict[str, dict]) -> tuple[float, str] | None:
    """How many times faster Lucid is than the best peer, and which that is."""
    field = COLD.get(name, "steady_s")
    own = rows.get("lucid", {}).get(field)
    peers = {
        f: r[field]
        for f, r in rows.items()
        if f not in LUCID and field in r and not (name in COLD and f in EAGER)
    }
    if own is None or not peers:
        return None
    best = min(peers, key=peers.__getitem__)
    return peers[best] / own, best


def shown(seconds: float | None) -> str:
    """A time in a fitting unit."""
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1 or unit == "us":
            return f"{seconds * scale:.3g} {unit}"
    return "-"


def report(results: dict[str, dict[str, dict]], frameworks: list[str]) -> str:
    """The table as Markdown."""
    lines = [
        "| workload | "
        + " | ".join(frameworks)
        + " | ratio | first call: "
        + ", ".join(frameworks)
        + " |",
        "|---|" + "---|" * (len(frameworks) + 2),
    ]
    ratios = []
    for name, rows in results.items():
        field = COLD.get(name, "steady_s")
        cells = [shown(rows.get(f, {}).get(field)) for f in frameworks]
        first = ", ".join(shown(rows.get(f, {}).get("first_s")) for f in frameworks)
        compared = ratio(name, rows)
        if compared:
            ratios.append(compared[0])
        word = f"**{compared[0]:.2f}** ({compared[1]})" if compared else "-"
        lines.append(f"| {name} | {' | '.join(cells)} | {word} | {first} |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        ahead = sum(r >= 1 for r in ratios)
        lines.append(f"\ngeometric mean {mean:.2f}, ahead in {ahead} of {len(ratios)}")
    return "\n".join(lines)


def machine() -> str:
    """The processor, for the table's caption."""
    try:
        text = Path("/proc/cpuinfo").read_text()
        model = next(
            line.split(":")[1].strip() for line in text.splitlines() if "model name" in line
        )
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def main() -> None:
    """Runs what the command line asks for and writes build/bench.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers-python", default=os.environ.get("LUCID_PEERS_PYTHON"))
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.4, help="per framework and round")
    parser.add_argument("--drawn", type=int, default=0, help="seed of randomly drawn sizes")
    parser.add_argument("--frameworks", nargs="*", default=None)
    parser.add_argument("--output", type=Path, default=HERE.parent / "build" / "bench.json")
    options = parser.parse_args()
    wanted = options.frameworks or [*LUCID, *(PEERS if options.peers_python else ())]
    workers = []
    for framework in wanted:
        python = sys.executable if framework.startswith("lucid") else options.peers_python
        worker = Worker(framework, python, options.drawn)
        if worker.workloads:
            workers.append(worker)
        else:
            print(f"{framework}: not available", file=sys.stderr)
    names = list(dict.fromkeys(n for w in workers for n in sorted(w.workloads)))
    if workers and options.only is None:
        names = [n for n in order() if n in names]
    results = {}
    for name in options.only or names:
        results[name] = measure(workers, name, options.rounds, options.seconds)
        print(
            name, {f: shown(r.get("steady_s")) for f, r in results[name].items()}, file=sys.stderr
        )
        for framework, row in results[name].items():
            if "error" in row:
                print(f"  {framework}: {row['error']}", file=sys.stderr)
    for worker in workers:
        worker.close()
    frameworks = [w.framework for w in workers]
    print(f"{machine()}, {date.today().isoformat()}")
    print(", ".join(f"{w.framework} {w.version}" for w in workers))
    print(report(results, frameworks))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(
        json.dumps(
            {
                "machine": machine(),
                "date": date.today().isoformat(),
                "versions": {w.framework: w.version for w in workers},
                "drawn": options.drawn,
                "results": results,
            },
            indent=1,
        )
    )


def order() -> list[str]:
    """The workloads in the order in which the frameworks list them."""
    return [
        "linear_8x4_b1", "mlp_b1", "mlp_b64", "tf_infer", "sdpa_causal", "cnn_infer",
        "pointwise_1M",
        "softmax_ln", "mlp_train", "tf_train", "cnn_train", "dyn_sweep_64", "tf12_cold",
    ]  # fmt: skip


if __name__ == "__main__":
    main()
