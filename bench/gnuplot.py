"""Runs gnuplot: fits, and curves and bars as SVG pictures like the simulator's."""

import dataclasses
import pathlib
import subprocess

from job_runner import JobError

# Distinguishable without colours by their marks, and for most people with them.
COLOURS = ("#59636e", "#0969da", "#d1242f", "#1a7f37", "#8250df", "#9a6700")


@dataclasses.dataclass
class Curve:
    name: str
    points: list  # (x, y)
    style: str = "linespoints"  # points, linespoints or lines
    colour: int = 0  # of COLOURS
    dashed: bool = False


@dataclasses.dataclass
class Panel:
    """One diagram of a picture."""

    title: str
    x_label: str
    y_label: str
    curves: list
    log_x: bool = True
    log_y: bool = False
    key: str = "top left"


@dataclasses.dataclass
class Bars:
    """A diagram of bars side by side: for each category one of each series."""

    title: str
    y_label: str
    categories: list
    series: dict  # name: a value for each category


def run(script):
    """What gnuplot prints. Raises JobError with its message."""
    try:
        done = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True, check=False)
    except OSError as error:
        raise JobError(f"gnuplot cannot be started ({error.strerror}); it comes with the package gnuplot-nox") from error
    if done.returncode != 0:
        raise JobError(f"gnuplot failed (status {done.returncode}):\n{done.stderr.strip()}")
    return done.stdout


def quoted(text):
    """A single-quoted string of gnuplot's, in which a quote is written twice."""
    return "'" + str(text).replace("'", "''").replace("\n", " ") + "'"


def panel_script(panel, number):
    lines = [f"set title {quoted(panel.title)}", f"set xlabel {quoted(panel.x_label)}",
             f"set ylabel {quoted(panel.y_label)}", f"set key inside vertical {panel.key}",
             f"{'' if panel.log_x else 'un'}set logscale x", f"{'' if panel.log_y else 'un'}set logscale y"]
    drawings = []
    for index, curve in enumerate(panel.curves):
        name = f"$curve{number}_{index}"
        lines += [f"{name} << END_OF_DATA"] + [f"{x:.9g} {y:.9g}" for x, y in curve.points] + ["END_OF_DATA"]
        mark = "" if curve.style == "lines" else f" pointtype {2 * curve.colour + 5} pointsize 0.6"
        dash = " dashtype 2" if curve.dashed else ""
        drawings.append(f"{name} using 1:2 with {curve.style} linecolor rgb {quoted(COLOURS[curve.colour])}{mark}{dash} "
                        + (f"title {quoted(curve.name)}" if curve.name else "notitle"))
    return lines + ["plot " + ", ".join(drawings)]


def bars_script(bars, number):
    lines = [f"set title {quoted(bars.title)}", "unset xlabel", f"set ylabel {quoted(bars.y_label)}", "set key outside top center horizontal",
             "unset logscale", "set style data histograms", "set style histogram clustered gap 1", "set xtics rotate by 0",
             "set style fill solid 0.85 noborder", "set yrange [0:*]", f"$bars{number} << END_OF_DATA"]
    for index, category in enumerate(bars.categories):
        values = " ".join(f"{values[index]:.9g}" for values in bars.series.values())
        lines.append('"' + str(category).replace('"', "'") + '" ' + values)
    lines.append("END_OF_DATA")
    drawings = [f"$bars{number} using {column + 2}:xtic(1) linecolor rgb {quoted(COLOURS[column])} title {quoted(name)}"
                for column, name in enumerate(bars.series)]
    # Other diagrams of the picture choose their own ranges and tics.
    return lines + ["plot " + ", ".join(drawings), "set xtics autofreq", "set yrange [*:*]"]


def write_svg(path, panels, columns=2):
    """Panels side by side, row by row."""
    path = pathlib.Path(path)
    try:
        path.touch()  # gnuplot only warns about an output that it cannot open
    except OSError as error:
        raise JobError(f"--svg: cannot write {path}: {error.strerror}") from error
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    lines = [f"set terminal svg size {620 * columns},{420 * rows} dynamic enhanced noenhanced background '#ffffff'",
             f"set output {quoted(path)}", "set grid", "set format '%.4g'",
             f"set multiplot layout {rows},{columns}"]
    for number, panel in enumerate(panels):
        lines += (bars_script if isinstance(panel, Bars) else panel_script)(panel, number)
    run("\n".join(lines + ["unset multiplot", ""]))
