/** Prepares what every start of the emulator needs: its schemas, and the certificates of the shipped cards. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { CERTIFICATE, makeCertificate, sourceOf } from "../emulator/card/card-certificate.js";
import { parseProfile } from "../emulator/card/profile.js";
import { CONTROL_ENDPOINTS, type ControlEndpoint } from "../emulator/control/endpoints.js";
import "../emulator/index.js";
import { FIXTURE_KEYS, loadKeys } from "../emulator/pki/keys.js";
import { conformanceTo } from "../emulator/scenario/conformance.js";
import { loadScenarios, scenarioFiles } from "../emulator/scenario/load.js";
import { ADMIN_ENDPOINTS } from "../emulator/tax-authority/admin-endpoints.js";
import { SHIPPED_SCENARIOS } from "../emulator/world/shipped-folder.js";
import "../emulator/testkit.js";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { preparedName } from "../src/base/prepared.js";
import { loadConfig } from "../src/config/load.js";
import { namesIn, readYaml, YAML_CONTENT } from "../src/config/read-file.js";
import { compileSchema } from "../src/schema/validator.js";

for (const { params, query, body } of [...CONTROL_ENDPOINTS, ...ADMIN_ENDPOINTS] as readonly ControlEndpoint[]) {
  for (const schema of [params, query, body]) if (schema) compileSchema(schema);
}
const { settings } = loadConfig({});
for (const negativeItems of [true, false]) conformanceTo({ ...settings, negativeItems, moreFields: false });

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

/** The certificates of the cards in shipped profiles and scenarios, by file name. */
export function cardCertificates(): Map<string, Uint8Array> {
  const { cardKey, issuing } = loadKeys(FIXTURE_KEYS);
  const shipped = readdirSync(PROFILES).map((name) => readYaml(join(PROFILES, name)) as Record<string, unknown>);
  const given = scenarioFiles([SHIPPED_SCENARIOS])
    .flatMap(loadScenarios)
    .flatMap(({ given: { card = {}, otherCards = {} } }) => [card, ...Object.values(otherCards)]);
  const certificates = new Map<string, Uint8Array>();
  for (const { inserted: _, pinVerified: __, ...fields } of [...shipped, ...given]) {
    const profile = parseProfile(fields);
    // A profile with a key file has no prepared certificate, because the file is not part of the package.
    if (profile.key !== undefined) continue;
    const name = preparedName(sourceOf(profile, cardKey, issuing), CERTIFICATE);
    if (!certificates.has(name)) certificates.set(name, makeCertificate(profile, cardKey, issuing));
  }
  return certificates;
}
