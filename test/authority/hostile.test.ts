/** A hostile server at the authority's address: impossible answers and commands. */
import { expect, it } from "vitest";
import { contentOf, PayloadError } from "../../src/authority/command-content.js";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { doubleAndClient, failureOf } from "../support/double-client.js";
import { sentEnvironment } from "../support/fake-authority.js";

const COMMAND = { commandId: "1", type: 0, payload: "", uid: "A" };

it.each([
  ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"],
  ["no HTTP", "\0\0\0"],
  ["nothing", ""],
  ["a half", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n[]"],
  ["hints without end", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1_000)],
  ["a chunk of impossible size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n"],
  ["endless headers", `HTTP/1.1 200 OK\r\nSet-Cookie: ${"a".repeat(100_000)}\r\n\r\n[]`],
])("a request fails when it is answered with %s", async (_case, answer) => {
  const { double, client } = await doubleAndClient();
  double.instead = (_request, response) => {
    response.socket?.end(answer);
    return true;
  };
  const authority = client({ timeLimitMs: 2_000 });
  expect(await failureOf(authority.commands())).toMatch(/^(unreachable|odd-answer): GET /);
});

it("the client of the authority accepts an answer of HTTP/1.0", async () => {
  const { double, authority } = await doubleAndClient();
  await authority.signIn();
  double.instead = (_request, response) => {
    response.socket?.end("HTTP/1.0 200 OK\r\n\r\n[]");
    return true;
  };
  expect(await authority.commands()).toEqual([]);
});

const contentIn = (payload: object, type: number = COMMAND_TYPE.taxRates) =>
  contentOf({ ...COMMAND, type, payload: JSON.stringify(payload), receivedAt: 0, fromFile: false }, undefined);

it("the client of the authority describes a bad payload briefly, however much is wrong", () => {
  const rate = { label: "", rate: -1 };
  const category = { name: "", categoryType: 9, orderId: 1, taxRates: Array.from({ length: 1_000 }, () => rate) };
  const group = { groupId: 1, validFrom: "2026-01-01T00:00:00Z", taxCategories: [category] };
  const twice = Array.from({ length: 1_000 }, () => ({ label: "A", rate: 1 }));
  const { parameters } = sentEnvironment();
  const endpoints = { ...parameters.endpoints, root: `https://a.test/${"a".repeat(100_000)}` };
  for (const wrong of [
    () => contentIn(group),
    () => contentIn({ ...group, taxCategories: [{ ...category, name: "V", categoryType: 0, taxRates: twice }] }),
    () => contentIn({ ...parameters, endpoints }, COMMAND_TYPE.configuration),
  ]) {
    expect(wrong).toThrow(PayloadError);
    expect(wrong).toThrow(/^.{1,1000}$/s);
  }
});
