/** Names the schemas that the emulator checks requests and answers with. */
import { CONTROL_ENDPOINTS, type ControlEndpoint } from "../emulator/control/endpoints.js";
import "../emulator/index.js";
import { conformanceTo } from "../emulator/scenario/conformance.js";
import "../emulator/testkit.js";
import { loadConfig } from "../src/config/load.js";
import { compileSchema } from "../src/schema/validator.js";

for (const { params, query, body } of CONTROL_ENDPOINTS as readonly ControlEndpoint[]) {
  for (const schema of [params, query, body]) if (schema) compileSchema(schema);
}
const { settings } = loadConfig({});
for (const negativeItems of [true, false]) conformanceTo({ ...settings, negativeItems, moreFields: false });
