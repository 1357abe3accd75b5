#!/usr/bin/env python3
"""The cost model of schedules, fitted to kernels that were measured.

usage: fit_schedules.py             is compiler/strategy/model.def what the trials give? Exit status 1 where it is not
       fit_schedules.py --write     writes it
       fit_schedules.py --cross     two tables: of each sample the schedule that a model fitted to the other samples' trials would take
                                    among a strategy's, beside the best of these; and the strategy that one fitted to the other formats'
                                    would take, beside the best schedule of all

The trials (tests/bench/results/tune-trials.tsv) are what `sluice tune` and `sluice bench` have printed, with what the format is to the
strategy (compiler/strategy/work.def). Two fits, of logarithms of the speed:
  of each strategy, by least squares, a constant of each sample, what each directive's value adds on such work, and a multiple, not below 0, of the
  logarithm of what c chunks on a multiprocessor make of it, c / (1 + c / HALF);
  of each strategy and work, directives as they come, the mean of what is more than `warp` makes, over a format's samples and then over formats.
Nothing but Python is needed.
"""
import collections
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRIALS = ROOT / "tests/bench/results/tune-trials.tsv"
MODEL = ROOT / "compiler/strategy/model.def"
STRATEGIES = ("warp", "leader", "speculate", "lanes", "block", "split")
BASE = "warp"
HALF = 16  # of 4 to 64, the one with the least error in the mean of the strategies
BY_ROOM = ("shared_memory",)  # what it does, it does by the chunks that a multiprocessor holds
CARVE_OUT = "carve_out"
LEAST_TRIALS = 3  # of a value on such work
LEAST_CHOICE = 5  # trials of a sample, for a choice among them to be one

Trial = collections.namedtuple("Trial", "format sample strategy work speed chunks values text")


def all_trials():
    for line in TRIALS.read_text().splitlines()[1:]:
        format_, sample, work, speed, _, _, _, chunks, text = line.split("\t")
        directives = dict(word.split(" ") for word in text.split(", "))
        strategy = directives.pop("strategy")
        values = frozenset(item for item in directives.items() if item[0] not in BY_ROOM)
        yield Trial(format_, (format_, sample), strategy, work, float(speed), float(chunks), values, text)


