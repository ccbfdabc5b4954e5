/** What web pages can and cannot do: a POS in development on this machine, a foreign site, a console behind a proxy. */
import { readFileSync } from "node:fs";
import { createServer, request as forward, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sale } from "../support/sale.js";
import { expect, open, savedBy, seriousOn, type Till, test } from "./till.js";

/** Another web server. */
async function webServer(host: string, app: RequestListener): Promise<{ port: number; close: () => void }> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

const page = (body = "") =>
  `<!doctype html><html><head><link rel="icon" href="data:,"></head><body>${body}</body></html>`;
const servePage =
  (body?: string): RequestListener =>
  (_request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(page(body));
  };

/** What a page's script gets: status, readable headers and body, or the error. */
interface Got {
  readonly status?: number;
  readonly replayed?: string | null;
  readonly body?: Record<string, unknown>;
  readonly failed?: string;
}

const SCRIPT = `async ({ url, options }) => {
  try {
    const answer = await fetch(url, options);
    const text = await answer.text();
    return { status: answer.status, replayed: answer.headers.get("Idempotent-Replayed"), body: text ? JSON.parse(text) : undefined };
  } catch (error) {
    return { failed: error.name };
  }
}`;

test("a POS page on another port of this machine sells, and reaches neither console nor control interface", async ({
  page: tab,
  till,
}) => {
  const web = await webServer("127.0.0.1", servePage());
  const own = await webServer("::1", servePage());
  const get = (url: string, options: object = {}) =>
    tab.evaluate<Got>(`(${SCRIPT})(${JSON.stringify({ url, options })})`);
  const json = (body: object, headers = {}) => ({
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
  });
  try {
    const port = new URL(till.url).port;
    const pages = [`http://localhost:${web.port}`, `http://127.0.0.1:${web.port}`, `http://[::1]:${own.port}`];
    for (const [i, origin] of pages.entries()) {
      await tab.goto(origin);
      for (const api of [`http://localhost:${port}/api/v3`, `http://127.0.0.1:${port}/api/v3`]) {
        expect(await get(`${api}/pin`, json({ pin: "1234" }))).toMatchObject({ status: 200, body: "0100" });
        expect(await get(`${api}/invoices`, json(sale(), { RequestId: `order-${i}` }))).toMatchObject({ status: 200 });
        const again = await get(`${api}/invoices`, json(sale(), { RequestId: `order-${i}` }));
        expect(again).toMatchObject({ status: 200, replayed: "true", body: { totalCounter: i + 1 } });
        expect(await get(`${api}/invoices`, json({}))).toMatchObject({ status: 400, body: { code: "2800" } });
      }
      for (const [url, options] of [
        [`${till.control}/card`, {}],
        [`${till.control}/do`, { method: "POST", body: '{"card":"remove"}' }],
        [`${till.control}/recording`, {}],
        [`${till.url}/console/receipts`, {}],
        [`${till.url}/console/settings`, { method: "PUT", body: "{}" }],
        [`${till.url}/openapi.json`, {}],
      ] as const) {
        expect(await get(url, options), url).toEqual({ failed: "TypeError" });
      }
      await get(`${till.control}/do`, { method: "POST", mode: "no-cors", body: '{"card":"remove"}' });
    }
    expect(await till.sell()).toMatchObject({ totalCounter: pages.length + 1 });
  } finally {
    web.close();
    own.close();
  }
});

/** Every way in which a page can make a browser send a request. */
function attack({ url, control }: Till): string {
  const targets = [`${control}/recording`, `${control}/traffic`, `${url}/api/v3/status`, `${url}/console/receipts.csv`];
  const tags = targets.flatMap((target) => [
    `<link rel="prefetch" href="${target}">`,
    `<img src="${target}">`,
    `<script src="${target}"></script>`,
    `<iframe src="${target}"></iframe>`,
    `<link rel="stylesheet" href="${target}">`,
  ]);
  const forms = [`${url}/api/v3/pin`, `${control}/do`, `${control}/reset`].map(
    (target, i) =>
      `<form method="POST" enctype="text/plain" target="frame${i}" action="${target}"><input name="0000" value=""></form><iframe name="frame${i}"></iframe>`,
  );
  const script = `
    for (const form of document.forms) form.submit();
    fetch("${url}/api/v3/pin", { method: "POST", mode: "no-cors", body: "0000" }).catch(() => 0);
    navigator.sendBeacon("${url}/api/v3/pin", "0000");
    navigator.sendBeacon("${control}/do", '{"card":"remove"}');
    fetch("${url}/console/token", { method: "POST", mode: "no-cors", body: "{}" }).catch(() => 0);`;
  return `${tags.join("\n")}${forms.join("\n")}<script>${script}</script>`;
}

