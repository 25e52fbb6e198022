"""Check the language of docstrings, comments and pages: ``python -m tests.prose PATH...``, part of ``make lint``.

A short list of patterns finds the phrases that have made this project hard to read. On its old texts codespell and
proselint found none of them, and vale needs a program that pip does not install. A line with ``prose: ok`` is exempt.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

BEFORE = "of|by|with|to|from|for|in|on|and|than|is|are|return"
PATTERNS = {
    "'what' as a noun: name the thing": rf"^What\b(?!.*\?)|\b({BEFORE}) what\b",
    "archaic adverb": r"\b(anew|thereby|therein|thereof|whatsoever|henceforth|hitherto|whereupon)\b",
    "say 'next to', 'with' or 'compared with'": r"\bbeside\b",
    "say 'immediately' or 'simultaneously'": r"\bat once\b",
    "say 'unchanged', or delete": r"\bas (ever|it stands|they stand)\b",
    "say 'available', 'possible' or 'must'": r"\b(can|may|could) be had\b|\b(is|are|was|were) to be\b(?! able)",
    "give the number a name": r"\bso (many|much)\b",
    "say 'if' or 'identified by'": r"\bunless told\b|\btold (by|apart)\b",
    "say 'claimed without a certificate'": r"\b(solver|CP-SAT|HiGHS|CBC|its|whose)('s)? word\b",
    "say 'compared with'": r"\b(held|hold|holds|holding) (\w+ )?against\b",
    "say 'package', 'module' or 'layer'": r"\b(the|a|each|this|every) (house|room)s?\b",
    "say 'continues'": r"\b(goes|go|gone|going) on\b",
    "say 'no organization', 'no job'": r"\bnobody\b",
    "say 'if' or 'for every'": r"\bwherever\b|\bwhere (it|they|there|one|none|all) (is|are|has|have|can)\b",
}
NAMES = re.compile(r"`[^`]*`")  # of code, in which every word is allowed
RULES = {advice: re.compile(pattern, re.IGNORECASE) for advice, pattern in PATTERNS.items()}


def lines_of(path, text):
    """Yield number and text of each line of prose: docstrings and comments of code, text of a page."""
    if path.suffix == ".md":
        code = False
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith("```"):
                code = not code
            elif not code and not line.startswith("    "):
                yield number, line
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for offset, line in enumerate(node.value.value.splitlines()):
                yield node.lineno + offset, line.strip()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


def findings(path, text):
    """Return a line for each phrase found: place, advice and text."""
    found = [
        (number, advice, line)
        for number, line in lines_of(path, text)
        for advice, rule in RULES.items()
        if rule.search(NAMES.sub("", line)) and "prose: ok" not in line
    ]
    return [f"{path}:{number}: {advice}: {line[:100]}" for number, advice, line in sorted(found)]


def main(paths):
    """Print the findings in files under version control below `paths`; return the exit code."""
    names = subprocess.run(["git", "ls-files", *paths], capture_output=True, text=True, check=True).stdout.split()
    files = [Path(name) for name in names if name.endswith((".py", ".md")) and "/results/" not in name]
    found = [one for path in files for one in findings(path, path.read_text(encoding="utf-8"))]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
