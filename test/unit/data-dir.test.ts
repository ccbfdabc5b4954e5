import { homedir } from "node:os";
import { expect, it } from "vitest";
import { usualFolder } from "../../src/config/data-dir.js";

it("the service keeps a real card's store in the home folder, and on Windows in a folder for all accounts", () => {
  expect(usualFolder("linux", { ProgramData: "D:\\Data" })).toBe(`${homedir()}/.tillseal`);
  expect(usualFolder("win32", { ProgramData: "D:\\Data" })).toBe("D:\\Data\\tillseal");
  expect(usualFolder("win32", {})).toBe("C:\\ProgramData\\tillseal");
});
