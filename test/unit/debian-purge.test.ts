/** What the Debian package removes at `apt purge`: never a file that may have receipts. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { temporaryFolder } from "../support/folder.js";

const KEPT = [
  "store/tillseal.db",
  "store.before-restore-20260101T000000Z/tillseal.db",
  "before-upgrade/1.0.0.db",
  "shop/copy.db",
];

/** Runs the package's script on a folder, without the machine's own commands. @returns its output */
function purge(data: string): string {
  const script = readFileSync(join(PACKAGE_ROOT, "deploy", "debian", "postrm"), "utf8");
  const commands = temporaryFolder();
  for (const name of ["deluser", "deb-systemd-helper", "systemctl"]) {
    writeFileSync(join(commands, name), `#!/bin/sh\n`, { mode: 0o755 });
  }
  const ours = script.replace("/var/lib/tillseal", data);
  const env = { PATH: `${commands}:${process.env.PATH}` };
  return execFileSync("sh", ["-c", ours, "postrm", "purge"], { encoding: "utf8", env });
}

function folderWith(name: string): string {
  const data = join(temporaryFolder(), "data");
  mkdirSync(dirname(join(data, name)), { recursive: true });
  writeFileSync(join(data, name), "content");
  return data;
}

it.runIf(process.platform === "linux").each(KEPT)(
  "a purge of the package keeps the folder and its user while %s lies there",
  (name) => {
    const data = folderWith(name);
    expect(purge(data)).toBe(
      `tillseal: the receipts stay in ${data}, and the user tillseal stays too; delete both when the law allows it\n`,
    );
    expect(readFileSync(join(data, name), "utf8")).toBe("content");
  },
);

it.runIf(process.platform === "linux")("a purge of the package leaves nothing of a folder without a store", () => {
  const data = folderWith("tillseal.yaml");
  expect(purge(data)).toBe("");
  expect(existsSync(data)).toBe(false);
});
