/** The names that every object inherits are texts like any other, wherever a caller puts them. */
import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { expect, it } from "vitest";
import { differences, valueAt } from "../../emulator/faults/match.js";
import { ADMIN_ENDPOINTS, ADMIN_PREFIX } from "../../emulator/tax-authority/admin-endpoints.js";
import { SDC_ENDPOINTS, SDC_PREFIX, TOKEN_HEADER } from "../../emulator/tax-authority/sdc-api.js";
import { substitute } from "../../emulator/world/substitute.js";
import { CONTROL_ENDPOINTS } from "../../harness/control/endpoints.js";
import { PROXY_ENDPOINTS } from "../../harness/proxy/proxy-control.js";
import { type HttpRequest, httpCall } from "../../harness/scenario/http-call.js";
import { shownChanges } from "../../src/bookkeeping/changes/shown.js";
import { CONSOLE_ENDPOINTS } from "../../src/console/endpoints.js";
import { API_PREFIX, ENDPOINTS } from "../../src/http/endpoints.js";
import type { ChangeRow } from "../../src/ledger/change-log.js";
import { openAuthority } from "../support/audited-till.js";
import { authorityClient, callAuthority } from "../support/authority-client.js";
import { openControlled } from "../support/control.js";
import { open as openOnline } from "../support/online.js";
import { proxied } from "../support/proxied.js";
import { openTill } from "../support/till.js";

const NAMES = Object.getOwnPropertyNames(Object.prototype);
/** Headers that programs of ours, or libraries of ours, read. */
const HEADERS = [
  ...["Accept-Charset", "Accept-Encoding", "Accept-Language", "Content-Language", "Cookie", "If-None-Match", "PAC"],
  ...["Range", "Referer", "RequestId", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "X-Forwarded-For", "X-HTTP-Method-Override"],
];
/** Headers with which a server may refuse a request before it reads the others. */
const REFUSING_HEADERS = [
  ...["Accept", "Authorization", "Connection", "Content-Encoding", "Content-Type", "Expect", "Host", "Origin"],
  ...["Purpose", "Sec-Fetch-Site", "Sec-Purpose", TOKEN_HEADER, "Upgrade"],
];
const QUERY = ["search", "from", "to", "kind", "payment", "paper", "language", "decimal", "before"];
const FIELDS = ["invoiceType", "transactionType", "kind", "part", "to", "on", "language", "settings", "given", "pin"];

type Endpoint = readonly [method: string, path: string];

/** A request with the name in its path, its query, its headers, and the keys and values of its body. */
function requestWith(name: string, [method, path]: Endpoint): HttpRequest {
  const query = [...QUERY, name].map((key) => `${key}=${name}`).join("&");
  const items = [{ [name]: name, labels: [name], name }];
  const fields = Object.fromEntries(FIELDS.map((field) => [field, name]));
  return {
    method,
    path: `${path.replaceAll(/:\w+/g, name)}?${query}`,
    headers: { ...Object.fromEntries([...HEADERS, name].map((header) => [header, name])), ...JSON_TYPE },
    body: Buffer.from(JSON.stringify({ ...fields, items, payment: [{ paymentType: name }], [name]: name })),
  };
}

const JSON_TYPE = { "Content-Type": "application/json" };

/** Sends every name to every endpoint, and each header alone to the first one with a body. */
async function sendNames(
  url: string,
  all: readonly Endpoint[],
  { headers = {}, tls }: { readonly headers?: Record<string, string>; readonly tls?: object } = {},
): Promise<void> {
  // A stream does not end, and a stop ends the process of this test.
  const endpoints = all.filter(([, path]) => !/\/(events|stop)$/.test(path));
  const [method, path] = endpoints.find(([method]) => method === "POST") ?? ["GET", "/"];
  const requests = NAMES.flatMap((name) => [
    ...endpoints.map((endpoint) => requestWith(name, endpoint)),
    ...REFUSING_HEADERS.map((header) => ({
      method,
      path,
      headers: { ...JSON_TYPE, [header]: name },
      body: Buffer.from("{}"),
    })),
  ]).values();
  const options = { keepAlive: true, maxSockets: 8 };
  const agent = tls ? new TlsAgent({ ...options, servername: "localhost", ...tls }) : new Agent(options);
  const broken: unknown[] = [];
  const sendRest = async () => {
    for (const request of requests) {
      const sent = { ...request, headers: { ...headers, ...request.headers } };
      // A refusal may close the connection when the next request is on its way.
      const answer = (await httpCall(url, sent, agent)) ?? (await httpCall(url, sent, agent));
      if (answer === undefined || answer.status === 500) broken.push({ request, answer });
    }
  };
  await Promise.all(Array.from({ length: 8 }, sendRest));
  agent.destroy();
  expect(broken).toEqual([]);
}

