/** The Debian package: lintian, installation, sales through pcscd, upgrade, removal, purge. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { deadLinks } from "../../deploy/shop-pages.mjs";
import { check, contains, equal } from "./check.mjs";
import { Chroot } from "./chroot.mjs";

const DATA = "/var/lib/tillseal";
const LATER = "99.0.0";

export async function testDeb(folder) {
  execFileSync(process.execPath, ["deploy/debian/build.mjs", "--fast", folder], { stdio: "inherit" });
  const debs = readdirSync(folder).filter((name) => name.endsWith(".deb"));
  const deb = join(
    folder,
    debs.find((name) => name.endsWith("_amd64.deb")),
  );
  const armDeb = join(
    folder,
    debs.find((name) => name.endsWith("_arm64.deb")),
  );
  const later = laterVersion(deb, folder);

  for (const suite of ["bookworm", "trixie"]) await lint(suite, [deb, armDeb]);
  await check("every binary of the arm64 package is for arm64", () => onlyFor("aarch64", armDeb, folder));

  await check("no link of its pages is dead", () => {
    const doc = join(folder, "arm64", "usr", "share", "doc", "tillseal");
    const pages = readdirSync(doc).filter((name) => name.endsWith(".md"));
    const dead = pages.flatMap((page) =>
      deadLinks(readFileSync(join(doc, page), "utf8"), page, (path) => existsSync(join(doc, path))),
    );
    equal(dead, []);
    return `${pages.length} pages`;
  });

  const root = new Chroot();
  try {
    root.sh("apt-get update -qq");
    const before = filesIn(root);
    copyFileSync(deb, join(root.folder, "tmp/tillseal.deb"));
    copyFileSync(later, join(root.folder, "tmp/later.deb"));
    await check(
      "apt installs it with its dependencies",
      () => void root.sh("apt-get install -y -qq /tmp/tillseal.deb"),
    );
    await check("tillseal is on the path", () => root.sh("tillseal --version").trim());
    await check("the data folder is the user's alone", () =>
      equal(root.sh(`stat -c '%U %G %a' ${DATA}`), "tillseal tillseal 700\n"),
    );
    await check(
      "systemd would start it",
      () => void root.sh("test -L /etc/systemd/system/multi-user.target.wants/tillseal.service"),
    );
    await check("systemd finds no mistake in the unit", () => verifyUnit(root));
    await check("the doctor names the missing card, and looks at the service's data folder", () => {
      const { status, output } = root.run("tillseal doctor");
      equal(status, 1);
      contains(output, "FAIL");
      contains(root.sh("tillseal config"), `${DATA}  (environment)`);
    });
    await check("another data folder, a configuration file and another user are left alone", () => {
      const folderIn = (command) => root.sh(`cd /tmp && echo 'dataDir: /tmp/other' > other.yaml && ${command}`);
      contains(folderIn("tillseal config --data-dir /tmp/other"), "/tmp/other  (flag)");
      contains(folderIn("tillseal config --config other.yaml"), "/tmp/other  (file");
      contains(folderIn("TILLSEAL_CONFIG=other.yaml tillseal config"), "/tmp/other  (file");
      equal(root.sh("runuser -u nobody -- tillseal config").includes(DATA), false);
    });

    root.sh("apt-get install -y -qq --no-install-recommends vsmartcard-vpcd");
    root.copyIn("fixtures/environments/specification.yaml", `${DATA}/rates.yaml`);
    writeFileSync(join(root.folder, DATA, "tillseal.yaml"), `environment: ${DATA}/rates.yaml\n`);
    root.sh(`chown tillseal:tillseal ${DATA}/*.yaml`);
    await check("the unit's command sells with a card behind pcscd", () => sell(root, folder, "TESTCARD-TESTCARD-1"));

    await check("an upgrade copies the store first", () => {
      const output = root.sh("apt-get install -y -qq /tmp/later.deb");
      const copy = /the store was copied: (\S+) has \d+ invoice/.exec(output)?.[1];
      contains(output, `${DATA}/before-upgrade/`);
      contains(
        root.sh(
          `runuser -u tillseal -- sh -c 'mkdir -p /tmp/copy/store && cp ${copy} /tmp/copy/store/tillseal.db && tillseal verify --data-dir /tmp/copy'`,
        ),
        "1 entry, nothing is wrong",
      );
      equal(installedVersion(root), LATER);
    });
    await check("the upgraded service knows the receipt and sells on", () => sell(root, folder, "TESTCARD-TESTCARD-2"));
    await check("an upgrade whose copy fails leaves the version that runs", () => {
      root.sh(`mv ${DATA}/before-upgrade /tmp/kept && touch ${DATA}/before-upgrade`);
      const { status, output } = root.run("apt-get install -y -qq --allow-downgrades /tmp/tillseal.deb");
      contains(output, "so this version stays");
      equal(status === 0, false);
      equal(installedVersion(root), LATER);
      root.sh(`rm ${DATA}/before-upgrade && mv /tmp/kept ${DATA}/before-upgrade`);
    });

    await check("removal keeps the receipts", () => {
      root.sh("apt-get remove -y -qq tillseal");
      equal(root.run("command -v tillseal").status === 0, false);
      root.sh(`test -e ${DATA}/store/tillseal.db`);
    });
    await check("purge keeps the receipts too, and says where they are", () => {
      contains(root.sh("apt-get purge -y -qq tillseal"), `${DATA} may have receipts, and stays`);
      root.sh(`test -e ${DATA}/store/tillseal.db && getent passwd tillseal`);
    });
    await check("without receipts purge leaves nothing", () => {
      root.sh(`rm -r ${DATA} && apt-get install -y -qq /tmp/tillseal.deb && apt-get purge -y -qq tillseal`);
      equal(root.run(`test -e ${DATA} || getent passwd tillseal`).status === 0, false);
      root.sh("apt-get purge -y -qq vsmartcard-vpcd && apt-get autoremove -y -qq --purge");
      equal(
        filesIn(root).filter((file) => file.includes("tillseal") && !before.includes(file)),
        [],
      );
    });
  } finally {
    root.close();
  }
}

/** With the lintian of that Debian, in a new one. */
async function lint(suite, files) {
  const root = new Chroot(suite);
  try {
    root.sh(
      "apt-get update -qq && apt-get install -y -qq --no-install-recommends lintian && useradd --create-home lint",
    );
    const version = /[\d.]+\S*/.exec(root.sh("lintian --version"))?.[0];
    for (const file of files) {
      const name = basename(file);
      copyFileSync(file, join(root.folder, "tmp", name));
      await check(`lintian ${version} of ${suite} reports nothing for ${name.replace(/.*_/, "")}`, () => {
        const command = `lintian --fail-on error,warning --tag-display-limit 0 /tmp/${name}`;
        equal(root.run(`runuser -u lint -- ${command}`), { status: 0, output: "" });
      });
    }
  } finally {
    root.close();
  }
}

