import { expect, it } from "vitest";
import { usualFolder } from "../../src/config/data-dir.js";

const MACHINE = { home: "C:\\Users\\ana", variables: { ProgramData: "D:\\Data" } };

it("the service keeps a real card's store in the home folder, and on Windows in a folder for all accounts", () => {
  expect(usualFolder({ ...MACHINE, platform: "linux", home: "/home/ana" })).toBe("/home/ana/.tillseal");
  expect(usualFolder({ ...MACHINE, platform: "win32" })).toBe("D:\\Data\\tillseal");
  expect(usualFolder({ ...MACHINE, platform: "win32", variables: {} })).toBe("C:\\ProgramData\\tillseal");
});
