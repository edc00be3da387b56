"""Users, a model with the tools of workspaces, and a server that counts: JSON in, JSON out."""

import json
import sys
from pathlib import Path

from benchmarks.seeding import cookie_of, model_at  # sets Django up
from chat.models import LanguageModel, Preset, Provider
from tools import loop
from tools.catalogue import switches
from tools.mcp import listing
from tools.models import Policy, Server

TOOLS = ("write_file", "read_file", "list_files")
COUNTING = Path(__file__).with_name("counting_server.py")


def main() -> None:
    wanted = json.load(sys.stdin)
    provider = Provider.objects.create(name="Stub", base_url=wanted["base_url"], api_key="none")
    for name in TOOLS:
        switches.switch(name, enabled=True)
    arguments = [str(COUNTING), "{workspace}"]
    server = Server.objects.create(
        name="counting", command=sys.executable, args=arguments, policy=Policy.ALLOW
    )
    assert not listing.refresh(server).error
    model = model_at(provider, wanted["model"])
    policies = [["*", "allow"]]
    preset = Preset.objects.create(name="Files", tools=[*TOOLS, "counting-*"], policies=policies)
    LanguageModel.objects.filter(public_id=model).update(preset=preset)
    cookies = {name: cookie_of(name) for name in ("owner", "outsider")}
    sys.stdout.write(json.dumps({"cookies": cookies, "model": model}))
    loop.close()


if __name__ == "__main__":
    main()
