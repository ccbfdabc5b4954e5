"""A test fixture: starts `tillseal serve` on free ports and drives its card. For your tests, not for a till."""

import json
import os
import re
import shlex
import subprocess
import urllib.request

# Not `npx tillseal`: the signal that ends npx would leave the emulator behind.
TILLSEAL = os.environ.get("TILLSEAL", "node node_modules/tillseal/dist/src/cli.js")


class Emulator:
    """Set TILLSEAL_URL and TILLSEAL_CONTROL_URL, as tillseal rehearse does, to use an emulator that is already running."""

    pin = "1234"

    def __init__(self):
        self.process = None
        service = os.environ.get("TILLSEAL_URL")
        self.url = service and f"{service}/api/v3"
        self.control_url = os.environ.get("TILLSEAL_CONTROL_URL")
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        if self.url is None or self.control_url is None:
            self._start()

    def _start(self):
        options = ["--port", "0", "--control-port", "0", "--no-authority", "--until-stdin-ends"]
        command = [*shlex.split(TILLSEAL), "serve", *options]
        # The end of its stdin ends the emulator, also when this program is killed.
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
        said = ""
        for line in self.process.stdout:
            said += line
            if line.strip() == "ready":
                break
        else:
            raise RuntimeError(f"{TILLSEAL} did not start: {said}")
        self.url = re.search(r"listens on (http://\S+/api/v3)", said).group(1)
        self.control_url = re.search(r"^(http://\S+)/control drives", said, re.M).group(1)

    def do(self, step):
        """Does a step of a scenario: `{"card": "unplug"}`, `{"clock": {"advance": "1h"}}`."""
        return self._control("POST", "/do", step)

    def insert_card(self):
        self.do({"card": "insert"})

    def remove_card(self):
        self.do({"card": "remove"})

    def lock_card(self):
        self.patch_card(locked=True)

    def patch_card(self, **fields):
        """`limit="100"`, `sum="99.5"`, `locked=True`: amounts are decimal text."""
        self.do({"card": {"patch": fields}})

    def counters(self):
        """`{"total": 2, "NS": 1, "NR": 1, ...}`"""
        return self._control("GET", "/card")["counters"]

    def fault(self, **fault):
        self.do({"faults": [fault]})

    def remove_faults(self):
        self.do({"faults": "clear"})

    def audit(self):
        """Lets the tax authority audit the card: the sum becomes 0."""
        self.do({"authority": "audit"})

    def requests(self, **where):
        """Requests since the last reset: `request_id="order-1"` is `requestId`, `signed=True`, `body={"cashier": "Ana"}`."""
        if "request_id" in where:
            where["requestId"] = where.pop("request_id")
        return self._control("POST", "/traffic/find", {"where": where})["requests"]

    def reset(self):
        """Resets card, store, clock and faults to the start."""
        self._control("POST", "/reset", {})

    def given(self, **given):
        """Restarts in another situation: `settings={"answerForm": "device"}`; nothing is the usual one."""
        self._control("POST", "/given", given)

    def close(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process.stdout.close()

    def _control(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.control_url + "/control" + path, data, method=method)
        with self.opener.open(request, timeout=30) as answer:
            text = answer.read()
            return json.loads(text) if text else None
