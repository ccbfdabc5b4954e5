import { expect, it } from "vitest";
import { makeDirective } from "../../emulator/pki/audit.js";
import { KEYS, makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS, openTill, type Till } from "../support/till.js";

const postJson = (till: Till, body: string) => till.call("POST", "/api/v3/pin", { headers: JSON_HEADERS, body });

it.each([
  // scenarios/pin/right-pin.yaml has the usual forms.
  ["application/json", '{"PIN":1234}'],
  ["text/plain; charset=us-ascii", "1234\r\n"],
  ["text/plain", '{"pin":"1234"}'],
])("POST /api/v3/pin accepts as %s the body %s", async (type, body) => {
  const till = await openTill({ pinVerified: false });
  const answer = await till.call("POST", "/api/v3/pin", { headers: { "Content-Type": type }, body });
  expect(answer.status).toBe(200);
  expect(answer.text).toBe(type.startsWith("application/json") ? '"0100"' : "0100");
  expect((await till.sell()).status).toBe(200);
});

it("POST /api/v3/pin reports a locked card before it looks at the digits", async () => {
  const till = await openTill({ profile: { pinTriesLeft: 0 }, pinVerified: false });
  expect((await till.pin("12345")).text).toBe("2110");
});

it("POST /api/v3/pin does not repeat the digits of a broken body", async () => {
  const till = await openTill({ pinVerified: false });
  const answer = await postJson(till, '{"pin":1234.}');
  expect(answer.status).toBe(400);
  expect(answer.text).not.toContain("1234");
});

it("POST /api/v3/pin accepts a bare PIN with a leading zero, which is not a JSON number", async () => {
  const till = await openTill({ profile: { pin: "0123" }, pinVerified: false });
  const answer = await postJson(till, "0123");
  expect(answer.text).toBe('"0100"');
});

it("POST /api/v3/pin says what is missing in a malformed PIN, which costs no attempt", async () => {
  const till = await openTill({ pinVerified: false });
  for (const pin of ["12345", "12", "abcd", "12 34", "１２３４"]) expect((await till.pin(pin)).text, pin).toBe("2100");
  for (const body of ["{}", "null", '{"pin":null}', "", '{"pin":""}', '""']) {
    const answer = await postJson(till, body);
    expect([answer.status, answer.json().code], body).toEqual([400, "2800"]);
  }
  for (const body of ['{"pin":["1234"]}', '["1234"]', "[]", "true", '{"pin":', '{"pin":"0000","pin":"1234"}']) {
    const answer = await postJson(till, body);
    expect([answer.status, answer.json().code], body).toEqual([400, "2806"]);
  }
  const twice = await postJson(till, '{"pin":"1234","Pin":"9999"}');
  expect([twice.status, twice.json().code]).toEqual([400, "2805"]);
  expect(till.cardState().pinTriesLeft).toBe(5);
});

it("POST /api/v3/pin answers 1300 without a card, and 2220 with a card that does not work", async () => {
  const till = await openTill({ pinVerified: false });
  till.reader.remove();
  expect((await till.pin()).text).toBe("1300");
  // Whatever the body holds.
  expect((await till.pin("")).text).toBe("1300");
  expect((await postJson(till, '{"pin":')).text).toBe('"1300"');
  till.reader.insert(till.card);
  till.card.memory.load = () => {
    throw new Error("broken card");
  };
  expect((await till.pin()).text).toBe("2220");
});

it("gates come in order: no card 1300, not configured 2400, PIN 1500", async () => {
  const till = await openTill({ environment: null, pinVerified: false });
  till.reader.remove();
  const refusal = async () => {
    const answer = await till.sell({ not: "an invoice" });
    return [answer.status, answer.json().code];
  };
  expect(await refusal()).toEqual([400, "1300"]);
  till.reader.insert(till.card);
  expect(await refusal()).toEqual([400, "2400"]);
  const status = (await till.call("GET", "/api/v3/status")).json();
  expect(status).toMatchObject({ gsc: ["1500", "2400"], currentTaxRates: null, allTaxRates: [] });
  const configured = await openTill({ pinVerified: false });
  const answer = await configured.sell({ not: "an invoice" });
  expect([answer.status, answer.json().code]).toEqual([401, "1500"]);
  expect(answer.text).toContain("1500");
});

