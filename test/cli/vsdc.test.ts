/** The commands of the emulated online service, of the emulated authority and of snapshots. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { packaged, startAudit } from "../support/audited-till.js";
import { callAuthority } from "../support/authority-client.js";
import { serve, start, tillseal } from "../support/command.js";
import { openControlled } from "../support/control.js";
import { shellBlocks } from "../support/documented.js";
import { HAS_CURL } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { openssl } from "../support/openssl.js";
import { openTill, sale } from "../support/till.js";

const run = promisify(execFile);

it.runIf(HAS_CURL)(
  "tillseal vsdc prints address, PAC and certificate, and its documented commands sign an invoice; conformance finds nothing wrong",
  async () => {
    const port = String(await freePort());
    const { greeting } = await serve(["--vsdc", "--vsdc-port", port, "--no-authority", "--control-port", "0"]);
    const online = /https:\/\/localhost:\d+/.exec(greeting)?.[0] ?? "";
    expect(online).toBe(`https://localhost:${port}`);
    const control = /localhost:\d+(?=\/control\/vsdc)|127\.0\.0\.1:\d+(?=\/control\/vsdc)/.exec(greeting)?.[0] ?? "";
    expect(greeting).toContain("Header PAC: A1B2C3\n");
    const folder = temporaryFolder();
    const commands = shellBlocks("docs/vsdc.md").flatMap((block) => block.commands);
    const answers: string[] = [];
    for (const command of commands) {
      const here = command.replaceAll("localhost:8432", control).replaceAll("https://localhost:8436", online);
      answers.push((await run("sh", ["-c", here], { cwd: folder })).stdout);
    }
    const [, , invoice = "", again = ""] = answers;
    expect(JSON.parse(invoice)).toMatchObject({ requestedBy: "TESTCARD", signedBy: "TSVSDCO0", totalCounter: 1 });
    expect(JSON.parse(again)).toMatchObject({ invoiceNumber: "TESTCARD-TSVSDCO0-1" });

    const passphrase = /passphrase (\w+)/.exec(greeting)?.[1] ?? "";
    const pfx = await fetch(`http://${control}/control/vsdc/client.pfx`);
    writeFileSync(join(folder, "client.pfx"), Buffer.from(await pfx.arrayBuffer()));
    const read = openssl("pkcs12", "-in", join(folder, "client.pfx"), "-passin", `pass:${passphrase}`, "-nodes");
    expect(read).toContain("serialNumber = TESTCARD");
    expect(read).toContain("PRIVATE KEY");

    const passphraseFile = join(folder, "passphrase");
    writeFileSync(passphraseFile, passphrase);
    const own = ["--cert", join(folder, "client.pfx"), "--passphrase-file", passphraseFile];
    const tls = [...own, "--ca", join(folder, "ca.pem")];
    const conformance = await tillseal(["conformance", online, "--vsdc", "--header", "PAC: A1B2C3", ...tls]);
    expect(conformance).toMatchObject({ status: 0, stderr: "" });
    expect(conformance.stdout).not.toContain("A1B2C3");
  },
);

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
  // Either the first one keeps the default port for as long as the test runs, or another test has it.
  const first = await serveAuthority();
  const { greeting, url, dataDir } = first.url.endsWith(":8434") ? await serveAuthority() : first;
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

const at = (controlUrl: string) => ["--control-url", `${controlUrl}/control`];

it("tillseal snapshot saves to a new file only, and another emulator continues from it", async () => {
  const first = await openControlled();
  const sold = await first.sell("order-1");
  const file = join(temporaryFolder(), "mine.tillseal-snapshot");
  expect(await tillseal(["snapshot", "save", file, ...at(first.controlUrl)])).toMatchObject({ status: 0, stderr: "" });
  const again = await tillseal(["snapshot", "save", file, ...at(first.controlUrl)]);
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining("was not written")]);

  const second = await openControlled();
  const loaded = await tillseal(["snapshot", "load", file, "--restore", ...at(second.controlUrl)]);
  expect([loaded.status, loaded.stdout]).toEqual([0, `The emulator was restored from ${file}.\n`]);
  expect(await second.sell("order-1")).toEqual(sold);
});

it("tillseal snapshot explains what is wrong with a file, and changes nothing", async () => {
  const { control, controlUrl } = await openControlled();
  const folder = temporaryFolder();
  const file = join(folder, "mine");
  writeFileSync(file, "hello");
  for (const [name, message] of [
    [file, "This is not a snapshot: it cannot be unpacked"],
    [join(folder, "none"), "cannot be read"],
    [folder, "cannot be read"],
    [join(folder, "a b"), "letters, digits and ._- only"],
  ] as const) {
    const { status, stderr } = await tillseal(["snapshot", "load", name, ...at(controlUrl)]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  }
  expect((await control("GET", "/snapshots")).json()).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe("hello");
});
