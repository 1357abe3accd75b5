#!/usr/bin/env python3
"""The plot of a run beside peers: peers_plot.py peers.json peers.svg. Needs matplotlib.

A panel a table, a group of bars a file: GB/s of our schedules and of the peers.
"""
import json
import sys

GROUPS = ("LZ4, 64 KiB", "Snappy, 64 KiB", "Deflate, 128 KiB, level 9")
COLOURS = {"default": "#9ecae1", "speculate": "#2171b5", "nvCOMP": "#fd8d3c", "prototype": "#969696"}


def main():
    try:
        import matplotlib
    except ImportError:
        print("no plot: this Python has no matplotlib")
        return 0
    matplotlib.use("svg")
    from matplotlib import pyplot

    pyplot.rcParams["svg.fonttype"] = "none"
    pyplot.rcParams["svg.hashsalt"] = "peers"
    with open(sys.argv[1], encoding="utf-8") as file:
        study = json.load(file)
    groups = [group for group in GROUPS if any(case["group"] == group and case["scores"] for case in study["cases"])]
    if not groups:
        print("no plot: none of its tables was measured")
        return 0
    figure, panels = pyplot.subplots(len(groups), 1, figsize=(9, 2.4 * len(groups)), squeeze=False)
    for panel, group in zip(panels[:, 0], groups):
        cases = [case for case in study["cases"] if case["group"] == group and case["scores"]]
        rates = [{score["schedule"]: score["gigabytes_per_second"] for score in case["scores"] if not score["problem"]} for case in cases]
        names = [name for name in COLOURS if any(name in one for one in rates)]
        width = 0.8 / max(1, len(names))
        for i, name in enumerate(names):
            panel.bar([x + (i - (len(names) - 1) / 2) * width for x in range(len(cases))], [one.get(name, 0) for one in rates], width,
                      label=name, color=COLOURS[name])
        panel.set_xticks(range(len(cases)), [case["data"] for case in cases], fontsize=8)
        panel.set_ylabel("GB/s of output", fontsize=8)
        panel.set_title(group, fontsize=9, loc="left")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0, 0].legend(fontsize=8, ncols=4, frameon=False)
    figure.suptitle(f"{study['device']}, commit {study['commit']}, {study['date']}", fontsize=8)
    figure.tight_layout()
    figure.savefig(sys.argv[2], metadata={"Date": None})
    return 0


if __name__ == "__main__":
    sys.exit(main())