const below = (prefix: string, endpoints: readonly { readonly method: string; readonly path: string }[]) =>
  endpoints.map(({ method, path }): Endpoint => [method, prefix + path]);

async function expectAttention(url: string): Promise<void> {
  expect(await httpCall(url, { method: "GET", path: `${API_PREFIX}/attention`, headers: {} })).toMatchObject({
    status: 200,
  });
}

it("the names of Object.prototype in every header, query, path and key do no harm to the service and its console", async () => {
  const { url, pin, sell } = await openTill();
  await sendNames(url, [...below(API_PREFIX, ENDPOINTS), ...below("/console", CONSOLE_ENDPOINTS)]);
  await expectAttention(url);
  await pin();
  expect((await sell()).status).toBe(200);
});

it("the names of Object.prototype in every header, query, path and key do no harm to the control interface and the service beside it", async () => {
  const { world, controlUrl } = await openControlled();
  await sendNames(controlUrl, below("/control", CONTROL_ENDPOINTS));
  await expectAttention(world.url);
});

it("the names of Object.prototype in every header, query, path and key do no harm to the authority", async () => {
  const authority = await openAuthority();
  const { token } = await authorityClient(authority, "TESTCARD");
  await sendNames(
    authority.url,
    [
      ...below(SDC_PREFIX, SDC_ENDPOINTS),
      ...below(ADMIN_PREFIX, ADMIN_ENDPOINTS),
      ["GET", "/v/"],
      ["PUT", "/stick/:file"],
    ],
    { headers: { [TOKEN_HEADER]: token }, tls: { ca: authority.caCertificate } },
  );
  expect((await callAuthority(authority, "GET", "/")).status).toBe(200);
});

it("the names of Object.prototype in every header, query, path and key do no harm to the online service", async () => {
  const { address, sell } = await openOnline();
  const { url, pac: PAC, certificate: cert, key, ca } = address;
  await sendNames(url, below(API_PREFIX, ENDPOINTS), { headers: { PAC }, tls: { cert, key, ca } });
  expect(await sell()).toMatchObject({ signedBy: "TSVSDCO0" });
});

it("the names of Object.prototype in every header, query, path and key do no harm to the proxy", async () => {
  const { url } = await openTill();
  const proxy = await proxied(url, { controlPort: 0 });
  await sendNames(proxy.url, below(API_PREFIX, ENDPOINTS));
  await sendNames(proxy.controlUrl ?? "", below("/control", PROXY_ENDPOINTS));
  await expectAttention(proxy.url);
});

it.each(NAMES)("the names of Object.prototype in files and answers have no value unless written: %s", (name) => {
  expect(substitute(`\${${name}}: \${${name}}`, {})).toBe(`\${${name}}: \${${name}}`);
  expect(substitute(`\${${name}}`, {})).toBe(`\${${name}}`);
  expect(valueAt({}, name)).toBeUndefined();
  expect(differences({ [name]: { $absent: true } }, {})).toEqual([]);
  const rates = (id: number, facts: object): ChangeRow => {
    return { id, at: 0, kind: "rates", what: JSON.stringify(facts), entry: 0, checksum: Buffer.alloc(32) };
  };
  const [, changed] = shownChanges([rates(1, { A: "20" }), rates(2, { A: "20", [name]: "10" })]);
  expect(changed?.facts).toEqual([{ fact: name, from: null, to: "10" }]);
});
