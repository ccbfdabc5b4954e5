/**
 * `npm run docs`: writes tables of the documentation from the source that defines them. With --check it writes nothing, and the
 * exit status is 1 if a file is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { PROFILE_SCHEMA } from "../../emulator/card/profile.js";
import { FAULT_KINDS, FAULT_PLACES, OPERATIONS } from "../../emulator/faults/fault.js";
import { ADMIN_ENDPOINTS, ADMIN_PREFIX } from "../../emulator/tax-authority/admin-endpoints.js";
import { AUTHORITY_FAULTS, VSDC_FAULTS } from "../../emulator/tax-authority/authority-faults.js";
import { SDC_ENDPOINTS, SDC_PREFIX, STATUS_WORDS } from "../../emulator/tax-authority/sdc-api.js";
import { SHIPPED_SCENARIOS } from "../../emulator/world/given-file.js";
import { rowsOf, STEP_KINDS } from "../../emulator/world/steps.js";
import { CONTROL_ENDPOINTS } from "../../harness/control/endpoints.js";
import { CONTROL_LIMITS } from "../../harness/control/limits.js";
import { PROXY_ENDPOINTS } from "../../harness/proxy/proxy-control.js";
import { PROXY_FAULT_KINDS, type ProxyFaultRule } from "../../harness/proxy/proxy-fault.js";
import { EYES } from "../../harness/rehearse/eyes.js";
import { INSTRUCTION, MANUAL_TEST } from "../../harness/rehearse/rule.js";
import { RULES } from "../../harness/rehearse/rules.js";
import { loadScenarios, scenarioFiles } from "../../harness/scenario/load.js";
import { CONTROL_PREFIX } from "../../harness/scenario/remote.js";
import { publishedSchema } from "../../harness/scenario/schema.js";
import { PACKAGE_ROOT, PACKAGE_VERSION } from "../../src/base/package-root.js";
import { expected } from "../../src/config/expected.js";
import { SETTING_NAMES, SETTINGS } from "../../src/config/settings.js";
import { CONSOLE_ENDPOINTS } from "../../src/console/endpoints.js";
import { describeCode, FISCAL_CODES } from "../../src/fiscal/codes.js";
import { COUNTRIES, COUNTRY_FACT_NAMES, COUNTRY_FACTS } from "../../src/fiscal/countries.js";
import { describedPath, type Endpoint } from "../../src/http/endpoint.js";
import { API_PREFIX, CONSOLE_PREFIX, ENDPOINTS } from "../../src/http/endpoints.js";
import { LIMITS, type Limit } from "../../src/http/limits.js";
import { METRICS } from "../../src/http/metrics.js";
import { FINDING_KEYS, FINDINGS, severityOf } from "../../src/state/findings.js";
import { ALERT_RULES } from "./alert-rules.js";
import { type ApprovalRow, CASES, DEMANDS, scenariosOf } from "./approval.js";
import { ACTION_ROWS, CLIENT_CODES } from "./client-codes.js";
import { clientTypes } from "./client-types.js";
import { withAnswers } from "./cookbook.js";
import { pagesForAgents } from "./llms.js";
import { replaced, table } from "./markdown.js";
import { OWN_ROWS, REPORT_ROWS, SHOP_ROWS, STOP_ROWS } from "./stopping-codes.js";

const code = (text: string) => `\`${text}\``;
/** Heads of the columns that say what happens in a shop. */
const WHAT = ["What happened", "What to do"];

const codes = table(
  ["Code", "Type", "Meaning", "HTTP", "Where"],
  FISCAL_CODES.map((number) => {
    const { type, meaning, httpStatus, seenIn } = describeCode(number);
    return [code(number), type, meaning, httpStatus === null ? "-" : String(httpStatus), seenIn];
  }),
);

const findings = table(
  ["Finding", "Code", "Severity"],
  FINDING_KEYS.map((key) => [code(key), code(FINDINGS[key].code), severityOf(FINDINGS[key])]),
);

const endpointTable = (prefix: string, all: readonly Pick<Endpoint, "method" | "path" | "purpose">[]) =>
  table(
    ["Method", "Path", "Purpose"],
    all.map((endpoint) => [endpoint.method, code(describedPath(prefix, endpoint)), endpoint.purpose]),
  );

const steps = table(
  ["Step", "What happens"],
  STEP_KINDS.flatMap((kind) =>
    rowsOf(kind).map(([name, { does, content }]) => {
      const action = name === "set" ? "..." : content ? `{ ${name}: ... }` : name;
      return [code(`${kind}: ${action}`), does];
    }),
  ),
);

/** The others belong to the pages of the same version. */
const FOR_PROGRAMS = /^\/(receipts\.|items|report\b)/;
const consoleEndpoints = table(
  ["Path", "What it returns"],
  CONSOLE_ENDPOINTS.filter(({ method, path }) => method === "GET" && FOR_PROGRAMS.test(path)).map((endpoint) => [
    code(describedPath(CONSOLE_PREFIX, endpoint)),
    endpoint.purpose,
  ]),
);

