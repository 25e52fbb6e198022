"""Deliberate bugs in what reservations cost and in where one is best put, with the tests that have to notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

PLACEMENT = "tests/studies/reservations/test_placement.py"
PRICES = "tests/studies/reservations/test_prices.py"
SHIFTED = (f"{PRICES}::test_clear_shifts_are_those_at_which_no_moment_holds_too_much",)
LEAST = (f"{PRICES}::test_lowered_and_its_least_value",)
FIRST = (f"{PLACEMENT}::test_a_reservation_between_jobs_costs_nothing_and_of_many_best_starts_the_first_is_told",)
BEST = (f"{PLACEMENT}::test_the_start_is_the_best_and_the_curve_the_optimum_at_every_start",)
RELAXED = (f"{PLACEMENT}::test_what_is_solved_for_a_range_is_a_relaxation_of_each_of_its_starts",)
DELAYED = (f"{PLACEMENT}::test_a_delay_bounds_the_optimum_beside_others_that_begin_later",)
SPOKEN = (f"{PLACEMENT}::test_one_schedule_bounds_the_optimum_at_every_start_it_speaks_of",)
HALVES = (f"{PLACEMENT}::test_only_starts_so_much_apart_and_times_that_are_no_integers",)
OPEN = (f"{PRICES}::test_an_open_optimum_makes_the_price_an_interval",)
ALIKE = (f"{PRICES}::test_reservations_that_are_alike_are_solved_once_and_late_ones_never",)
STRADDLING = (f"{PRICES}::test_a_reservation_that_begins_earlier_and_ends_later_is_in_the_way",)

SHIFTS = "oas/studies/reservations/shifts.py"
FUNCTIONS = "oas/studies/reservations/pieces.py"
SITE = "oas/studies/reservations/site.py"
LAND = "oas/studies/reservations/landscape.py"
OPTIMUM = "oas/studies/reservations/optimum.py"
PRICE = "oas/studies/reservations/prices.py"

BUGS = (
    # Where blocks fit
    Bug("a reservation must not begin when a job ends", SHIFTS, "e - a - 1)", "e - a)", SHIFTED),
    Bug("a reservation may end a tick after a job begins", SHIFTS, "(c - b + 1,", "(c - b + 2,", SHIFTED),
    Bug(
        "a reservation fits where it alone is not too wide",
        SHIFTS,
        "if width + held > processors",
        "if held > processors - 1",
        SHIFTED,
    ),
    # Bounds for ranges of starts
    Bug(
        "the common part goes on to the end of the last start",
        SITE,
        "self.tick(first) + self.length\n\n    def with_common",
        "self.tick(last) + self.length\n\n    def with_common",
        RELAXED,
    ),
    Bug(
        "the right end of the common part is inclusive",
        SITE,
        "return self.tick(last), self.tick(first) + self.length",
        "return self.tick(last), self.tick(first) + self.length + 1",
        RELAXED,
    ),
    Bug(
        "others stay where they are when jobs are put off",
        SITE,
        "Reservation(one.start + delay,",
        "Reservation(one.start,",
        DELAYED,
    ),
    Bug(
        "only others after the last start are put off",
        SITE,
        "over, delay = self.tick(first) + self.length",
        "over, delay = self.tick(last) + self.length",
        DELAYED,
    ),
    Bug("a bound with a delay is one without", LAND, "bound - (last - first) * step, step)", "bound, 0)", BEST),
    Bug("a reservation later than another is put off past it", SITE, "// self.step + 1)", "// self.step)", SPOKEN),
    # Schedules at other starts
    Bug("jobs that move with the reservation forget releases", LAND, "max(0, place - slack // site.step)", "0", SPOKEN),
    Bug(
        "what moves is late by a start less",
        LAND,
        "moves + (turn + 1 - place) * site.step",
        "moves + (turn - place) * site.step",
        SPOKEN,
    ),
    # Which start
    Bug(
        "ties to the latest start",
        FUNCTIONS,
        "min((piece.value, piece.first) for piece in pieces)",
        "min(((piece.value, piece.last) for piece in pieces), key=lambda one: (one[0], -one[1]))",
        (*LEAST, *FIRST),
    ),
    Bug("an earlier start that is as good is no rival", LAND, "best - 1), value), (", "best - 1), value - 1), (", BEST),
    Bug("a reservation's length is rounded to the jobs' ticks", SITE, "[time, earliest, *(", "[earliest, *(", HALVES),
    # Prices
    Bug(
        "the price takes upper minus upper where an optimum is open",
        OPTIMUM,
        "more.makespan - less.lower_bound",
        "more.makespan - less.makespan",
        OPEN,
    ),
    Bug(
        "the least price takes lower minus lower",
        OPTIMUM,
        "more.lower_bound - less.makespan",
        "more.lower_bound - less.lower_bound",
        OPEN,
    ),
    Bug("a reservation that ends late costs nothing", PRICE, "like[1].start >= end", "like[1].end >= end", STRADDLING),
    Bug(
        "without one reservation all that are alike are left out",
        PRICE,
        "kept.remove(reservation)",
        "kept = [one for one in kept if one != reservation]",
        (f"{PRICES}::test_each_of_two_that_are_alike_is_left_out_alone",),
    ),
)
