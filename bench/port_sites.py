#!/usr/bin/env python3
"""Draws sites of public projects to be judged by a reader, and scores `starbridge port` against the verdicts.

    python3 bench/port_sites.py draw TREES OWNER/NAME@COMMIT... [--count 500] [--seed 20261202] > sites.tsv
    python3 bench/port_sites.py show TREES sites.tsv [--from 0] [--count 40] [--lines 6]
    python3 bench/port_sites.py score TREES bench/port_sites_judged.tsv --binary build/release/src/cli/starbridge [--to CHIP] [--json]

TREES is a folder with one checkout per project, named like it (TREES/NAME). A site is a token with "cuda" or "nccl" in it, in a .py file or
in a code cell of a notebook. `draw` divides the count evenly among the projects, seven tenths of it to code and texts that may be devices,
the rest to comments, docstrings, messages, other texts and identifiers; within a part each kind gets a share by the root of its number,
and the column `stands_for` tells how many sites of its project and kind each drawn one stands for. `show` prints sites with the lines
around them and nothing about any port, so that the reader judges blind.

A judged file has ten columns: repository, commit, path, line, column, token, stands_for, verdict, replacement, reason; verdicts are
  edit    the token must be replaced; by one of the texts in `replacement`, apart by " | ", or by any other when that is empty
  leave   the token must stay
  either  both can be defended; not counted
`score` ports each tree and compares token by token. Right: edited as demanded, or left. Wrong: edited against a `leave`, or not to a demanded
replacement. Missed: an `edit` that stayed. A site that is not where it was is looked for in its file by token: reported as moved when there is
one such token on one line only, as missing otherwise; a missing one counts for nothing and makes the exit code 1.
"""

import argparse
import difflib
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from port_sites_tokens import CODE_KINDS, NAMED, OTHER_KINDS, kind_of, recorded, sites_of, tokens_of, units_of

COLUMNS = ("repository", "commit", "path", "line", "column", "token", "stands_for", "verdict", "replacement", "reason")
VERDICTS = ("edit", "leave", "either")
CODE_SHARE = 0.7


def shares(counts, total):
    """Divides `total` among keys by the root of their counts, at most the count each and at least one where there is room."""
    given = {key: 0 for key, count in counts.items() if count}
    for _ in range(min(total, sum(counts.values()))):
        open_keys = [key for key in given if given[key] < counts[key]]
        given[max(open_keys, key=lambda key: (math.sqrt(counts[key]) / (given[key] + 0.5), key))] += 1
    return given


def draw_project(sites, count, generator):
    """[(site, how many it stands for)]; what one part lacks the other gets."""
    by_kind = defaultdict(list)
    for site in sites:
        by_kind[site.kind].append(site)
    code = {kind: len(by_kind[kind]) for kind in CODE_KINDS}
    other = {kind: len(by_kind[kind]) for kind in OTHER_KINDS}
    of_other = max(min(count - round(count * CODE_SHARE), sum(other.values())), min(count - sum(code.values()), sum(other.values())))
    drawn = []
    for kind, share in {**shares(code, count - of_other), **shares(other, of_other)}.items():
        drawn += [(site, len(by_kind[kind]) / share) for site in generator.sample(by_kind[kind], share)]
    return sorted(drawn, key=lambda pair: (pair[0].path, pair[0].line, pair[0].column))


def draw(arguments):
    projects = [project.partition("@")[::2] for project in arguments.projects]
    found = {name: sites_of(arguments.trees / name.split("/")[1]) for name, _ in projects}
    left, drawn = arguments.count, {}
    for rank, name in enumerate(sorted(found, key=lambda name: (len(found[name]), name))):  # small projects first: others take over what they lack
        share = round(left / (len(found) - rank))
        drawn[name] = draw_project(found[name], share, random.Random(f"{arguments.seed} {name}"))
        left -= len(drawn[name])
    print("# " + "\t".join(COLUMNS))
    for name, commit in projects:
        for site, weight in drawn[name]:
            print("\t".join((name, commit, site.path, str(site.line), str(site.column), site.token, f"{weight:.2f}", "", "", "")))


def read_judged(path):
    rows = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        try:
            row = dict(zip(COLUMNS, fields, strict=True))
            row.update(line=int(row["line"]), column=int(row["column"]), stands_for=float(row["stands_for"]))
        except ValueError as error:
            sys.exit(f"{path}:{number}: expected {', '.join(COLUMNS)}, separated by tabs: {error}")
        if row["verdict"] not in (*VERDICTS, ""):
            sys.exit(f"{path}:{number}: the verdict is {' or '.join(VERDICTS)}, not '{row['verdict']}'")
        rows.append(row)
    return rows


def tree_of(trees, row):
    return trees / row["repository"].split("/")[1]


