/** A Windows for tests: Wine 10 in a chroot of Debian 13, with a real pcscd and its virtual reader. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Kept between runs, because making it takes minutes. The prefix TILLSEAL_ is reserved for settings. */
export const CHROOT = process.env.WINDOWS_TEST_CHROOT ?? "/var/tmp/tillseal-windows/chroot";
const READY = join(CHROOT, "tillseal-ready");
/** Wine 8 of Debian 12 is too old for Node 24. */
const SUITE = "trixie";
const PACKAGES = ["wine64", "wine", "libpcsclite1", "pcscd", "vsmartcard-vpcd"];

const PREFIX = "/w";
export const DRIVE_C = join(CHROOT, PREFIX, "drive_c");
export const PROGRAMS = join(DRIVE_C, "Program Files", "tillseal");
export const DATA = join(DRIVE_C, "ProgramData", "tillseal");

const ENVIRONMENT = [
  "-i",
  "HOME=/root",
  "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  "XDG_RUNTIME_DIR=/tmp",
  `WINEPREFIX=${PREFIX}`,
  "WINEDEBUG=-all",
];
const PATIENCE_MS = 60_000;

/** Makes Debian 13 with Wine, unless it exists. */
export function makeChroot() {
  if (existsSync(READY)) return;
  rmSync(CHROOT, { recursive: true, force: true });
  mkdirSync(dirname(CHROOT), { recursive: true });
  const run = (...command) => execFileSync(command[0], command.slice(1), { stdio: ["ignore", "ignore", "inherit"] });
  // In a mount namespace: an interrupted debootstrap leaves no mounted /proc behind, which the next rmSync would enter.
  run("unshare", "--mount", "debootstrap", "--variant=minbase", SUITE, CHROOT);
  const install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", ...PACKAGES];
  run("chroot", CHROOT, "env", "DEBIAN_FRONTEND=noninteractive", ...install);
  // The emulated tax authority is at https://localhost.
  writeFileSync(join(CHROOT, "etc", "hosts"), "127.0.0.1 localhost\n::1 localhost\n");
  writeFileSync(READY, "");
}

/** In the namespace of the test: the chroot's file systems, and a new Windows. */
export function startWindows() {
  const mount = (...args) => execFileSync("mount", args);
  mount("-t", "proc", "proc", join(CHROOT, "proc"));
  mount("--bind", "/sys", join(CHROOT, "sys"));
  mount("--bind", "/dev", join(CHROOT, "dev"));
  mount("-t", "tmpfs", "tmpfs", join(CHROOT, "run"));
  mount("-t", "tmpfs", "tmpfs", join(CHROOT, "tmp"));
  rmSync(join(CHROOT, PREFIX), { recursive: true, force: true });
  linux("wine", "wineboot", "-i");
  // Otherwise the registry is not on the disk yet, and Windows has no random numbers.
  linux("wineserver", "-w");
}

/** A command in the chroot. */
function linux(...command) {
  return spawnSync("chroot", [CHROOT, "env", ...ENVIRONMENT, ...command], { stdio: "ignore" }).status;
}

let files = 0;

/** Node on Wine accepts no pipe as output, so everything goes through files. */
function inFiles(args, folder) {
  files += 1;
  const [out, err] = [`/tmp/out-${files}`, `/tmp/err-${files}`];
  const script = `cd "$1"; shift; exec wine "$@" >${out} 2>${err} </dev/null`;
  const command = [CHROOT, "env", ...ENVIRONMENT, "sh", "-c", script, "sh", folder, ...args];
  const read = (path) => {
    const file = join(CHROOT, path);
    return existsSync(file) ? readFileSync(file, "utf8").replaceAll("\r\n", "\n") : "";
  };
  return { command, output: () => ({ stdout: read(out), stderr: withoutWine(read(err)) }) };
}

/** Wine64 reports at each start that the 32-bit half is missing. */
function withoutWine(text) {
  return text.replace(/it looks like wine32 is missing[\s\S]*?wine32:i386"\n/, "");
}

/** Runs a Windows program to its end. @param folder working folder, as Linux names it inside the chroot */
export async function windows(args, folder = PREFIX) {
  const running = startProgram(args, folder);
  const status = await running.exited;
  return { status, ...running.output() };
}

/** Starts a Windows program. */
export function startProgram(args, folder = PREFIX) {
  const { command, output } = inFiles(args, folder);
  const child = spawn("chroot", command, { stdio: "ignore" });
  const exited = new Promise((resolve) => child.once("exit", (status) => resolve(status)));
  return { exited, output };
}

/** Starts pcscd with the virtual reader, where Wine's winscard.dll looks for it. */
export async function startPcscd() {
  const pcscd = spawn("chroot", [CHROOT, "pcscd", "--foreground", "--disable-polkit"], { stdio: "ignore" });
  process.once("exit", () => pcscd.kill("SIGKILL"));
  await eventually("the virtual reader listens", () => listens(VPCD_SECOND_SLOT));
}

/** Probing the first slot would look like a card that comes and goes. */
const VPCD_SECOND_SLOT = 35_964;

/** Ends everything that Wine runs. */
export function stopWindows() {
  linux("wineserver", "-k");
}

export async function eventually(what, isSo, patience = PATIENCE_MS) {
  for (let waited = 0; waited < patience; waited += 100) {
    const answer = await isSo();
    if (answer) return answer;
    await delay(100);
  }
  throw new Error(`timed out after ${patience / 1000} s: ${what}`);
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
