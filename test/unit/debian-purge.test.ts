/** What the Debian package says, and what it removes at `apt remove` and `apt purge`: never a file that may have receipts. */
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
  "shop/copy-of-may",
];

/** The beginning of each file of SQLite, such as `tillseal backup` writes under any name. */
const CONTENT = "SQLite format 3\0";

/** Runs a script of the package on a folder, without the machine's own commands. @returns its output */
function run(name: "prerm" | "postrm" | "postinst", step: string, data: string, runuser = ""): string {
  const script = readFileSync(join(PACKAGE_ROOT, "deploy", "debian", name), "utf8");
  const commands = temporaryFolder();
  const empty = ["deluser", "deb-systemd-helper", "deb-systemd-invoke", "systemctl", "getent", "install"].map(
    (one) => [one, ""] as const,
  );
  for (const [command, text] of [...empty, ["runuser", runuser] as const]) {
    writeFileSync(join(commands, command), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const ours = script.replaceAll("/var/lib/tillseal", data);
  const env = { PATH: `${commands}:${process.env.PATH}` };
  return execFileSync("sh", ["-c", `exec 2>&1; ${ours}`, name, step], { encoding: "utf8", env });
}

const purge = (data: string) => run("postrm", "purge", data);

function folderWith(name: string, content = CONTENT): string {
  const data = join(temporaryFolder(), "data");
  mkdirSync(dirname(join(data, name)), { recursive: true });
  writeFileSync(join(data, name), content);
  return data;
}

it.runIf(process.platform === "linux").each(KEPT)(
  "a purge of the package keeps the folder and its user while %s lies there",
  (name) => {
    const data = folderWith(name);
    expect(purge(data)).toBe(
      `tillseal: ${data} may have receipts, and stays with the user tillseal; delete both when the law allows it\n`,
    );
    expect(readFileSync(join(data, name), "utf8")).toBe(CONTENT);
  },
);

it.runIf(process.platform === "linux")("a purge of the package leaves nothing of a folder without a store", () => {
  const data = folderWith("tillseal.yaml", "port: 8432");
  expect(purge(data)).toBe("");
  expect(existsSync(data)).toBe(false);
});

it.runIf(process.platform === "linux").each(["store/tillseal.db", "store.new/tillseal.db", "tillseal.lock"])(
  "a removal of the package says what tillseal audit unsent says, while the folder has %s",
  (name) => {
    const unsent = 'echo "asked: $*" >&2; exit 1';
    const data = folderWith(name);
    expect(run("prerm", "remove", data, unsent)).toBe(
      `asked: -u tillseal -- tillseal audit unsent --data-dir ${data}\n` +
        "tillseal: install it again, or read /usr/share/doc/tillseal/restore.md\n",
    );
    expect(run("prerm", "upgrade", data, unsent)).toBe("");
    expect(run("prerm", "remove", folderWith("tillseal.yaml"), unsent)).toBe("");
  },
);

it.runIf(process.platform === "linux")(
  "an installation names the console's usual address only if no settings of before may name another",
  () => {
    const data = folderWith("log");
    expect(run("postinst", "configure", data)).toMatch(
      /the running service's console is at http:\/\/localhost:8431\n$/,
    );
    expect(run("postinst", "configure", folderWith("tillseal.yaml"))).toBe("");
  },
);
