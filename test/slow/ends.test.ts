/** Programs that start an emulator end when they are done, whatever threads their sales have started. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { CLI, environmentWith } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";

/** ms. A program that does not end is killed, and has no exit status. */
const LIMIT = 40_000;

/** JavaScript that sells at the same time. While one sale waits for the card, the QR code of another is drawn in a thread. */
const sell = (url: string, count: number, qr: boolean) => `
  const api = ${url} + "/api/v3";
  await fetch(api + "/status");
  await fetch(api + "/pin", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "1234" });
  const body = JSON.stringify({
    invoiceType: "Normal", transactionType: "Sale", invoiceNumber: "123/1.0", payment: [{ amount: 100, paymentType: "Cash" }],
    items: [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }],
    options: { omitQRCodeGen: "${qr ? 0 : 1}" },
  });
  const answers = [];
  const sale = async (id) => {
    const headers = { "Content-Type": "application/json", RequestId: "order-" + id };
    answers.push(await (await fetch(api + "/invoices", { method: "POST", headers, body })).json());
  };
  for (const round of ["a", "b"])
    await Promise.all(Array.from({ length: ${count} }, (_, index) => sale(round + index)));
  console.log(answers.filter(({ verificationQRCode }) => (typeof verificationQRCode === "string") === ${qr}).length);
`;

function run(args: readonly string[], until?: RegExp): Promise<{ status: unknown; output: string }> {
  return new Promise((resolve) => {
    const options = { env: environmentWith(), timeout: LIMIT, killSignal: "SIGKILL" as const };
    let output = "";
    const child = execFile(process.execPath, args, options, (error) =>
      resolve({ status: error?.code ?? error?.signal ?? 0, output }),
    );
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (text: string) => {
        output += text;
        if (!child.killed && until?.test(output)) child.kill("SIGTERM");
      });
    }
  });
}

/** @returns arguments of Node. Node ends a program of `-e` although a thread still runs, so this one is a file. */
function program(code: string): readonly string[] {
  const file = join(temporaryFolder(), "program.mjs");
  writeFileSync(file, code);
  return [file];
}

const KIT = join(PACKAGE_ROOT, "dist", "harness", "testkit.js");
const withKit = (count: number, qr: boolean) =>
  program(`
    import { createEmulator } from ${JSON.stringify(KIT)};
    const till = await createEmulator();
    ${sell("till.url", count, qr)}
    await till.close();
  `);

it.each([1, 2, 4])("a program with the kit ends after close(), after %i sales at the same time", async (count) => {
  for (const qr of [true, false])
    expect([qr, await run(withKit(count, qr))]).toEqual([qr, { status: 0, output: `${2 * count}\n` }]);
});

/** A command that tests a POS. @param code what it does after its sales */
const pos = (code = "") => [process.execPath, ...program(sell("process.env.TILLSEAL_URL", 4, true) + code)];

it("tillseal rehearse ends with its command, when the POS has sold at the same time", async () => {
  const { status, output } = await run([CLI, "rehearse", "--", ...pos()]);
  expect([status, output]).toEqual([0, expect.stringMatching(/passed {10}COND-LOCAL/)]);
});

it("tillseal scenario expect ends with its command, when the POS has sold at the same time", async () => {
  const { status, output } = await run([CLI, "scenario", "expect", "pos/pos-number", "--", ...pos()]);
  expect([status, output]).toEqual([0, expect.stringContaining("1 passed, 0 failed")]);
});

it("tillseal rehearse ends at the first SIGTERM, when the POS has sold at the same time", async () => {
  const waiting = pos('console.log("all sold"); setInterval(() => 0, 1000);');
  const { status, output } = await run([CLI, "rehearse", "--", ...waiting], /^all sold$/m);
  expect([status, output]).toEqual([1, expect.stringMatching(/passed {10}COND-LOCAL/)]);
});
