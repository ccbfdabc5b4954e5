/** The rehearsal of an approval: three POS of our own, the shapes of known clients, recordings, and the reports. */
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Given } from "../../emulator/world/given.js";
import type { Outcome, RehearsalRecord, Row } from "../../harness/scenario/row.js";
import { rehearse } from "../../harness/watch/rehearse.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { tillseal, tillsealProcess } from "../support/command.js";
import { openControlled } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { Pos } from "../support/pos.js";
import { hardDay, wholeDay } from "../support/pos-day.js";

type Till = Awaited<ReturnType<typeof openControlled>>;

const GIVEN: Given = { card: { pinVerified: false }, authority: {} };
const put = (till: Till) => (id: string) => till.control("POST", "/rehearsal/situation", { name: id });
const rowsOf = async (till: Till): Promise<readonly Row[]> =>
  ((await till.control("GET", "/rehearsal")).json() as unknown as RehearsalRecord).rows;
const idsIn = (rows: readonly Row[], outcome: Outcome) =>
  rows.filter((row) => row.outcome === outcome).map(({ id }) => id);

describe("a right POS", () => {
  it("passes every rule, only what needs eyes is left, and its recording gives the same list with the fifteen receipts", async () => {
    const till = await openControlled(GIVEN);
    const pos = new Pos(till.world.url);
    await wholeDay(pos);
    await hardDay(pos, put(till));
    const rows = await rowsOf(till);
    expect([idsIn(rows, "failed"), idsIn(rows, "not seen")]).toEqual([[], []]);
    expect(idsIn(rows, "needs a person")).toHaveLength(12);

    const folder = temporaryFolder();
    const file = join(folder, "day.yaml");
    const { scenario } = (await till.control("GET", "/recording")).json() as unknown as { readonly scenario: string };
    writeFileSync(file, scenario);
    const [html, junit] = [join(folder, "day.html"), join(folder, "day.xml")];
    const flags = ["--from", file, "--html", html, "--junit", junit, "--json"];
    const { status, stdout, stderr } = await tillseal(["rehearse", ...flags]);
    expect([status, stderr]).toEqual([0, ""]);
    const report = JSON.parse(stdout) as { readonly about: readonly string[]; readonly rows: readonly Row[] };
    expect(report.about.join(" ")).toContain("not from the authority");
    expect(report.rows.map(({ id, outcome }) => [id, outcome])).toEqual(rows.map(({ id, outcome }) => [id, outcome]));
    const page = readFileSync(html, "utf8");
    expect(page.match(/<figure>.*?<svg .*?<path .*?<\/svg><\/figure>/gs)).toHaveLength(15);
    expect(page).toContain("not from the authority");
    expect(readFileSync(junit, "utf8")).toContain('tests="45" failures="0" skipped="12"');
  }, 120_000);
});

describe("a POS that stops in the middle", () => {
  it("fails nothing; the list says what to do next", async () => {
    const till = await openControlled(GIVEN);
    const pos = new Pos(till.world.url);
    await pos.start();
    await pos.sell();
    await put(till)("pos/card-out");
    await pos.sell();
    const rows = await rowsOf(till);
    expect(idsIn(rows, "failed")).toEqual([]);
    expect(idsIn(rows, "passed")).toContain("OPS-002-STATE");
    const open = rows.find(({ id }) => id === "OPS-005");
    expect(open).toMatchObject({ outcome: "not seen", why: { missing: expect.stringContaining("Voucher") } });
    expect(open?.why["to do"]).toContain("payment type");
    await till.control("DELETE", "/rehearsal");
    expect(idsIn(await rowsOf(till), "passed")).toEqual([]);
  });
});

