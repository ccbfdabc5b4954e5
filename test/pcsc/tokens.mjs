/**
 * Tokens with the key in the card that signs, while a shop sells: `npm run build && node test/pcsc/tokens.mjs`. The card is
 * in a real pcscd and takes 20 ms for each answer; the service is its own process. test/faults/NOTES.md has its tables.
 * `sales`: 500 sales while a token is taken every 2 s. `faults`: each failure and kill. Without a word: both.
 * TILLSEAL_TEST_INSTALLED names the folder of an installed package for shops, which then runs instead of dist.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { namespace, requirePcsc } from "./namespace.mjs";

if (!process.env.TOKENS_INSIDE) {
  requirePcsc("the run with tokens");
  const [command, ...args] = [...namespace(), process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, TOKENS_INSIDE: "1" };
  process.exit(spawnSync(command, args, { stdio: "inherit", env }).status ?? 1);
}

const { environmentWith } = await import("../../dist/test/support/environment.js");
const { Pcscd } = await import("../../dist/test/support/pcsc.js");
const { initialState, VolatileMemory } = await import("../../dist/emulator/card/card-state.js");
const { EmulatedCard } = await import("../../dist/emulator/card/emulated-card.js");
const { parseProfile } = await import("../../dist/emulator/card/profile.js");
const { FIXTURE_KEYS, loadKeys } = await import("../../dist/emulator/pki/keys.js");
const { SeededRandom } = await import("../../dist/emulator/pki/random.js");
const { VpcdLink } = await import("../../dist/emulator/vpcd/vpcd-link.js");
const { TaxAuthorityServer } = await import("../../dist/emulator/tax-authority/tax-authority-server.js");

const SALES = Number(process.env.SALES ?? 500);
const EVERY_MS = 2_000;
const CARD_MS = 20;
const PIN = "1234";
const PKI_PIN = "9876";
const UID = "TESTCARD";
const PKI_AID = "A000000397425446590201";
const SALE = {
  invoiceType: "Normal",
  transactionType: "Sale",
  cashier: "Ana",
  payment: [{ amount: 100, paymentType: "Cash" }],
  items: [{ name: "Bread", quantity: 1, unitPrice: 100, totalAmount: 100, labels: ["A"] }],
};
const folder = mkdtempSync(join(tmpdir(), "tillseal-tokens-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const pcscd = new Pcscd();
await pcscd.start();
const KEYS = loadKeys(FIXTURE_KEYS);
const profile = parseProfile({ uid: UID, pin: PIN, pkiPin: PKI_PIN, limit: "1000000000" });
const card = new EmulatedCard(profile, new VolatileMemory(initialState(profile)), KEYS, new SeededRandom("tokens"));

/** How often the card's key has signed: once for each token. */
let signatures = 0;

/** How long the card was with the key: until its PIN for invoices is verified again. ms */
let turnBegan;
let longestTurn = 0;

/** Takes its time, and lets a run act when a command arrives. */
const slow = {
  at: undefined,
  get atr() {
    return card.atr;
  },
  reset: () => card.reset(),
  async transmit(command) {
    const hex = Buffer.from(command).toString("hex").toUpperCase();
    const step = stepOf(hex);
    if (step === "sign") signatures++;
    if (step === "select PKI") turnBegan = performance.now();
    await delay(CARD_MS);
    if (step !== undefined && step === slow.at?.step) {
      const { act } = slow.at;
      slow.at = undefined;
      await act();
    }
    const answer = await card.transmit(command);
    if (hex.startsWith("8811") && turnBegan !== undefined) {
      longestTurn = Math.max(longestTurn, performance.now() - turnBegan);
      turnBegan = undefined;
    }
    return answer;
  },
};
const link = new VpcdLink(slow);
await link.insert();

/** A step of the exchange in which the key signs. */
function stepOf(hex) {
  if (hex.startsWith("00A4") && hex.includes(PKI_AID)) return "select PKI";
  if (hex.startsWith("002000800")) return "verify";
  if (hex.startsWith("002241B6")) return "choose the key";
  if (hex.startsWith("002A9E9A")) return "sign";
  if (hex.startsWith("00200082")) return "end the PIN session";
  return undefined;
}

