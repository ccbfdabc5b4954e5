/** `tillseal conformance` against services of other makers, one correct and some with mistakes. */
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { type Area, together } from "../../harness/conformance/case.js";
import { runConformance } from "../../harness/conformance/run-conformance.js";
import type { Row } from "../../harness/scenario/row.js";
import type { Given } from "../../harness/testkit.js";
import { listen, urlOf } from "../../src/http/listen.js";
import { tillseal } from "../support/command.js";
import { openedEmulator } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { foreignStub, withoutHash, wrongTax } from "../support/foreign-stub.js";
import { outcomesOf } from "../support/outcomes.js";
import { specifiedService } from "../support/specified-service.js";

const PIN = "9876";
const CARD: Given = { card: { pin: PIN } };

async function run(
  url: string,
  allowed: { pin?: string; riskLockingTheCard?: boolean; issueRealReceipts?: boolean },
  headers: Record<string, string> = {},
) {
  const html = join(temporaryFolder(), "report.html");
  const xml = join(temporaryFolder(), "report.xml");
  let printed = "";
  const remote = {
    baseUrl: url,
    allowed: { riskLockingTheCard: false, issueRealReceipts: false, ...allowed },
    headers,
  };
  const cases = await runConformance({
    remote,
    report: [html, xml],
    write: (text) => {
      printed += text;
    },
  });
  return { outcome: together(cases), cases, printed, html: readFileSync(html, "utf8"), xml: readFileSync(xml, "utf8") };
}

const deviating = (cases: readonly Row[]): Area[] =>
  Object.entries(outcomesOf(cases)).flatMap(([area, outcome]) => (outcome === "failed" ? [area as Area] : []));
const quoted = (cases: readonly Row[], area: Area) =>
  cases.filter(({ id }) => id === area).flatMap(({ why }) => why.wrong?.split("\n") ?? []);

const notesIn = (cases: readonly Row[]) => cases.flatMap(({ why }) => why.note?.split("\n") ?? []);

/** A service that sends the same answer to everything. */
async function answering(send: (response: ServerResponse) => void): Promise<{ url: string }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    send(response);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await listen(server, { port: 0, host: "127.0.0.1" });
  return { url: urlOf(server) ?? "" };
}

it("tillseal conformance finds nothing wrong with a correct service of another maker, and sends no wrong PIN", async () => {
  const { url, arrived } = await foreignStub(undefined, CARD);
  const { outcome, cases, printed, html, xml } = await run(url, { pin: PIN });
  expect(quoted(cases, "Answer")).toEqual([]);
  expect([outcome, deviating(cases)]).toEqual(["passed", []]);
  const passed = { Taxes: "passed", Journal: "passed", "QR code": "passed", "Verification URL": "passed" };
  const skipped = { Card: "not applicable", Signature: "not applicable" };
  expect(outcomesOf(cases)).toMatchObject({ ...passed, ...skipped, Refusals: "passed" });
  for (const text of [printed, html, xml]) expect(text).not.toContain(PIN);
  const invoices = arrived.filter(({ what }) => what === "POST /api/v3/invoices");
  expect(invoices.filter(({ body }) => !body.includes('"invoiceType":"Training"'))).toEqual([]);
  const pins = arrived.filter(({ what }) => what.endsWith("/pin")).map(({ body }) => body);
  expect(pins).toEqual([PIN, `{"pin":"${PIN}"}`, `"${PIN}"`]);
  expect(notesIn(cases)).toEqual([
    "form of the answers (setting answerForm): errors specification, QR codes specification",
  ]);
});

it("tillseal conformance finds nothing wrong with a service that was written from the specification alone", async () => {
  const { outcome, cases } = await run(await specifiedService(), { pin: "1234", issueRealReceipts: true });
  expect(cases.filter((one) => one.outcome === "failed").map(({ text, why }) => [text, why.wrong])).toEqual([]);
  expect([outcome, notesIn(cases)]).toEqual([
    "passed",
    [
      "form of the answers (setting answerForm): errors specification, refused PINs specification, QR codes specification",
    ],
  ]);
  const also = cases.filter(({ text }) => text === "what deployed services also have").map(({ why }) => why.reason);
  expect(also).toEqual([
    "GET /api/v3/status without secureElementVersion, taxCoreApi, allTaxRates",
    "GET /api/v3/environment-parameters without logo, endpoints.taxCoreApi",
    "errors without modelState",
    expect.stringMatching(/^POST \/api\/v3\/invoices without requestedBy, sdcDateTime, .*invoiceNumber, .*taxItems/),
  ]);
});

