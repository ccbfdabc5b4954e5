/** The HTTPS client against a strict double: tokens, limits and odd answers. */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { SIZE_LIMIT_BYTES } from "../../src/authority/https-client.js";
import type { SeenRequest } from "../support/authority-double.js";
import { doubleAndClient, failureOf } from "../support/double-client.js";
import { freePort } from "../support/free-port.js";
import { tlsHelper } from "../support/tls-helper.js";

const COMMANDS = "/api/v3/sdc/commands";
const TOKEN = "/api/v3/sdc/token";
const HOUR = 3_600_000;

/** A timer that a test moves by hand. */
function handTimer() {
  const timer = { time: 0, now: () => timer.time, sleep: () => Promise.resolve() };
  return timer;
}

it.each(["", "/", "/api", "/api/v3/"])("requests go to the same place when the address ends '%s'", async (ending) => {
  const { double, client } = await doubleAndClient();
  const authority = client({ address: double.url + ending });
  await authority.commands();
  await authority.announce(true);
  expect(double.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET ${TOKEN}`,
    `GET ${COMMANDS}`,
    "PUT /api/v3/sdc/status",
  ]);
});

it("requests send amounts with every digit, and the card's block as base64", async () => {
  const { double, authority } = await doubleAndClient();
  const auditRequestPayload = Buffer.alloc(256, 0xa5);
  await authority.requestProof({ auditRequestPayload, sum: 72_057_594_037_927_935n, limit: 10_000n });
  expect(double.seen.at(-1)?.body).toBe(
    `{"auditRequestPayload":"${auditRequestPayload.toString("base64")}","sum":72057594037927935,"limit":10000}`,
  );
});

it("requests share one connection", async () => {
  const { double, authority } = await doubleAndClient();
  for (let count = 0; count < 5; count++) await authority.commands();
  expect(double.connectionsMade).toBe(1);
});

it("requests are sent again when the authority had closed the kept connection", async () => {
  const { double, authority } = await doubleAndClient();
  await authority.commands();
  const [kept] = double.connections;
  double.instead = (_request, response) => {
    if (response.socket !== kept) return false;
    response.destroy();
    return true;
  };
  expect(await authority.commands()).toEqual([]);
  expect(double.connectionsMade).toBe(2);
});

it("the token is requested once for many requests at the same time", async () => {
  const { double, authority } = await doubleAndClient();
  await Promise.all([authority.commands(), authority.announce(true), authority.commands(), authority.signIn()]);
  await authority.commands();
  expect(double.asked(TOKEN)).toHaveLength(1);
});

it("the token is renewed a minute before it expires", async () => {
  const timer = handTimer();
  const { double, authority } = await doubleAndClient({ timer });
  await authority.commands();
  // The answer's Date has whole seconds.
  timer.time = 8 * HOUR - 62_000;
  await authority.commands();
  expect(double.asked(TOKEN)).toHaveLength(1);
  timer.time = 8 * HOUR - 58_000;
  await authority.commands();
  expect(double.asked(TOKEN)).toHaveLength(2);
});

it("the token lasts as long as the authority says by its own clock, whatever ours says", async () => {
  const timer = handTimer();
  const { double, authority } = await doubleAndClient({ timer, clock: { now: () => 0 } });
  await authority.commands();
  timer.time = 8 * HOUR;
  await authority.commands();
  expect(double.asked(TOKEN)).toHaveLength(2);
});

it("the token is used for a minute even if it seems to have expired on arrival", async () => {
  const timer = handTimer();
  const { double, authority } = await doubleAndClient({ timer });
  double.tokenLife = -HOUR;
  await authority.commands();
  await authority.commands();
  expect(double.asked(TOKEN)).toHaveLength(1);
  timer.time = 60_000;
  await authority.commands();
  expect(double.asked(TOKEN)).toHaveLength(2);
});

it("the token is renewed once after a 401, by one of all affected requests", async () => {
  const { double, authority } = await doubleAndClient();
  await authority.commands();
  double.expireTokens();
  await Promise.all([authority.commands(), authority.commands(), authority.commands()]);
  expect(double.asked(TOKEN)).toHaveLength(2);
});

it("the token is not requested endlessly when the authority refuses each one", async () => {
  const { double, authority } = await doubleAndClient();
  double.instead = ({ path }, response) => {
    if (path === TOKEN) return false;
    response.writeHead(401).end();
    return true;
  };
  expect(await failureOf(authority.commands())).toMatch(/^refused: .*HTTP 401; ask the authority whether/);
  expect(double.asked(TOKEN)).toHaveLength(2);
});

it("the token failing for one request does not fail the next", async () => {
  const { double, authority } = await doubleAndClient();
  double.instead = (_request, response) => {
    response.writeHead(503).end();
    return true;
  };
  expect(await failureOf(authority.commands())).toMatch(/^unreachable: GET .*\/sdc\/token: .*HTTP 503/);
  double.instead = () => false;
  expect(await authority.commands()).toEqual([]);
});

it("the token appears in no error, even if the authority repeats it", async () => {
  const { double, authority } = await doubleAndClient();
  double.instead = ({ path, headers }, response) => {
    if (path === TOKEN) return false;
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ message: `bad token ${headers.taxcoreauthenticationtoken}\n\u0007!` }));
    return true;
  };
  expect(await failureOf(authority.commands())).toContain('HTTP 400: "bad token ***  !"');
});

/** Gives this answer to every request except the one for the token. */
async function answering(status: number, body: string | Buffer, headers: Record<string, string> = {}) {
  const parts = await doubleAndClient({ timeLimitMs: 20_000 });
  parts.double.instead = ({ path }: SeenRequest, response) => {
    if (path === TOKEN) return false;
    response.writeHead(status, headers).end(body);
    return true;
  };
  return parts;
}

const command = { commandId: "1", type: 0, payload: "", uid: "A" };

it.each([
  ["no JSON", "<html>Welcome to the hotel</html>", "not JSON"],
  ["JSON cut off", '[{"commandId":"1"', "not JSON"],
  ["no text", Buffer.from([0xff, 0xfe, 0x00]), "not text"],
  ["compressed", gzipSync("[]"), "not text"],
  ["not a list", "{}", "it is not a list of commands"],
  [
    "too big",
    JSON.stringify([{ ...command, payload: "a".repeat(SIZE_LIMIT_BYTES) }]),
    `more than ${SIZE_LIMIT_BYTES} bytes`,
  ],
])("answers that make no sense are reported: %s", async (_case, body, reason) => {
  const { authority } = await answering(200, body);
  const failure = await failureOf(authority.commands());
  expect(failure).toMatch(/^odd-answer: GET https:\/\/localhost:\d+\/api\/v3\/sdc\/commands: /);
  expect(failure).toContain(reason);
  expect(failure).toContain("authorityUrl");
});

it("answers that are huge are not read to the end", async () => {
  const { double, authority } = await doubleAndClient();
  let sent = 0;
  double.instead = ({ path }, response) => {
    if (path === TOKEN) return false;
    const more = () => {
      while (!response.destroyed && response.write("a".repeat(10_000))) sent += 10_000;
    };
    response.on("drain", more);
    more();
    return true;
  };
  expect(await failureOf(authority.commands())).toContain(`more than ${SIZE_LIMIT_BYTES} bytes`);
  // What fits into the buffers of two sockets.
  expect(sent).toBeLessThan(50_000_000);
});

it.each([
  ["a payload of null", { payload: null }, { type: -1, payload: "payload" }],
  ["no payload", { payload: undefined }, { type: -1, payload: "payload" }],
  ["an uid of null", { uid: null }, { type: -1, payload: "uid", uid: "" }],
  ["a type that is a word", { type: "rates" }, { type: -1, payload: "type" }],
  ["nothing usable", { type: null, payload: {}, uid: 7 }, { type: -1, payload: "type, payload, uid", uid: "" }],
  ["a type in quotes", { type: "7" }, { type: 7 }],
  ["an unknown type and field", { type: 4, more: "x" }, { type: 4 }],
  ["a type that no store can hold", { type: 2 ** 40 }, { type: -1, payload: "type" }],
  ["a type below 0", { type: -1 }, { type: -1, payload: "type" }],
  ["an id that is a number", { commandId: 12 }, { commandId: "12" }],
])("answers may have a command with %s beside others", async (_case, odd, read) => {
  const { authority } = await answering(200, JSON.stringify([{ ...command, ...odd }, command]));
  expect(await authority.commands()).toEqual([{ ...command, ...read }, command]);
});

it.each(["..", ".", "", "1".repeat(101), "a\nb", "\ud800", null, {}])(
  "answers may have a command whose id %j cannot be sent back",
  async (commandId) => {
    const { authority } = await answering(200, JSON.stringify([{ ...command, commandId }, command, null, 7]));
    expect(await authority.commands()).toEqual([command]);
  },
);

it("answers may spell property names in any case", async () => {
  const body = '[{"CommandId":"1","TYPE":0,"payLoad":"","Uid":"A"}]';
  const { authority } = await answering(200, body);
  expect(await authority.commands()).toEqual([command]);
  const other = await answering(200, `{"Status":"4","COMMANDS":${body}}`);
  const answer = await other.authority.submit({ key: "AA==", iv: "AA==", payload: "AA==" });
  expect(answer).toEqual({ status: 4, commands: [command] });
});

it.each(["", "null", "[]", "\uFEFF[]", " [ ] "])("answers of '%s' contain no commands", async (body) => {
  const { authority } = await answering(200, body);
  expect(await authority.commands()).toEqual([]);
});

it.each([
  ['{"status":4,"commands":[]}', 4],
  ['{"status":2,"commands":null}', 2],
  ['{"status":77}', 77],
])("answers to a package may omit the commands: %s", async (body, status) => {
  const { authority } = await answering(200, body);
  expect(await authority.submit({ key: "AA==", iv: "AA==", payload: "AA==" })).toEqual({ status, commands: [] });
});

it.each([
  [301, "odd-answer"],
  [400, "refused"],
  [403, "refused"],
  [404, "refused"],
  [408, "unreachable"],
  [429, "unreachable"],
  [500, "refused"],
  [502, "unreachable"],
  [503, "unreachable"],
  [504, "unreachable"],
])("answers with HTTP %i are %s", async (status, fault) => {
  const { double, authority } = await answering(status, "", { location: "https://elsewhere.example/" });
  await expect(authority.commands()).rejects.toMatchObject({ fault, status });
  expect(double.asked(COMMANDS)).toHaveLength(1);
});

it.each([
  ["{}", "token is not a header's value"],
  ['{"token":"a b","expiresAt":"2099-01-01T00:00:00Z"}', "token is not a header's value"],
  ['{"token":"a\\r\\nHost: b","expiresAt":"2099-01-01T00:00:00Z"}', "token is not a header's value"],
])("answers without a usable token are reported: %s", async (body, reason) => {
  const { double, authority } = await doubleAndClient();
  double.instead = (_request, response) => {
    response.end(body);
    return true;
  };
  const failure = await failureOf(authority.commands());
  expect(failure).toContain(reason);
  expect(failure).not.toContain("secret");
});

it.each([
  ["says nothing", () => undefined],
  ["answers a half", (response: { write(text: string): void }) => response.write("[")],
])("an authority that does not answer fails after the time limit when it %s", async (_case, begin) => {
  const { double, client } = await doubleAndClient();
  double.instead = ({ path }, response) => {
    if (path === TOKEN) return false;
    begin(response);
    return true;
  };
  const authority = client({ timeLimitMs: 500 });
  expect(await failureOf(authority.commands())).toMatch(/^unreachable: GET .*: no complete answer within 0.5 s; check/);
});

it("an authority that does not answer is reported when it cuts the answer off", async () => {
  const { double, authority } = await doubleAndClient();
  double.instead = ({ path }, response) => {
    if (path === TOKEN) return false;
    response.writeHead(200, { "content-length": "1000" });
    response.write("[", () => response.destroy());
    return true;
  };
  expect(await failureOf(authority.commands())).toMatch(/^unreachable: GET .*: the connection was cut/);
});

it("an authority that does not answer is reported when nothing listens or the host does not exist", async () => {
  const { client } = await doubleAndClient();
  const closed = client({ address: `https://127.0.0.1:${await freePort()}` });
  expect(await failureOf(closed.commands())).toMatch(/^unreachable: GET .*: no server is listening there; check/);
  const nowhere = client({ address: "https://authority.invalid" });
  expect(await failureOf(nowhere.commands())).toMatch(/^unreachable: GET .*authority\.invalid/);
});

it("an authority that does not answer is not called again after the client is closed", async () => {
  const { double, authority } = await doubleAndClient();
  const arrived = new Promise<void>((resolve) => {
    double.instead = () => {
      resolve();
      return true;
    };
  });
  const failure = failureOf(authority.commands());
  await arrived;
  authority.close();
  expect(await failure).toMatch(/^unreachable: .*the service is stopping$/);
});

it("a local program that handles TLS gets the requests over HTTP", async () => {
  const { double, client } = await doubleAndClient();
  const url = await tlsHelper(double);
  const authority = client({ address: url, certificate: undefined, ca: undefined });
  expect(await authority.commands()).toEqual([]);
  expect(double.seen.map(({ path }) => path)).toEqual([TOKEN, COMMANDS]);
});
