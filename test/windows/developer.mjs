/** The zip: all of tillseal with an emulated card, without administrator rights. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHROOT, DRIVE_C, eventually, startProgram, windows } from "./machine.mjs";
import { Till } from "./till.mjs";

export function developerScenes(zip) {
  const unpacked = join(DRIVE_C, "try out");
  let folder = "";
  const tillseal = (...args) => windows(["tillseal.cmd", ...args], folder);

  return [
    [
      "it runs in a folder with a space in its name, and prints its version",
      async () => {
        mkdirSync(unpacked, { recursive: true });
        execFileSync("unzip", ["-q", zip, "-d", unpacked]);
        folder = join(unpacked, readdirSync(unpacked)[0]).slice(CHROOT.length);
        const { status, stdout, stderr } = await tillseal("--version");
        assert.equal(status, 0, stderr);
        return stdout.trim();
      },
    ],
    [
      "all shipped scenarios pass",
      async () => {
        const { status, stdout, stderr } = await tillseal("scenario", "run", "app/scenarios");
        assert.equal(status, 0, stdout.slice(-4000) + stderr);
        return stdout.trim().split("\n").at(-1);
      },
    ],
    [
      "scenarios are named with forward slashes",
      async () => {
        const { stdout } = await tillseal("scenario", "list", "app/scenarios");
        assert.match(stdout, /^app\/scenarios\/\w+\/[\w-]+\.yaml: /);
        assert.doesNotMatch(stdout, /\\/);
      },
    ],
    [
      "the commands that serve and the README print give a receipt in cmd, and stop finishes the sale in flight",
      async () => {
        const serve = startProgram(["tillseal.cmd", "serve", "--data-dir", "C:\\kept", "--no-authority"], folder);
        await eventually("serve is ready", () => serve.output().stdout.endsWith("ready\n"));
        const { stdout } = serve.output();
        const [, ...sample] = /^ {2}\.\\tillseal\.cmd (sample) (sale) (http:\S+)$/m.exec(stdout) ?? assert.fail(stdout);
        const receipt = await tillseal(...sample);
        assert.match(receipt.stdout, /= FISCAL INVOICE =/, receipt.stderr);
        const [line] = /^node .* sample sale$/m.exec(readFileSync("README.md", "utf8"));
        // The zip brings its Node; the rest of the line is as it stands there.
        const pasted = ["cmd", "/c", "..\\node.exe", ...line.split(" ").slice(1)];
        const second = await windows(pasted, `${folder}/app`);
        assert.match(second.stdout, /= FISCAL INVOICE =/, second.stderr);
        const till = new Till(/listens on (http:\S+)\/api/.exec(stdout)[1]);
        await till.pin("1234");
        const sale = await till.begunSale();
        const stopping = tillseal("stop", "--data-dir", "C:\\kept");
        // The service has stopped listening when it accepts no new connection; the sale in flight has one.
        await eventually("the service accepts no new callers", async () => (await till.codes()).length === 0);
        sale.send();
        const { totalCounter, journal } = await sale.answer;
        assert.equal(totalCounter, 3);
        assert.match(journal, /Кафа/);
        assert.equal((await stopping).status, 0);
        assert.equal(await serve.exited, 0);
      },
    ],
    [
      "Cyrillic is UTF-8 in a file",
      async () => {
        const { stdout, stderr } = await tillseal("report", "--data-dir", "C:\\kept");
        assert.match(stdout, /Ана/, stderr);
      },
    ],
  ];
}