def unit_of(tree, name):
    """Text of a file or of a cell of a notebook; None when there is none."""
    path, cell = name.partition("#cell")[::2]
    if not (tree / path).is_file():
        return None
    return dict(units_of(tree / path)).get(f"#cell{cell}" if cell else "")


def show(arguments):
    """Prints sites in the order of the file; lines around neighbours are printed once, with the sites above their line."""
    rows = read_judged(arguments.sites)[arguments.first:arguments.first + arguments.count]
    places = defaultdict(list)
    for number, row in enumerate(rows, arguments.first):
        places[(row["repository"], row["path"])].append((number, row))
    for (repository, path), sites in places.items():
        text = (unit_of(tree_of(arguments.trees, sites[0][1]), path) or "").splitlines()
        print(f"=== {repository} {path}")
        near = {line for _, row in sites for line in range(row["line"] - arguments.lines, row["line"] + arguments.lines + 1)}
        for line in sorted(near & set(range(1, len(text) + 1))):
            if line - 1 not in near:
                print("  ...")
            for number, row in sites:
                if row["line"] == line:
                    print(f"#{number} {row['line']}:{row['column']} {row['token']}")
            print(f"{line:5} {text[line - 1][:200]}")


def replaced(before_text, after_text):
    """Replacements by index of the token of `before_text`; line by line first, since a port keeps all lines without an edit."""
    before, after = tokens_of(before_text), tokens_of(after_text)
    lines = difflib.SequenceMatcher(None, before_text.splitlines(), after_text.splitlines(), autojunk=False)
    found = {}
    for kind, first, last, new_first, new_last in lines.get_opcodes():
        if kind in ("equal", "insert"):
            continue
        old = [index for index, token in enumerate(before) if token.line <= last and token.last_line > first]
        new = [token.text for token in after if token.line <= new_last and token.last_line > new_first]
        matcher = difflib.SequenceMatcher(None, [before[index].text for index in old], new, autojunk=False)
        for change, begin, end, new_begin, new_end in matcher.get_opcodes():
            if change in ("replace", "delete"):
                one_to_one = end - begin == new_end - new_begin
                for offset in range(begin, end):
                    found[old[offset]] = new[new_begin + offset - begin] if one_to_one else "".join(new[new_begin:new_end])
    return before, found


def place_of(row, tokens):
    """(index of the row's token, where it went): None and "missing" when it is not to be found for certain."""
    same = [index for index, token in enumerate(tokens) if NAMED.search(token.text) and recorded(token) == row["token"]]
    for index in same:
        if (tokens[index].line, tokens[index].column) == (row["line"], row["column"]):
            return index, ""
    return (same[0], f"moved to line {tokens[same[0]].line}") if len(same) == 1 else (None, "missing")


def is_demanded(row, old, new):
    """Whether `new` is what the verdict asks for; of a token that is recorded by a word, the word's replacement is looked for."""
    if not row["replacement"]:
        return True
    choices = row["replacement"].split(" | ")
    if old == row["token"]:
        return new in choices
    return any(old.replace(row["token"], choice) == new or old.replace(row["token"], choice, 1) == new for choice in choices) or \
        any(choice in new and row["token"] not in new for choice in choices)


def outcome_of(row, old, new):
    if row["verdict"] == "either":
        return "not counted"
    if row["verdict"] == "leave":
        return "right leave" if new is None else "wrong edit"
    if new is None:
        return "missed"
    return "right edit" if is_demanded(row, old, new) else "other edit"


def judge_all(rows, trees, ported):
    """Each row with its kind, what became of the token and the outcome."""
    cache, results = {}, []
    for row in rows:
        key = (row["repository"], row["path"])
        if key not in cache:
            before = unit_of(tree_of(trees, row), row["path"])
            after = unit_of(ported / row["repository"].split("/")[1], row["path"])
            cache[key] = None if before is None else replaced(before, after if after is not None else before)
        index, note = place_of(row, cache[key][0]) if cache[key] else (None, "missing")
        if index is None:
            results.append({**row, "kind": "", "became": None, "outcome": note, "note": note})
            continue
        tokens, changes = cache[key]
        new = changes.get(index)
        results.append({**row, "kind": kind_of(tokens, index), "became": new, "outcome": outcome_of(row, tokens[index].text, new), "note": note})
    return results


def wilson(hits, count):
    """95 % interval of a share."""
    if not count:
        return (0.0, 1.0)
    z, share = 1.96, hits / count
    middle, spread = share + z * z / (2 * count), z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return tuple(round((middle + sign * spread) / (1 + z * z / count), 3) for sign in (-1, 1))


