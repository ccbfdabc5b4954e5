/** Takes the packed test kit into a strict TypeScript project and into Jest. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, result, run, TOOLS } from "./report.mjs";

const CONSUMER = `import { createClient, type Invoice } from "tillseal/client";
import { createEmulator, type CardPatch, type Emulator, type Fault, type Given } from "tillseal/testkit";
const fault: Fault = { on: "sign", kind: "latency", duration: "10ms" };
const given: Given = { card: { pinVerified: true } };
const patch: CardPatch = { limit: "200" };
const till: Emulator = await createEmulator({ given, seed: "s", clock: { ticking: false } });
till.fault(fault);
await till.card.patch(patch);
export const total: number = till.card.state.counters["total"] ?? 0;
// @ts-expect-error: a card has no such field
till.card.state.colour;
const coffee: Invoice = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 1, paymentType: "Cash" }],
  items: [{ name: "Coffee", quantity: 1, unitPrice: 1, labels: ["A"], totalAmount: 1 }],
};
const sale = await createClient({ url: till.url }).invoices({ body: coffee, headers: { RequestId: "1" } });
export const number: string = sale.ok ? sale.data.invoiceNumber : sale.error.code;
// @ts-expect-error: a refusal has no receipt
sale.data;
await till.close();
`;
const STRICT = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--skipLibCheck", "false"];
const TARGET = ["--target", "es2023", "--types", "", "--noEmit"];

async function checkTypes(project) {
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", project];
  const tarball = join(project, (await run("npm", pack, ROOT)).output.trim());
  const folder = join(project, "node_modules", "tillseal");
  mkdirSync(folder, { recursive: true });
  // What npm would install, without dependencies: the kit's types need none.
  await run("tar", ["xzf", tarball, "-C", folder, "--strip-components", "1"], project);
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  writeFileSync(join(project, "consumer.ts"), CONSUMER);
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  for (const module of ["nodenext", "preserve"]) {
    const args = [tsc, ...STRICT, ...TARGET, "--module", module, "consumer.ts"];
    const { status, output } = await run(process.execPath, args, project);
    result(`the package has types that work in a strict project with module ${module}`, status === 0, output);
  }
  // The types resolve to the code's own types, by the rules of Node and of bundlers.
  const attw = join(TOOLS, "node_modules", "@arethetypeswrong", "cli", "dist", "index.js");
  const types = await run(process.execPath, [attw, tarball, "--profile", "esm-only", "--format", "json"], project);
  const isIncluded = types.status === 0 && JSON.parse(types.output).analysis.types?.kind === "included";
  result("the package's types are found by Node and by bundlers", isIncluded, types.output);
}

async function checkJest() {
  const jest = join(TOOLS, "node_modules", "jest", "bin", "jest.js");
  const example = ["--rootDir", "test/examples", "--testRegex", "jest\\.test\\.cjs$", "--watchman=false", "--ci"];
  const { output } = await run(process.execPath, ["--experimental-vm-modules", jest, ...example], ROOT);
  result("the package runs in Jest", /^Tests: +2 passed, 2 total$/m.test(output), output);
  const hidden = await run(process.execPath, ["--experimental-vm-modules", jest, ...example, "--env", "jsdom"], ROOT);
  const isSaid = /createEmulator needs Node's globals.*@jest-environment node/.test(hidden.output);
  result("the package says in one sentence that Jest's jsdom hides Node", isSaid, hidden.output);
}

async function checkPages() {
  const vitest = join(TOOLS, "node_modules", "vitest", "vitest.mjs");
  for (const environment of ["jsdom", "happy-dom"]) {
    const args = [vitest, "run", "--root", TOOLS, "--environment", environment];
    const { status, output } = await run(process.execPath, args, ROOT);
    result(`the package runs in vitest with ${environment}, also with fake timers`, status === 0, output);
  }
}

export async function checkKit() {
  const project = mkdtempSync(join(tmpdir(), "tillseal-kit-"));
  try {
    await checkTypes(project);
    await checkJest();
    await checkPages();
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