interface Entry {
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

test("a page of another site changes nothing, reads nothing, and cannot use prefetch", async ({ page: tab, start }) => {
  const till = await start([]);
  await till.pin();
  await till.sell();
  const tries = async () =>
    ((await (await fetch(`${till.control}/card`)).json()) as { pinTriesLeft: number }).pinTriesLeft;
  const before = await tries();
  const traffic = async () => (await (await fetch(`${till.control}/traffic?since=2`)).json()) as Entry[];
  const web = await webServer("127.0.0.2", servePage(attack(till)));
  try {
    await tab.goto(`http://127.0.0.2:${web.port}/`);
    await expect
      .poll(async () => (await traffic()).filter(({ headers }) => headers["sec-purpose"]).length)
      .toBeGreaterThan(0);
    await expect
      .poll(async () => (await traffic()).filter(({ path }) => path === "/api/v3/pin").length)
      .toBeGreaterThan(1);
    expect((await traffic()).filter(({ status }) => status !== 403)).toEqual([]);
    const framed = tab
      .frames()
      .map((frame) => frame.evaluate<string>("document.body?.innerText ?? ''").catch(() => ""));
    expect((await Promise.all(framed)).join()).not.toContain("TESTCARD");
    expect(await tries()).toBe(before);
    expect(await till.sell()).toMatchObject({ totalCounter: 2 });
  } finally {
    web.close();
  }
});

test.describe("behind a proxy on the same machine", () => {
  test("the console shows receipts and settings only with the token, and hides it from scripts and URLs", async ({
    page: tab,
    folder,
    start,
  }) => {
    const dataDir = join(folder, "data");
    const till = await start(["--data-dir", dataDir, "--console-token", "true"]);
    const target = new URL(till.url);
    const proxy = await webServer("127.0.0.1", (request, response) => {
      const { method = "GET", url: path = "/", headers } = request;
      const sent = forward({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      sent.on("error", () => response.destroy());
      request.pipe(sent);
    });
    const address = `http://localhost:${proxy.port}`;
    try {
      await till.pin();
      await till.sell();
      const token = readFileSync(join(dataDir, "tillseal.token"), "utf8").trim();
      await open(tab, { ...till, url: address }, "receipts");
      await expect(tab.getByText("TESTCARD-TESTCARD-1")).toHaveCount(0);
      expect(await seriousOn(tab)).toEqual([]);
      await tab.getByLabel("Token").fill(`${token}x`);
      await tab.getByRole("button", { name: "Show receipts and settings" }).click();
      await expect(tab.getByText("This is not the token of this service.")).toBeVisible();
      await tab.getByLabel("Token").fill(token);
      await tab.getByRole("button", { name: "Show receipts and settings" }).click();
      await expect(tab.getByRole("link", { name: "TESTCARD-TESTCARD-1" })).toBeVisible();
      await tab.reload();
      await expect(tab.getByRole("link", { name: "TESTCARD-TESTCARD-1" })).toBeVisible();
      const saved = await savedBy(tab.getByRole("link", { name: /CSV/ }));
      expect(readFileSync(await saved.path(), "utf8")).toContain("TESTCARD-TESTCARD-1");
      await open(tab, { ...till, url: address }, "settings");
      await expect(tab.getByRole("button", { name: "Save" })).toBeVisible();
      const seen = await tab.evaluate<string>(
        "JSON.stringify([document.cookie, location.href, { ...localStorage }, { ...sessionStorage }])",
      );
      expect(seen).not.toContain(token);
      expect(seen).not.toContain("tillseal-");
    } finally {
      proxy.close();
    }
  });
});
