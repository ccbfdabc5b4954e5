/** Another maker's service: an emulator behind a server that answers in its own style. */
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { type HttpAnswer, httpCall } from "../../emulator/scenario/http-call.js";
import { createEmulator, type Given } from "../../emulator/testkit.js";
import { qrCode } from "../../src/fiscal/qr.js";
import { listen, urlOf } from "../../src/http/listen.js";

type Body = Record<string, unknown>;

export interface ForeignStub {
  readonly url: string;
  /** Method and path of each request. */
  readonly arrived: readonly { readonly what: string; readonly body: string }[];
  readonly pinTriesLeft: () => number;
}

/** Fields of tillseal that the specification does not name. */
const OWN = ["environmentSource", "taxAuthoritySince", "clockDrift"];

/** @param sold changes the answer of a sale before it is sent */
export async function foreignStub(sold: (answer: Body) => Body = (answer) => answer, given: Given = {}) {
  const emulator = await createEmulator({ given });
  onTestFinished(() => emulator.close());
  const arrived: { what: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url: path = "" } = request;
    const body = Buffer.concat(await request.toArray());
    arrived.push({ what: `${method} ${path}`, body: body.toString("utf8") });
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== "host")) as Record<
      string,
      string
    >;
    const answer = await httpCall(emulator.url, { method, path, headers, ...(body.length > 0 ? { body } : {}) });
    if (!answer) return void request.socket.destroy();
    response.writeHead(answer.status, { "Content-Type": answer.headers["content-type"] ?? "text/plain" });
    response.end(inItsOwnWay(answer, sold));
  });
  await listen(server, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => void server.close());
  const stub: ForeignStub = { url: urlOf(server) ?? "", arrived, pinTriesLeft: () => emulator.card.state.pinTriesLeft };
  return stub;
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
