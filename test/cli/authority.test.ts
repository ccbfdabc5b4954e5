/** `tillseal authority`: a separate server, client certificates for services, and sticks. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { packaged, startAudit } from "../support/audited-till.js";
import { callAuthority } from "../support/authority-client.js";
import { start, tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { openTill, sale } from "../support/till.js";

const UID = "TESTCARD";

async function serveAuthority(...args: string[]) {
  const running = await start(["authority", "serve", ...args]);
  const [url = ""] = /https:\/\/localhost:\d+/.exec(running.greeting) ?? [];
  const [, dataDir = ""] = /--data-dir (\S+)$/m.exec(running.greeting) ?? [];
  return { ...running, url, dataDir };
}

it("tillseal authority runs separately, issues a client certificate, and processes a stick to the end of the audit", async () => {
  const folder = temporaryFolder();
  const served = await serveAuthority("--port", "0", "--data-dir", join(folder, "authority"));
  const { url, dataDir, exited } = served;
  const till = await openTill();
  const card = join(folder, "card.der");
  writeFileSync(card, till.card.certificate);
  const out = join(folder, "client");
  const made = await tillseal(["authority", "client-certificate", "--card", card, "--out", out, "--data-dir", dataDir]);
  expect(made).toMatchObject({ status: 0, stderr: "" });
  expect(statSync(join(out, `${UID}.key.pem`)).mode & 0o777).toBe(0o600);
  const [cert, key, caCertificate] = [`${UID}.crt.pem`, `${UID}.key.pem`, "ca.crt.pem"].map((name) =>
    readFileSync(join(out, name), "utf8"),
  );
  const token = await callAuthority({ url, caCertificate: caCertificate ?? "" }, "GET", "/api/v3/sdc/token", {
    cert,
    key,
  });
  expect(token.status).toBe(200);

  const stick = join(folder, "stick");
  mkdirSync(join(stick, UID), { recursive: true });
  const answer = await till.sell();
  const content = { request: sale(), result: answer.json() };
  writeFileSync(join(stick, UID, `${UID}-${UID}-1.json`), JSON.stringify(packaged(content)));
  writeFileSync(join(stick, UID, `${UID}.arp`), (await startAudit(till)).block);
  const place = ["--url", url, "--ca", join(out, "ca.crt.pem")];
  const carried = await tillseal(["authority", "stick", stick, ...place]);
  expect(carried.stdout).toBe(
    `${UID}-${UID}-1.json: status 4\n${UID}.arp: the proof is among the commands\n${UID}.commands: 5 commands written\n`,
  );
  const commands = JSON.parse(readFileSync(join(stick, UID, `${UID}.commands`), "utf8")) as { type: number }[];
  expect(commands.map(({ type }) => type)).toEqual([7, 0, 1, 2, 5]);
  // One folder of the stick works too; packages that it already has change nothing.
  expect((await tillseal(["authority", "stick", join(stick, UID), ...place])).stdout).toBe(carried.stdout);
  served.process.kill("SIGTERM");
  expect(await exited).toBe(0);
});

it("tillseal authority keeps its data in the folder that it prints, and picks a free port when the default is busy", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.once("error", () => resolve()).listen(8434, "127.0.0.1", resolve));
  onTestFinished(() => void taken.close());
  const { greeting, url, dataDir } = await serveAuthority();
  expect(greeting).toContain("data is temporary");
  expect(existsSync(join(dataDir, "ca.crt.pem"))).toBe(true);
  expect(url).not.toContain(":8434");
});

it("tillseal authority works with your own keys and names", async () => {
  const folder = temporaryFolder();
  const wrong = await tillseal(["authority", "serve", "--keys", folder]);
  expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining("card make-keys") });
  const flags = ["--port", "0", "--host-name", "authority", "tax.local", "--data-dir", folder];
  const { url, dataDir } = await serveAuthority(...flags);
  const ca = { url, caCertificate: readFileSync(join(dataDir, "ca.crt.pem"), "utf8") };
  for (const servername of ["authority", "tax.local"]) {
    expect((await callAuthority(ca, "GET", "/", { servername, headers: { Host: servername } })).status).toBe(200);
  }
});
