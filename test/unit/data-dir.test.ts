import { expect, it } from "vitest";
import { usualFolder } from "../../src/config/data-dir.js";

const MACHINE = { home: "C:\\Users\\ana", variables: { ProgramData: "D:\\Data" }, exists: () => false };

it("keeps a real card's store in the home folder, and on Windows in a folder for all accounts", () => {
  expect(usualFolder({ ...MACHINE, platform: "linux", home: "/home/ana" })).toBe("/home/ana/.tillseal");
  expect(usualFolder({ ...MACHINE, platform: "win32" })).toBe("D:\\Data\\tillseal");
  expect(usualFolder({ ...MACHINE, platform: "win32", variables: {} })).toBe("C:\\ProgramData\\tillseal");
});

it("keeps using a store that an earlier version made in the home folder on Windows, until one for all accounts exists", () => {
  const own = "C:\\Users\\ana\\.tillseal\\tillseal.db";
  const both = [own, "D:\\Data\\tillseal\\tillseal.db"];
  const folderWith = (files: readonly string[]) =>
    usualFolder({ ...MACHINE, platform: "win32", exists: (path) => files.includes(path) });
  expect(folderWith([own])).toBe("C:\\Users\\ana\\.tillseal");
  expect(folderWith(both)).toBe("D:\\Data\\tillseal");
});