const authority = await TaxAuthorityServer.open({ keys: KEYS });
authority.register({ certificate: card.certificate });
writeFileSync(join(folder, "ca.pem"), authority.caCertificate);

let service;
let url;

async function begin() {
  const environment = resolve("fixtures/environments/specification.yaml");
  const settings = [
    "--environment",
    environment,
    "--authority-url",
    authority.url,
    "--authority-ca",
    join(folder, "ca.pem"),
  ];
  const cli = join(process.env.TILLSEAL_TEST_INSTALLED ?? ".", "dist/src/cli.js");
  const args = [cli, "serve", "--card", "pcsc", "--port", "0", "--data-dir", join(folder, "data")];
  service = spawn(process.execPath, [...args, ...settings], {
    stdio: ["ignore", "pipe", "ignore"],
    env: environmentWith(),
  });
  let greeting = "";
  for await (const text of service.stdout) {
    greeting += text;
    if (greeting.endsWith("\nready\n")) break;
  }
  url = /http:\/\/[^/]+/.exec(greeting)[0];
  await until(async () => (await post("/api/v3/pin", PIN, "text/plain")).text === "0100");
}

async function post(path, body, type = "application/json") {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(url + path, { method: "POST", headers: { "content-type": type }, body: text });
  return { status: answer.status, text: await answer.text() };
}

async function end() {
  if (service.exitCode !== null || service.signalCode !== null) return;
  service.kill("SIGTERM");
  await new Promise((resolve) => service.once("exit", resolve));
}

async function until(condition, ms = 30_000) {
  for (const limit = Date.now() + ms; Date.now() < limit; await delay(50)) {
    try {
      if (await condition()) return;
    } catch {
      // The service may be starting.
    }
  }
  throw new Error(`not within ${ms} ms: ${condition}`);
}

