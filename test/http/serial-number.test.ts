/** The serial number of an installation, the last part of `mrc` on every receipt. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Given } from "../../emulator/world/given.js";
import { World } from "../../emulator/world/world.js";
import type { Settings } from "../../src/config/settings.js";
import { temporaryFolder } from "../support/folder.js";
import { callService, openTill } from "../support/till.js";

const MADE = /^TS-[0-9A-HJKMNP-TV-Z]{8}$/;

/** The number in status, which the next sale carries too. */
async function numberWith(settings: Partial<Settings>, sells = true): Promise<unknown> {
  const till = await openTill({ settings });
  const { deviceSerialNumber, make, model } = (await till.call("GET", "/api/v3/status")).json();
  if (sells) expect((await till.sell()).json().mrc).toBe(`${make}-${model}-${deviceSerialNumber}`);
  await till.stop();
  return deviceSerialNumber;
}

it("the serial number is made once for a data folder and differs between folders", async () => {
  const [dataDir, other] = [temporaryFolder(), temporaryFolder()];
  const made = await numberWith({ dataDir }, false);
  expect(made).toMatch(MADE);
  expect(await numberWith({ dataDir })).toBe(made);
  expect(await numberWith({ dataDir: other })).not.toBe(made);
});

it("the serial number is the configured one when there is a setting", async () => {
  const dataDir = temporaryFolder();
  const made = await numberWith({ dataDir });
  expect(await numberWith({ dataDir, deviceSerialNumber: "SHOP-7" })).toBe("SHOP-7");
  expect(await numberWith({ dataDir })).toBe(made);
});

it("the serial number stays the one of the stored receipts, whatever happens to the device's name", async () => {
  const dataDir = temporaryFolder();
  await numberWith({ dataDir, deviceSerialNumber: "TS-00000001" });
  expect(await numberWith({ dataDir, deviceMake: "till-2" })).toBe("TS-00000001");
  expect(await numberWith({ dataDir })).toBe("TS-00000001");
});

it.each(["00-1002", "0001-1002", "Ab12-C3"])(
  "the serial number follows the maker's two codes %s in mrc, and make and model stay as they are",
  async (makerCodes) => {
    const dataDir = temporaryFolder();
    const till = await openTill({ settings: { dataDir, makerCodes } });
    const { deviceSerialNumber, make, model } = (await till.call("GET", "/api/v3/status")).json();
    expect({ make, model }).toEqual({ make: "tillseal", model: "tillseal" });
    expect((await till.sell()).json().mrc).toBe(`${makerCodes}-${deviceSerialNumber}`);
    await till.stop();
    rmSync(join(dataDir, "tillseal.serial"));
    expect(await numberWith({ dataDir })).toBe(deviceSerialNumber);
  },
);

it("the serial number is the same in every run with temporary data", async () => {
  expect(await numberWith({})).toBe("TS-00000001");
});

it("the serial number is the same in every temporary or seeded emulated world", async () => {
  const numberIn = async (given: Given, dataDir?: string) => {
    const world = await World.open(given, dataDir === undefined ? {} : { dataDir, seed: "by chance" });
    onTestFinished(() => world.close());
    return (await callService(world.url, "GET", "/api/v3/status")).json().deviceSerialNumber;
  };
  expect(await numberIn({})).toBe("TS-00000001");
  expect(await numberIn({ seed: "friday" }, temporaryFolder())).toBe("TS-00000001");
  expect(await numberIn({}, temporaryFolder())).toMatch(MADE);
});
