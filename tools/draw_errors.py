#!/usr/bin/env python3
"""Where predictions of public programs are off, and what a change of the model does to them.

usage: tools/draw_errors.py RECORDED.csv JSON_DIR [PERCENT]      medians, nine tenths, kernels that are off by PERCENT (10) and more
       tools/draw_errors.py RECORDED.csv JSON_DIR --than OTHER   what is otherwise in JSON_DIR than in the predictions of OTHER

RECORDED.csv: what a card did (tests/hw/time/CARD-DRAW.csv); JSON_DIR: what tools/predict_draw.sh wrote. Counts as tools/time_accuracy.py does."""
import os
import shutil
import statistics
import sys
import tempfile

import time_accuracy as accuracy

MEASURES = [(name, measure) for name, measure in accuracy.MEASURES if name != accuracy.BASELINE]
CHANGED = 0.02  # of an error, which is shown


def cases_of(recorded, folder):
    """(program, kernel, grid, block) -> what was predicted and measured; and what has no prediction."""
    card = os.path.basename(recorded).split("-")[0]
    accuracy.DRAWS["this"] = (card, None)  # the peak of its memory is only for the baseline
    with tempfile.TemporaryDirectory() as accuracy.FOLDER:
        shutil.copy(recorded, os.path.join(accuracy.FOLDER, f"{card}-this.csv"))
        accuracy.public("this", folder)
        cases, missing = accuracy.public_cases("this")
        pairs = list(accuracy.variants("this"))
    return {accuracy.configuration(row): (predicted, row) for predicted, row in cases}, missing, pairs


def name_of(key):
    return f"{key[0]} {accuracy.short_name(key[1])[:30]} {key[2]} {key[3]}"


def errors_of(cases, measure):
    pairs = {key: measure(*case) for key, case in cases.items()}
    return {key: pair[0] / pair[1] - 1 for key, pair in pairs.items() if pair}


def summary(errors):
    return accuracy.distribution([abs(e) for e in errors.values()])


def show(recorded, folder, least):
    cases, missing, pairs = cases_of(recorded, folder)
    print(f"{len(cases) + len(missing)} kernels, without a prediction: {', '.join(name_of(accuracy.configuration(r)) for r in missing) or 'none'}")
    for name, measure in MEASURES:
        errors = errors_of(cases, measure)
        print(f"== {name}: {summary(errors)}")
        for key in sorted((k for k in errors if abs(errors[k]) >= least), key=lambda k: -abs(errors[k])):
            print(f"   {errors[key]:+7.1%} {name_of(key)}  {'%.4g / %.4g' % measure(*cases[key])}")
    for name, holds in accuracy.ANSWERS:
        print(f"== {name}: {sum(holds(*case) for case in cases.values())} of {len(cases) + len(missing)}")
    print(f"== high / low {statistics.median(float(p['high']) / float(p['low']) for p, _ in cases.values()):.2f}, pairs {sum(pairs)} of {len(pairs)}")


def compare(recorded, folder, other):
    now, before = cases_of(recorded, folder)[0], cases_of(recorded, other)[0]
    for name, measure in MEASURES:
        a, b = errors_of(before, measure), errors_of(now, measure)
        both = [key for key in b if key in a]
        for key in both:
            if abs(a[key] - b[key]) > CHANGED:
                print(f"   {a[key]:+7.1%} -> {b[key]:+7.1%} {name_of(key)}")
        print(f"== {name}: {summary({k: a[k] for k in both})} -> {summary({k: b[k] for k in both})}")


def main():
    words = sys.argv[1:]
    if len(words) == 4 and words[2] == "--than":
        return compare(words[0], words[1], words[3])
    if len(words) not in (2, 3):
        sys.exit(__doc__)
    return show(words[0], words[1], float(words[2]) / 100 if len(words) == 3 else 0.1)


if __name__ == "__main__":
    main()