it("tillseal conformance names each of eight deviations from the specification, one of them a wrong type", async () => {
  const url = await specifiedService({
    signsTwice: true,
    takesEveryLabel: true,
    needsNoPin: true,
    longIds: true,
    sold: ({ mrc: _mrc, ...answer }) => ({
      ...answer,
      totalCounter: String(answer.totalCounter),
      totalAmount: Number(answer.totalAmount) + 0.01,
      taxGroupRevision: 4,
    }),
  });
  const { cases } = await run(url, { pin: "1234" });
  const wrong = cases.flatMap(({ text, why }) => (why.wrong?.split("\n") ?? []).map((line) => `${text}: ${line}`));
  for (const deviation of [
    /^an invoice without the PIN is refused with 401 and 1500/,
    /^an unknown label is 2310: /,
    /^a RequestId of 40 characters is refused: status: expected 400, but was 201/,
    /^a sale repeated with its RequestId is not signed again: .*signature: /,
    /^a Training Sale: totalAmount: expected 100, but was 100.01/,
    /^a Training Sale: taxGroupRevision: expected 3, but was 4/,
    /^the form of all answers: POST .* but was mrc is missing/,
    /^the form of all answers: POST .* but was totalCounter must be integer/,
  ]) {
    expect(wrong).toContainEqual(expect.stringMatching(deviation));
  }
});

it("tillseal conformance finds a wrong tax, a missing hash and a sale signed twice beside a field of a wrong type", async () => {
  const sold = (answer: Record<string, unknown>) => ({
    ...withoutHash(wrongTax(answer)),
    totalCounter: String(answer.totalCounter),
    transactionTypeCounter: null,
  });
  const { url } = await foreignStub(sold, CARD, { signsTwice: true });
  const { cases } = await run(url, { pin: PIN });
  expect(deviating(cases)).toEqual(["Answer", "Taxes", "Verification URL", "Recovery"]);
  expect(quoted(cases, "Taxes")[0]).toBe("taxItems.A.amount: expected 16.6667, but was 16.6668");
  expect(quoted(cases, "Verification URL")[0]).toMatch(
    /^verificationUrl: MD5 hash at its end: expected [0-9a-f]{32}, but was nothing$/,
  );
  expect(quoted(cases, "Answer").join()).toMatch(
    /totalCounter must be integer.*transactionTypeCounter must be integer/,
  );
});

it("tillseal conformance accepts the rate of an amount for each unit with a percent sign, too", async () => {
  let changed = 0;
  const { url } = await foreignStub(
    (answer) => {
      const journal = String(answer.journal).replaceAll(/^(P .*) ([\d.,]+)( +[\d.,]+)$/gm, (_, name, rate, rest) => {
        changed += 1;
        return `${name}${rate}%${rest}`;
      });
      return { ...answer, journal: answer.journal === null ? null : journal };
    },
    { ...CARD, environment: "fj" },
  );
  const { cases } = await run(url, { pin: PIN });
  expect([deviating(cases), changed > 0]).toEqual([[], true]);
});

it("tillseal conformance does not pass status and parameters of a service that answers {}", async () => {
  const { url } = await answering((response) => response.end("{}"));
  const { cases } = await run(url, {});
  const outcomes = cases.map(({ text, outcome, why }) => [text.split(" (")[0], outcome, why.reason]);
  expect(outcomes).toEqual(
    expect.arrayContaining([
      ["status", "failed", undefined],
      ["environment parameters", "failed", undefined],
      ["status without the PIN has 1500", "not applicable", "status does not say whether the PIN is needed"],
    ]),
  );
});

it.each(["9876", "9 8-7\u200b6", "%39%38%37%36", "\\u0039\\u0038\\u0037\\u0036"])(
  "tillseal conformance hides the PIN in what it prints and writes, if the service repeats it as %j",
  async (repeated) => {
    const answer = { make: repeated, model: `m ${repeated}`, softwareVersion: "1", gsc: [repeated], code: repeated };
    const { url } = await answering((response) => response.end(JSON.stringify(answer)));
    const { printed, html, xml } = await run(url, { pin: PIN });
    expect(printed).toContain("****");
    for (const text of [printed, html, xml]) {
      expect(text).not.toMatch(/9(?:\W|\\u200b)*8(?:\W|\\u200b)*7(?:\W|\\u200b)*6|39\W*38\W*37\W*36|u0039/);
    }
  },
);

it("tillseal conformance ends with a reason when an answer has no end", async () => {
  const { url } = await answering((response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20)));
    };
    response.on("drain", more);
    more();
  });
  await expect(run(url, {})).rejects.toThrow(
    `no whole answer from the service at ${url}: the answer is larger than 4194304 bytes`,
  );
});

it("tillseal conformance ends with a reason when an answer takes too long, although bytes still arrive", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const responses: ServerResponse[] = [];
  const trickle = setInterval(() => {
    for (const response of responses) response.write(" ");
    if (responses.length > 0) vi.advanceTimersByTime(10_000);
  }, 20);
  onTestFinished(() => {
    clearInterval(trickle);
    vi.useRealTimers();
  });
  const { url } = await answering((response) => responses.push(response));
  await expect(run(url, {})).rejects.toThrow(`no whole answer from the service at ${url}: it took more than 30000 ms`);
});

