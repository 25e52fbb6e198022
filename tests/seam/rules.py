"""The verifier's rules: each job once, for its time, on one machine that exists and runs nothing else."""

from oas.core.violation import Violation


def violations(instance, schedule):
    found = []
    times = {job.id: job.time for job in instance.jobs}
    placed = [one.job for one in schedule.placements]
    for job in times:
        if placed.count(job) != 1:
            found.append(Violation("once", (job,), f"job {job} runs {placed.count(job)} times"))
    busy = {}
    for one in schedule.placements:
        machines = one.nodes.get("park", ())
        if one.start < 0 or one.duration != times.get(one.job):
            found.append(Violation("duration", (one.job,), f"job {one.job} runs from {one.start} to {one.end}"))
        if len(machines) != 1 or set(one.nodes) != {"park"} or max(machines) >= instance.machines:
            found.append(Violation("machine", (one.job,), f"job {one.job} runs on {dict(one.nodes)}"))
        for machine in machines:
            if one.start < busy.get(machine, 0):
                found.append(Violation("overlap", (one.job,), f"machine {machine} is taken at {one.start}"))
            busy[machine] = max(busy.get(machine, 0), one.end)
    return found
