/** `npm run profile`: where the time of a sale goes, as a flame graph in out/profile/, and for the tools of Chromium. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import { rate } from "./client.js";
import { type Profile, treeOf } from "./flame.js";
import { svgOf } from "./flame-svg.js";
import { invoice, readyToSell, startService } from "./service.js";

const FOLDER = join(PACKAGE_ROOT, "out", "profile");
const CONNECTIONS = 32;
const SECONDS = 10;

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const service = await startService(undefined, ["--cpu-prof", `--cpu-prof-dir=${FOLDER}`]);
await readyToSell(service.url);
const perSecond = await rate(service.url, invoice(), CONNECTIONS, SECONDS);
await service.stop();

const [file = ""] = readdirSync(FOLDER).filter((name) => name.endsWith(".cpuprofile"));
const profile = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Profile;
const svg = join(FOLDER, "flame.svg");
writeFileSync(svg, svgOf(treeOf(profile)));
process.stdout.write(`${Math.round(perSecond)} invoices a second while profiled\n${svg}\n${join(FOLDER, file)}\n`);
