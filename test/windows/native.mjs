/**
 * `node test/windows/native.mjs FOLDER`: on a real Windows, as an administrator, plays the first minute of a developer with the zip and of a shop with
 * the setup. GitHub's Windows runner does; under Wine, test/windows/run.mjs plays a whole day.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const folder = resolve(process.argv[2]);
const named = (ending) => {
  const name = readdirSync(folder).find((file) => file.endsWith(ending));
  if (name === undefined) throw new Error(`${folder} has no file that ends with ${ending}`);
  return join(folder, name);
};
const JSON_BODY = { "Content-Type": "application/json" };
const SALE = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240, paymentType: "Cash" }],
  items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
};

async function developer() {
  const unpacked = mkdtempSync(join(tmpdir(), "tillseal-"));
  execFileSync("tar", ["-xf", named("windows-x64.zip"), "-C", unpacked], { stdio: "inherit" });
  const [name] = readdirSync(unpacked);
  const home = join(unpacked, name);
  const child = spawn(
    join(home, "node.exe"),
    [join(home, "app", "dist", "src", "cli.js"), "serve", "--port", "0", "--control-port", "0"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const address = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(line)?.[0];
      if (address === undefined) continue;
      await fetch(`${address}/api/v3/pin`, { method: "POST", body: "1234" });
      const answer = await fetch(`${address}/api/v3/invoices`, {
        method: "POST",
        headers: JSON_BODY,
        body: JSON.stringify(SALE),
      });
      const { invoiceNumber } = await answer.json();
      if (!answer.ok || !invoiceNumber) throw new Error(`the sale was refused with ${answer.status}`);
      return console.log(`the zip signs: ${invoiceNumber}`);
    }
    throw new Error("the zip does not start");
  } finally {
    child.kill();
    await once(child, "exit");
  }
}

async function shop() {
  execFileSync(named("setup.exe"), ["/S"], { stdio: "inherit" });
  const { ok } = await fetch("http://localhost:8431/api/v3/attention");
  if (!ok) throw new Error("attention is refused after the setup");
  console.log("the setup's service answers");
}

await developer();
await shop();