/** With the secret of the data folder, as a command does: the card's PIN would be one more command for the card. */
async function permitted(path, body) {
  const { secret } = JSON.parse(readFileSync(join(folder, "data", "tillseal.running.json"), "utf8"));
  const headers = { "content-type": "application/json", authorization: `Bearer ${secret}` };
  const answer = await fetch(`${url}/console/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return answer.json();
}
const enterKeyPin = (keyPin = PKI_PIN) => permitted("pki-pin", { keyPin });
/** Lets the service talk to the authority now. */
const wake = () => permitted("audit/commands", { uid: UID, commands: "[]" });
const attempts = () => [card.memory.load().pinTriesLeft, card.memory.load().pkiPinTriesLeft].join(" and ");
const counter = () => card.memory.load().totalCounter;

let posted = 0;
async function sell() {
  const began = performance.now();
  const headers = { "content-type": "application/json", RequestId: `sale-${++posted}` };
  const body = JSON.stringify(SALE);
  const answer = await fetch(`${url}/api/v3/invoices`, { method: "POST", headers, body }).catch(() => undefined);
  const result = await answer?.json().catch(() => undefined);
  return { ms: performance.now() - began, totalCounter: result?.totalCounter, code: result?.code ?? "none" };
}

const keyRecord = async () => (await (await fetch(`${url}/console/audit`)).json()).cardKey;
const codes = async () => (await (await fetch(`${url}/api/v3/status`)).json()).gsc;
const isReachable = async () => (await codes()).includes("0210");

/** Sells while a token is taken every 2 s. */
async function sales() {
  await begin();
  await enterKeyPin();
  await until(isReachable).catch(async (error) => {
    throw new Error(`no token: ${(await keyRecord())?.problem}`, { cause: error });
  });
  const [first, signed] = [counter(), signatures];
  let taken = 0;
  let isSelling = true;
  const tokens = (async () => {
    for (; isSelling; taken++) {
      const count = signatures;
      authority.expireTokens();
      await wake();
      await until(() => signatures > count);
      await delay(EVERY_MS);
      const { problem } = await keyRecord();
      if (problem !== null || !(await isReachable())) throw new Error(`token ${taken}: ${problem}`);
    }
  })();
  const waits = [];
  for (let i = 0; i < SALES; i++) {
    const { ms, totalCounter, code } = await sell();
    if (totalCounter !== first + i + 1) throw new Error(`sale ${i} got ${totalCounter ?? code}`);
    waits.push(ms);
    await delay(100);
  }
  isSelling = false;
  await tokens;
  waits.sort((a, b) => a - b);
  const at = (share) => `${waits[Math.min(waits.length - 1, Math.floor(waits.length * share))].toFixed(0)} ms`;
  const counts = [SALES, counter() - first, `${signatures - signed} of ${taken}`];
  const turn = `${longestTurn.toFixed(0)} ms`;
  console.log(`| ${[...counts, turn, at(0.5), at(1), attempts()].join(" | ")} |`);
  await end();
}

/** Whether the card is out of the reader, and whether pcscd is gone. */
let isOut = false;
let isDown = false;

/** What strikes while the card's key is used. */
const STRIKES = {
  "the child process is killed": () => killChild(),
  "the service is killed": async () => {
    service.kill("SIGKILL");
    await new Promise((resolve) => service.once("exit", resolve));
  },
  "the card is pulled out": async () => {
    isOut = true;
    // The link waits for the answer of the running command, so it is not awaited here.
    setImmediate(() => void link.remove());
  },
  "pcscd is killed": async () => {
    isDown = true;
    setImmediate(() => void pcscd.kill());
  },
};
const STEPS = ["select PKI", "verify", "choose the key", "sign", "end the PIN session"];

function killChild() {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const parent = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[1]);
      if (parent === service.pid && command.includes("token-child")) process.kill(Number(pid), "SIGKILL");
    } catch {
      // The process has ended meanwhile.
    }
  }
}

async function faults() {
  await begin();
  await enterKeyPin();
  await until(isReachable);
  for (const [name, strike] of Object.entries(STRIKES)) {
    for (const step of STEPS) {
      const before = counter();
      let during = Promise.resolve({ ms: 0, code: "none" });
      let struck = false;
      slow.at = {
        step,
        act: async () => {
          during = sell();
          await strike();
          struck = true;
        },
      };
      authority.expireTokens();
      await wake().catch(() => undefined);
      await until(() => struck);
      const atOnce = await during;
      await recover();
      const next = await sell();
      const signed = counter() - before;
      const got = [atOnce, next].filter(({ totalCounter }) => totalCounter !== undefined).length;
      const again = await tokenAgain();
      const first = atOnce.totalCounter === undefined ? atOnce.code : "signed";
      const result = signed === got ? `${signed} signed, ${got} receipts` : `${signed} SIGNED, ${got} RECEIPTS`;
      console.log(
        `| ${name} | ${step} | ${first}, ${atOnce.ms.toFixed(0)} ms | ${next.totalCounter ? "signed" : next.code}, ${next.ms.toFixed(0)} ms | ${result} | ${again} | ${attempts()} |`,
      );
    }
  }
  await end();
}

/** What a shop does: inserts the card, enters the PIN. */
async function recover() {
  if (isDown) {
    await link.remove();
    await pcscd.start();
  }
  if (isOut || isDown) {
    await delay(1_000);
    await link.insert();
  }
  isOut = false;
  isDown = false;
  if (service.signalCode !== null) await begin();
  await until(async () => (await post("/api/v3/pin", PIN, "text/plain")).text === "0100");
}

async function tokenAgain() {
  const { kind, reason } = await enterKeyPin();
  if (kind !== "verified") return reason ?? kind;
  authority.expireTokens();
  const count = signatures;
  await wake();
  await until(() => signatures > count);
  await until(isReachable);
  return "token";
}

const RUNS = {
  sales: [sales, "Sales | Signed | Tokens | Longest turn | Median sale | Longest sale | Attempts left"],
  faults: [
    faults,
    "What strikes | While the key | The sale meanwhile | The next sale | Card and store | Afterwards | Attempts left",
  ],
};
const named = process.argv.slice(2);
for (const [name, [run, header]] of Object.entries(RUNS)) {
  if (named.length > 0 && !named.includes(name)) continue;
  console.log(`| ${header} |\n|${" --- |".repeat(header.split("|").length)}`);
  await run();
  console.log("");
}
await link.remove();
await pcscd.stop();
process.exit(0);
