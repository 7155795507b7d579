"""Makes a failing case smaller: fewer steps, fewer ranks, a simpler layout, fewer settings."""

import time

from job import SHORT_PATIENCE_S


class Narrowing:
    """`tries`: a case counts as good only when it has passed so often in a row."""

    def __init__(self, runner, seconds, tries, say):
        self.runner, self.tries, self.say = runner, tries, say
        self.end = time.monotonic() + seconds
        self.runs = 0

    def fails(self, case):
        for _ in range(self.tries):
            if time.monotonic() > self.end:
                return False
            self.runs += 1
            if not self.runner.run(case, patience_s=SHORT_PATIENCE_S).passed:
                return True
        return False

    def narrow(self, case, last_step):
        """The smallest case found that still fails; None where it did not fail again."""
        case = case.changed(steps=(last_step + 1) if last_step is not None else case.steps or 1000)
        if not self.fails(case):
            return None
        if case.steps:
            case = self._fewer_steps(case)
        case = self._fewer_ranks(case)
        return self._fewer_settings(case)

    def _fewer_steps(self, case):
        """Delta debugging (Zeller): leaves out ever smaller parts of the list of steps."""
        steps = case.keep if case.keep is not None else list(range(case.steps))
        for few in (steps[-1:], steps[-8:], steps[-32:]):
            if len(few) < len(steps) and self.fails(case.changed(keep=few)):
                steps = few
                break
        parts = 2
        while len(steps) > 1 and time.monotonic() < self.end:
            size = -(-len(steps) // parts)
            for first in range(0, len(steps), size):
                rest = steps[:first] + steps[first + size:]
                if rest and self.fails(case.changed(keep=rest)):
                    steps, parts = rest, max(parts - 1, 2)
                    self.say(f"{len(steps)} steps left")
                    break
            else:
                if size == 1:
                    break
                parts = min(parts * 2, len(steps))
        return case.changed(keep=steps, steps=steps[-1] + 1)

    def _fewer_ranks(self, case):
        for ranks in range(2, case.ranks):
            for layout in ("", "2", "ppn:1"):
                if layout == "2" and ranks < 2:
                    continue
                settings = dict(case.settings, MPIACTOR_NODES=layout)
                if "MPIACTOR_TORUS" in settings:  # which is of the old nodes
                    settings["MPIACTOR_TORUS"] = "auto"
                smaller = case.changed(ranks=ranks, settings=settings)
                if self.fails(smaller):
                    self.say(f"{ranks} ranks, layout {layout or 'one node'}")
                    return smaller
        return case

    def _fewer_settings(self, case):
        for name in sorted(case.settings, reverse=True):
            if name == "MPIACTOR_NODES" and "MPIACTOR_TORUS" in case.settings:
                continue
            rest = {other: value for other, value in case.settings.items() if other != name}
            if case.settings[name] and self.fails(case.changed(settings=rest)):
                case = case.changed(settings=rest)
        return case