def figures(results):
    counts = Counter(result["outcome"] for result in results)
    weighed = Counter()
    for result in results:
        weighed[result["outcome"]] += result["stands_for"]

    def share(numbers, bad):
        total = numbers["right edit"] + sum(numbers[name] for name in bad)
        return round(numbers["right edit"] / total, 4) if total else None

    wrong, left = ("wrong edit", "other edit"), ("missed", "other edit")
    right = counts["right edit"]
    return {"sites": len(results), "counts": dict(sorted(counts.items())), "precision": share(counts, wrong), "recall": share(counts, left),
            "precision_95": wilson(right, right + sum(counts[name] for name in wrong)),
            "recall_95": wilson(right, right + sum(counts[name] for name in left)),
            "precision_weighed": share(weighed, wrong), "recall_weighed": share(weighed, left)}


def port_trees(rows, arguments, folder):
    for name in sorted({row["repository"].split("/")[1] for row in rows}):
        command = [arguments.binary, "--quiet", "port", str(arguments.trees / name), "--to", arguments.to, "-o", str(Path(folder) / name)]
        run = subprocess.run(command + ["--all-sites"] * arguments.all_sites, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "LANG": "C"})
        if run.returncode > 1:  # 1: ported, and something is left to be done by hand
            sys.exit(f"the port of {name} ended with code {run.returncode}: {run.stderr.strip()}")


def print_table(title, groups):
    print(f"\n{title:36} {'sites':>6} {'right':>6} {'wrong':>6} {'other':>6} {'missed':>6} {'left':>6} {'either':>6}  precision recall")
    for name, results in groups:
        numbers = figures(results)
        counts = Counter(numbers["counts"])
        columns = [numbers["sites"], *(counts[key] for key in ("right edit", "wrong edit", "other edit", "missed", "right leave", "not counted"))]
        rates = ["-" if numbers[key] is None else f"{numbers[key]:.3f}" for key in ("precision", "recall")]
        print(f"{name:36} " + " ".join(f"{column:6}" for column in columns) + f"  {rates[0]:>9} {rates[1]:>6}")


def grouped(results, key):
    groups = defaultdict(list)
    for result in results:
        groups[key(result)].append(result)
    return sorted(groups.items())


def report(results, as_json):
    total = figures(results)
    bad = [result for result in results if result["outcome"] in ("wrong edit", "other edit", "missed", "missing") or result["note"]]
    if as_json:
        print(json.dumps({"schema": "starbridge.port_sites/1", "total": total, "disagreements": bad,
                          "by_repository": {name: figures(group) for name, group in grouped(results, lambda row: row["repository"])},
                          "by_kind": {name: figures(group) for name, group in grouped(results, lambda row: row["kind"])}}, indent=1))
    else:
        for result in bad:
            print(f"{result['note'] or result['outcome']}\t{result['repository']} {result['path']}:{result['line']}:{result['column']}\t{result['token']}"
                  f"\t-> {result['became'] and result['became'][:60]}\t{result['reason']}")
        print_table("repository", grouped(results, lambda row: row["repository"]))
        print_table("kind", grouped(results, lambda row: row["kind"]))
        print_table("", [("all", results)])
        print(f"precision {total['precision']} (95 %: {total['precision_95']}), weighed {total['precision_weighed']}; "
              f"recall {total['recall']} (95 %: {total['recall_95']}), weighed {total['recall_weighed']}")
    return 1 if any(result["outcome"] == "missing" for result in results) else 0


def score(arguments):
    rows = read_judged(arguments.judged)
    blank = [row for row in rows if not row["verdict"]]
    if blank:
        sys.exit(f"{len(blank)} sites have no verdict, the first is {blank[0]['repository']} {blank[0]['path']}:{blank[0]['line']}")
    if arguments.ported:
        return report(judge_all(rows, arguments.trees, arguments.ported), arguments.json)
    if not arguments.binary:
        sys.exit("give --binary, to port the trees with, or --ported, a folder of trees ported already")
    with tempfile.TemporaryDirectory() as folder:
        port_trees(rows, arguments, folder)
        return report(judge_all(rows, arguments.trees, Path(folder)), arguments.json)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing, showing, scoring = (commands.add_parser(name) for name in ("draw", "show", "score"))
    for command in (drawing, showing, scoring):
        command.add_argument("trees", type=Path)
    drawing.add_argument("projects", nargs="+", metavar="OWNER/NAME@COMMIT")
    drawing.add_argument("--count", type=int, default=500)
    drawing.add_argument("--seed", type=int, default=20261202)
    showing.add_argument("sites")
    showing.add_argument("--from", dest="first", type=int, default=0)
    showing.add_argument("--count", type=int, default=40)
    showing.add_argument("--lines", type=int, default=6)
    scoring.add_argument("judged")
    scoring.add_argument("--binary")
    scoring.add_argument("--ported", type=Path, help="trees ported already, instead of --binary")
    scoring.add_argument("--to", default="ascend-910b3")
    scoring.add_argument("--all-sites", action="store_true", help="port with --all-sites: projects that support the chip already, too")
    scoring.add_argument("--json", action="store_true")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    sys.exit({"draw": draw, "show": show, "score": score}[arguments.command](arguments))


if __name__ == "__main__":
    main()
