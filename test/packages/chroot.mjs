/** A separate small Debian for each test, with nothing on it but what the test installs. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const cache = process.env.TILLSEAL_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tillseal");
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Debian with apt, made once and kept with the other downloads of tests. */
function base(suite) {
  const folder = join(cache, `chroot-${suite}`);
  if (existsSync(folder)) return folder;
  const packages = join(cache, "packages");
  mkdirSync(packages, { recursive: true });
  const made = `${folder}.partial`;
  rmSync(made, { recursive: true, force: true });
  const flags = ["--variant=minbase", "--include=ca-certificates", `--cache-dir=${packages}`];
  execFileSync("debootstrap", [...flags, suite, made], { stdio: ["ignore", "ignore", "inherit"] });
  // This machine's certificates, name resolution and package sources.
  for (const file of ["/etc/ssl/certs/ca-certificates.crt", "/etc/resolv.conf", "/etc/hosts"])
    copyFileSync(file, join(made, file));
  writeFileSync(join(made, "usr/sbin/policy-rc.d"), "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  execFileSync("mv", [made, folder]);
  return folder;
}

export class Chroot {
  constructor(suite = "bookworm") {
    this.folder = mkdtempSync(join(tmpdir(), "tillseal-chroot-"));
    execFileSync("cp", ["-a", `${base(suite)}/.`, this.folder]);
    execFileSync("mount", ["-t", "proc", "proc", join(this.folder, "proc")]);
  }

  /** @returns { status, output } of a shell command in the chroot */
  run(command, variables = {}) {
    const { status, stdout } = spawnSync(
      "chroot",
      [this.folder, "sh", "-c", `exec 2>&1; ${command}`],
      this.#options(variables),
    );
    return { status, output: stdout };
  }

  /** @throws with the command's output */
  sh(command, variables = {}) {
    const { status, output } = this.run(command, variables);
    if (status !== 0) throw new Error(`${command}\nended with ${status}:\n${output}`);
    return output;
  }

  copyIn(from, to) {
    mkdirSync(join(this.folder, to, ".."), { recursive: true });
    cpSync(from, join(this.folder, to));
  }

  close() {
    spawnSync("umount", ["-l", join(this.folder, "proc")]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #options(variables) {
    const env = { PATH, HOME: "/root", LANG: "C.UTF-8", DEBIAN_FRONTEND: "noninteractive", ...variables };
    return { env, encoding: "utf8", maxBuffer: 2 ** 28 };
  }
}
