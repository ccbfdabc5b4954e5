/**
 * `npm run profile`: where the CPU time of a sale goes, as a table, as flame graphs in out/profile/, and for Chromium's
 * tools. `-- --data-dir` keeps everything and waits for the disk, `-- --no-qr` draws no QR code.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { areasOf } from "./areas.js";
import { rate } from "./client.js";
import { type Profile, treeOf } from "./flame.js";
import { svgOf } from "./flame-svg.js";
import { type BenchService, invoice, withService } from "./service.js";

const FOLDER = join(PACKAGE_ROOT, "out", "profile");
const CONNECTIONS = 32;
/** s of warm-up, in which V8 compiles. */
const WARM_UP = 10;
const SECONDS = 10;

const { values } = parseArgs({ options: { "data-dir": { type: "boolean" }, "no-qr": { type: "boolean" } } });
const sent = invoice({ qr: values["no-qr"] !== true });

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const options = ["--cpu-prof", "--cpu-prof-interval=500", `--cpu-prof-dir=${FOLDER}`];
const task = async (service: BenchService) => {
  await rate(service.url, sent, CONNECTIONS, WARM_UP);
  const [all, main] = [service.cpuMs(), service.mainThreadMs()];
  const from = Number(process.hrtime.bigint() / 1000n);
  const perSecond = await rate(service.url, sent, CONNECTIONS, SECONDS);
  return { perSecond, from, all: service.cpuMs() - all, main: service.mainThreadMs() - main };
};
const { perSecond, from, all, main } = await withService({ kept: values["data-dir"] === true, options }, task);

// Another thread draws QR codes; its profile is for Chromium's tools.
const [file = ""] = readdirSync(FOLDER).filter((name) => name.split(".")[4] === "0");
const profile = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Profile;
const svg = join(FOLDER, "flame.svg");
writeFileSync(svg, svgOf(treeOf(profile)));

const areas = areasOf(profile, from);
const sampled = areas.reduce((sum, [, ms]) => sum + ms, 0);
const each = (ms: number) => Math.round((1000 * ms) / (perSecond * SECONDS));
const rows = [
  // The samples give the shares of the thread's time; the system knows the total.
  ...areas.map(([area, ms]) => [area, each((ms / sampled) * main), (100 * ms) / sampled] as const),
  ["main thread together", each(main), 100] as const,
  ["other threads: RSA, QR codes, compiler, garbage collector", each(all - main), undefined] as const,
];
const lines = rows.map(([area, us, share]) => `| ${area} | ${us} | ${share === undefined ? "" : share.toFixed(1)} |`);
process.stdout.write(
  [
    "| Of one sale | CPU, µs | of the main thread, % |",
    "| --- | --- | --- |",
    ...lines,
    "",
    `${Math.round(perSecond)} invoices a second while profiled`,
    svg,
    join(FOLDER, file),
    "",
  ].join("\n"),
);
