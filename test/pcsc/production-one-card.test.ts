/**
 * ONLINE-001 with one standard card: the same card signs the invoices and opens the door to the authority. The installed
 * package and a real pcscd; the card and the authority are in this process.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { openAuthority } from "../support/audited-till.js";
import { callAuthority } from "../support/authority-client.js";
import { serveProcess, tillsealProcess } from "../support/command.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { temporaryFolder } from "../support/folder.js";
import { installedCommand } from "../support/installed.js";
import { eventually } from "../support/pcsc.js";
import { cardInReader } from "../support/pcsc-card.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

pcscdForFile();

const PKI_PIN = "9876";
const FULL = 5;

async function openShop() {
  const { card, link, reader } = await cardInReader({ pin: "1234", pkiPin: PKI_PIN, limit: "400" }, {});
  await reader.close();
  const server = await openAuthority();
  server.office.register({ certificate: card.certificate });
  const folder = temporaryFolder();
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, server.caCertificate);
  const place = ["--data-dir", join(folder, "data")];
  const settings = ["--card", "pcsc", ...place, "--authority-url", server.url, "--authority-ca", ca];
  const begin = () => serveProcess(settings, {}, installedCommand());
  let service = await begin();
  const call = (method: string, path: string, options = {}) => callService(service.url, method, path, options);
  const status = async () => (await call("GET", "/api/v3/status")).json<{ gsc: string[]; mssc: string[] }>();
  return {
    card,
    link,
    status,
    say: (args: string[], input = "") => tillsealProcess([...args, ...place], {}, installedCommand(), input),
    attempts: () => card.memory.load().pkiPinTriesLeft,
    admin: async (method: string, path: string, body?: object) => {
      const answer = await callAuthority(server, method, `/admin${path}`, body === undefined ? {} : { body });
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer;
    },
    pin: async () =>
      (await call("POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: "1234" })).text,
    sell: async () => {
      const answer = await call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() });
      const { totalCounter, code } = answer.json();
      return totalCounter ?? code;
    },
    restart: async () => {
      service.process.kill("SIGKILL");
      await service.exited;
      service = await begin();
    },
    codesAre: (...codes: string[]) =>
      eventually(async () => (await status()).gsc.join() === codes.join(), codes.join()),
  };
}

it("a shop's card is configured over the internet, sells to the limit, is audited with the key in the same card, and sells again", async () => {
  const { card, admin, say, attempts, pin, sell, codesAre } = await openShop();
  await codesAre("1500", "2400");
  expect(await pin()).toBe("0100");
  // Nothing is sent to the authority before a person has entered the PIN of the key.
  await codesAre("2400", "0100");
  const entered = await say(["pki-pin"], `${PKI_PIN}\n`);
  expect(entered).toMatchObject({ status: 0, stdout: expect.stringContaining("accepts this PIN") });
  await codesAre("0100", "0210");
  await admin("PATCH", "/faults", { holdProofs: true });
  expect([await sell(), await sell(), await sell(), await sell(), await sell()]).toEqual([1, 2, 3, 4, "2210"]);
  await admin("DELETE", "/faults");
  expect((await say(["audit", "now"])).stdout).toContain("Without a proof of audit: ");
  await codesAre("0100", "0210");
  expect(await sell()).toBe(5);
  const proof = expect.objectContaining({ sum: "400", accepted: true });
  expect((await admin("GET", `/cards/${card.profile.uid}`)).json()).toMatchObject({
    gaps: [],
    proofs: expect.arrayContaining([proof]),
  });
  expect(attempts()).toBe(FULL);
});

it("a shop's card tries the card's own PIN once after a click, and neither a restart nor a card that returns tries it again", async () => {
  const { attempts, say, status, pin, restart, link, codesAre } = await openShop();
  await codesAre("1500", "2400");
  expect((await say(["pki-pin", "--card-pin"])).stderr).toContain("enter the card's PIN first");
  await pin();
  expect((await say(["pki-pin", "--card-pin"])).stderr).toContain("wrong PIN");
  expect(attempts()).toBe(FULL - 1);
  expect((await status()).mssc).toContain("9013");
  const reinsert = async () => {
    await link.remove();
    await codesAre("1300", "2400");
    // The service may notice it before pcscd, which polls every 400 ms.
    await delay(1_000);
    await link.insert();
  };
  for (const again of [restart, reinsert]) {
    await again();
    await eventually(async () => (await pin()) === "0100", "the PIN is accepted");
    await eventually(async () => (await status()).mssc.includes("9013"), "the finding is there");
    expect((await say(["pki-pin", "--card-pin"])).stderr).toContain("no attempt was lost");
    expect(attempts()).toBe(FULL - 1);
  }
  expect((await say(["pki-pin"], "0000\n")).stderr).toContain("attempts left: 3");
  expect((await say(["pki-pin"], "0000\n")).stderr).toContain("no attempt was lost");
  expect(await say(["pki-pin"], `${PKI_PIN}\n`)).toMatchObject({ status: 0 });
  expect(attempts()).toBe(FULL);
});
