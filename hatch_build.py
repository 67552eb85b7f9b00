"""Points the meta distribution at its members.

In a checkout the members are the folders beside this file, so that ``pip install .`` installs what stands there.
Anywhere else they are the released distributions of the same version. ``POLYLECT_RELEASE=1`` asks for the latter in a
checkout too: an archive that is to be published must not name the folders of the machine that built it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class MemberDependencies(MetadataHookInterface):
    """Fills in ``dependencies`` and ``optional-dependencies`` from the tables of the hook's configuration.

    ``members`` and ``others`` are distributions with their folders: the first are what the root needs, the others what
    its ``extras`` may name. An extra is a list of requirements; the name of a distribution of ours is pointed at it.
    ``with-extras`` are extras of the members themselves.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Set both: the members in the order of their table, and each extra in the order of its list."""
        root = Path(self.root)
        members: dict[str, str] = self.config["members"]
        folders: dict[str, str] = {**members, **self.config["others"]}
        extras: dict[str, list[str]] = self.config["extras"]
        wanted: dict[str, str] = self.config["with-extras"]
        named = {name: f"{name}[{wanted[name]}]" if name in wanted else name for name in folders}
        if (root / "core").is_dir() and not os.environ.get("POLYLECT_RELEASE"):
            ours = {name: f"{named[name]} @ {(root / folder).as_uri()}" for name, folder in folders.items()}
        else:
            ours = {name: f"{named[name]}=={metadata['version']}" for name in folders}
        metadata["dependencies"] = [ours[name] for name in members]
        metadata["optional-dependencies"] = {
            extra: [ours.get(need, need) for need in needs] for extra, needs in extras.items()
        }