it("gates say 2400 before any tax rates apply: for a sale, in status, and for a test invoice", async () => {
  const till = await openTill({ now: () => Date.UTC(2001, 0, 1), pinVerified: false });
  expect((await till.sell()).json().code).toBe("2400");
  expect((await till.call("GET", "/api/v3/status")).json()).toMatchObject({
    gsc: ["1500", "2400", "2809"],
    currentTaxRates: null,
  });
  await till.pin();
  const test = await till.call("POST", "/api/v3/test-invoice");
  expect([test.status, test.json().code]).toEqual([400, "2400"]);
});

it("signing that the authority has switched off is in status from the first refused sale to the next sale, directive, right PIN or other card", async () => {
  const till = await openTill();
  const codes = async () => (await till.call("GET", "/api/v3/status")).json().gsc;
  const disable = (disabled: boolean) => till.card.alter((state) => ({ ...state, disabled }));
  const ends = [
    async () => {
      await disable(false);
      expect((await till.sell()).status).toBe(200);
    },
    () => till.service.secureElement.directive(makeDirective("enable", "TESTCARD", KEYS.authorityPrivateKey)),
    () => till.pin(),
    () => {
      till.reader.remove();
      till.reader.insert(till.card);
    },
  ];
  for (const end of ends) {
    await disable(true);
    const details = expect.stringContaining("tax authority has disabled signing, ask it");
    expect((await till.sell()).json()).toMatchObject({ code: "2210", details });
    expect(await codes()).toEqual(["2210", "0100"]);
    await end();
    expect(await codes()).not.toContain("2210");
  }
});

it("signing that was switched off is a warning after a right PIN, another session and a restart, until the card signs or executes a directive", async () => {
  const dataDir = temporaryFolder();
  const card = makeCard();
  let till = await openTill({ settings: { dataDir }, card });
  const codes = async () => {
    const { gsc, mssc } = (await till.call("GET", "/api/v3/status")).json<{ gsc: string[]; mssc: string[] }>();
    return [
      gsc.includes("2210"),
      gsc.includes("1999"),
      mssc.includes("9022"),
      (await till.call("GET", "/ready")).status,
    ];
  };
  const restart = async () => {
    await till.stop();
    till = await openTill({ settings: { dataDir }, card });
  };
  const refused = [true, false, false, 503];
  const warned = [false, true, true, 200];
  const well = [false, false, false, 200];
  const sell = async (disabled: boolean) => {
    await till.card.alter((state) => ({ ...state, disabled }));
    return (await till.sell()).status;
  };
  const ends = [
    () => sell(false),
    async () => {
      const directive = makeDirective("enable", "TESTCARD", KEYS.authorityPrivateKey);
      const [command] = [
        { commandId: "d", type: 8, payload: Buffer.from(directive).toString("base64"), uid: "TESTCARD" },
      ];
      const body = { uid: "TESTCARD", commands: JSON.stringify([command]), pin: "1234" };
      expect(
        (await till.call("POST", "/console/audit/commands", { headers: JSON_HEADERS, body })).json(),
      ).toMatchObject({ failed: [] });
    },
  ];
  for (const end of ends) {
    expect([await sell(true), await codes()]).toEqual([400, refused]);
    await till.pin();
    expect(await codes()).toEqual(warned);
    await restart();
    expect(await codes()).toEqual(warned);
    expect([await sell(true), await codes()]).toEqual([400, refused]);
    await restart();
    await end();
    expect(await codes()).toEqual(well);
    await restart();
    expect(await codes()).toEqual(well);
  }
});

it("a counter at its end still refuses sales after a restart, before the card was asked again", async () => {
  const dataDir = temporaryFolder();
  const card = makeCard({ counters: { total: 0xffffffff } });
  const first = await openTill({ settings: { dataDir }, card });
  await first.sell();
  await first.stop();
  const till = await openTill({ settings: { dataDir }, card });
  expect((await till.call("GET", "/api/v3/status")).json().gsc).toContain("2210");
  expect((await till.call("GET", "/ready")).status).toBe(503);
});

