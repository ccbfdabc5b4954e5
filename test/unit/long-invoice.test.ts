/** A long invoice gives way to other connections after it was read, and before its answer is sent. */
import type { Request, Response } from "express";
import { expect, it } from "vitest";
import type { Fiscalizer } from "../../src/fiscalizer/fiscalizer.js";
import { InvoiceHandlers } from "../../src/http/invoices.js";
import type { SecureElement } from "../../src/secure-element/secure-element.js";

/** What happens during a sale; "others" is a turn of the other connections. */
async function orderWith(items: number): Promise<string[]> {
  const order: string[] = [];
  const did = (what: string) => {
    order.push(what);
    setImmediate(() => order.push("others"));
  };
  const fiscalizer = {
    gate: async () => ({ languages: [{ tag: "en-US", prints: "en-US" }] }),
    fiscalize: async () => {
      did("signed");
      return { answer: "{}", qrFormat: undefined, replayed: false };
    },
  } as unknown as Fiscalizer;
  const read = () => {
    did("read");
    return { items: Array.from({ length: items }, () => ({})) } as never;
  };
  const options = { requestIdLength: 32, root: () => undefined, requester: () => undefined } as never;
  const handlers = new InvoiceHandlers(fiscalizer, {} as SecureElement, read, options);
  const response = { once: () => undefined, setHeader: () => undefined, end: () => order.push("answered") };
  const request = { headers: { "content-type": "application/json" }, body: Buffer.from("{}") };
  await handlers.post(request as Request, response as unknown as Response, () => undefined);
  return order;
}

it("a long invoice gives way twice when it has 101 items", async () => {
  expect(await orderWith(101)).toEqual(["read", "others", "signed", "others", "answered"]);
});

it("a long invoice does not wait for others when it has 100 items", async () => {
  expect(await orderWith(100)).toEqual(["read", "signed", "answered"]);
});