def solve(rows, right):
    """Least squares by the normal equations."""
    n = len(rows[0])
    matrix = [[sum(r[i] * r[j] for r in rows) for j in range(n)] + [sum(r[i] * y for r, y in zip(rows, right))] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(matrix[k][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        for k in range(n):
            if k != i and matrix[k][i] != 0:
                factor = matrix[k][i] / matrix[i][i]
                matrix[k] = [a - factor * b for a, b in zip(matrix[k], matrix[i])]
    return [matrix[i][n] / matrix[i][i] for i in range(n)]


def room(trial):
    return trial.chunks / (1 + trial.chunks / HALF)


def features(trial):
    """A directive's value, on such work: what it does to one it need not do to another."""
    return {(trial.work, *value) for value in trial.values}


def carve_out(trial):
    return {feature for feature in features(trial) if feature[1] == CARVE_OUT}


def fit(list_):
    """Each value's factor, the power of what chunks make, and the error that is left, of logarithms.

    A carve-out changes nothing but chunks and cache, which go against each other in all trials that have one: so what chunks make is what the
    others say, and its factor what is left then, in the mean.
    """
    list_ = list(list_)
    count = collections.Counter(f for t in list_ for f in features(t))
    kept = [t for t in list_ if all(count[f] >= LEAST_TRIALS for f in features(t))]
    plain = [t for t in kept if not carve_out(t)]
    samples = sorted({t.sample for t in plain})
    values = sorted({f for t in plain for f in features(t)})
    kept = [t for t in kept if t.sample in samples and features(t) - carve_out(t) <= set(values)]
    rows = [[float(t.sample == s) for s in samples] + [float(v in features(t)) for v in values] + [math.log(room(t))] for t in plain]
    right = [math.log(t.speed) for t in plain]
    found = solve(rows, right)
    if found[-1] < 0:  # trials that held more chunks differed in something else: room itself does no harm
        found = solve([row[:-1] for row in rows], right) + [0.0]
    base, logs, power = dict(zip(samples, found)), dict(zip(values, found[len(samples):])), found[-1]

    def left(t):
        return math.log(t.speed) - base[t.sample] - sum(logs.get(f, 0) for f in features(t)) - power * math.log(room(t))

    carved = collections.defaultdict(list)
    for t in kept:
        for feature in carve_out(t):
            carved[feature].append(left(t))
    logs.update({feature: sum(errors) / len(errors) for feature, errors in carved.items()})
    error = math.sqrt(sum(left(t) ** 2 for t in kept) / len(kept))
    return {f: (math.exp(x), count[f]) for f, x in sorted(logs.items())}, power, error, len(kept)


def expected(factors, power, trial):
    if not features(trial) <= factors.keys():
        return 0
    return math.prod(factors[f][0] for f in features(trial)) * room(trial) ** power


def mean(numbers):
    """Geometric."""
    numbers = list(numbers)
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def plain_trials(trials):
    """Of each sample and strategy that with directives as they come."""
    return {(t.sample, t.strategy): t for t in trials if t.text == f"strategy {t.strategy}"}


def levels(trials):
    """(strategy, work) -> beside BASE, chunks on a multiprocessor, samples, formats."""
    plain = plain_trials(trials)
    groups = collections.defaultdict(lambda: collections.defaultdict(list))
    for (sample, strategy), t in plain.items():
        groups[strategy, t.work][t.format].append((t.speed / plain[sample, BASE].speed, t.chunks))
    return {key: (mean(mean(r for r, _ in list_) for list_ in formats.values()), mean(c for list_ in formats.values() for _, c in list_),
                  sum(map(len, formats.values())), len(formats)) for key, formats in groups.items()}


def spread(trials, found):
    """By what factor a sample is off the level of its strategy and work: the root of the mean of squared logarithms."""
    plain = plain_trials(trials)
    errors = [math.log(t.speed / plain[sample, BASE].speed / found[strategy, t.work][0]) for (sample, strategy), t in plain.items() if strategy != BASE]
    return math.exp(math.sqrt(sum(e * e for e in errors) / len(errors)))


def model_text():
    trials = list(all_trials())
    text = ("// Generated by tests/bench/fit_schedules.py from tests/bench/results/tune-trials.tsv: do not edit. FITTED(strategy, power, error, trials),\n"
            "// of its directives' values FACTOR(strategy, work, directive, value, factor, trials), and of what a format is to it LEVEL(strategy, work, factor,\n"
            "// chunks on a multiprocessor, samples, formats); SPREAD(factor): by which samples are off their levels.\n")
    found = levels(trials)
    text += f"SPREAD({spread(trials, found):.2f})\n"
    for strategy in STRATEGIES:
        factors, power, error, count = fit([t for t in trials if t.strategy == strategy])
        name = strategy.capitalize()
        text += f"FITTED({name}, {power:.3f}, {error:.3f}, {count})\n"
        for (work, directive, value), (factor, n) in factors.items():
            text += f'FACTOR({name}, {work}, "{directive}", "{value}", {factor:.3f}, {n})\n'
        for (_, work), (factor, chunks, samples, formats) in sorted(item for item in found.items() if item[0][0] == strategy):
            text += f"LEVEL({name}, {work}, {factor:.3f}, {chunks:.1f}, {samples}, {formats})\n"
    return text


def cross_directives(trials):
    print("| format, sample | strategy | trials | taken | of the best |\n|---|---|---:|---|---:|")
    shares = []
    for strategy in STRATEGIES:
        list_ = [t for t in trials if t.strategy == strategy]
        for sample in sorted({t.sample for t in list_}):
            own = [t for t in list_ if t.sample == sample]
            if len(own) < LEAST_CHOICE:
                continue
            factors, power, _, _ = fit([t for t in list_ if t.sample != sample])
            taken = max(own, key=lambda t: expected(factors, power, t))
            shares.append(taken.speed / max(t.speed for t in own))
            text = taken.text.removeprefix(f"strategy {strategy}").removeprefix(", ") or "defaults"
            print(f"| {', '.join(sample)} | {strategy} | {len(own)} | {text} | {shares[-1]:.3f} |")
    print(f"\n{len(shares)}: at least {min(shares):.2f}, {mean(shares):.3f} in the mean\n")


def cross_strategies(trials):
    print("| format, sample | taken | of the best strategy as it comes | of the best schedule tried | which is |\n|---|---|---:|---:|---|")
    plain = plain_trials(trials)
    shares = []
    for format_ in sorted({t.format for t in trials}):
        known = levels([t for t in trials if t.format != format_])
        for sample in sorted({t.sample for t in trials if t.format == format_}):
            own = [t for (s, _), t in plain.items() if s == sample]
            taken = max(own, key=lambda t: known.get((t.strategy, t.work), (0,))[0])
            best, of_all = max(t.speed for t in own), max((t for t in trials if t.sample == sample), key=lambda t: t.speed)
            shares.append(taken.speed / best)
            print(f"| {', '.join(sample)} | {taken.strategy} | {shares[-1]:.3f} | {taken.speed / of_all.speed:.3f} | {of_all.text.removeprefix('strategy ')} |")
    print(f"\n{len(shares)}: the best one of {sum(s == 1 for s in shares)}, 0.85 of it and more of {sum(s >= 0.85 for s in shares)}, {mean(shares):.3f} in the mean")


def main():
    if sys.argv[1:] == ["--cross"]:
        trials = list(all_trials())
        cross_directives(trials)
        cross_strategies(trials)
    elif sys.argv[1:] == ["--write"]:
        MODEL.write_text(model_text())
    elif sys.argv[1:]:
        sys.exit(__doc__)
    elif MODEL.read_text() != model_text():
        sys.exit(f"{MODEL.relative_to(ROOT)} is not what {TRIALS.relative_to(ROOT)} gives: {pathlib.Path(__file__).name} --write")


if __name__ == "__main__":
    main()
