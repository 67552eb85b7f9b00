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
    """Fills in ``dependencies`` from the table ``members`` (distribution = folder) of the hook's configuration."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set ``metadata["dependencies"]``: one requirement for each member, in the order of the table."""
        root = Path(self.root)
        members: dict[str, str] = self.config["members"]
        if (root / "core").is_dir() and not os.environ.get("POLYLECT_RELEASE"):
            found = [f"{name} @ {(root / folder).as_uri()}" for name, folder in members.items()]
        else:
            found = [f"{name}=={metadata['version']}" for name in members]
        metadata["dependencies"] = found
