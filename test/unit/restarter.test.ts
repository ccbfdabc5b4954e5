/** A restart with saved settings leaves no shop without a till. */
import { describe, expect, it } from "vitest";
import { Restarter } from "../../src/commands/restarter.js";
import { ConfigError, loadConfig } from "../../src/config/load.js";
import type { Settings } from "../../src/config/settings.js";

const settingsOf = (flags: object) => loadConfig({ flags: { ...flags } }).settings;

/** A restart that has begun is waited for. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 10));

function desk(saved: () => object, startable: (settings: Settings) => boolean = () => true) {
  const started: Settings[] = [];
  const gaveUp: unknown[] = [];
  const before = settingsOf({});
  const restarter = new Restarter<Settings>(before, before, {
    load: () => loadConfig({ flags: { ...saved() } }),
    prepare: (settings) => settings,
    replace: async (settings) => {
      started.push(settings);
      await Promise.resolve();
      if (!startable(settings)) throw new Error("it does not start");
    },
    gaveUp: (error) => void gaveUp.push(error),
  });
  return { restarter, started, gaveUp };
}

describe("a restart", () => {
  it("brings what was saved into force", async () => {
    const { restarter, started } = desk(() => ({ port: 9000 }));
    restarter.restart();
    await settled();
    expect(started.map(({ port }) => port)).toEqual([9000]);
    expect([restarter.running().port, restarter.failed()]).toEqual([9000, null]);
  });

  it("goes back to what was in force where the new settings do not start, and says why", async () => {
    const { restarter, started } = desk(
      () => ({ port: 9000 }),
      ({ port }) => port !== 9000,
    );
    restarter.restart();
    await settled();
    expect(started.map(({ port }) => port)).toEqual([9000, 8431]);
    expect([restarter.running().port, restarter.failed()]).toEqual([8431, "it does not start"]);
  });

  it("leaves the service alone where a file is broken", async () => {
    const { restarter, started } = desk(() => {
      throw new ConfigError("till.yaml: cannot be read");
    });
    restarter.restart();
    await settled();
    expect([started, restarter.failed()]).toEqual([[], "till.yaml: cannot be read"]);
  });

  it("takes over no setting that needs another process: the card, the data folder, who may call", async () => {
    const other = { card: "pcsc", dataDir: "/elsewhere", allowedOrigins: "https://evil.example", qrFormat: "gif" };
    const { restarter, started } = desk(() => other);
    restarter.restart();
    await settled();
    expect(started[0]).toMatchObject({ card: "emulator", dataDir: undefined, allowedOrigins: [], qrFormat: "gif" });
  });

  it("that is asked for many times at once happens once, and none begins when the service ends", async () => {
    const { restarter, started } = desk(() => ({}));
    for (let i = 0; i < 100; i++) restarter.restart();
    await settled();
    await restarter.close();
    restarter.restart();
    await settled();
    expect(started).toHaveLength(1);
  });

  it("that ends with no service at all is told", async () => {
    const { restarter, gaveUp } = desk(
      () => ({ port: 9000 }),
      () => false,
    );
    restarter.restart();
    await settled();
    expect(gaveUp).toEqual([new Error("it does not start")]);
  });
});