it("tillseal conformance stops sending a PIN once it was refused", async () => {
  const mistyped = await foreignStub(undefined, CARD);
  const { outcome, cases } = await run(mistyped.url, { pin: "1111" });
  expect([outcome, mistyped.pinTriesLeft()]).toEqual(["failed", 4]);
  const sale = cases.find(({ text }) => text.startsWith("a Training Sale "));
  expect(sale).toMatchObject({
    outcome: "not applicable",
    why: { reason: "the service did not accept the PIN; look at --pin" },
  });
});

it("tillseal conformance loses no attempt of a card whose service takes the PIN as text only, and judges everything else", async () => {
  const { url, arrived, pinTriesLeft } = await foreignStub(undefined, CARD, { pinAsTextOnly: true });
  const { cases } = await run(url, { pin: PIN });
  expect([deviating(cases), pinTriesLeft()]).toEqual([["PIN"], 5]);
  // Each refused form is followed by the form that the service accepts.
  const pins = arrived.filter(({ what }) => what.endsWith("/pin")).map(({ body }) => body);
  expect(pins).toEqual([PIN, `{"pin":"${PIN}"}`, PIN, `"${PIN}"`, PIN]);
  const wrong = cases.filter(({ outcome }) => outcome === "failed").map(({ text }) => text);
  expect(wrong).toEqual(["the right PIN in an object is 0100 (STATE-015)"]);
});

it("tillseal conformance takes the PIN in an object where text is not read", async () => {
  const { url, pinTriesLeft } = await foreignStub(undefined, CARD, { pinAsObjectOnly: true });
  const { cases } = await run(url, { pin: PIN });
  expect([deviating(cases), pinTriesLeft()]).toEqual([["PIN"], 5]);
  expect(outcomesOf(cases).Taxes).toBe("passed");
});

it("tillseal conformance judges right codes in the error record of deployed clients as right, with one note", async () => {
  const { url, pinTriesLeft } = await foreignStub(undefined, CARD, { deployedErrors: true });
  const { outcome, cases, html, printed } = await run(url, { pin: PIN });
  expect([outcome, deviating(cases), pinTriesLeft()]).toEqual(["passed", [], 5]);
  const refusals = cases.filter(({ id }) => id === "Refusals");
  expect(new Set(refusals.map((one) => one.outcome))).toEqual(new Set(["passed"]));
  expect(notesIn(cases).filter((note) => !note.startsWith("form"))).toHaveLength(1);
  for (const report of [html, printed]) expect(report).toContain("errors have another form than the record with code");
});

it("tillseal conformance accepts the form of devices, and names the form that it saw", async () => {
  const device = await foreignStub(undefined, { ...CARD, settings: { answerForm: "device" } });
  const { outcome, cases } = await run(device.url, { pin: PIN, riskLockingTheCard: true });
  expect([outcome, deviating(cases)]).toEqual(["passed", []]);
  expect(notesIn(cases)).toEqual([
    "form of the answers (setting answerForm): errors device, refused PINs device, QR codes device",
  ]);
});

it("tillseal conformance finds a wrong code in the error record of deployed clients", async () => {
  const { url } = await foreignStub(undefined, CARD, { deployedErrors: true, wrongCode: ["2310", "2800"] });
  const { cases } = await run(url, { pin: PIN });
  expect(deviating(cases)).toEqual(["Refusals"]);
  const wrong = cases.filter(({ outcome }) => outcome === "failed").map(({ text }) => text);
  expect(wrong).toEqual(["an unknown label is 2310"]);
});

it("tillseal conformance reaches a service behind a path and a header, which shows its parameters after the PIN", async () => {
  const habits = { path: "/t0ken/shop", header: ["pac", "A1B2C3"], quietBeforePin: true } as const;
  const { url, pinTriesLeft } = await foreignStub(undefined, CARD, habits);
  const args = ["conformance", `${url}${habits.path}`, "--pin", PIN];
  const { status, stdout } = await tillseal([...args, "--header", "PAC: A1B2C3"]);
  expect([status, stdout.match(/^failed.*/gm), pinTriesLeft()]).toEqual([
    1,
    [expect.stringMatching(/^failed +PIN: status without the PIN has 1500/)],
    5,
  ]);
  expect(stdout).toMatch(
    /^not applicable {2}Service: environment parameters\n +reason: the service shows them only after the PIN/m,
  );
  expect(stdout).toMatch(/^passed +Service: environment parameters after the PIN/m);
  expect(stdout).toMatch(/^\d+ passed, 1 failed, \d+ not applicable$/m);
  expect(stdout).toMatch(/^passed +PIN: an invoice without the PIN is refused with 401 and 1500 /m);

  const withoutHeader = await tillseal(args);
  expect([withoutHeader.status, withoutHeader.stdout]).toEqual([
    1,
    expect.stringContaining("attention was answered with 403"),
  ]);
});

