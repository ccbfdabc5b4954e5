/** `tillseal serve --vsdc`: what it prints is enough for curl and for OpenSSL to call the online service as docs/vsdc.md says. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { serve, tillseal } from "../support/command.js";
import { shellBlocks } from "../support/documented.js";
import { HAS_CURL } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { openssl } from "../support/openssl.js";

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
