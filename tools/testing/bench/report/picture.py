# SPDX-License-Identifier: GPL-2.0-only
"""The costs of hits as a picture, by gnuplot."""

import subprocess

from report.cases import CASES, NO_HIT, case_name


def plot_rows(result):
    """(name, built-in, ours) of the hits that both sides have on the same kernel."""
    both = result.get("instructions", {}).get("stock", {})
    builtin, ours = both.get("builtin", {}), both.get("ours", {})
    return [(case_name(case, result), builtin[case], ours[case]) for case in CASES
            if case not in NO_HIT and isinstance(builtin.get(case), float) and
            isinstance(ours.get(case), float)]


def script_of(rows, path):
    # Names have underscores, which gnuplot's "enhanced" text takes for subscripts. To the right of
    # the longest bar there has to be room for its number.
    most = max(max(theirs, mine) for _, theirs, mine in rows)
    data = "\n".join(f'"{name}" {theirs} {mine}' for name, theirs, mine in reversed(rows))
    return f"""
set terminal pngcairo noenhanced size 1000,{120 + 34 * len(rows)} font "sans,10"
set output "{path}"
set title "Guest instructions per hit (stock kernel, one run)"
set key bottom right
set xrange [0:{most * 1.1}]
set yrange [-0.7:{len(rows)}]
set grid xtics
set style fill solid
set boxwidth 0.35
set lmargin 44
$data << EOD
{data}
EOD
plot $data using ($2/2):($0+0.18):($2/2):(0.17):ytic(1) with boxxyerror title "built-in", \\
     $data using ($3/2):($0-0.18):($3/2):(0.17) with boxxyerror title "ours", \\
     $data using 2:($0+0.18):(sprintf("%g", $2)) with labels left offset 0.5,0 notitle, \\
     $data using 3:($0-0.18):(sprintf("%g", $3)) with labels left offset 0.5,0 notitle
"""


def plot(result, path):
    """Plots to a PNG file; whether there was anything to plot."""
    rows = plot_rows(result)
    if not rows:
        return False
    done = subprocess.run(["gnuplot"], input=script_of(rows, path), text=True, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"gnuplot failed:\n{done.stderr}")
    return True
