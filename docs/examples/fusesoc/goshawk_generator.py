#!/usr/bin/env python3
"""Generator of FuseSoC: writes a trace system into the current folder, with a core file under the name that FuseSoC gives."""

import shlex
import subprocess
import sys

import yaml

with open(sys.argv[1]) as text:
    config = yaml.safe_load(text)
parameters = config.get("parameters") or {}
unknown = set(parameters) - {"options", "command"}
if unknown:
    sys.exit(f"goshawk_generator: parameter {sorted(unknown)[0]}: parameters are options and command")
command = [parameters.get("command", "goshawk"), "gen", *shlex.split(parameters.get("options", "")), "-o", "."]
if subprocess.run(command, stdout=subprocess.DEVNULL).returncode:
    sys.exit(f"goshawk_generator: {shlex.join(command)} failed")
with open("fusesoc.core") as text:
    lines = [f"name: {config['vlnv']}\n" if line.startswith("name: ") else line for line in text]
with open("fusesoc.core", "w") as text:
    text.writelines(lines)
