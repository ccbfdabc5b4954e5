/** Prints how many files and functions of src one sale of the built package calls, the least of twenty: V8 counts them. */
import { existsSync, readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { createEmulator } from "../../dist/harness/testkit.js";

/** Timers and garbage add functions to a count. */
const SALES = 20;

const emulator = await createEmulator();
const post = async (path, headers, body) => {
  const answer = await fetch(`${emulator.url}/api/v3/${path}`, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.text();
};
const invoice = JSON.stringify({
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 100, paymentType: "Cash" }],
  items: [{ name: "Bread", quantity: 1, unitPrice: 100, totalAmount: 100, labels: ["A"] }],
});
let sales = 0;
const sell = () => post("invoices", { "Content-Type": "application/json", RequestId: `sale-${++sales}` }, invoice);

/** Finds the source of a place in a bundle. */
function sourceFinder(bundle) {
  const text = readFileSync(bundle, "utf8");
  const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, "utf8")));
  return (offset) => {
    const before = text.slice(0, offset).split("\n");
    return map.findEntry(before.length - 1, before.at(-1).length).originalSource ?? "";
  };
}

const finders = new Map();
function calledFunctions({ url, functions }) {
  const file = url.startsWith("file:") ? fileURLToPath(url) : "";
  if (!existsSync(`${file}.map`)) return [];
  if (!finders.has(file)) finders.set(file, sourceFinder(file));
  return functions.flatMap(({ ranges: [range] }) => (range.count > 0 ? [finders.get(file)(range.startOffset)] : []));
}

await post("pin", { "Content-Type": "text/plain" }, emulator.card.pin);
for (let i = 0; i < 3; i++) await sell();
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await sell();
const counts = [];
for (let i = 0; i < SALES; i++) {
  await session.post("Profiler.takePreciseCoverage");
  await sell();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const own = result.flatMap(calledFunctions).filter((source) => /^(\.\.\/)+src\//.test(source));
  counts.push({ files: new Set(own).size, functions: own.length });
}
const least = (name) => Math.min(...counts.map((count) => count[name]));
process.stdout.write(`${JSON.stringify({ files: least("files"), functions: least("functions") })}\n`);
await emulator.close();
