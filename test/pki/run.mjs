/** Runs the tests that need OpenSC and stunnel with a PC/SC stack; `npm run test:all` leaves them out. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { namespace, requirePcsc } from "../pcsc/namespace.mjs";

const NEEDED = ["opensc", "opensc-pkcs11", "libengine-pkcs11-openssl", "stunnel4"];

requirePcsc("the tests of keys that stay in the card");
if (!existsSync("/usr/bin/pkcs11-tool") || !existsSync("/usr/bin/stunnel4")) {
  process.stdout.write(`these tests need more packages: apt-get install ${NEEDED.join(" ")}\n`);
  process.exit(1);
}
const [command, ...args] = [...namespace(), process.execPath, "node_modules/vitest/vitest.mjs", "run"];
const { status } = spawnSync(command, [...args, "--project", "pki", ...process.argv.slice(2)], { stdio: "inherit" });
process.exit(status ?? 1);
