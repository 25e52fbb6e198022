"""The options of solvers that a user may set: those that cannot change the meaning of a bound or of feasibility.

An option that is not listed here is refused, because nothing shows that a bound remains valid. Gaps and limits on
branch-and-bound nodes are listed: they end a search earlier, and the bound stated then is still one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError, unknown_name
from oas.solvers.cbc_text import KNOWN_OPTIONS
from oas.solvers.parameters import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

_HIGHS = """
    log_file mip_abs_gap mip_allow_cut_separation_at_nodes mip_allow_restart mip_detect_symmetry mip_heuristic_effort
    mip_heuristic_run_feasibility_jump mip_heuristic_run_rens mip_heuristic_run_rins
    mip_heuristic_run_root_reduced_cost mip_heuristic_run_shifting mip_heuristic_run_zi_round mip_ipm_solver
    mip_lifting_for_probing mip_lp_age_limit mip_lp_solver mip_max_leaves mip_max_nodes mip_max_stall_nodes
    mip_max_start_nodes mip_min_cliquetable_entries_for_parallelism mip_min_logging_interval mip_pool_age_limit
    mip_pool_soft_limit mip_pscost_minreliable mip_rel_gap mip_search_simulate_concurrency parallel presolve
    simplex_dual_edge_weight_strategy simplex_max_concurrency simplex_primal_edge_weight_strategy simplex_strategy
    simplex_update_limit
"""
_CPSAT = """
    add_cg_cuts add_clique_cuts add_lin_max_cuts add_lp_constraints_lazily add_mir_cuts add_objective_cut add_rlt_cuts
    add_zero_half_cuts binary_minimization_algorithm boolean_encoding_level clause_cleanup_lbd_bound
    clause_cleanup_ordering clause_cleanup_period clause_cleanup_ratio clause_cleanup_target core_minimization_level
    cover_optimization cp_model_presolve cp_model_probing_level cp_model_use_sat_presolve cut_level
    diversify_lns_params expand_alldiff_constraints feasibility_jump_decay
    feasibility_jump_enable_restarts feasibility_jump_linearization_level fp_rounding hint_conflict_limit
    initial_polarity interleave_batch_size interleave_search linear_split_size linearization_level
    log_subsolver_statistics max_all_diff_cut_size max_cut_rounds_at_level_zero max_deterministic_time max_memory_in_mb
    max_number_of_conflicts max_presolve_iterations merge_at_most_one_work_limit merge_no_overlap_work_limit
    minimization_algorithm minimize_shared_clauses num_full_subsolvers num_violation_ls only_add_cuts_at_level_zero
    optimize_with_core optimize_with_lb_tree_search permute_presolve_constraint_order permute_variable_randomly
    preferred_variable_order presolve_bve_threshold presolve_inclusion_work_limit
    presolve_probing_deterministic_time_limit presolve_substitution_level probing_deterministic_time_limit
    pseudo_cost_reliability_threshold random_branches_ratio random_polarity_ratio randomize_search repair_hint
    restart_algorithms restart_period root_lp_iterations search_branching share_binary_clauses share_glue_clauses
    share_level_zero_bounds share_objective_bounds shared_tree_num_workers shared_tree_split_strategy
    solution_pool_size symmetry_detection_deterministic_time_limit symmetry_level
    use_area_energetic_reasoning_in_no_overlap_2d use_blocking_restart use_disjunctive_constraint_in_cumulative
    use_dual_scheduling_heuristics use_dynamic_precedence_in_cumulative use_dynamic_precedence_in_disjunctive
    use_energetic_reasoning_in_no_overlap_2d use_erwa_heuristic use_extended_probing use_feasibility_jump
    use_feasibility_pump use_hard_precedences_in_cumulative use_implied_bounds use_lb_relax_lns use_lns
    use_objective_lb_search use_objective_shaving_search use_optimization_hints use_overload_checker_in_cumulative
    use_phase_saving use_precedences_in_disjunctive_constraint use_probing_search use_rins_lns use_sat_inprocessing
    use_shared_tree_search use_strong_propagation_in_disjunctive use_symmetry_in_lp
    use_timetable_edge_finding_in_cumulative variables_shaving_level
