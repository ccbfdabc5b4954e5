/** Describes the interface as an OpenAPI 3.1 document, made from the lists and schemas that the service uses. */
import { PACKAGE_VERSION } from "../base/package-root.js";
import type { Settings } from "../config/settings.js";
import { type AnswerForm, bareStatus, refusedPinStatus } from "../fiscal/answer-form.js";
import { describeCode, ERROR_CODES, type ErrorCode, httpStatusOf } from "../fiscal/codes.js";
import { QR_WAYS } from "../fiscal/escpos.js";
import type { JsonSchema } from "../schema/validator.js";
import { ENVIRONMENT_PARAMETERS, ERROR_RECORD, INVOICE_ANSWER, PIN_ANSWER, STATUS } from "./answer-schemas.js";
import { describedPath } from "./endpoint.js";
import { API_PREFIX, ENDPOINTS, type EndpointName } from "./endpoints.js";
import { ESCPOS_TYPE, PRINTER_PAPERS } from "./escpos.js";
import { LIMITS, limitsInWords } from "./limits.js";
import { sentInvoiceSchema } from "./sent-invoice.js";

/** Settings that change the interface. */
export type DescribedSettings = Pick<Settings, "answerForm" | "negativeItems" | "requestIdLength">;

interface EndpointDescription {
  readonly about: string;
  readonly parameters?: readonly object[];
  readonly body?: { readonly required: boolean; readonly content: Readonly<Record<string, object>> };
  readonly done: object;
  readonly refusals: readonly DescribedRefusal[];
  /** A reason to repeat the request later, besides the reasons that apply to every request. */
  readonly later?: string;
  /** Answers with an HTTP status other than that of `done`. */
  readonly others?: Readonly<Record<string, object>>;
}

/** Refusals for the state of the card. */
const CARD: readonly ErrorCode[] = ["1300", "2220", "2230"];

/** HTTP statuses that do not follow from a code. */
const OWN_STATUSES = {
  403: "this host, origin or web page may not call",
  404: "no such invoice",
  406: "no such language",
};

type DescribedRefusal = ErrorCode | keyof typeof OWN_STATUSES;

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object, example?: unknown) => ({
  "application/json": { schema, ...(example === undefined ? {} : { example }) },
});

const ACCEPT_LANGUAGE = {
  name: "Accept-Language",
  in: "header",
  description: "languages of the receipt, the preferred one first, separated by semicolons or commas",
  schema: { type: "string" },
  example: "sr-Cyrl-RS;en-US",
};

const query = (name: string, values: readonly string[], usual: string, description: string) => ({
  name,
  in: "query",
  description,
  schema: { type: "string", enum: values, default: usual },
});

const seconds = (description: string, minimum = 0) => ({ description, schema: { type: "integer", minimum } });

const SALE_LATER =
  "2220 the queue is full (setting queueLength) and this sale was not signed; or the sale with this RequestId is not finished yet";
const FIND_LATER = "2220 the sale waits for the card, is at work, or is in doubt";

const EXAMPLE_INVOICE = {
  cashier: "Ana",
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240, paymentType: "Cash" }],
  items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
};

const WARNING = {
  Warning: {
    description:
      "a Copy or Refund is taxed by today's rates, because neither the request nor the store has the original's time",
    schema: { type: "string" },
    example: '299 - "The time of the original is unknown"',
  },
};

