/** A restart with saved settings never leaves a shop without a till. */
import { expect, it } from "vitest";
import { Restarter } from "../../src/commands/restarter.js";
import { ConfigError } from "../../src/config/config-error.js";
import { loadConfig } from "../../src/config/load.js";
import type { Settings } from "../../src/config/settings.js";

const settingsOf = (flags: object) => loadConfig({ flags: { ...flags } }).settings;

const settled = () => new Promise((resolve) => setImmediate(resolve));

function restartable(saved: () => object, startable: (settings: Settings) => boolean = () => true) {
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
  /** Waits until it is over: a restart waits for promises only. */
  const restart = () => {
    restarter.restart();
    return settled();
  };
  return { restarter, restart, started, gaveUp };
}

it("a restart applies the saved settings", async () => {
  const { restarter, restart, started } = restartable(() => ({ port: 9000 }));
  await restart();
  expect(started.map(({ port }) => port)).toEqual([9000]);
  expect([restarter.running().port, restarter.failed()]).toEqual([9000, null]);
});

it("a restart goes back to the old settings when the new ones do not start, and says why", async () => {
  const isStartable = ({ port }: Settings) => port !== 9000;
  const { restarter, restart, started } = restartable(() => ({ port: 9000 }), isStartable);
  await restart();
  expect(started.map(({ port }) => port)).toEqual([9000, 8431]);
  expect([restarter.running().port, restarter.failed()]).toEqual([8431, "it does not start"]);
});

it("a restart leaves the service alone when a file is broken", async () => {
  const { restarter, restart, started } = restartable(() => {
    throw new ConfigError("till.yaml: cannot be read");
  });
  await restart();
  expect([started, restarter.failed()]).toEqual([[], "till.yaml: cannot be read"]);
});

it("a restart keeps settings that need a new process: the card, the data folder, who may call", async () => {
  const other = { card: "pcsc", dataDir: "/elsewhere", allowedOrigins: "https://evil.example", answerForm: "device" };
  const { restart, started } = restartable(() => other);
  await restart();
  const kept = { card: "emulator", dataDir: undefined, allowedOrigins: [] };
  expect(started[0]).toMatchObject({ ...kept, answerForm: "device" });
});

it("a restart runs once for many requests at the same time, and not at all once the service is ending", async () => {
  const { restarter, restart, started } = restartable(() => ({}));
  for (let i = 0; i < 100; i++) restarter.restart();
  await settled();
  await restarter.close();
  await restart();
  expect(started).toHaveLength(1);
});

it("a restart that ends without any running service is reported", async () => {
  const { restart, gaveUp } = restartable(
    () => ({ port: 9000 }),
    () => false,
  );
  await restart();
  expect(gaveUp).toEqual([new Error("it does not start")]);
});
