/** Another maker's service: an emulator behind a server that answers in its own style. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { type HttpAnswer, httpCall } from "../../harness/scenario/http-call.js";
import type { Given } from "../../harness/testkit.js";
import { qrCode } from "../../src/fiscal/qr.js";
import { listen, urlOf } from "../../src/http/listen.js";
import { openedEmulator } from "./control.js";

type Body = Record<string, unknown>;

export interface ForeignStub {
  readonly url: string;
  readonly arrived: readonly { readonly what: string; readonly body: string }[];
  readonly pinTriesLeft: () => number;
}

/** Fields of tillseal that the specification does not name. */
const OWN = ["environmentSource", "taxAuthoritySince", "clockDrift"];

/** How a service of another maker differs from ours. */
export interface Habits {
  /** It sends any other body to the card, as a wrong PIN. */
  readonly pinAsTextOnly?: boolean;
  /** It answers a PIN in JSON with 415, and never reads it. */
  readonly pinAsObjectOnly?: boolean;
  /** The record that deployed clients read: no code, message and details. */
  readonly deployedErrors?: boolean;
  /** A code, and the wrong one that it answers instead. */
  readonly wrongCode?: readonly [string, string];
  /** Status asks for the PIN by its flag alone, and environment parameters are shown after the PIN. */
  readonly quietBeforePin?: boolean;
  /** In front of /api/v3; other addresses are 404. */
  readonly path?: string;
  /** Name in lower case, and value; without it each answer is 403. */
  readonly header?: readonly [string, string];
  /** It signs a sale again that is repeated with its RequestId. */
  readonly signsTwice?: boolean;
  /** Status code of attention. */
  readonly attention?: number;
}

/** @param sold changes the answer of a sale before it is sent */
export async function foreignStub(
  sold: (answer: Body) => Body = (answer) => answer,
  given: Given = {},
  habits: Habits = {},
) {
  const emulator = await openedEmulator({ given });
  let isPinVerified = false;
  const arrived: { what: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "" } = request;
    const received = Buffer.concat(await request.toArray());
    arrived.push({ what: `${method} ${url}`, body: received.toString("utf8") });
    const refused = refusedBy(habits, request);
    if (refused !== undefined) return void response.writeHead(refused).end();
    const path = url.slice(habits.path?.length ?? 0);
    const isText = request.headers["content-type"]?.startsWith("text/") === true;
    const body = path.endsWith("/pin") && habits.pinAsTextOnly && !isText ? Buffer.from('"0000"') : received;
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !["host", "content-length"].includes(name)),
    ) as Record<string, string>;
    if (habits.signsTwice && headers.requestid?.length === 32) headers.requestid = randomUUID().replaceAll("-", "");
    const answer = await httpCall(emulator.url, { method, path, headers, ...(body.length > 0 ? { body } : {}) });
    if (!answer) return void request.socket.destroy();
    isPinVerified ||= path.endsWith("/pin") && answer.text.includes("0100");
    if (habits.quietBeforePin && method === "GET") {
      const json = { "Content-Type": "application/json" };
      if (path.endsWith("/status")) return void response.writeHead(200, json).end(withoutPinCode(answer.text));
      const isAsked = path.endsWith("/environment-parameters") && !isPinVerified;
      if (isAsked) return void response.writeHead(401).end("1500");
    }
    response.writeHead(answer.status, { "Content-Type": answer.headers["content-type"] ?? "text/plain" });
    response.end(habits.deployedErrors && answer.status >= 400 ? deployed(answer, habits) : inItsOwnWay(answer, sold));
  });
  await listen(server, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => void server.close());
  const stub: ForeignStub = { url: urlOf(server) ?? "", arrived, pinTriesLeft: () => emulator.card.state.pinTriesLeft };
  return stub;
}

function refusedBy(
  { path = "", header, attention, pinAsObjectOnly }: Habits,
  request: IncomingMessage,
): number | undefined {
  const { url = "", headers } = request;
  if (header && headers[header[0]] !== header[1]) return 403;
  if (!url.startsWith(`${path}/api/v3/`)) return 404;
  if (pinAsObjectOnly && url.endsWith("/pin") && headers["content-type"] !== "application/json") return 415;
  return url.endsWith("/attention") ? attention : undefined;
}

/** @returns the error with the record that deployed clients read */
function deployed({ text }: HttpAnswer, { wrongCode: [right, wrong] = ["", ""] }: Habits): string {
  const { modelState } = JSON.parse(text) as { modelState: readonly { property: string }[] };
  const entries = modelState.map(({ property, ...rest }) => ({ property: property.replace(/^i/, "I"), ...rest }));
  return JSON.stringify({ message: "Bad Request", modelState: entries }).replaceAll(`"${right}"`, `"${wrong}"`);
}

function withoutPinCode(text: string): string {
  const status = JSON.parse(text) as { gsc: readonly string[] };
  return JSON.stringify({ ...status, gsc: status.gsc.filter((code) => code !== "1500") });
}

function inItsOwnWay({ status, text }: HttpAnswer, sold: (answer: Body) => Body): string {
  if (!text.startsWith("{")) return text;
  const own = Object.entries(JSON.parse(text) as Body).filter(([name]) => !OWN.includes(name));
  const body = Object.fromEntries(own);
  const sale = status === 200 && "signedBy" in body ? sold(body) : body;
  return JSON.stringify("gsc" in body ? { ...sale, extra: "of this maker" } : sale);
}

/** Makes the first label's tax one unit of the last decimal too high. */
export function wrongTax(answer: Body): Body {
  const [first, ...rest] = answer.taxItems as { amount: number }[];
  return first ? { ...answer, taxItems: [{ ...first, amount: first.amount + 0.0001 }, ...rest] } : answer;
}

/** Ends the verification URL with the signature, in the QR code too. */
export function withoutHash(answer: Body): Body {
  const [root = "", data = ""] = String(answer.verificationUrl).split("vl=");
  const bytes = Buffer.from(decodeURIComponent(data), "base64").subarray(0, -16);
  const verificationUrl = `${root}vl=${encodeURIComponent(bytes.toString("base64"))}`;
  return {
    ...answer,
    verificationUrl,
    verificationQRCode: answer.verificationQRCode === null ? null : qrCode(verificationUrl, "png"),
  };
}
