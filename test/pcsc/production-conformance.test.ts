/** The conformance suite on the package for shops, as a shop runs it: through pcscd, with the certificate of its card. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { VpcdLink } from "../../emulator/vpcd/vpcd-link.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { serveProcess, tillsealProcess } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { temporaryFolder } from "../support/folder.js";
import { installedCommand } from "../support/installed.js";
import { eventually } from "../support/pcsc.js";

pcscdForFile();

it("the service conforms, signatures included, in the production package", async () => {
  const emulated = makeCard();
  const link = new VpcdLink(emulated);
  await link.insert();
  onTestFinished(() => link.remove());
  const folder = temporaryFolder();
  const environment = join(PACKAGE_ROOT, "fixtures", "environments", "specification.yaml");
  const args = ["--data-dir", join(folder, "data"), "--environment", environment];
  const service = await serveProcess(args, {}, installedCommand());
  const codes = async () => ((await (await fetch(`${service.url}/api/v3/status`)).json()) as { gsc: string[] }).gsc;
  await eventually(async () => (await codes()).includes("1500"), "pcscd has seen the card");
  const certificate = join(folder, "card.der");
  writeFileSync(certificate, emulated.certificate);
  const report = join(folder, "report.xml");
  const flags = ["--pin", "1234", "--certificate", certificate, "--report", report];
  const { status, stdout } = await tillsealProcess(["conformance", service.url, ...flags]);
  expect([status, stdout.match(/^failed.*/gm)]).toEqual([0, null]);
  expect(stdout).toMatch(/^passed +Signature: /m);
  expect(readFileSync(report, "utf8")).toContain('<testsuite name="Signature"');
});
