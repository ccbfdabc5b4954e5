/** Who may read what in the console of a real card. */
import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import { CONSOLE_ENDPOINTS } from "../../src/console/endpoints.js";
import { thisMachine } from "../../src/http/trust.js";
import { openTill, type TillOptions } from "../support/till.js";

const cardTill = ({ settings, ...options }: TillOptions = {}) =>
  openTill({ ...options, settings: { card: "pcsc", trafficMinutes: 5, ...settings } });

it("the console of a real card, asked from another machine shows the state of the till without its turnover, and refuses everything private", async () => {
  const load = () => loadConfig({ flags: { port: 0 } });
  const till = await cardTill({
    settingsAccess: { running: () => load().settings, load, restart: () => undefined, failed: () => null },
    endProcess: () => undefined,
    // The remote address of a real connection cannot be chosen in a test.
    hooks: {
      before: (request, _response, next) => {
        Object.defineProperty(request.socket, "remoteAddress", { value: "192.168.1.31", configurable: true });
        next();
      },
    },
  });
  await till.sell();
  for (const { method, path, trusted } of CONSOLE_ENDPOINTS) {
    if (path === "/events" || path === "/token") continue;
    const answer = await till.call(method, `/console${path.replace(":id", "1")}`);
    // This caller does not have the secret that ends the service.
    expect([path, answer.status]).toEqual([path, trusted || path === "/stop" ? 403 : 200]);
  }
  expect((await till.call("GET", "/console/till")).json()).toMatchObject({ audit: null, last: [] });
  expect((await till.call("GET", "/console/info")).json()).toMatchObject({ trusted: false, folder: null });
});

it("the console of a real card shows receipts on the machine itself", async () => {
  const { call } = await cardTill();
  expect((await call("GET", "/console/receipts")).status).toBe(200);
  expect((await call("GET", "/console/info")).json()).toMatchObject({ trusted: true, controlPort: null });
});

it.each([
  ["127.0.0.1", "127.0.0.1", true],
  ["::1", "::1", true],
  ["::ffff:127.0.0.1", "::ffff:127.0.0.1", true],
  ["192.168.1.20", "192.168.1.20", true],
  ["192.168.1.31", "192.168.1.20", false],
  ["1270.0.0.1", "192.168.1.20", false],
  ["fe80::1", "fe80::2", false],
])("the console of a real card trusts a caller from %s at %s as local: %s", (remoteAddress, localAddress, trusted) => {
  expect(thisMachine({ socket: { remoteAddress, localAddress } } as never)).toBe(trusted);
});
