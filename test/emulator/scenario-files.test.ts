/** Scenario files: a wrong one is reported with its place, and none passes without a check. */

import { join } from "node:path";
import { expect, it } from "vitest";
import { differences, showBody } from "../../harness/scenario/match.js";
import { httpRequestOf } from "../../harness/scenario/step-request.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { scenarioFile } from "../support/scenario-file.js";

it("a scenario that is broken on purpose fails with file, line, expected and actual values, and the exchange", async () => {
  const file = scenarioFile(`name: A sale
given: { card: { pinVerified: true } }
steps:
  - request: { invoice: {} }
    answer: { status: 200, json: { totalCounter: 7 } }
`);
  const { status, stdout } = await tillseal(["scenario", "run", file]);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^failed .*: A sale/m);
  expect(stdout).toContain(`${file}:4: step 1: the answer differs from what the step expects`);
  expect(stdout).toMatch(/json\.totalCounter: expected 7\n +but was {2}1/);
  expect(stdout).toContain("POST /api/v3/invoices");
  expect(stdout).toContain("0 passed, 1 failed");
});

it.each([
  ["name: x\nsteps:\n  - { card: eat }\n", /scenario\.yaml:3:13: steps\[0\]\.card must be one of insert, remove/],
  [
    "name: x\nstep: []\nsteps: [{ card: insert }]\n",
    /:2:7: step is not known; did you mean steps\? Expected one of name, about, tags, given, cases, steps/,
  ],
  [
    "name: x\ngiven: { card: { pni: 1 } }\nsteps: [{ card: insert }]\n",
    /:2:\d+: given\.card\.pni is not known; did you mean pin\? Expected one of inserted/,
  ],
  [
    "name: x\ngiven: { faults: [{ on: sign }] }\nsteps: [{ card: insert }]\n",
    /:2:\d+: given\.faults\[0\]\.kind is missing/,
  ],
  ["steps: [{ card: insert }]\n", /:1:\d+: name is missing/],
  ["name: x\nsteps:\n  - { clock: freeze }\n", /:3:\d+: steps\[0\]\.clock must be at, advance or ticking, such as \{/],
  [
    "name: x\nsteps:\n  - { clock: { advance: 5000 } }\n",
    /clock\.advance must be a length of time such as 1h30m, 40s or 500ms, as text\n$/,
  ],
  ["name: [\n", /scenario\.yaml:\d+:\d+: /],
])(
  "a scenario that is broken on purpose names file, line, column and what was expected: %j",
  async (text, complaint) => {
    const { status, stderr } = await tillseal(["scenario", "run", scenarioFile(text)]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(complaint)]);
    expect(stderr).not.toContain("    at ");
  },
);

it("a body in a report has one field per line, long values cut, and no control characters that a terminal would obey", () => {
  expect(showBody(`{"a":"${"x".repeat(100)}","b":[1]}`)).toBe(
    `{\n  "a": "${"x".repeat(80)}… (100 characters)",\n  "b": [\n    1\n  ]\n}`,
  );
  expect(showBody("\u001b[2Jno json\u0007\n")).toBe("\\u001b[2Jno json\\u0007\n");
  expect(showBody("y".repeat(9000))).toHaveLength(4000 + "… (9000 characters)".length);
});

it("a long list is written as one entry and a number, at any place", () => {
  const { body } = httpRequestOf({
    json: { a: { $repeat: { times: 2, value: { b: { $repeat: { times: 1, value: 0 } } } } } },
  });
  expect(Buffer.from(body ?? "").toString()).toBe('{"a":[{"b":[0]},{"b":[0]}]}');
  expect(() => httpRequestOf({ json: { $repeat: { times: -1, value: 0 } } })).toThrow(
    "$repeat needs a value and times",
  );
});

it.each([
  [{ a: 1 }, { a: 1, b: 2 }, 0],
  [[1, 2], [1], 1],
  [{ $any: true }, undefined, 1],
  [{ $absent: true }, undefined, 0],
  [{ $type: "array" }, [], 0],
  [{ $type: "number" }, "1", 1],
  [{ $match: "^A" }, "AB", 0],
  [{ $match: "^A" }, 5, 1],
  [{ $range: [1, 3] }, 3, 0],
  [{ $range: [1, 3] }, 4, 1],
  [{ $time: true }, "2026-01-01T00:00:00.000Z", 0],
  [{ $time: true }, "yesterday", 1],
  [{ $contains: "b" }, "abc", 0],
  [{ $contains: { x: 1 } }, [{ x: 2 }, { x: 1, y: 3 }], 0],
  [{ $contains: { x: 1 } }, [{ x: 2 }], 1],
  [{ $length: 2 }, [1, 2], 0],
  [{ $typo: 2 }, 2, 1],
  [null, undefined, 1],
])("matchers %j against %j has %d differences", (expected, actual, count) => {
  expect(differences(expected, actual)).toHaveLength(count);
});

const played = async (steps: string) => {
  const file = scenarioFile(`name: A mistake\nsteps:\n${steps}\n`);
  const { status, stdout } = await tillseal(["scenario", "run", file]);
  return { status, stdout };
};

it.each([
  [
    "because its header is written in capitals",
    "  - request: { path: /api/v3/attention, method: GET }\n    answer: { headers: { Date: { $absent: true } } }",
    "date",
  ],
  [
    "because a name is misspelt",
    `  - request: { path: '/api/v3/invoices/\${nubmer}', method: GET }\n    answer: { status: 404 }`,
    "neither a case nor an earlier answer gives nubmer; nothing was captured before this step",
  ],
  [
    "because false means true",
    "  - request: { path: /api/v3/status, method: GET }\n    answer: { json: { nothing: { $absent: false } } }",
    "nothing",
  ],
])("a scenario that could not fail %s fails", async (_, steps, message) => {
  const { status, stdout } = await played(steps);
  expect([status, stdout.toLowerCase()]).toEqual([1, expect.stringContaining(message)]);
});

it("a scenario that could not fail is an error when it is empty: an empty folder, or a tag that no scenario has", async () => {
  const empty = temporaryFolder();
  expect(await tillseal(["scenario", "run", empty])).toMatchObject({
    status: 3,
    stderr: expect.stringContaining("there is no scenario in"),
  });
  const tag = ["scenario", "run", join(PACKAGE_ROOT, "scenarios"), "--filter", "nosuchtag"];
  expect(await tillseal(tag)).toMatchObject({
    status: 3,
    stderr: expect.stringContaining("no scenario has the tag nosuchtag"),
  });
  expect(await tillseal([...tag, "--allow-empty"])).toMatchObject({ status: 0 });
});
