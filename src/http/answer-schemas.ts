/** The service's answers as JSON Schema, for the API description and the check of every scenario. */
import { FISCAL_CODES } from "../fiscal/codes.js";
import type { Answer } from "../fiscalizer/answer.js";
import { ownCodes } from "../state/status-codes.js";
import { PIN_CODES } from "./pin.js";

const TEXT = { type: "string" };
const BOOLEAN = { type: "boolean" };
const COUNT = { type: "integer", minimum: 0 };
const NUMBER = { type: "number" };
const UTC_TIME = { type: "string", format: "date-time", description: "UTC, with milliseconds" };
export const UID = { type: "string", pattern: "^([0-9A-Za-z]{8})?$" };

const described = (schema: object, description: string) => ({ ...schema, description });
const list = (items: object, description?: string) => ({ type: "array", items, ...(description && { description }) });

const ENVIRONMENT_SOURCE = described(
  TEXT,
  "where rates and parameters come from: `tax authority, since` a time; `imported file` or `restored backup`, also with a time, if a person confirmed them; `file` and its name from the settings; or empty if nothing is configured",
);

/** Schema of a record. Any other field in an answer is a bug in the answer or in the schema. */
function record(fields: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}) {
  const properties = { ...fields, ...optional };
  return { type: "object", additionalProperties: false, required: Object.keys(fields), properties };
}

const CODE = { type: "string", enum: FISCAL_CODES };

/** The error record in both shapes (docs/interface.md, "Error record"; protocol facts, section 4, "Errors"). */
export const ERROR_RECORD = record(
  {
    code: described(CODE, "the first code"),
    message: described(TEXT, "what the code means"),
    details: described(TEXT, "what is wrong and where, for people"),
    modelState: list(
      record({ property: described(TEXT, "`items[0].labels[0]`; empty for the whole"), errors: list(CODE) }),
      "every wrong field with its codes",
    ),
  },
  { final: described({ const: true }, "the sale never gets a receipt: sell it again under a new RequestId") },
);

export const PIN_ANSWER = described(
  { type: "string", enum: [...new Set(Object.values(PIN_CODES))].toSorted() },
  "0100 right, 2100 wrong, 2110 locked, 1300 no card, 2220 the card does not answer, 2230 a card of another protocol",
);

const TAX_ITEM = record({
  categoryType: { type: "integer", enum: [0, 1, 2], description: "0 on net, 1 on total, 2 amount per quantity" },
  categoryName: TEXT,
  label: TEXT,
  rate: NUMBER,
  amount: described(NUMBER, "4 decimals"),
} satisfies Record<keyof Answer["taxItems"][number], object>);

/** The invoice answer (docs/interface.md, "Invoice response"; protocol facts, section 4, "Invoice answer"). */
export const INVOICE_ANSWER = record({
  requestedBy: UID,
  signedBy: UID,
  sdcDateTime: { type: "string", format: "date-time", description: "local time with its offset, and milliseconds" },
  invoiceCounter: described(TEXT, "counter of the pair of types / total counter, and the extension"),
  invoiceCounterExtension: described(TEXT, "letters of invoice type and transaction type"),
  invoiceNumber: described({ type: "string", pattern: "^\\S{8}-\\S{8}-\\d+$" }, "requestedBy-signedBy-totalCounter"),
  verificationUrl: described(
    { type: "string", format: "uri" },
    "where a customer checks the receipt; the QR code's text",
  ),
  verificationQRCode: described(
    { type: ["string", "null"] },
    "the image as a data URI, or as bare base64 of a GIF if `answerForm` is device; null if it was left out",
  ),
  journal: described(
    { type: ["string", "null"] },
    "the receipt as text for 40 columns, lines end with CRLF; null if it was left out or is not in this store",
  ),
  messages: described(TEXT, "`Success`, or why there is no journal of the card's last invoice"),
  encryptedInternalData: described(TEXT, "base64"),
  signature: described(TEXT, "base64; RSA-2048, PKCS#1 v1.5, SHA-1"),
  totalCounter: COUNT,
  transactionTypeCounter: COUNT,
  totalAmount: NUMBER,
  taxGroupRevision: described(COUNT, "`groupId` of the tax rates that were used"),
  taxItems: list(TAX_ITEM, "the only array or object of this answer"),
  businessName: TEXT,
  tin: TEXT,
  locationName: TEXT,
  address: TEXT,
  district: TEXT,
  mrc: TEXT,
} satisfies Record<keyof Answer, object>);

const TAX_RATES = record({
  validFrom: UTC_TIME,
  groupId: COUNT,
  taxCategories: list(
    record({
      name: TEXT,
      categoryType: { type: "integer", enum: [0, 1, 2] },
      taxRates: list(record({ rate: NUMBER, label: TEXT })),
      orderId: COUNT,
    }),
  ),
});

/** The maker's own codes in the status (docs/interface.md, "Status record"; protocol facts, section 4, "Status"). */
const makerCodes = ownCodes()
  .map(({ code, meaning }) => `${code} ${meaning}`)
  .join("; ");

export const STATUS = record({
  isPinRequired: BOOLEAN,
  auditRequired: BOOLEAN,
  sdcDateTime: UTC_TIME,
  lastInvoiceNumber: described(TEXT, "empty if there is none, or if the store cannot be read"),
  protocolVersion: TEXT,
  secureElementVersion: TEXT,
  hardwareVersion: TEXT,
  softwareVersion: TEXT,
  deviceSerialNumber: TEXT,
  make: TEXT,
  model: TEXT,
  mssc: list({ type: "string", pattern: "^\\d{4}$" }, `the maker's own codes: ${makerCodes}`),
  gsc: list(CODE, "state of card, authority and configuration; 0210 or 0220 after the authority was contacted"),
  supportedLanguages: list(TEXT, "language tags, as the authority spells them"),
  uid: described(UID, "empty without a card that can be used"),
  taxAuthorityApi: TEXT,
  taxCoreApi: described(TEXT, "the same as taxAuthorityApi"),
  currentTaxRates: described({ anyOf: [TAX_RATES, { type: "null" }] }, "null if none are in force"),
  allTaxRates: list(TAX_RATES),
  environmentSource: ENVIRONMENT_SOURCE,
  taxAuthoritySince: described(
    { anyOf: [UTC_TIME, { type: "null" }] },
    "time since which 0210 or 0220 applies; null if neither applies",
  ),
  clockDrift: described(
    { type: ["number", "null"] },
    "seconds by which the clock is ahead of the time server's, negative if it is behind; null if it was not compared",
  ),
});

/** Schema of the environment parameters. Specification, "Environment parameters record". */
export const ENVIRONMENT_PARAMETERS = record({
  organizationName: TEXT,
  serverTimeZone: TEXT,
  street: TEXT,
  city: TEXT,
  country: { type: "string", pattern: "^[A-Z]{2}$" },
  endpoints: record({ taxpayerAdminPortal: TEXT, taxAuthorityApi: TEXT, vsdc: TEXT, root: TEXT, taxCoreApi: TEXT }),
  environmentName: TEXT,
  logo: TEXT,
  ntpServer: TEXT,
  supportedLanguages: list(TEXT, "language tags, as the authority spells them"),
  environmentSource: ENVIRONMENT_SOURCE,
});