const faultTable = (faults: Readonly<Record<string, { normal: unknown; meaning: string }>>) =>
  table(
    ["Fault", "Normal value", "What happens"],
    Object.entries(faults).map(([name, { normal, meaning }]) => [code(name), code(String(normal)), meaning]),
  );

const packageStatuses = table(
  ["Status", "Meaning"],
  Object.entries(STATUS_WORDS).map(([status, meaning]) => [code(status), meaning]),
);

const faultKinds = table(
  ["Kind", "What happens", "Strikes on"],
  Object.entries(FAULT_KINDS).map(([kind, { meaning, strikes }]) => [
    code(kind),
    meaning,
    strikes.map((place) => FAULT_PLACES[place].described).join(", "),
  ]),
);

const proxyKinds = table(
  ["Kind", "What happens", "On"],
  (Object.entries(PROXY_FAULT_KINDS) as [string, ProxyFaultRule][]).map(([kind, { meaning, strikes }]) => [
    code(kind),
    meaning,
    strikes.map(code).join(", "),
  ]),
);

const operations = `Operations: ${OPERATIONS.map(code).join(", ")}, or \`ins:\` and an instruction in hexadecimal.`;

/** Grade and value of a country's fact; an empty cell if it is not known. */
function countryCell(fact?: { readonly value: unknown; readonly grade: string }): string {
  if (!fact) return "";
  const shown = [fact.value].flat().map((value) => code(String(value)));
  return `${shown.join(", ") || "none"} ${fact.grade}`;
}

const countries = table(
  ["Value", ...Object.keys(COUNTRIES).map(code)],
  COUNTRY_FACT_NAMES.map((name) => {
    const { source } = COUNTRY_FACTS[name];
    const heading = `[${code(name)}](protocol.md#${source.toLowerCase().replaceAll(" ", "-")})`;
    return [heading, ...Object.values(COUNTRIES).map((country) => countryCell(country[name]))];
  }),
);

const scenarios = scenarioFiles([SHIPPED_SCENARIOS]).flatMap(loadScenarios);

/** A page of the documentation is a link, another file or a command is not. */
const evidence = (text: string) => (/^docs\/.*\.md$/.test(text) ? `[${text}](${text.slice(5)})` : code(text));

/** Id of a row, what it asks, and its evidence. */
function approvalCells(row: ApprovalRow): string[] {
  const files = scenariosOf(row, scenarios).map(({ file }) => relative(PACKAGE_ROOT, file).replaceAll("\\", "/"));
  const shown = [...new Set([...files, ...row.evidence])].map(evidence).join(", ");
  return [code(row.id), row.asks, shown || "none"];
}

const cases = table(["Row", "What is asked", "Evidence"], CASES.map(approvalCells));
const approval = table(
  ["Row", "What is asked", "Evidence", "Who", "What is missing"],
  DEMANDS.map((row) => [...approvalCells(row), row.owner, row.missing ?? "nothing"]),
);

const settings = table(
  ["Setting", "Allowed", "Default", "Meaning"],
  SETTING_NAMES.map((name) => {
    const { default: fallback, description } = SETTINGS[name];
    const shown =
      fallback === undefined || (Array.isArray(fallback) && fallback.length === 0) ? "-" : code(String(fallback));
    const allowed = expected(name)
      .text.replace("a text that is not empty", "a text")
      .replace(/^an integer from /, "");
    return [code(name), allowed, shown, description];
  }),
);

const metrics = table(
  ["Metric", "Type", "Meaning"],
  Object.values(METRICS).map(({ name, type, help }) => [code(name), type, help]),
);

function limitTable(limits: Readonly<Record<string, Limit>>): string {
  const rows = Object.values(limits).map(({ subject, shown, status, code: number, sentence }) => {
    const answer = [status, number === null ? "" : code(number)].filter(Boolean).join(", ");
    return [subject, shown, answer || "-", sentence];
  });
  return table(["What", "Limit", "Answer", "What it says, or what happens"], rows);
}

interface ProfileField {
  readonly description?: string;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, ProfileField>>;
}

function profileRows(fields: Readonly<Record<string, ProfileField>>, prefix = ""): string[][] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (!field.description && field.default === undefined) return []; // the text of `counters` names them
    const allowed = field.enum?.join(", ") ?? field.type ?? "";
    const isSection = field.properties !== undefined;
    const shown = field.default === undefined || isSection ? "-" : code(String(field.default));
    const row = [code(prefix + name), field.properties ? "section" : allowed, shown, field.description ?? ""];
    return [row, ...profileRows(field.properties ?? {}, `${prefix}${name}.`)];
  });
}

const profile = table(["Field", "Allowed", "Default", "Meaning"], profileRows(PROFILE_SCHEMA.properties));

