"""Throughput as two numbers, T = B / (1 + M_half / M) ([K-perf]), fitted by gnuplot."""

import dataclasses
import math
import statistics

import gnuplot

# A line through two points fits exactly: nothing would be known of its error.
FEWEST_SIZES = 3


@dataclasses.dataclass
class Fit:
    """time = t0 + bytes / B and M_half = t0 B, each with its standard error. MB = 10^6 bytes."""

    b_mbps: float
    b_error: float
    m_half_bytes: float
    m_half_error: float
    t0_us: float
    t0_error: float
    r2: float  # of the throughput: 1 - residual over total sum of squares
    worst_deviation: float  # largest |fitted / measured - 1| of a size's throughput

    def throughput_mbps(self, size):
        return size / (self.t0_us + size / self.b_mbps)


SCRIPT = """
set fit quiet nologfile errorvariables covariancevariables
$data << END_OF_DATA
{points}
END_OF_DATA
t0 = 1.0
slope = 1.0
fit t0 + slope * x $data using 1:2:3 yerrors via t0, slope
set print "-"
print sprintf("%.17g %.17g %.17g %.17g %.17g", t0, slope, t0_err, slope_err, FIT_COV_t0_slope)
"""


def fit_throughput(points):
    """`points`: (bytes, us) of at least FEWEST_SIZES different sizes, else None. Each time weighs by its relative
    error, so that short and long messages count alike; standard errors are scaled by the scatter about the line.
    None, too, where the times do not grow with the size."""
    if len({size for size, _ in points}) < FEWEST_SIZES:
        return None
    # Near 1, as the Marquardt-Levenberg method likes its numbers.
    byte_unit = math.exp(statistics.fmean(math.log(size) for size, _ in points))
    time_unit = math.exp(statistics.fmean(math.log(time) for _, time in points))
    rows = [f"{size / byte_unit:.17g} {time / time_unit:.17g} {time / time_unit:.17g}" for size, time in points]
    t0, slope, t0_error, slope_error, covariance = map(
        float, gnuplot.run(SCRIPT.format(points="\n".join(rows))).split())
    if slope <= 0:
        return None
    m_half = t0 / slope
    variance = (t0_error**2 - 2 * m_half * covariance + (m_half * slope_error) ** 2) / slope**2
    b_mbps = byte_unit / (slope * time_unit)
    fit = Fit(b_mbps=b_mbps, b_error=b_mbps * slope_error / slope, m_half_bytes=m_half * byte_unit,
              m_half_error=math.sqrt(max(0.0, variance)) * byte_unit, t0_us=t0 * time_unit,
              t0_error=t0_error * time_unit, r2=0.0, worst_deviation=0.0)
    judge(fit, points)
    return fit


def judge(fit, points):
    """How well the curve goes through the points."""
    measured = [size / time for size, time in points]
    fitted = [fit.throughput_mbps(size) for size, _ in points]
    mean = statistics.fmean(measured)
    residual = sum((a - b) ** 2 for a, b in zip(measured, fitted))
    total = sum((a - mean) ** 2 for a in measured)
    fit.r2 = 1 - residual / total if total else 0.0
    fit.worst_deviation = max(abs(b / a - 1) for a, b in zip(measured, fitted))
