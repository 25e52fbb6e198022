"""The cache folders of compiled kernels.

Loading compiled code executes it. A folder is therefore used only if other users cannot write there, by the rules that
ssh applies to its own files: the folder and the folders above it belong to this user or to root, and group and others
have no write permission. The exceptions are a group that contains this user alone, the group of root, and folders
above with the sticky bit such as ``/tmp``, in which others cannot replace this user's folders. The folders above the
package are not checked, because whoever may write there can replace the Python code as well.
"""

from __future__ import annotations

import logging
import os
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

FOLDER_VARIABLE = "NUMBA_CACHE_DIR"  # names the only folder for compiled code; ignored if it is not usable

LOGGER = logging.getLogger("oas")


@cache
def code_folders() -> tuple[Path, ...]:
    """Return the folders that may hold compiled code; new code goes into the first.

    It is the first writable one of ``NUMBA_CACHE_DIR``, the package, the user's cache, and a temporary folder. Folders
    in which other users may write are not used, and a warning names them. The result is empty only if other users may
    write in every temporary folder too.
    """
    if given := os.environ.get(FOLDER_VARIABLE):
        with suppress(OSError):  # it is relative, and the working folder was deleted
            folder = Path(os.path.realpath(given))
            if _is_usable(folder) and _is_writable(folder):
                return (folder,)
    folders = sorted(filter(_is_usable, default_folders()), key=lambda folder: not _is_writable(folder))
    if not (folders and _is_writable(folders[0])) and (temporary := _temporary()) is not None:
        folders.insert(0, Path(temporary.name))
    return tuple(filter(Path.is_dir, folders))


def default_folders() -> list[Path]:
    """Return the package's and the user's folder; the latter is missing if the user has no home."""
    folders = [Path(__file__).resolve().parent / "__pycache__"]
    cache_home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    if os.path.isabs(cache_home):  # not if there is neither HOME nor an entry in the list of users
        folders.append(Path(os.path.realpath(cache_home)) / "oas-scheduling")
    return folders


def is_kept(folder: Path) -> bool:
    """Return whether new code in this folder outlives the process."""
    temporary = _temporary() if _temporary.cache_info().currsize else None
    return _is_writable(folder) and (temporary is None or folder != Path(temporary.name))


def open_to(path: Path, above: bool = True) -> str:
    """Return the reason why others may write to a path or, if `above` is set, replace it; empty if they cannot."""
    for place in (path, *(path.parents if above else ())):
        status = place.stat()
        if status.st_uid not in _trusted():
            return f"{place} belongs to another user"
        in_sticky = place != path and status.st_mode & stat.S_ISVTX
        if status.st_mode & stat.S_IWOTH and not in_sticky:
            return f"all users may write to {place}"
        if status.st_mode & stat.S_IWGRP and not in_sticky and not _is_own_group(status.st_gid):
            return f"a group may write to {place}"
    return ""


def _trusted() -> tuple[int, ...]:
    """Return the owners who can change the executed program anyway: the user, root, and the owner of this file.

    The owner of the root folder counts as root. In a container without a user 0 it has another number.
    """
    return os.geteuid(), 0, os.stat("/").st_uid, os.stat(__file__).st_uid


@cache
def _is_own_group(group: int) -> bool:
    """Return whether a group is that of root, or contains this user alone, as many systems create one for each user."""
    import grp
    import pwd

    if group == 0:
        return True
    try:
        members = {user.pw_name for user in pwd.getpwall() if user.pw_gid == group} | set(grp.getgrgid(group).gr_mem)
        return members == {pwd.getpwuid(os.geteuid()).pw_name}
    except KeyError:
        return False


def _is_usable(folder: Path) -> bool:
    """Create a folder if possible; return whether it exists and is closed to others, and log the reason if it is not.

    A folder that cannot be created is not usable either, which is not logged.
    """
    with suppress(OSError):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        reason = open_to(folder, above=folder != default_folders()[0])
        if reason:
            LOGGER.warning(
                "compiled code is not kept in %s, because loading it executes it and %s; make it yours alone (chown,"
                " chmod go-w), or set %s to a folder that is",
                folder,
                reason,
                FOLDER_VARIABLE,
            )
        return not reason
    return False


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)


@cache
def _temporary() -> tempfile.TemporaryDirectory[str] | None:
    """Create a folder that is deleted with this process; None if others could replace it."""
    with suppress(OSError):
        parent = os.path.realpath(tempfile.gettempdir())
        folder = tempfile.TemporaryDirectory(prefix="oas-code-", dir=parent)
        reason = open_to(Path(folder.name))
        if not reason:
            return folder
        folder.cleanup()
        LOGGER.warning("no folder for compiled code: searches run slowly, as plain Python (%s)", reason)
    return None