it("tillseal conformance sends no PIN and no invoice to a service that does not say that it is ready", async () => {
  const { url, arrived } = await foreignStub(undefined, CARD, { attention: 503 });
  const { outcome, cases } = await run(url, { pin: PIN, riskLockingTheCard: true, issueRealReceipts: true });
  expect(arrived.filter(({ what }) => what.startsWith("POST"))).toEqual([]);
  expect([outcome, deviating(cases)]).toEqual(["failed", ["Service"]]);
});

it("tillseal conformance reports a rule that every answer breaks once, with their number", async () => {
  const { url } = await foreignStub(({ mrc: _mrc, ...answer }) => answer, CARD);
  const { cases } = await run(url, { pin: PIN });
  expect(quoted(cases, "Answer")).toEqual([
    expect.stringMatching(/^POST \/api\/v3\/invoices: .* but was mrc is missing \(in \d+ answers\)$/),
    expect.stringMatching(/^GET \/api\/v3\/invoices\/\{requestId\}: .* but was mrc is missing$/),
  ]);
  expect(deviating(cases)).toEqual(["Answer"]);
});

it("tillseal conformance sends one wrong PIN and real receipts when a person allows it", async () => {
  const { url, pinTriesLeft } = await foreignStub(undefined, CARD);
  const { outcome, cases } = await run(url, { pin: PIN, riskLockingTheCard: true, issueRealReceipts: true });
  expect([outcome, pinTriesLeft()]).toEqual(["passed", 5]);
  const conforming = cases.filter((one) => one.outcome === "passed").map(({ text }) => text);
  for (const id of ["STATE-014", "RECEIPT-001", "RECEIPT-006", "RECEIPT-010"]) expect(conforming.join()).toContain(id);
});

it("tillseal conformance quotes a tax that is wrong by a ten-thousandth, and reports nothing else", async () => {
  const { url } = await foreignStub(wrongTax, CARD);
  const { outcome, cases, html, xml } = await run(url, { pin: PIN });
  expect([outcome, deviating(cases)]).toEqual(["failed", ["Taxes"]]);
  expect(quoted(cases, "Taxes")[0]).toBe("taxItems.A.amount: expected 16.6667, but was 16.6668");
  expect(html).toContain("POST /api/v3/invoices");
  expect(html).toContain("<dt>wrong</dt><dd>taxItems.A.amount: expected 16.6667, but was 16.6668");
  expect(xml).toContain('<failure message="taxItems.A.amount: expected 16.6667, but was 16.6668">');
});

it.each([
  ["Journal", { journal: "x" }],
  ["QR code", { verificationQRCode: "data:image/png;base64,AAAA" }],
  ["Counters", { invoiceCounter: "1/2XX" }],
  ["Answer", { signedBy: "OTHERUID", requestedBy: "OTHERUID" }],
] as const)("tillseal conformance finds a wrong %s", async (area, changed) => {
  const { url } = await foreignStub((answer) => ({ ...answer, ...changed }), CARD);
  const { cases } = await run(url, { pin: PIN });
  expect(outcomesOf(cases)[area]).toBe("failed");
});

it("tillseal conformance escapes everything that the service sends", async () => {
  const evil = '<script>alert(1)</script>"\u001b[2J';
  const { url } = await foreignStub((answer) => ({ ...answer, invoiceCounter: evil }), CARD);
  const { html, xml, printed } = await run(url, { pin: PIN });
  expect(html).not.toContain("<script>");
  expect(xml).not.toContain("<script>");
  expect(printed).not.toContain("\u001b");
});

it("tillseal conformance tests every case on an emulator that proves to be one, and leaves it unchanged", async () => {
  const emulator = await openedEmulator();
  const file = join(temporaryFolder(), "report.html");
  const args = ["conformance", emulator.url, "--control-url", emulator.controlUrl, "--report", file];
  const { status, stdout } = await tillseal(args);
  expect([status, stdout.match(/^(failed .*|not applicable {2}(?!Signature).*)/gm)]).toEqual([0, null]);
  // A refused sale proves that the service stops selling.
  expect(readFileSync(file, "utf8")).toMatch(/>passed<.*without a card: an invoice is 1300 \(STATE-001, STATE-008\)/);
  expect(emulator.card.state.counters.total ?? 0).toBe(0);
});

it("tillseal conformance ends with status 3 when nothing answers", async () => {
  expect(await tillseal(["conformance", "http://127.0.0.1:1", "--pin", "1234"])).toMatchObject({ status: 3 });
});
