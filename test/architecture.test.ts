/** The rules about which modules may import which. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { ROOMS, roomOf } from "./support/rooms.js";

interface Import {
  readonly file: string;
  readonly from: string;
  readonly onDemand: boolean;
}

interface Source {
  readonly file: string;
  readonly text: string;
}

/** Every file of a folder, also those without imports. */
const sourcesIn = (folder: "src" | "emulator" | "harness"): readonly Source[] =>
  readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .toSorted()
    .map((name) => ({
      file: `${folder}/${name.replaceAll("\\", "/")}`,
      text: readFileSync(join(PACKAGE_ROOT, folder, name), "utf8"),
    }));

const SOURCES = sourcesIn("src");
const ALL_SOURCES = [...SOURCES, ...sourcesIn("emulator"), ...sourcesIn("harness")];

/** The only file of src/ that loads the harness, and with it the emulator. A rule below allows it. */
const HARNESS_LOADER = "src/commands/harness.ts";

/** Imports between files, types included. Dynamic imports count too. */
const BETWEEN_FILES = ALL_SOURCES.flatMap(({ file, text }) =>
  [...text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, to = ""]) => ({
    file,
    to: posix.normalize(posix.join(posix.dirname(file), to)).replace(/\.js$/, ".ts"),
  })),
);

/** Imports of values. */
const importsOf = ({ file, text }: Source): Import[] =>
  [...text.matchAll(/((?:import|export)\s+type\s[^;]*?from|from|import)\s*(\()?\s*"([^"]+)"/g)]
    .filter(([, keyword]) => !/^(import|export)\s+type/.test(keyword ?? ""))
    .map(([, , bracket, from = ""]) => ({ file, from, onDemand: bracket !== undefined }));

const IMPORTS = SOURCES.flatMap(importsOf);

const importersOf = (pattern: RegExp, imports = IMPORTS) => [
  ...new Set(imports.filter(({ from }) => pattern.test(from)).map(({ file }) => file)),
];
/** @param outside a folder to skip */
const saying = (pattern: RegExp, outside = "nowhere/") =>
  SOURCES.filter(({ file, text }) => pattern.test(text) && !file.startsWith(outside)).map(({ file }) => file);

it("the structure is found by this test", () => {
  expect(SOURCES.map(({ file }) => file)).toContain("src/base/clock.ts");
  expect(IMPORTS.length).toBeGreaterThan(100);
  expect(BETWEEN_FILES.length).toBeGreaterThan(1000);
});

it("the structure has its rooms in one list, from the ground up", () => {
  const rooms = ALL_SOURCES.map(({ file }) => roomOf(file));
  expect([...new Set(rooms)].toSorted()).toEqual(ROOMS.toSorted());
});

it("the structure imports only downwards, types included", () => {
  const floor = (file: string) => ROOMS.indexOf(roomOf(file));
  const upwards = BETWEEN_FILES.filter(({ file, to }) => roomOf(file) !== roomOf(to) && floor(to) >= floor(file));
  expect(upwards.filter(({ file }) => file !== HARNESS_LOADER)).toEqual([]);
});

it("the structure is the structure that docs/architecture.md shows, from the roof down", () => {
  const page = readFileSync(join(PACKAGE_ROOT, "docs", "architecture.md"), "utf8");
  const shown = [...page.matchAll(/^\| `((?:src|emulator|harness)\/[^`]+?)\/?` \|/gm)].map(([, room]) => room);
  expect(shown).toEqual(ROOMS.toReversed());
});

it("the structure lets src/ load harness/ in one place on demand, and mention it and emulator/ nowhere else", () => {
  const statically = IMPORTS.filter(({ onDemand }) => !onDemand);
  expect(importersOf(/\.\.\/(emulator|harness)\//, statically)).toEqual([]);
  expect(saying(/["'`][./]*\/(emulator|harness)\//)).toEqual([HARNESS_LOADER]);
});

it("the structure lets the harness import the emulator, and never the other way round", () => {
  const between = BETWEEN_FILES.filter(({ file, to }) => file.startsWith("emulator/") && to.startsWith("harness/"));
  expect(between).toEqual([]);
  expect(BETWEEN_FILES.some(({ file, to }) => file.startsWith("harness/") && to.startsWith("emulator/"))).toBe(true);
});