describe("tillseal rehearse", () => {
  /** Rehearses until the POS is ready. @param act gets the address that the POS calls */
  async function rehearsed(
    options: Partial<Parameters<typeof rehearse>[0]>,
    act: (url: string, notices: readonly string[]) => Promise<unknown>,
  ) {
    const stopped = new AbortController();
    const notices: string[] = [];
    const output: string[] = [];
    const { rows, status } = await rehearse({
      command: [],
      port: 0,
      host: "localhost",
      stopped: stopped.signal,
      ...options,
      write: (text) => output.push(text),
      notice: (text) => {
        notices.push(text);
        const url = /point the POS at (http:\/\/\S+?);/.exec(text)?.[1];
        if (url !== undefined) void act(url, notices).finally(() => stopped.abort());
      },
    });
    return { rows, status, notices: notices.join(""), output: output.join("") };
  }

  it("watches a POS through the recording proxy, before any service", async () => {
    const till = await openControlled(GIVEN);
    const { rows, output } = await rehearsed({ target: new URL(till.world.url) }, async (url) => {
      const pos = new Pos(url, "a POS number with something appended");
      await pos.start();
      await pos.sell();
    });
    expect(idsIn(rows, "failed")).toEqual(["POS-NUMBER"]);
    expect(output).toMatch(
      /failed {10}POS-NUMBER.*\n +wrong: invoiceNumber 123\/1\.0-till 4\n +change: .*\n +request \d+: POST/,
    );
    expect(output).toContain("change: Send approval/version in the field invoiceNumber, and append nothing.");
  });

  it("puts the situations by itself with --drive", async () => {
    const last = "now: The answer to the next sale takes 10 seconds";
    const { rows, notices } = await rehearsed({ drive: true }, async (url, soFar) => {
      const pos = new Pos(url);
      await pos.start();
      for (let amount = 1; !soFar.join("").includes(last) && amount < 500; amount++) {
        // Each sale differs from the others.
        if (!(await pos.finish())) await pos.sell({ payment: [{ amount, paymentType: "Cash" }] });
        await delay(50);
      }
      await pos.sell();
    });
    expect(notices).toContain(last);
    expect(idsIn(rows, "passed")).toEqual(expect.arrayContaining(["OPS-002-PIN", "FORB-001-LOST", "FORB-001-ERROR"]));
    expect(idsIn(rows, "failed")).toEqual([]);
  }, 120_000);

  const INVOICE = {
    invoiceType: "Normal",
    transactionType: "Sale",
    payment: [{ amount: 240, paymentType: "Cash" }],
    items: [{ name: "Milk /l", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
  };
  const post = (invoice: object) => `await fetch(process.env.TILLSEAL_URL + "/api/v3/invoices", {
  method: "POST", headers: { "Content-Type": "application/json", RequestId: "order-1" }, body: ${JSON.stringify(JSON.stringify(invoice))} });
`;
  const STATUS = 'await fetch(process.env.TILLSEAL_URL + "/api/v3/status");\n';
  const PIN =
    'await fetch(process.env.TILLSEAL_URL + "/api/v3/pin", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "1234" });\n';

  /** Runs a program as the tests of a POS. */
  const rehearsedWith = (program: string, ...flags: string[]) => rehearsedBy(tillseal, program, ...flags);

  /** @param run a process also has what the program prints */
  async function rehearsedBy(run: typeof tillseal, program: string, ...flags: string[]) {
    const file = join(temporaryFolder(), "pos.mjs");
    writeFileSync(file, program);
    return run(["rehearse", "--port", "0", ...flags, "--", process.execPath, file]);
  }

  it("runs the command after --, and the exit status says what the POS and its tests did", async () => {
    const sells = STATUS + PIN + post(INVOICE);
    const right = await rehearsedBy(
      tillsealProcess,
      `${sells}console.log("all tests passed");`,
      "--require",
      "COND-LOCAL",
    );
    expect([right.status, right.stdout]).toEqual([0, expect.stringMatching(/^passed {10}COND-LOCAL/m)]);
    expect(right.stderr).toContain("all tests passed");
    const unseen = await rehearsedWith(sells, "--require", "OPS-008");
    expect([unseen.status, unseen.stderr]).toEqual([1, expect.stringContaining("required, but not seen: OPS-008")]);
    const broken = await rehearsedWith(`${sells}process.exit(4);`);
    expect([broken.status, broken.stderr]).toEqual([1, expect.stringMatching(/pos\.mjs ended with exit status 4$/m)]);
    const silent = await rehearsedWith("process.exit(7);");
    expect([silent.status, silent.stderr]).toEqual([
      3,
      expect.stringMatching(/no request reached TILLSEAL_URL: a kit inside .* ended with exit status 7$/m),
    ]);
    const idle = await rehearsedWith('await fetch(process.env.TILLSEAL_URL + "/api/v3/attention");');
    expect([idle.status, idle.stderr]).toEqual([3, expect.stringContaining("no row has passed")]);
  }, 60_000);

  it("judges a test in TypeScript that calls TILLSEAL_URL with the client and drives TILLSEAL_CONTROL_URL", async () => {
    const client = pathToFileURL(join(PACKAGE_ROOT, "dist", "clients", "typescript", "client.js")).href;
    const test = (fields: string) => `import { createClient, submit } from "${client}";
const control = (call, body) => fetch(process.env.TILLSEAL_CONTROL_URL + "/control/" + call, { method: "POST", body: JSON.stringify(body) });
const service = createClient();
await service.status();
await service.pin({ body: { pin: "1234" } });
await control("do", { faults: [{ on: "answer", nth: 1, kind: "connectionDropped" }] });
const invoice = ${JSON.stringify(INVOICE)};
const sale = await submit(service, invoice, "order-1", { pauseMs: 1 });
const refund = { ...invoice, transactionType: "Refund", referentDocumentNumber: sale.data.invoiceNumber, ${fields} };
if (!(await submit(service, refund, "order-2")).ok) process.exit(1);
if (!(await control("reset", {})).ok) process.exit(1);
`;
    const right = await rehearsedWith(test("referentDocumentDT: sale.data.sdcDateTime"), "--require", "FORB-001-LOST");
    expect([right.status, right.stdout]).toEqual([0, expect.stringMatching(/^passed +FORB-001-LOST/m)]);
    const wrong = await rehearsedWith(test('referentDocumentDT: "2020-01-01T10:00:00Z"'));
    expect([wrong.status, wrong.stdout]).toEqual([1, expect.stringMatching(/^failed +OPS-\d/m)]);
  }, 60_000);

  it("ends what the command has started, even a command that ignores the signal", async () => {
    const folder = temporaryFolder();
    const script = `(trap 'echo > "$0/ended"; exit' TERM; echo > "$0/begun"; while :; do sleep 0.1; done) &
      trap "" TERM; while :; do sleep 0.1; done`;
    const stopped = new AbortController();
    const watching = rehearsed({ command: ["sh", "-c", script, folder], stopped: stopped.signal }, async () => {
      await expect.poll(() => existsSync(join(folder, "begun")), { timeout: 20_000 }).toBe(true);
      stopped.abort();
    });
    await expect(watching).rejects.toThrow("the POS sent nothing");
    await expect.poll(() => existsSync(join(folder, "ended"))).toBe(true);
  }, 60_000);

  it("explains an empty command", async () => {
    const { status, stderr } = await tillseal(["rehearse", "--", ""]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^tillseal: write the command .* after --$/m)]);
  });

  it("shows why an invoice was refused beside what was not seen", async () => {
    const [item] = INVOICE.items;
    const items = [{ ...item, totalAmount: 0.125 }];
    const { stdout } = await rehearsedWith(STATUS + PIN + post({ ...INVOICE, items }));
    expect(stdout).toMatch(
      /not seen {8}OPS-004.*\n.*to do: .*\n.*refused: request \d+: POST .*: 400 2806, .*totalAmount/,
    );
  }, 60_000);

  it("has one judge with the control interface", async () => {
    const again = 'await fetch(process.env.TILLSEAL_CONTROL_URL + "/control/rehearsal", { method: "DELETE" });';
    const { status, stderr } = await rehearsedWith(STATUS + PIN + post(INVOICE) + again);
    expect([status, stderr]).toEqual([3, expect.stringContaining("sent nothing since DELETE /control/rehearsal")]);
  }, 60_000);

  it("asks a running judge for its report, and the exit status is that of its rows", async () => {
    const till = await openControlled();
    const ask = (...flags: string[]) => tillseal(["rehearse", "--control-url", till.controlUrl, ...flags]);
    const reached = `the POS sent nothing; no request reached the emulator of ${till.controlUrl}`;
    expect(await ask()).toMatchObject({ status: 3, stderr: expect.stringContaining(reached) });
    await till.control("GET", "/card");
    await new Pos(till.world.url).sell();
    const junit = join(temporaryFolder(), "list.xml");
    const sold = await ask("--require", "COND-LOCAL", "--junit", junit);
    expect([sold.stderr, sold.stdout]).toEqual(["", expect.stringMatching(/^passed {10}COND-LOCAL/m)]);
    expect(readFileSync(junit, "utf8")).toContain("COND-LOCAL");
    const unseen = await ask("--require", "OPS-008");
    expect([unseen.status, unseen.stderr]).toEqual([1, expect.stringContaining("required, but not seen: OPS-008")]);
    const command = await ask("--", "true");
    expect([command.status, command.stderr]).toEqual([2, expect.stringContaining("run the command before it")]);
    const nobody = await tillseal(["rehearse", "--control-url", "http://127.0.0.1:1"]);
    expect([nobody.status, nobody.stderr]).toEqual([
      1,
      expect.stringContaining("no whole answer from the control interface"),
    ]);
  }, 60_000);

  it("asks no judge of another program or version, and takes a required row that is missing as not seen", async () => {
    const answers: Record<string, string> = {};
    const server = createServer(({ url = "" }, answer) => answer.end(answers[url.replace("/control", "")] ?? "null"));
    await once(server.listen(0, "localhost"), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ask = () =>
      tillseal(["rehearse", "--control-url", `http://localhost:${port}`, "--require", "OPS-008", "--json"]);
    const row = { id: "COND-LOCAL", text: "Sold", outcome: "passed", why: {}, exchange: [] };
    const other = { status: 1, stdout: "", stderr: expect.stringMatching(/is not an emulator of this version\n$/) };
    expect(await ask()).toEqual(other);
    answers["/traffic/find"] = JSON.stringify({ requests: [{ invoice: null }] });
    answers["/rehearsal"] = JSON.stringify({ requests: 1, last: 1, rows: [{ ...row, outcome: "<script>" }] });
    expect(await ask()).toEqual(other);
    answers["/rehearsal"] = JSON.stringify({ requests: 1, last: 1, rows: [row] });
    expect(await ask()).toMatchObject({ status: 1, stderr: "required, but not seen: OPS-008\n" });
  });

  it("names the files and certificates of the online service", async () => {
    const { stderr } = await rehearsedBy(
      tillsealProcess,
      'const { readFileSync } = await import("node:fs");' +
        "console.log(readFileSync(process.env.TILLSEAL_VSDC_CA, 'utf8'), readFileSync(process.env.TILLSEAL_VSDC_CERTIFICATE).length);" +
        "console.log(process.env.TILLSEAL_VSDC_URL, process.env.TILLSEAL_VSDC_PAC, process.env.TILLSEAL_VSDC_PASSPHRASE);",
      "--vsdc",
    );
    expect(stderr).toMatch(/-----END CERTIFICATE-----\n\s*\d+\nhttps:\S+ \w+ \S+\n/);
  }, 60_000);

  it("refuses before it begins what would fail at the end", async () => {
    const lost = await tillseal(["rehearse", "--html", join(temporaryFolder(), "none", "list.html"), "--port", "0"]);
    expect([lost.status, lost.stderr]).toEqual([2, expect.stringContaining("cannot be written")]);
    const nobody = await tillseal(["rehearse", "--target", "http://127.0.0.1:1", "--port", "0"]);
    expect([nobody.status, nobody.stderr]).toEqual([1, expect.stringContaining("no service answers at http://127")]);
    const unknown = await tillseal(["rehearse", "--require", "OPS-005x", "--port", "0"]);
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining("did you mean OPS-005")]);
    const html = join(temporaryFolder(), "list.html");
    for (const wrong of ["--control-url=http://localhost:8431/api/v3", `--from=${html}.yaml`]) {
      const { status } = await tillseal(["rehearse", wrong, "--html", html]);
      expect([status, existsSync(html)]).toEqual([2, false]);
    }
  });

  it("says that nothing was judged if the POS sent nothing", async () => {
    const { status, stderr } = await tillseal(["rehearse", "--for", "1ms", "--port", "0"]);
    expect(status).toBe(3);
    expect(stderr).toContain("nothing was judged: the POS sent nothing");
  });
});
