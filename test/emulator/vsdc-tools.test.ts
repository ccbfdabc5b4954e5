/** What works with the online service: scenario and rehearsal, conformance, recording and proxy. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { together } from "../../harness/conformance/case.js";
import { runConformance } from "../../harness/conformance/run-conformance.js";
import { MemoryRecording } from "../../harness/control/memory-recording.js";
import { httpCall, onlineCall } from "../../harness/scenario/http-call.js";
import { rehearse } from "../../harness/watch/rehearse.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { openedEmulator } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { get, open, post } from "../support/online.js";
import { outcomesOf } from "../support/outcomes.js";
import { proxied } from "../support/proxied.js";
import { scenarioFile, scenarioIn, whyFailing } from "../support/scenario-file.js";
import { callService } from "../support/till.js";

describe("a POS that falls back to the online service", () => {
  it("is played by the scenario, and the rehearsal judges it", async () => {
    const { rows } = await rehearse({
      command: [],
      from: join(PACKAGE_ROOT, "scenarios", "online", "fall-back-and-return.yaml"),
      port: 0,
      host: "localhost",
      stopped: new AbortController().signal,
      write: () => undefined,
      notice: (text) => expect(text).toBe(""),
    });
    const states = Object.fromEntries(rows.map(({ id, outcome }) => [id, outcome]));
    expect(states).toMatchObject({ "ONLINE-RETURN": "passed", "ONLINE-TWICE": "not seen", "OPS-002-PIN": "passed" });
  });

  /** Sells once with the card, once while the card is out, and twice when it is back. */
  async function day(staysOnline: boolean) {
    const till = await openedEmulator({ scenario: "pos/falls-back-to-online" });
    const { url, ...access } = await till.onlineService();
    const address = { url, ...access };
    const withCard = (requestId: string) => httpCall(till.url, post({ RequestId: requestId }));
    await withCard("order-1");
    till.card.remove();
    expect(await withCard("order-2")).toMatchObject({ status: 400 });
    expect(await onlineCall(address, post({ RequestId: "order-2" }))).toMatchObject({ status: 200 });
    await till.card.insert();
    await callService(till.url, "POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: "1234" });
    for (const order of ["order-3", "order-4"]) {
      await (staysOnline ? onlineCall(address, post({ RequestId: order })) : withCard(order));
    }
    return { unmet: await till.unmet(), online: till.signed({ online: true }) };
  }

  it("meets what a scenario expects of it, unless it stays online", async () => {
    const right = await day(false);
    expect(right.unmet).toEqual([]);
    expect(right.online.map(({ requestId }) => requestId)).toEqual(["order-2"]);
    expect((await day(true)).unmet.join("\n")).toContain("afterwards, the card signs again (3 of 3 in order)");
  });
});

describe("tillseal conformance", () => {
  /** @returns areas by outcome, and the deviations */
  async function examined(online: boolean) {
    const { vsdc, address } = await open();
    const folder = temporaryFolder();
    const file = (name: string, content: string | Uint8Array) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const { certificate, key, ca, pac } = address;
    const cases = await runConformance({
      remote: {
        baseUrl: vsdc.url,
        allowed: { riskLockingTheCard: false, issueRealReceipts: true },
        headers: { PAC: pac },
      },
      cert: file("client.pem", certificate + key),
      ca: file("ca.pem", ca),
      certificate: file("element.crt", vsdc.element.certificate),
      vsdc: online,
      report: [],
      write: () => undefined,
    });
    const outcomes = outcomesOf(cases);
    return { outcome: together(cases), outcomes, deviations: cases.flatMap(({ why }) => why.wrong?.split("\n") ?? []) };
  }

  it("finds nothing wrong with an online service, and proves its signatures", async () => {
    const { outcome, outcomes, deviations } = await examined(true);
    expect(deviations).toEqual([]);
    expect(outcome).toBe("passed");
    expect(outcomes).toMatchObject({
      Answer: "passed",
      Signature: "passed",
      Journal: "passed",
      Taxes: "passed",
    });
    expect(outcomes).toMatchObject({ "Verification URL": "passed", Counters: "passed", Recovery: "passed" });
  });

  it("says of a till's service that the card must have asked for its own signature", async () => {
    const { deviations } = await examined(false);
    expect(deviations).toContain('requestedBy: expected "TSVSDCO0", but was "TESTCARD"');
  });
});

describe("a recording", () => {
  it("has the online sales and the faults, and plays", async () => {
    const { world, call } = await open();
    const recording = new MemoryRecording(world);
    await call(post({ RequestId: "order-1" }));
    world.do({ vsdc: { loseAnswers: true } });
    await call(post({ RequestId: "order-2" }));
    const file = scenarioFile(await recording.scenario());
    expect(scenarioIn(file).steps).toHaveLength(3);
    expect(await whyFailing(file)).toBeUndefined();
  });
});

describe("tillseal proxy", () => {
  it("records an online service: the scenario plays, and neither file nor traffic log has the PAC", async () => {
    const { world, vsdc, address, call } = await open({ card: { uid: "SHOP0001" } });
    const folder = temporaryFolder();
    const [cert, ca, record] = [join(folder, "client.pem"), join(folder, "ca.pem"), join(folder, "day.yaml")];
    writeFileSync(cert, address.certificate + address.key);
    writeFileSync(ca, address.ca);
    const headers = { PAC: address.pac };
    const proxy = await proxied(vsdc.url, { vsdc: true, headers, cert, ca, record });
    await httpCall(proxy.url, post({ ...headers, RequestId: "order-1" }));
    await httpCall(proxy.url, { ...get("/status"), headers });
    proxy.fault({ on: "answer", kind: "connectionDropped", nth: 1 });
    expect(await httpCall(proxy.url, post({ ...headers, RequestId: "order-2" }))).toBeUndefined();
    await httpCall(proxy.url, post({ ...headers, RequestId: "order-2" }));
    await httpCall(proxy.url, post({ PAC: "WRONG1" }));
    expect(proxy.traffic.entries.map(({ online, status }) => [online, status])).toEqual(
      [200, 200, 0, 200, 401].map((status) => [true, status]),
    );
    expect(JSON.stringify(proxy.traffic.entries)).not.toContain(address.pac);
    expect(vsdc.element.memory.load().totalCounter).toBe(2);
    expect(await call(get("/attention"))).toMatchObject({ status: 200 });
    await world.close();
    expect(proxy.leftOut()).toEqual(["1 left out: refused with 401, such as a wrong PAC"]);
    const text = readFileSync(record, "utf8");
    expect(text).not.toMatch(new RegExp(`${address.pac}|WRONG1`));
    expect(scenarioIn(record).given).toMatchObject({ vsdc: {}, card: { uid: "SHOP0001", inserted: false } });
    expect(await whyFailing(record)).toBeUndefined();
  });
});
