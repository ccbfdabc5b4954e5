/** Plays the request collection of clients/bruno with Bruno's command line, as a POS developer does. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, result, run } from "./report.mjs";

const COLLECTION = join(ROOT, "clients", "bruno");

const bru = () => createRequire(import.meta.url).resolve("@usebruno/cli/bin/bru.js");

/** @returns the exit status, and how many requests, tests and assertions passed of how many */
async function play(till, folders, variables = []) {
  const out = mkdtempSync(join(tmpdir(), "tillseal-bruno-"));
  try {
    const report = join(out, "report.json");
    const flags = ["-r", "--env", "emulator", "--noproxy", "--reporter-json", report];
    const values = [`service=${till.url}`, `control=${till.controlUrl}`, ...variables];
    const all = [bru(), "run", ...folders, ...flags, ...values.flatMap((value) => ["--env-var", value])];
    const { status, output } = await run(process.execPath, all, COLLECTION);
    const [{ summary }] = JSON.parse(readFileSync(report, "utf8"));
    return { status, output, summary };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

export async function playCollection() {
  const { createEmulator } = await import("../../dist/harness/testkit.js");
  const till = await createEmulator();
  try {
    const all = await play(till, []);
    const { totalRequests, passedRequests, totalAssertions, totalTests } = all.summary;
    const isWhole = totalRequests >= 40 && totalAssertions + totalTests >= 100;
    result(
      `Bruno: ${passedRequests} of ${totalRequests} requests`,
      all.status === 0 && isWhole && passedRequests === totalRequests,
      all.output,
    );

    await till.reset();
    const safe = await play(till, ["service"]);
    const { NS, NR, total } = till.card.state.counters;
    const hasSold = safe.status === 0 && total > 0;
    result("Bruno: the folder service makes Training invoices only", hasSold && NS === 0 && NR === 0, safe.output);

    // A check that cannot fail proves nothing.
    await till.reset();
    const wrong = await play(till, ["service"], ["pin=4321"]);
    result("Bruno: a wrong PIN fails the collection", wrong.status === 1, wrong.output);
  } finally {
    await till.close();
  }
}
