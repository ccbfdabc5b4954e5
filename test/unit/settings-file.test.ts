/** The configuration file as the console changes it. */
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ConfigError } from "../../src/config/config-error.js";
import { loadConfig } from "../../src/config/load.js";
import { checkChanges, SettingsRefusedError, writeSettings } from "../../src/config/settings-file.js";
import { HAS_FULL_DEVICE } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";

it("a written configuration file keeps its comments and unchanged settings", () => {
  const file = join(temporaryFolder(), "till.yaml");
  writeFileSync(file, "# The shop at the corner\nport: 9000 # as the POS has it\nhost: 127.0.0.1\n");
  writeSettings(file, { port: 9001, host: null, languages: ["en-US"] });
  expect(readFileSync(file, "utf8")).toBe(
    "# The shop at the corner\nport: 9001 # as the POS has it\nlanguages:\n  - en-US\n",
  );
  expect(loadConfig({ file }).settings).toMatchObject({ port: 9001, languages: ["en-US"] });
});

it.each(["", "# nothing yet\n", undefined])("a written configuration file may be empty or new before: %j", (before) => {
  const file = join(temporaryFolder(), "till.yaml");
  if (before !== undefined) writeFileSync(file, before);
  writeSettings(file, { port: 9001 });
  expect(loadConfig({ file }).settings.port).toBe(9001);
  // A new file is private.
  if (before === undefined) expect(statSync(file).mode & 0o077).toBe(0);
  expect(existsSync(`${file}.new`)).toBe(false);
});

it("a written configuration file stays JSON when it is JSON", () => {
  const file = join(temporaryFolder(), "till.json");
  writeFileSync(file, '{"port": 9000}');
  writeSettings(file, { answerForm: "device" });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ port: 9000, answerForm: "device" });
});

it.each([
  [{ port: 70_000 }, "port: expected an integer from 0 to 65535"],
  [{ port: "8431" }, "port: expected an integer"],
  [{ languages: [] }, "languages: expected a list of"],
  [{ languages: ["en-US", "en-US"] }, "languages: expected a list of"],
  [{ dataDir: "/tmp" }, "dataDir: cannot be changed here"],
  [{ allowedOrigins: ["https://evil.example"] }, "allowedOrigins: cannot be changed here"],
  [{ host: "0.0.0.0" }, "host: --host sets it and overrides the file"],
  [JSON.parse('{"__proto__": 1}'), "__proto__: cannot be changed here"],
  [{ constructor: 1 }, "constructor: cannot be changed here"],
  [{ answerForm: "device" }, "answerForm: TILLSEAL_ANSWER_FORM sets it"],
])("changes of settings %j are refused", (changes, message) => {
  const config = loadConfig({ flags: { host: "127.0.0.1" }, environment: { TILLSEAL_ANSWER_FORM: "specification" } });
  expect(() => checkChanges(changes, config)).toThrow(SettingsRefusedError);
  expect(() => checkChanges(changes, config)).toThrow(message);
});

it("changes of settings are accepted when they are valid, and so is resetting one", () => {
  const changes = { port: 9000, languages: ["sr-Latn-RS", "en-US"], testInvoice: null, negativeItems: true };
  expect(() => checkChanges(changes, loadConfig({}))).not.toThrow();
});

it("the file in the data folder is read by default, and a file named on the command line replaces it", () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, "tillseal.yaml"), "port: 9000\n");
  const other = join(dataDir, "other.yaml");
  writeFileSync(other, "port: 9001\n");
  const flags = { dataDir };
  expect(loadConfig({ flags, enterFolder: () => undefined }).settings.port).toBe(9000);
  expect(loadConfig({ flags, enterFolder: () => undefined, file: other }).settings.port).toBe(9001);
  expect(loadConfig({ flags }).settings.port).toBe(8431);
});

it("the file in the data folder may be missing, and must not name another data folder", () => {
  const dataDir = temporaryFolder();
  expect(loadConfig({ flags: { dataDir }, enterFolder: () => undefined })).toMatchObject({
    file: join(dataDir, "tillseal.yaml"),
    settings: { port: 8431 },
  });
  writeFileSync(join(dataDir, "tillseal.yaml"), "dataDir: /elsewhere\n");
  expect(() => loadConfig({ flags: { dataDir }, enterFolder: () => undefined })).toThrow(ConfigError);
});

it("the file in the data folder does not exist when the emulator's data is temporary", () => {
  expect(loadConfig({ enterFolder: () => undefined }).file).toBeUndefined();
});

it("a file with YAML features with an anchor is left unchanged when the change would affect another setting", () => {
  const file = join(temporaryFolder(), "till.yaml");
  const text = "requireReferentTime: &on true\ntestInvoice: *on\nport: 9000\n";
  writeFileSync(file, text);
  expect(() => writeSettings(file, { requireReferentTime: false })).toThrow(SettingsRefusedError);
  expect(readFileSync(file, "utf8")).toBe(text);
  writeSettings(file, { port: 9001 });
  expect(loadConfig({ file }).settings).toMatchObject({ port: 9001, requireReferentTime: true, testInvoice: true });
});

it("a file with YAML features is changed behind a link, and becomes private", () => {
  const folder = temporaryFolder();
  const [real, link] = [join(folder, "real.yaml"), join(folder, "till.yaml")];
  writeFileSync(real, "port: 9000\n", { mode: 0o640 });
  symlinkSync(real, link);
  writeSettings(link, { port: 9001 });
  expect(readFileSync(real, "utf8")).toBe("port: 9001\n");
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(statSync(real).mode & 0o777).toBe(0o600);
});

it.runIf(HAS_FULL_DEVICE)("a file with YAML features stays as it was when the disk is full", () => {
  const folder = temporaryFolder();
  const file = join(folder, "till.yaml");
  writeFileSync(file, "port: 9000\n");
  symlinkSync("/dev/full", `${file}.new`);
  expect(() => writeSettings(file, { port: 9001 })).toThrow("ENOSPC");
  expect(readFileSync(file, "utf8")).toBe("port: 9000\n");
});