function operations({ requestIdLength, answerForm }: DescribedSettings): Record<EndpointName, EndpointDescription> {
  const requestId = {
    name: "RequestId",
    in: "header",
    description: "makes the sale safe to repeat: the same invoice under the same id gets the stored answer",
    schema: { type: "string", maxLength: requestIdLength, pattern: "^[\\x20-\\x7e]*$" },
    example: "order-1",
  };
  const soldId = { ...requestId, name: "requestId", in: "path", required: true, description: "RequestId of the sale" };
  const stored = { description: "the stored answer", headers: WARNING, content: json(reference("InvoiceAnswer")) };
  const signed = {
    description: "signed",
    headers: {
      "Idempotent-Replayed": {
        description: "`true` if this invoice had been signed before and this is the stored answer",
        schema: { type: "string", enum: ["true"] },
      },
      RequestId: { description: "the RequestId of the request, if it had one", schema: requestId.schema },
      ...WARNING,
    },
    content: json(reference("InvoiceAnswer")),
  };
  const pinAnswer = {
    description: "the code alone, as JSON to JSON and as text to text",
    headers: {
      "Retry-After": seconds("with 2220: seconds after which the PIN guard may send another PIN to the card", 1),
    },
    content: {
      ...json(reference("PinAnswer"), "0100"),
      "text/plain": { schema: reference("PinAnswer"), example: "0100" },
    },
  };
  return {
    attention: { about: "Never gated.", done: { description: "the service runs" }, refusals: [] },
    pin: {
      about:
        "The session ends when the card is pulled out or the service is restarted. A right PIN on an open session changes nothing.",
      body: {
        required: true,
        content: {
          ...json({ anyOf: [reference("Pin"), { type: "string" }, { type: "integer" }] }, { pin: "1234" }),
          "text/plain": { schema: { type: "string" }, example: "1234" },
        },
      },
      done: pinAnswer,
      refusals: ["2800", "2801", "2806", "1999"],
      ...(answerForm === "device" ? { others: { [refusedPinStatus(answerForm)]: pinAnswer } } : {}),
    },
    status: {
      about:
        "Always 200, with or without a card, within a second. While a card is busy or hangs, the answer has its last known values. After 2 s without an answer from the card, `gsc` begins with 2220.",
      done: {
        description: "the status",
        headers: { Age: seconds("age of the card's amounts in seconds; absent if they are not known yet") },
        content: json(reference("Status")),
      },
      refusals: ["1999"],
    },
    environmentParameters: {
      about: "What the authority has configured.",
      done: { description: "the environment", content: json(reference("EnvironmentParameters")) },
      refusals: [...CARD, "2400", "1999"],
    },
    invoices: {
      about:
        "The card signs the invoice. Send a RequestId with every sale: after a lost answer the same request gets the same receipt. With 2220, `details` says what happened to the sale: it was not signed; it is in doubt, so repeat it with the same RequestId; or the card counted it without a receipt, which is final.",
      parameters: [requestId, ACCEPT_LANGUAGE],
      body: { required: true, content: json(reference("Invoice"), EXAMPLE_INVOICE) },
      done: signed,
      refusals: [...ERROR_CODES, 406],
      later: SALE_LATER,
    },
    lastInvoice: {
      about: "Not in the specification. Several deployed services have it.",
      done: stored,
      refusals: [...CARD, "2805", "1999", 404],
      later: "2220 the card's last sale is not finished or in doubt",
    },
    escPos: {
      about:
        "Not in the specification. Send the bytes to the printer as they are: text in code pages 1251 and 1250 (`ESC t` 46 and 45), the QR code before the last line, a cut. `qr=command` lets the printer draw the QR code (`GS ( k`), `qr=raster` sends it as a picture (`GS v 0`).",
      parameters: [
        soldId,
        query("paper", PRINTER_PAPERS, "80mm", "width of the paper"),
        query("qr", QR_WAYS, "command", "who draws the QR code"),
      ],
      done: { description: "bytes", content: { [ESCPOS_TYPE]: { schema: { type: "string", format: "binary" } } } },
      refusals: [...CARD, "2805", "2806", "1999", 404],
      later: FIND_LATER,
    },
    invoice: {
      about: "Not in the specification, but every careful POS needs it. It answers at once, also while sales wait.",
      parameters: [soldId],
      done: stored,
      refusals: [...CARD, "2806", "1999", 404],
      later: FIND_LATER,
    },
    testInvoice: {
      about: "One sample item for each tax label. Fields of a body replace the sample's, except for the two types.",
      parameters: [requestId, ACCEPT_LANGUAGE],
      body: {
        required: false,
        content: json(
          { type: "object", additionalProperties: true, description: "fields of an invoice" },
          { cashier: "Ana" },
        ),
      },
      done: signed,
      refusals: [...ERROR_CODES, 406],
      later: SALE_LATER,
    },
  };
}

export function openApiDocument(settings: DescribedSettings): JsonSchema {
  const described = operations(settings);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { name, method, path, purpose } of ENDPOINTS) {
    const { about, parameters, body, done, refusals, later, others } = described[name];
    const responses = {
      200: done,
      ...others,
      ...refused([...ANY_REQUEST, ...refusals], settings.answerForm),
      503: busy(body !== undefined, later),
    };
    const documentedPath = describedPath(API_PREFIX, { path });
    paths[documentedPath] = {
      ...paths[documentedPath],
      [method.toLowerCase()]: {
        operationId: name,
        summary: purpose,
        description: about,
        ...(parameters ? { parameters } : {}),
        ...(body ? { requestBody: body } : {}),
        responses,
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "tillseal",
      version: PACKAGE_VERSION,
      description: `A till posts an invoice, the tax authority's card signs it, and the signed receipt comes back. ${limitsInWords(LIMITS)}`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [],
    paths,
    components: {
      schemas: {
        Invoice: sentInvoiceSchema(settings),
        Pin: {
          type: "object",
          required: ["pin"],
          properties: { pin: { anyOf: [{ type: "string", pattern: "^\\d{4}$" }, { type: "integer" }] } },
        },
        PinAnswer: PIN_ANSWER,
        InvoiceAnswer: INVOICE_ANSWER,
        Status: STATUS,
        EnvironmentParameters: ENVIRONMENT_PARAMETERS,
        Error: ERROR_RECORD,
      },
    },
  };
}

const ANY_REQUEST: readonly DescribedRefusal[] = [403, "2801", "2805", "2806"];

/** Describes the answer of a busy service. @param hasBody whether the request has a body */
function busy(hasBody: boolean, later: string | undefined): object {
  const limits = [LIMITS.connections, ...(hasBody ? [LIMITS.arrivingBytes] : [])];
  const reasons = limits.map(({ code, sentence }) => `${code} ${sentence}`);
  return {
    description: [...reasons, ...(later === undefined ? [] : [later])].join("; "),
    headers: { "Retry-After": seconds("seconds to wait") },
    content: json(reference("Error")),
  };
}

/** Describes refusals. Each HTTP status has one entry with the meanings of its codes. */
function refused(refusals: readonly DescribedRefusal[], form: AnswerForm): Record<string, object> {
  const rows = [...new Set(refusals)].map((refusal) => {
    if (typeof refusal === "number") return { status: refusal, words: OWN_STATUSES[refusal] };
    const bare = bareStatus(form, refusal);
    const words = `${refusal} ${describeCode(refusal).meaning}`;
    return { status: bare ?? httpStatusOf(refusal), words, bare: bare === undefined ? undefined : refusal };
  });
  const entries = rows.map(({ status }) => {
    const same = rows.filter((row) => row.status === status);
    const bare = same.flatMap((row) => row.bare ?? []);
    const content = {
      ...(bare.length < same.length ? json(reference("Error")) : {}),
      ...(bare.length > 0 ? { "text/plain": { schema: { type: "string", enum: bare } } } : {}),
    };
    const meanings = same.map(({ words }) => words).toSorted();
    return [String(status), { description: meanings.join("; "), content }];
  });
  return Object.fromEntries(entries) as Record<string, object>;
}