const OF_BROWSER = /^(src\/console\/web|harness\/console)\//;
/** Files outside the console's that a browser loads, too. */
const FOR_BROWSER = [
  "emulator/faults/fault.ts",
  "harness/rehearse/texts.json",
  "harness/rehearse/texts.ts",
  "harness/scenario/json.ts",
  "src/authority/stick-copy.ts",
  "src/authority/stick-files.ts",
  "src/base/fill.ts",
  "src/console/report-texts.ts",
  "src/console/verdict.ts",
  "src/fiscal/code-meanings.ts",
  "src/fiscal/codes.ts",
  "src/fiscal/counters.ts",
  "src/fiscal/escpos-commands.ts",
  "src/fiscal/invoice.ts",
  "src/fiscal/journal/on-paper.ts",
  "src/fiscal/latin.ts",
  "src/fiscal/limit.ts",
  "src/fiscal/zoned.ts",
  "src/http/traffic/traffic-filter.ts",
  "src/secure-element/apdu/instructions.ts",
  "src/state/texts.ts",
  "src/state/texts/english.ts",
  "src/state/texts/lines-english.ts",
  "src/state/texts/lines-serbian.ts",
  "src/state/texts/serbian.ts",
];

it("the structure lets a browser load only the console's files and those of a list", () => {
  const loaded = ALL_SOURCES.filter(({ file }) => OF_BROWSER.test(file) || FOR_BROWSER.includes(file));
  const outside = loaded.flatMap(importsOf).filter(({ from }) => from.startsWith("."));
  const files = outside.map(({ file, from }) => posix.join(posix.dirname(file), from).replace(/\.js$/, ".ts"));
  expect([...new Set(files)].filter((file) => !OF_BROWSER.test(file)).toSorted()).toEqual(FOR_BROWSER);
});

it("the structure keeps input and output out of the fiscal core", () => {
  const allowed = /^(\.|node:crypto$|node:zlib$|qr$|omggif$)/;
  const imports = IMPORTS.filter(({ file }) => file.startsWith("src/fiscal/"));
  expect(imports.filter(({ from }) => !allowed.test(from))).toEqual([]);
  expect(
    imports.filter(
      ({ from }) =>
        from.startsWith("../..") ||
        /\.\.\/(?!money|invoice|tax|time|pos-time|zoned|language|latin|base\/wrong-value)/.test(from),
    ),
  ).toEqual([]);
});

it("the structure keeps input, output and time out of the protocol of the sale", () => {
  const imports = IMPORTS.filter(({ file }) => file.startsWith("src/fiscalizer/protocol/"));
  expect(imports.length).toBeGreaterThan(2);
  expect(imports.filter(({ from }) => !from.startsWith("./"))).toEqual([]);
  expect(saying(/\b(async|await|Promise|setTimeout)\b/).filter((file) => file.includes("/protocol/"))).toEqual([]);
});

