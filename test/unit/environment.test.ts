/** Environment files: what is refused, and with which message. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { parseEnvironment } from "../../src/config/environment.js";
import { readYaml } from "../../src/config/read-file.js";
import { temporaryFolder } from "../support/folder.js";
import { environmentFile } from "../support/invoices.js";

const CYRILLIC = readFileSync(environmentFile("cyrillic"), "utf8");
const ROOT = "https://tax-authority.test/v/?vl=";

/** The Cyrillic environment with each text replaced once. */
function changed(...changes: readonly (readonly [from: string, to: string])[]) {
  const text = changes.reduce((file, [from, to]) => {
    expect(file).toContain(from);
    return file.replace(from, to);
  }, CYRILLIC);
  return parseEnvironment(parse(text));
}

it("an environment's file is not parsed if it is larger than any such file", () => {
  const file = join(temporaryFolder(), "rates.yaml");
  writeFileSync(file, `${CYRILLIC}#${" ".repeat(64 * 1024)}`);
  const refusal =
    /rates\.yaml: has \d+ characters; at most 65536 with 2000 line ends and signs such as : and , are read as YAML, and 1048576 as JSON$/;
  expect(() => readYaml(file)).toThrow(refusal);
  writeFileSync(file, `languages:\n${"  - a\n".repeat(1_000)}`);
  expect(() => readYaml(file)).toThrow(refusal);
  writeFileSync(file, JSON.stringify({ parameters: " ".repeat(1024 * 1024) }));
  expect(() => readYaml(file)).toThrow(refusal);
});

it("an environment's file is read as JSON if it is long, as a recorded configuration with many groups of rates", () => {
  const file = join(temporaryFolder(), "rates.json");
  const groups = Array.from({ length: 2_000 }, (_, groupId) => ({ groupId, validFrom: "2020-01-01T00:00:00Z" }));
  writeFileSync(file, JSON.stringify(groups));
  expect(readYaml(file)).toEqual(groups);
});

it.each([
  ["groupId: 1", "groupId: 5", "taxRates[1].groupId: 5 is the number of another group too"],
  ["2015-01-01T00:00:00.000Z", "2022-05-01T02:00:00+02:00", "taxRates[1].validFrom: another group begins at the same"],
  ["orderId: 1", "orderId: 2", "taxRates[0].taxCategories[1].orderId: 2 is the number of another category too"],
  ["label: Ђ", "label: е", "taxRates[0].taxCategories[1].taxRates[0].label: Е appears twice in this group"],
  [ROOT, "https://tax-authority.test/v/", "parameters.endpoints.root must end with ?vl= or &vl="],
  [ROOT, `${ROOT}&x=1`, "parameters.endpoints.root must end with ?vl= or &vl="],
  [ROOT, "https://tax-authority.test/?avl=", "parameters.endpoints.root must end with ?vl= or &vl="],
])("an environment's file is refused when %s becomes %s", (from, to, message) => {
  expect(() => changed([from, to])).toThrow(message);
});

it("an environment's file is refused with all problems in one error", () => {
  const wrong = () => changed([ROOT, "https://tax-authority.test/"], ["groupId: 1", "groupId: 5"]);
  expect(wrong).toThrow(/root must end.*; taxRates\[1\]\.groupId/);
});

it("an environment's file may repeat a category and label in several groups, and may have vl= after other parameters", () => {
  expect(changed([ROOT, "https://tax-authority.test/v/?a=1&vl="]).taxRates).toHaveLength(2);
});
