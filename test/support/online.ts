/** Calls of the emulated online service, for tests. */
import { expect, onTestFinished } from "vitest";
import type { Given } from "../../emulator/world/given.js";
import { World } from "../../emulator/world/world.js";
import type { WorldOptions } from "../../emulator/world/world-options.js";
import type { HttpRequest } from "../../harness/scenario/http-call.js";
import { onlineCall } from "../../harness/scenario/http-call.js";
import { JSON_HEADERS, sale } from "./till.js";

export interface OnlineAnswer {
  readonly requestedBy: string;
  readonly signedBy: string;
  readonly invoiceNumber: string;
  readonly invoiceCounter: string;
  readonly totalCounter: number;
  readonly verificationUrl: string;
  readonly journal: string;
  readonly mrc: string;
  readonly tin: string;
  readonly businessName: string;
  readonly taxItems: readonly object[];
}

export const INVOICES = "/api/v3/invoices";
export const post = (headers: Record<string, string> = {}, invoice: object = sale()): HttpRequest => ({
  method: "POST",
  path: INVOICES,
  headers: { ...JSON_HEADERS, ...headers },
  body: Buffer.from(JSON.stringify(invoice)),
});
export const get = (path: string): HttpRequest => ({ method: "GET", path: `/api/v3${path}`, headers: {} });

/** A world with an online service, and calls of it with the client's certificate and PAC. */
export async function open(given: Given = {}, options: WorldOptions = {}) {
  const world = await World.open({ vsdc: {}, ...given, card: { pinVerified: true, ...given.card } }, options);
  onTestFinished(() => world.close());
  const { vsdc } = world;
  if (!vsdc) throw new Error("the world has no online service");
  const address = world.look("vsdc");
  const call = (request: HttpRequest) => onlineCall(address, request);
  const sell = async (headers: Record<string, string> = {}, invoice: object = sale()) => {
    const answer = await call(post(headers, invoice));
    expect(answer).toMatchObject({ status: 200 });
    return JSON.parse(answer?.text ?? "") as OnlineAnswer;
  };
  return { world, vsdc, address, call, sell };
}
