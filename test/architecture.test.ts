/** The rules of the design about who may import whom. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package-root.js";

interface Import {
  readonly file: string;
  readonly from: string;
  readonly onDemand: boolean;
}

function importsBelow(folder: string): Import[] {
  const files = readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((name) => {
      const file = relative(PACKAGE_ROOT, join(PACKAGE_ROOT, folder, name));
      const text = readFileSync(join(PACKAGE_ROOT, file), "utf8");
      return [...text.matchAll(/(import\s+type\s[^;]*?from|from|import)\s*(\()?\s*"([^"]+)"/g)]
        .filter(([, keyword]) => !keyword?.startsWith("import type"))
        .map(([, , bracket, from = ""]) => ({ file, from, onDemand: bracket !== undefined }));
    });
}

const SOURCES = importsBelow("src");

const importersOf = (imports: Import[], pattern: RegExp) =>
  imports.filter(({ from }) => pattern.test(from)).map(({ file }) => file);

describe("the structure", () => {
  it("is seen by this test at all", () => {
    expect(SOURCES.length).toBeGreaterThan(100);
  });

  it("lets src/ load emulator/ on demand in one place, and import it nowhere", () => {
    const statically = SOURCES.filter(({ onDemand }) => !onDemand);
    expect(importersOf(statically, /\.\.\/emulator\//)).toEqual([]);
    expect(importersOf(SOURCES, /\.\.\/emulator\//)).toEqual(["src/commands/emulator.ts"]);
  });

  it("keeps input and output out of the fiscal core", () => {
    const allowed = /^(\.|node:crypto$|qrcode$|omggif$)/;
    const imports = SOURCES.filter(({ file }) => file.startsWith("src/fiscal/"));
    expect(imports.filter(({ from }) => !allowed.test(from))).toEqual([]);
    expect(
      imports.filter(({ from }) => from.startsWith("../..") || /\.\.\/(?!money|invoice|tax|time|language)/.test(from)),
    ).toEqual([]);
  });

  it("lets only the store know the database, and only the driver know PC/SC", () => {
    const files = [...new Set(SOURCES.map(({ file }) => file))];
    const naming = files.filter((file) => readFileSync(join(PACKAGE_ROOT, file), "utf8").includes('"better-sqlite3'));
    expect(naming).toEqual(["src/store/sqlite.ts"]);
    expect(importersOf(SOURCES, /^pcsclite$/).filter((file) => !file.startsWith("src/secure-element/pcsc/"))).toEqual(
      [],
    );
  });

  it("has the native module asked for in one folder, on demand", () => {
    const files = [...new Set(SOURCES.map(({ file }) => file))];
    const asking = files.filter((file) => readFileSync(join(PACKAGE_ROOT, file), "utf8").includes('("pcsclite")'));
    expect(asking).toEqual(["src/secure-element/pcsc/pcsclite.ts"]);
  });

  it("asks the system for the time in one place, and for chance in none", () => {
    const uses = (pattern: RegExp) =>
      [...new Set(SOURCES.map(({ file }) => file))].filter((file) =>
        pattern.test(readFileSync(join(PACKAGE_ROOT, file), "utf8")),
      );
    // A page in a browser has the browser's clock; nothing fiscal depends on it.
    const service = uses(/Date\.now\(\)|new Date\(\)/).filter(
      (file) => !file.startsWith(join("src", "console", "web")),
    );
    expect(service).toEqual([]);
    expect(readFileSync(join(PACKAGE_ROOT, "src/clock.ts"), "utf8")).toContain("Date.now()");
    expect(uses(/Math\.random|randomBytes|randomUUID/)).toEqual([]);
  });
});