/** The text of an example that the tests run. @param file below test/examples */
function example(file: string, language: string): string {
  return `\`\`\`${language}\n${readFileSync(join(PACKAGE_ROOT, "test", "examples", file), "utf8")}\`\`\``;
}

/** What each client of clients/ proves. */
const behaviours = table(
  ["Behaviour", "What it proves"],
  (
    JSON.parse(readFileSync(join(PACKAGE_ROOT, "clients", "behaviours.json"), "utf8")) as {
      name: string;
      proves: string;
    }[]
  ).map(({ name, proves }) => [code(name), proves]),
);

/** The page says what the letters mean. */
const shortSource = (source: string) => source.replace(MANUAL_TEST, "T").replace(INSTRUCTION, "I");

/** The list of a rehearsal: the rules over traffic, and what needs eyes. */
const rehearsal = table(
  ["Row", "What is asked", "Source"],
  [
    ...RULES.map(({ id, text, source }) => [code(id), text, shortSource(source)]),
    ...EYES.map(({ id, text, source }) => [code(id), text, shortSource(source)]),
  ],
);

/** What the publisher has filled in says how to get each package, and who reviews changes. */
const { codeOwners, howToInstall, whereToGet } = (await import(
  pathToFileURL(join(PACKAGE_ROOT, "deploy", "publisher.mjs")).href
)) as Record<"howToInstall" | "whereToGet", (version: string) => string> & { codeOwners(): string };

/** The content of a whole file, or of its marked sections. */
const FILES: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  "README.md": { install: howToInstall(PACKAGE_VERSION), where: whereToGet(PACKAGE_VERSION) },
  ".github/CODEOWNERS": codeOwners(),
  "docs/interface.md": { endpoints: endpointTable(API_PREFIX, ENDPOINTS) },
  "docs/cookbook.md": await withAnswers(readFileSync(join(PACKAGE_ROOT, "docs", "cookbook.md"), "utf8")),
  "docs/codes.md": { codes, stops: table(["Code", "What a POS does"], STOP_ROWS) },
  "docs/containers.md": { testcontainers: example("../container/testcontainers.test.ts", "ts") },
  "docs/authority-api.md": {
    endpoints: endpointTable(SDC_PREFIX, SDC_ENDPOINTS),
    statuses: packageStatuses,
    faults: faultTable(AUTHORITY_FAULTS),
    admin: endpointTable(ADMIN_PREFIX, ADMIN_ENDPOINTS),
  },
  "docs/vsdc.md": { faults: faultTable(VSDC_FAULTS) },
  "docs/health.md": { metrics, findings },
  "docs/approval.md": { cases, approval },
  "docs/rehearsal.md": { rehearsal },
  "docs/countries.md": { countries },
  "docs/settings.md": { settings },
  "docs/llms.txt": pagesForAgents(readFileSync(join(PACKAGE_ROOT, "docs", "README.md"), "utf8")),
  "scenarios/schema.json": `${JSON.stringify(publishedSchema(), null, 2)}\n`,
  "docs/control.md": {
    endpoints: endpointTable(CONTROL_PREFIX, CONTROL_ENDPOINTS),
    ...{ steps, kinds: faultKinds, operations, limits: limitTable(CONTROL_LIMITS) },
  },
  "docs/proxy.md": { kinds: proxyKinds, endpoints: endpointTable(CONTROL_PREFIX, PROXY_ENDPOINTS) },
  "docs/security.md": { limits: limitTable(LIMITS) },
  "docs/shop.md": {
    environment: example("../../fixtures/environments/specification.yaml", "yaml"),
    stops: table(["Code", ...WHAT], SHOP_ROWS),
  },
  "docs/tax-authority.md": {
    reports: table(["Code", "What happened", "What to do before you confirm"], REPORT_ROWS),
    "own-codes": table(["Code", ...WHAT], OWN_ROWS),
  },
  "docs/console.md": { endpoints: consoleEndpoints },
  "docs/testkit.md": { vitest: example("vitest.test.ts", "ts"), node: example("locked-card.test.mjs", "js") },
  "docs/languages.md": { example: example("client.ts", "ts") },
  "docs/card-profiles.md": { profile },
  "clients/README.md": { behaviours, actions: table(["Action", "Codes", "What a till does"], ACTION_ROWS) },
  "clients/typescript/openapi.ts": await clientTypes(),
  "deploy/monitoring/alerts.yml": ALERT_RULES,
  ...CLIENT_CODES,
};

const check = process.argv.includes("--check");
for (const [name, content] of Object.entries(FILES)) {
  const file = join(PACKAGE_ROOT, name);
  const old = existsSync(file) ? readFileSync(file, "utf8") : "";
  const fresh =
    typeof content === "string"
      ? content
      : Object.entries(content).reduce((text, [section, inside]) => replaced(text, section, inside), old);
  if (fresh === old) continue;
  if (check) {
    console.error(`${name} is out of date: run npm run docs`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, fresh);
    console.log(`${name} written`);
  }
}