it("the structure keeps APDUs inside the secure element", () => {
  // Exceptions: composition, and the commands that look at a card.
  const above = importersOf(/\/apdu\//).filter((file) => !file.startsWith("src/secure-element/"));
  expect(above).toEqual([
    "src/commands/look-at-card.ts",
    "src/commands/serve-card.ts",
    "src/service/service.ts",
    "src/service/without-port.ts",
  ]);
});

it("the structure lets only the ledger import the database, and only the driver import PC/SC", () => {
  expect(saying(/"better-sqlite3/)).toEqual(["src/ledger/sqlite.ts"]);
  const opening = saying(/\bopenDatabase\b/).filter((file) => !file.startsWith("src/ledger/"));
  expect(opening).toEqual([]);
  expect(saying(/\bopenStore\b/)).toEqual([
    "src/commands/place.ts",
    "src/ledger/database.ts",
    "src/service/service.ts",
  ]);
  expect(importersOf(/^koffi$/)).toEqual(["src/authority/card-rsa.ts", "src/secure-element/pcsc/pcsc-library.ts"]);
  expect(saying(/\("pcsclite"\)/)).toEqual(["src/secure-element/pcsc/pcsclite-binding.ts"]);
});

/** Files that no person writes: the system's may have any bytes, and the package's own are UTF-8. */
const OTHER_READERS = [
  "src/authority/sticks.ts",
  "src/base/build.ts",
  "src/base/package-root.ts",
  "src/doctor/country.ts",
  "src/service/service.ts",
];

it("the structure has one reader of text files, which refuses what is not UTF-8", () => {
  const readers = ALL_SOURCES.filter(({ text }) => /readFileSync\([^;]*"utf-?8"\)/.test(text)).map(({ file }) => file);
  expect(readers).toEqual(OTHER_READERS);
});

it("the structure aligns the tables of commands in one place", () => {
  expect(saying(/\bpadEnd\b/).filter((file) => file.startsWith("src/commands/"))).toEqual([]);
});

it("the structure writes to the terminal in one place, which escapes control characters", () => {
  // Exceptions: the text for an old Node.js, which loads no module, and the wait for all output.
  const written = /\bstd(out|err)\.write\b|\(process\.std(out|err)\)|\bconsole\.\w+\(/;
  const writers = ALL_SOURCES.filter(({ text }) => written.test(text));
  const allowed = ["src/cli.ts", "src/commands/ending.ts", "src/commands/terminal.ts"];
  expect(writers.map(({ file }) => file)).toEqual(allowed);
});

it("the structure lets only the code that asks a service for its proof send it a secret", () => {
  const commands = saying(/\bAuthorization\b|\breadToken\(|\breadOwner\(/).filter((file) =>
    /^src\/(client|commands|doctor)\//.test(file),
  );
  expect(commands).toEqual(["src/client/find-running.ts"]);
});

it("the structure lets only the authority's client use TLS", () => {
  const others = importersOf(/^node:(https|tls)$/).filter((file) => !file.startsWith("src/authority/"));
  // This file loads node:tls before Node does in a wrong order, and uses nothing of it.
  expect(others).toEqual(["src/secure-element/certificate.ts"]);
});

it("the structure loads modules dynamically in four places: native ones, prepared ones, and those that few starts need", () => {
  expect(saying(/\bcreateRequire\b/)).toEqual([
    "src/authority/pfx.ts",
    "src/ledger/sqlite.ts",
    "src/schema/compiler.ts",
    "src/secure-element/pcsc/pcsclite-binding.ts",
  ]);
});

it("the structure reads the system's clock in one place, and its random numbers in one", () => {
  // A page in a browser has the browser's clock; nothing fiscal depends on it.
  const time = /Date\.now\(|new Date\(\)|performance\.now|hrtime/;
  expect(saying(time, "src/console/web/")).toEqual(["src/base/clock.ts"]);
  expect(saying(/Math\.random|randomBytes|randomUUID|randomInt|getRandomValues/)).toEqual(["src/base/random.ts"]);
});

/** Threads that wait in the background must not keep the process alive; a thread that somebody awaits must. */
const THREADS: Record<string, "in the background" | "awaited"> = {
  "harness/scenario/players.ts": "awaited",
  "src/bookkeeping/backup/backup-thread.ts": "awaited",
  "src/doctor/store-thread.ts": "awaited",
  "src/http/qr-thread.ts": "in the background",
  "src/secure-element/pcsc/koffi-context.ts": "awaited",
};

it("the structure says of each thread whether the process waits for it", () => {
  const threads = ALL_SOURCES.filter(({ text }) => /\bnew Worker\(/.test(text));
  expect(threads.map(({ file }) => file).toSorted()).toEqual(Object.keys(THREADS));
  for (const { file, text } of threads) {
    const unreferenced = text.lastIndexOf(".unref()");
    // A listener for messages references the thread again.
    const isLast = unreferenced > Math.max(text.lastIndexOf(".on("), text.lastIndexOf(".once("));
    const kind = unreferenced < 0 ? "awaited" : isLast ? "in the background" : "referenced by a listener after unref";
    expect([file, kind]).toEqual([file, THREADS[file]]);
    if (kind === "awaited") expect([file, text]).toEqual([file, expect.stringMatching(/"exit"|\.terminate\(\)/)]);
  }
});
