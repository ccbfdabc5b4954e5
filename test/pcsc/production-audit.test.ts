/** A shop's audit: the installed package, a card behind pcscd, and the authority as a separate server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { callAuthority } from "../support/authority-client.js";
import { serveProcess, start, tillsealProcess } from "../support/command.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { temporaryFolder } from "../support/folder.js";
import { installedCommand } from "../support/installed.js";
import { eventually } from "../support/pcsc.js";
import { publish } from "../support/publish.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

pcscdForFile();

const UID = "TESTCARD";

/** `tillseal authority serve`, and what a service with this card needs to talk to it. */
async function openAuthority(folder: string, certificate: string) {
  const dataDir = join(folder, "authority");
  const { greeting } = await start(["authority", "serve", "--port", "0", "--data-dir", dataDir]);
  const [url = ""] = /https:\/\/localhost:\d+/.exec(greeting) ?? [];
  const client = join(folder, "client");
  const made = await tillsealProcess([
    ...["authority", "client-certificate", "--card", certificate, "--out", client, "--data-dir", dataDir],
  ]);
  expect(made).toMatchObject({ status: 0, stderr: "" });
  const caCertificate = readFileSync(join(client, "ca.crt.pem"), "utf8");
  const admin = async (method: string, path: string, body?: object) => {
    const parts = body === undefined ? {} : { body };
    const answer = await callAuthority({ url, caCertificate }, method, `/admin${path}`, parts);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  };
  const settings = [
    ...["--authority-url", url, "--authority-ca", join(client, "ca.crt.pem")],
    ...["--authority-certificate", join(client, `${UID}.crt.pem`)],
    ...["--authority-key", join(client, `${UID}.key.pem`)],
  ];
  return { admin, settings };
}

it("a shop's card is configured by the authority, sells to the card's limit, is audited over HTTPS, and sells again", async () => {
  const folder = temporaryFolder();
  const certificate = join(folder, "card.pem");
  const card = await publish("--certificate", certificate);
  await card.control("POST", "/do", { card: { patch: { limit: "400" } } });
  const authority = await openAuthority(folder, certificate);
  await authority.admin("PATCH", "/faults", { down: true });
  const place = ["--data-dir", join(folder, "data")];
  const { url } = await serveProcess(["--card", "pcsc", ...place, ...authority.settings], {}, installedCommand());
  const say = (...args: string[]) => tillsealProcess([...args, ...place], {}, installedCommand());

  const gsc = async () => (await callService(url, "GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc;
  const codesAre = (...codes: string[]) => eventually(async () => (await gsc()).join() === codes.join(), codes.join());
  const sell = async () => {
    const answer = await callService(url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() });
    const { totalCounter, code } = answer.json();
    return totalCounter ?? code;
  };
  const pin = async () => {
    const headers = { "Content-Type": "text/plain" };
    expect((await callService(url, "POST", "/api/v3/pin", { headers, body: "1234" })).text).toBe("0100");
  };

  await eventually(async () => (await gsc()).includes("2400"), "the card is not configured");
  expect(await sell()).toBe("2400");
  await authority.admin("DELETE", "/faults");
  await codesAre("1500", "0210");
  expect((await callService(url, "GET", "/api/v3/status")).json()).toMatchObject({
    environmentSource: expect.stringMatching(/^tax authority, since/),
  });
  expect((await say("status")).stdout).toMatch(
    /^environment: TEST, sent by the tax authority 20.*\ntax authority: reached at 20.* \(since 20/m,
  );

  // The third sale starts an audit, and its proof waits.
  await authority.admin("PATCH", "/faults", { holdProofs: true });
  await pin();
  expect([await sell(), await sell(), await sell()]).toEqual([1, 2, 3]);
  await codesAre("0100", "0210", "1400");
  expect([await sell(), await sell()]).toEqual([4, "2210"]);
  await codesAre("2210", "0100", "0210", "1400");

  await authority.admin("DELETE", "/faults");
  expect((await say("audit", "now")).stdout).toContain("Without a proof of audit: ");
  await codesAre("0100", "0210");
  expect(await sell()).toBe(5);
  // The service may have audited first; then the command starts another audit.
  const proof = expect.objectContaining({ sum: "400", accepted: true });
  expect((await authority.admin("GET", `/cards/${UID}`)).json()).toMatchObject({
    gaps: [],
    proofs: expect.arrayContaining([proof]),
  });
  expect((await card.control("GET", "/card")).json()).toMatchObject({ sum: "100" });
});