"""
ALLOWED: dict[str, frozenset[str]] = {
    "highs": frozenset(_HIGHS.split()),
    "cbc": frozenset(KNOWN_OPTIONS),
    "cpsat": frozenset(_CPSAT.split()),
    "pumpkin": frozenset(),
    "exact": frozenset(),
}
"""The options that may be set, by solver and under its names for them."""

_TOLERANCE = "changes what counts as feasible or integral, so that a false bound could be proven"
_SCALING = "changes the model or the scale on which its tolerances are measured"
_CUTOFF = "excludes solutions, so that the bound is not valid for all of them"
_FIRST = "ends the search at a first solution, or calls one within a gap optimal"
# Reasons for options that users know; capitals are ignored, and a beginning of three or more letters is enough, because
# CBC accepts abbreviations.
_REASONS = {
    **dict.fromkeys(("cutoff", "increment", "objective_bound", "objective_target", "pumpcutoff", "fixondj"), _CUTOFF),
    **dict.fromkeys(("fix_variables_to_their_hinted_value", "push_all_tasks_toward_start"), _CUTOFF),
    **dict.fromkeys(("small_matrix_value", "large_matrix_value", "infinite_cost", "infinite_bound"), _SCALING),
    **dict.fromkeys(("user_objective_scale", "user_bound_scale", "objectivescale", "rhsscale"), _SCALING),
    **dict.fromkeys(("maxsolutions", "mip_max_improving_sols", "stop_after_first_solution"), _FIRST),
    **dict.fromkeys(("absolute_gap_limit", "relative_gap_limit", "stop_after_presolve"), _FIRST),
    **dict.fromkeys(("stop_after_root_propagation", "enumerate_all_solutions"), _FIRST),
    **dict.fromkeys(("primaltolerance", "dualtolerance", "integertolerance", "zerotolerance"), _TOLERANCE),
    "solver": "names an algorithm for linear programs, which may ignore that variables are integers",
}
_FALLBACK = "is unknown, or may change the meaning of a bound or of feasibility"
_LEAST_ABBREVIATION = 3

# Names of harmless options of other solvers, in lower case: threads, limits, seeds, logs, presolve.
_ELSEWHERE = """
    display/verblevel limits/memory limits/nodes limits/time logfile logtoconsole lp/threads maxnode maxtime nodelimit
    outputflag outputlog parallel/maxnthreads preprocessing_presolve presolve presolving/maxrounds
    randomization/randomseedshift randomseed seed softmemlimit threads time_limit timelimit tmlim
"""
_HARMLESS_ELSEWHERE = frozenset(_ELSEWHERE.split())
# Further ones of Gurobi, SCIP, CPLEX and Xpress, whose own bound is read, also at a gap; no name means harm to another.
_DIRECT = """
    branchdir cliquecuts concurrentmip covercuts cutpasses cuts degenmoves flowcovercuts gomorypasses heuristics
    impliedcuts improvestartgap improvestartnodes improvestarttime integralityfocus iterationlimit memlimit method
    mipfocus mipgap mipgapabs mircuts nodefilestart nodemethod norelheurtime numericfocus predual prepasses presparsify
    rins submipnodes symmetry varbranch worklimit zerohalfcuts
    display/freq limits/absgap limits/gap limits/restarts limits/stallnodes limits/totalnodes lp/pricing lp/solvefreq
    dettimelimit emphasis_mip emphasis_numerical mip_cuts_covers mip_cuts_cliques mip_cuts_gomory mip_cuts_mircut
    mip_display mip_limits_cutpasses mip_limits_nodes mip_limits_treememory mip_strategy_heuristicfreq
    mip_strategy_nodeselect mip_strategy_probe mip_strategy_rinsheur mip_strategy_search mip_strategy_startalgorithm
    mip_strategy_variableselect mip_tolerances_absmipgap mip_tolerances_mipgap parallel preprocessing_symmetry workmem
    cutstrategy gomcuts heuremphasis heursearcheffort maxmemoryhard maxmemorysoft mipabsstop miprelstop nodeselection
    treecovercuts treegomcuts treememorylimit varselection
"""
_HARMLESS = dict.fromkeys(("gurobi", "scip", "cplex", "xpress"), frozenset(_DIRECT.split()))


def check_own_options(solver: str, options: Mapping[str, object], field: str) -> None:
    """Refuse an option of HiGHS, CBC or CP-SAT that may change the meaning of a bound or of feasibility.

    Options of other solvers are accepted here, but see `doubtful_options`. Raises `InputError` that names `field` and
    the option.
    """
    allowed = ALLOWED.get(solver)
    if allowed is None:
        return
    for name in options:
        if name not in allowed:
            if reason := _reason(name):
                raise InputError(f"{solver} does not take this option here: it {reason}", field=field, value=name)
            raise unknown_name(name, sorted(allowed), field, reason=f"this option of {solver} {_FALLBACK}")


def check_taken(solver: str, threads: int, gap: Fraction | int = 0) -> None:
    """Refuse what a solver does not take: several threads, or a gap. CBC runs one thread and says so."""
    names = PARAMETERS.get(solver)
    if threads > 1 and solver != "cbc" and not (names and names.threads):
        raise InputError(f"{solver} takes no threads", field="threads", value=threads)
    if gap and not (names and names.gap):
        raise InputError(f"{solver} takes none; it may have an own option", field="gap", value=str(gap))


def _reason(name: str) -> str:
    """Return the reason for which an option is refused; empty if none is known in particular."""
    small = name.lower()
    if "tolerance" in small or "precision" in small:
        return _TOLERANCE
    for known, reason in _REASONS.items():
        if len(small) >= _LEAST_ABBREVIATION and known.startswith(small):
            return reason
    return ""


def doubtful_options(solver: str, options: Mapping[str, object]) -> list[str]:
    """Return the options of a solver with which its bounds are not believed."""
    allowed = ALLOWED["highs"] if "highs" in solver else ALLOWED.get(solver, frozenset())
    harmless = _HARMLESS.get(solver, frozenset()) | _HARMLESS_ELSEWHERE
    return [name for name in options if name not in allowed and name.lower() not in harmless]