it.each([
  ["a counter that has reached its end", { counters: { total: 0xffffffff } }, "ask the tax authority for a new card"],
  ["a limit that is reached", { limit: "100", sum: "100" }, "an audit is needed"],
])("%s appears in status from the first sale on, with or without the PIN", async (_, profile, todo) => {
  const till = await openTill({ profile });
  expect((await till.sell()).json()).toMatchObject({ code: "2210", details: expect.stringContaining(todo) });
  await till.pin();
  expect((await till.call("GET", "/api/v3/status")).json().gsc).toContain("2210");
});

it("GET /api/v3/status answers 200 with every field of the specification, with and without a card", async () => {
  const till = await openTill({ pinVerified: false });
  const fields =
    "isPinRequired auditRequired sdcDateTime lastInvoiceNumber protocolVersion hardwareVersion softwareVersion mssc gsc " +
    "deviceSerialNumber make model supportedLanguages uid taxAuthorityApi currentTaxRates";
  const read = async () => {
    const answer = await till.call("GET", "/api/v3/status");
    expect(answer.status).toBe(200);
    const body = answer.json();
    expect(Object.keys(body)).toEqual(expect.arrayContaining(fields.split(" ")));
    return body;
  };
  expect(await read()).toMatchObject({
    softwareVersion: expect.stringMatching(/^\d+(\.\d+)+$/),
    isPinRequired: true,
    gsc: ["1500"],
    lastInvoiceNumber: "",
    uid: "TESTCARD",
    taxCoreApi: "https://tax-authority.test",
    secureElementVersion: "3.1.1",
    currentTaxRates: { groupId: 1, taxCategories: [{ name: "VAT", categoryType: 0, orderId: 1 }, {}, {}, {}] },
  });
  await till.pin();
  await till.sell();
  expect(await read()).toMatchObject({
    isPinRequired: false,
    gsc: ["0100"],
    lastInvoiceNumber: "TESTCARD-TESTCARD-1",
  });
  till.reader.remove();
  expect(await read()).toMatchObject({ isPinRequired: true, gsc: ["1300"], uid: "" });
});

it.each(["pcsc", "emulator"] as const)(
  "GET /api/v3/status says with a test card that receipts are not valid (%s)",
  async (card) => {
    const till = await openTill({ settings: { card } });
    const status = async () => (await till.call("GET", "/api/v3/status")).json();
    expect(await status()).toMatchObject({ mssc: ["9002"], gsc: ["0100"] });
    till.reader.remove();
    expect(await status()).toMatchObject({ mssc: [], gsc: ["1300"] });
  },
);

it("GET /api/v3/environment-parameters answers with every field of the specification", async () => {
  const till = await openTill({ pinVerified: false });
  const answer = await till.call("GET", "/api/v3/environment-parameters");
  expect(answer.status).toBe(200);
  expect(answer.json()).toMatchObject({
    organizationName: "Emulated Tax Authority",
    serverTimeZone: "Central Europe Standard Time",
    street: "Test Street 1",
    city: "Belgrade",
    country: "RS",
    endpoints: {
      taxpayerAdminPortal: "https://portal.tax-authority.test/",
      taxAuthorityApi: "https://tax-authority.test/",
      taxCoreApi: "https://tax-authority.test/",
      vsdc: "https://vsdc.tax-authority.test/",
      root: "https://tax-authority.test/v/?vl=",
    },
    environmentName: "TEST",
    logo: "",
    ntpServer: "ntp://time.tax-authority.test/",
    supportedLanguages: ["en-US", "sr-Cyrl-RS", "sr-Latn-RS"],
  });
});

it.each([
  ["/api/v3/status", /"gsc":\["1300"\].*"uid":""/s],
  ["/ready", /"ready":false,"missing":\["1300"/],
  ["/metrics", /\{code="1300"\} 1/],
  ["/console/till", /"state":"no-card"/],
])("GET %s reports that the card is removed while the answer is made, and inserted again", async (path, without) => {
  let meanwhile = () => {};
  let now = 0;
  const till = await openTill({
    settings: { metrics: true },
    freeBytes: async () => {
      meanwhile();
      now += 60_000;
      return 1e12;
    },
    diskTimer: { now: () => now, sleep: () => new Promise<void>(() => undefined) },
  });
  meanwhile = () => till.reader.remove();
  expect((await till.call("GET", path)).text).toMatch(without);
  meanwhile = () => till.reader.insert(till.card);
  expect((await till.call("GET", path)).text).not.toMatch(without);
});
