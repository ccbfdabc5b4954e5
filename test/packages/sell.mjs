/**
 * Runs pcscd and the service of a chroot as its unit does, puts an emulated card into the virtual reader and sells.
 * `node test/packages/sell.mjs CHROOT CARD_FOLDER` prints the number of the receipt.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [root, cardFolder] = process.argv.slice(2);
const URL = "http://127.0.0.1:8431";
const TRIES = 300;
const PAUSE_MS = 200;
const running = [];

function start(command, args, name) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const one = { child, log: () => `${name}: ${output}` };
  running.push(one);
  return one;
}

async function until(what, task) {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const result = await task();
      if (result) return result;
    } catch {
      // Not yet.
    }
    await sleep(PAUSE_MS);
  }
  throw new Error(`timed out waiting until ${what}\n${running.map(({ log }) => log()).join("\n")}`);
}

const unit = readFileSync(join(root, "usr/lib/systemd/system/tillseal.service"), "utf8");
const user = /^User=(.*)$/m.exec(unit)[1];
const command = /^ExecStart=(.*)$/m.exec(unit)[1].replace(/\$\{STATE_DIRECTORY\}/, "/var/lib/tillseal");
try {
  // pcscd asks polkit, over the system bus, whether the service's user may use the reader.
  start(
    "chroot",
    [root, "sh", "-c", "mkdir -p /run/dbus && rm -f /run/dbus/pid && exec dbus-daemon --system --nofork"],
    "dbus",
  );
  await sleep(1000);
  start("chroot", [root, "/usr/lib/polkit-1/polkitd", "--no-debug"], "polkit");
  await sleep(1000);
  start("chroot", [root, "sh", "-c", "mkdir -p /run/pcscd && exec pcscd --foreground"], "pcscd");
  await sleep(1000);
  const publish = ["dist/src/cli.js", "card", "publish", "--control-port", "0", "--data-dir", cardFolder];
  const card = start(process.execPath, publish, "card");
  await until("the card is in the reader", () => card.log().includes("is in the virtual reader"));
  const service = start("chroot", [root, "runuser", "-u", user, "--", ...command.split(" ")], "service");
  await until("the card waits for its PIN", async () =>
    (await (await fetch(`${URL}/api/v3/status`)).json()).gsc.includes("1500"),
  );
  const headers = { "Content-Type": "application/json" };
  await fetch(`${URL}/api/v3/pin`, { method: "POST", body: "1234" });
  const invoice = {
    cashier: "Ana",
    invoiceType: "Normal",
    transactionType: "Sale",
    payment: [{ amount: 240, paymentType: "Cash" }],
    items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
  };
  const answer = await fetch(`${URL}/api/v3/invoices`, { method: "POST", headers, body: JSON.stringify(invoice) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  console.log(JSON.parse(text).invoiceNumber);
  service.child.kill("SIGTERM");
  await Promise.race([once(service.child, "exit"), sleep(20_000)]);
} finally {
  for (const { child } of running) child.kill("SIGKILL");
}
