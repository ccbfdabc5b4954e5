/** A fiscal service that was written from the specification alone: it has nothing that only deployed services have. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { qrCode } from "../../src/fiscal/qr.js";
import { listen, urlOf } from "../../src/http/listen.js";

type Body = Record<string, unknown>;

/** Deviations from the specification. */
export interface Planted {
  /** Changes the answer of a sale. */
  readonly sold?: (answer: Body) => Body;
  /** Signs again what has the same RequestId. */
  readonly signsTwice?: boolean;
  readonly takesEveryLabel?: boolean;
  /** Sells before the PIN was verified. */
  readonly needsNoPin?: boolean;
  /** Accepts a RequestId of any length. */
  readonly longIds?: boolean;
}

const LANGUAGES = ["en-US"];
const RATES = {
  validFrom: "2020-01-01T00:00:00.000Z",
  groupId: 3,
  taxCategories: [
    {
      name: "VAT",
      categoryType: 0,
      taxRates: [
        { rate: 20, label: "A" },
        { rate: 10, label: "B" },
      ],
      orderId: 1,
    },
  ],
};
const ENVIRONMENT = {
  organizationName: "Tax Authority",
  serverTimeZone: "Europe/Belgrade",
  street: "Main Street 1",
  city: "Capital",
  country: "RS",
  endpoints: {
    taxpayerAdminPortal: "https://portal.example",
    taxAuthorityApi: "https://api.example",
    vsdc: "https://vsdc.example",
    root: "https://verify.example",
  },
  environmentName: "Sandbox",
  ntpServer: "http://ntp.example",
  supportedLanguages: LANGUAGES,
};
const INVOICE = ["cashier", "invoiceType", "transactionType", "payment", "items"];
const ITEM = ["name", "quantity", "unitPrice", "labels", "totalAmount"];

export async function specifiedService(planted: Planted = {}): Promise<string> {
  let isPinRequired = true;
  let totalCounter = 0;
  const counters = new Map<string, number>();
  const answers = new Map<string, Body>();

  const status = () => ({
    isPinRequired,
    auditRequired: false,
    sdcDateTime: new Date().toISOString(),
    lastInvoiceNumber: totalCounter === 0 ? "" : String(totalCounter),
    protocolVersion: "3.0",
    hardwareVersion: "1.0",
    softwareVersion: "1.0",
    mssc: [],
    gsc: [isPinRequired ? "1500" : "0000"],
    deviceSerialNumber: "1",
    make: "Maker",
    model: "Model",
    supportedLanguages: LANGUAGES,
    uid: "device-1",
    taxAuthorityApi: ENVIRONMENT.endpoints.taxAuthorityApi,
    currentTaxRates: RATES,
  });

  function sell(invoice: Body, requestId: string): Body {
    const known = planted.signsTwice || requestId === "" ? undefined : answers.get(requestId);
    if (known) return known;
    const items = invoice.items as readonly Body[];
    const pair = `${String(invoice.invoiceType)} ${String(invoice.transactionType)}`;
    counters.set(pair, (counters.get(pair) ?? 0) + 1);
    totalCounter += 1;
    const cents = items.reduce((sum, item) => sum + Math.round(Number(item.totalAmount) * 100), 0);
    const verificationUrl = `${ENVIRONMENT.endpoints.root}/${totalCounter}`;
    const options = (invoice.options ?? {}) as Body;
    const signed = JSON.stringify({ invoice, totalCounter });
    const answer = {
      verificationUrl,
      ...(options.omitQRCodeGen === "1" ? {} : { verificationQRCode: qrCode(verificationUrl, "png") }),
      ...(options.omitTextualRepresentation === "1" ? {} : { journal: `${pair}\n${items.length} items\n` }),
      messages: "Success",
      signedBy: "device-1",
      encryptedInternalData: createHash("md5").update(signed).digest("base64"),
      signature: createHash("sha256").update(signed).digest("base64"),
      totalCounter,
      transactionTypeCounter: counters.get(pair),
      totalAmount: cents / 100,
      taxGroupRevision: RATES.groupId,
      businessName: "Shop",
      tin: "123456789",
      locationName: "Shop 1",
      address: "Main Street 2",
      district: "Capital",
      mrc: "1-1",
    };
    answers.set(requestId, answer);
    return answer;
  }

  function problemOf(invoice: Body, requestId: string): [status: number, code: string, details: string] | undefined {
    if (isPinRequired && !planted.needsNoPin) return [401, "1500", "verify the PIN first"];
    if (requestId.length > 32 && !planted.longIds) return [400, "2800", "RequestId has at most 32 characters"];
    const missing = INVOICE.find((name) => invoice[name] === undefined);
    if (missing !== undefined) return [400, "2800", missing];
    for (const item of invoice.items as readonly Body[]) {
      const absent = ITEM.find((name) => item[name] === undefined);
      if (absent !== undefined) return [400, "2800", absent];
      const label = (item.labels as readonly string[]).find((one) => !"AB".includes(one));
      if (label !== undefined && !planted.takesEveryLabel) return [400, "2310", label];
    }
    return undefined;
  }

  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat(await request.toArray()).toString("utf8");
    const send = (code: number, body: object) => {
      response.writeHead(code, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    };
    const route = `${request.method} ${request.url}`;
    if (route === "GET /api/v3/attention") return void response.end();
    if (route === "GET /api/v3/status") return send(200, status());
    if (route === "GET /api/v3/environment-parameters") return send(200, ENVIRONMENT);
    if (route === "POST /api/v3/pin") {
      const isJson = request.headers["content-type"] === "application/json";
      const pin = isJson ? (JSON.parse(text) as { pin?: string }).pin : text;
      if (pin === "1234") isPinRequired = false;
      return void response.end(pin === "1234" ? "0100" : "2100");
    }
    if (route !== "POST /api/v3/invoices") return send(404, { code: "2800", message: "unknown path", details: route });
    const requestId = String(request.headers.requestid ?? "");
    const invoice = JSON.parse(text) as Body;
    const [code, ...problem] = problemOf(invoice, requestId) ?? [201];
    if (problem.length > 0) return send(code, { code: problem[0], message: "refused", details: problem[1] });
    send(code, (planted.sold ?? ((sold) => sold))(sell(invoice, requestId)));
  }
  await listen(server, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => void server.close());
  return urlOf(server) ?? "";
}