/** There is no machine of the other architecture, so the files are inspected but not run. */
function onlyFor(machine, deb, folder) {
  const tree = join(folder, "arm64");
  mkdirSync(tree);
  execFileSync("dpkg-deb", ["-x", deb, tree]);
  const files = readdirSync(tree, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.node$|bin\/node$/.test(name),
  );
  const AARCH64 = 0xb7;
  const machines = files.map((name) => readFileSync(join(tree, name)).readUInt16LE(18));
  equal(
    machines,
    files.map(() => AARCH64),
  );
  return `${files.length} for ${machine}`;
}

/** The same package with a higher version. */
function laterVersion(deb, folder) {
  const tree = join(folder, "later");
  execFileSync("dpkg-deb", ["-R", deb, tree]);
  const control = join(tree, "DEBIAN", "control");
  writeFileSync(control, readFileSync(control, "utf8").replace(/^Version: .*$/m, `Version: ${LATER}`));
  const file = join(folder, "later.deb");
  execFileSync("dpkg-deb", ["--root-owner-group", "-Zgzip", "-z1", "--build", tree, file], { stdio: "ignore" });
  return file;
}

/** Leaves out the parts of the unit that this machine does not have. */
function verifyUnit(root) {
  if (!existsSync("/usr/bin/systemd-analyze")) return "left out: there is no systemd-analyze";
  const unit = "usr/lib/systemd/system/tillseal.service";
  const text = readFileSync(join(root.folder, unit), "utf8").replaceAll("/usr/lib/tillseal/bin/node", "/bin/true");
  const copy = join(root.folder, "tmp", "tillseal.service");
  writeFileSync(copy, text);
  const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", copy], { encoding: "utf8" });
  equal(
    stderr.split("\n").filter((line) => line.includes("tillseal.service")),
    [],
  );
  return undefined;
}

function installedVersion(root) {
  return /^Version: (.*)$/m.exec(root.sh("dpkg --status tillseal"))?.[1];
}

function filesIn(root) {
  return root.sh("find / -xdev -path /proc -prune -o -path /tmp -prune -o -print").trim().split("\n");
}

/** In a separate network, where the usual ports are free. */
function sell(root, folder, number) {
  const inside = ["--net", "--mount", "sh", "-ec", 'ip link set lo up; exec "$@"', "sh"];
  const args = [...inside, process.execPath, "test/packages/sell.mjs", root.folder, join(folder, "card")];
  const { status, stdout, stderr } = spawnSync("unshare", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stdout + stderr);
  equal(stdout, `${number}\n`);
}
