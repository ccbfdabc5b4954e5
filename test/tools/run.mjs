/**
 * Lets the command line tools of test/tools check and run what people copy, compare the public types,
 * and use the test kit as other projects do. They are too large
 * to be dependencies of the project: `npm ci --prefix test/tools` installs them, in the versions of their own lock file.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildIfChanged } from "../../build/build.mjs";
import { inCi, leaveOut } from "../support/needed.mjs";
import { checkApiReports } from "./api-report.mjs";
import { checkKit } from "./kit.mjs";
import { checkMonitoring } from "./monitoring.mjs";
import { finish, result, TOOLS } from "./report.mjs";
import { checkSchemas } from "./schemas.mjs";
import { checkSnippets, runSnippets } from "./snippets.mjs";

if (!existsSync(join(TOOLS, "node_modules"))) {
  const how = "npm ci --ignore-scripts --prefix test/tools";
  if (inCi) result("the tools are installed", false, how);
  else leaveOut(`the snippets for CI, the API's description, and the kit in Jest; they need: ${how}`);
  finish("tools.json");
}
buildIfChanged();
checkApiReports();
await checkKit();
await checkSchemas();
await checkSnippets();
await runSnippets();
await checkMonitoring();
finish("tools.json");
