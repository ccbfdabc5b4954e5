/** Prepares what every start of the emulator needs: its schemas, and the shipped profiles and environments. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import "../emulator/tax-authority/admin-endpoints.js";
import "../harness/control/endpoints.js";
import "../harness/control/serve-emulator.js";
import "../harness/control/testkit-checks.js";
import { conformanceTo } from "../harness/scenario/conformance.js";
import "../harness/scenario/load.js";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { preparedName } from "../src/base/prepared.js";
import { loadConfig } from "../src/config/load.js";
import { namesIn, YAML_CONTENT } from "../src/config/read-file.js";

const { settings } = loadConfig({});
for (const negativeItems of [true, false]) conformanceTo({ ...settings, negativeItems, maker: "ours" });

const PROFILES = join(PACKAGE_ROOT, "fixtures", "profiles");
const ENVIRONMENTS = join(PACKAGE_ROOT, "fixtures", "environments");

/** The shipped profiles and environments as JSON, by file name. */
export function yamlContents(): Map<string, string> {
  const files = [PROFILES, ENVIRONMENTS].flatMap((folder) =>
    namesIn(folder).map((name) => join(folder, `${name}.yaml`)),
  );
  const texts = files.map((file) => readFileSync(file, "utf8"));
  return new Map(texts.map((text) => [preparedName(text, YAML_CONTENT), JSON.stringify(parse(text))]));
}
