/** Settings for the look of receipts and for how the service treats tills, which differ from each other. */
import { HAS_EMULATOR } from "../../base/package-root.js";
import { ANSWER_FORMS } from "../../fiscal/answer-form.js";
import { JOURNAL_HEADERS } from "../../fiscal/journal/journal.js";
import { NUMBER_FORMS } from "../../fiscal/journal/layout.js";
import { RECEIPT_LANGUAGES } from "../../fiscal/language.js";
import { textLike } from "../../schema/json-schema.js";
import { BOOLEAN, type SettingRows } from "./row.js";

export const TILL_SETTINGS = {
  languages: {
    schema: { type: "array", items: { type: "string", enum: RECEIPT_LANGUAGES }, minItems: 1, uniqueItems: true },
    description:
      "languages of receipts; a POS that asks for none gets the first one. Default: the languages of the environment",
    scope: "behaviour",
    console: "receipts",
  },
  journalHeader: {
    schema: { type: "string", enum: JOURNAL_HEADERS },
    description:
      "form of the journal's header: `left` breaks no line; `centred` breaks between words; `labelled` names each field. Default: `labelled` in English, `centred` in Republika Srpska, otherwise `left`",
    scope: "behaviour",
    console: "receipts",
  },
  numberForm: {
    schema: { type: "string", enum: NUMBER_FORMS },
    description:
      "numbers and hours on receipts, in every language: `comma` prints 1.234,50 and 9:05:00, `point` prints 1,234.50 and 09:05:00. Default: `point` in English, otherwise `comma`",
    scope: "behaviour",
    console: "receipts",
  },
  answerForm: {
    schema: { type: "string", enum: ANSWER_FORMS },
    default: "specification",
    description:
      "form of the answers. `device` is that of deployed devices: 423 for a refused PIN, the bare code for 1300, 1500, 1999 and 2400, and the QR code as a GIF in base64 without a data URI",
    scope: "behaviour",
    console: "tills",
  },
  pinGuard: {
    schema: BOOLEAN,
    description: `never send the card a PIN again that it has refused, and wait up to 4 s before sending it another one. Default: on${HAS_EMULATOR ? " with a real card, off with the emulator" : ""}`,
    scope: "behaviour",
  },
  requestIdLength: {
    schema: { type: "integer", enum: [32, 36] },
    default: 32,
    description: "longest RequestId in characters; 36 allows a UUID with hyphens",
    scope: "behaviour",
    console: "tills",
  },
  queueLength: {
    schema: { type: "integer", minimum: 1, maximum: 300 },
    default: 256,
    description: "how many sales may wait for the card; the next one gets 503 and 2220, and is not signed",
    scope: "behaviour",
  },
  pathSegment: {
    schema: textLike("^[A-Za-z0-9._~-]+$", "letters, digits and the characters . _ ~ - only"),
    description: "path segment that a POS may put in front of /api/v3; hosted services have a token there",
    scope: "behaviour",
    console: "tills",
    secret: true,
  },
  negativeItems: {
    schema: BOOLEAN,
    default: false,
    description: "accept items with negative amounts, which some tills send as discounts",
    scope: "behaviour",
    console: "tills",
  },
  requireReferentTime: {
    schema: BOOLEAN,
    default: false,
    description: "refuse a Copy or Refund without referentDocumentDT instead of looking the invoice up in the store",
    scope: "behaviour",
    console: "tills",
  },
  clockDrift: {
    schema: { type: "integer", minimum: 0, maximum: 86_400 },
    default: 300,
    description: "seconds by which this machine's clock may differ from the time server; status warns (9009) of more",
    scope: "behaviour",
    console: "tills",
  },
  testInvoice: {
    schema: BOOLEAN,
    description: `answer test-invoice. Default: ${HAS_EMULATOR ? "on with the emulator, off with a real card" : "off"}`,
    scope: "behaviour",
    console: "tills",
  },
} as const satisfies SettingRows;
