/** The console's endpoints; the router and the documentation read this list. */
import { endpoint } from "../http/endpoint.js";
import type { JsonSchema } from "../schema/json-schema.js";
import { TIME_SCHEMA } from "../schema/time-schema.js";

const TEXT = { type: "string" };
const ID = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const IDS = { type: "array", minItems: 1, items: ID };
const TRUSTED = { callers: "trusted" } as const;

/**
 * Schema of a body. It may have other fields, and no schema looks at `pin`, so that no refusal quotes one.
 * @param required names of the fields that must be there. Default: all
 */
const bodyOf = (properties: JsonSchema, required = Object.keys(properties)) => ({
  type: "object",
  required,
  properties,
});

/** A PIN that a person entered, or the card's own. */
const KEY_PIN = {
  ...bodyOf({ keyPin: TEXT, cardPin: { type: "boolean" } }, []),
  anyOf: [{ required: ["keyPin"] }, { required: ["cardPin"], properties: { cardPin: { const: true } } }],
};

export const CONSOLE_ENDPOINTS = [
  endpoint(
    "info",
    "GET /info",
    "which service this is: version, process, card; with `?nonce=` also a `proof`: HMAC-SHA256 with the secret in `tillseal.running.json` over `tillseal`, the port and the nonce",
  ),
  endpoint("token", "POST /token", 'a cookie for the token, with the setting `consoleToken`: `{"token":"..."}`'),
  endpoint("events", "GET /events", "Server-Sent Events: `changed` if something that the console shows has changed"),
  endpoint("till", "GET /till", "state of the till: codes, card, taxpayer, PIN, audit, environment, tax rates"),
  endpoint(
    "receipts",
    "GET /receipts",
    "receipts, newest first: `?search=` number, counter, amount, RequestId, article, cashier or buyer; `from=` and `to=` times; `limit=`; filters `kind=` (such as `Normal Refund`), `label=`, `payment=`",
    TRUSTED,
  ),
  endpoint(
    "receiptsCsv",
    "GET /receipts.csv",
    "signed receipts of a period as CSV, oldest first: `?from=&to=`; `&decimal=comma` writes 1,50 and separates with `;`",
    TRUSTED,
  ),
  endpoint("itemsCsv", "GET /items.csv", "their items as CSV, one line per item, with the same parameters", TRUSTED),
  endpoint(
    "tables",
    "GET /tables",
    "both as JSON, one line per receipt: the console makes a workbook (XLSX) of them",
    TRUSTED,
  ),
  endpoint(
    "receiptsNdjson",
    "GET /receipts.ndjson",
    "the receipts with requests and answers, one JSON line per receipt",
    TRUSTED,
  ),
  endpoint(
    "receipt",
    "GET /receipts/:id",
    "one receipt, by the id in the list or by its number: text, QR code, request, answer, whether hash and signature are valid, its original, its refunds and copies",
    TRUSTED,
  ),
  endpoint(
    "receiptEscPos",
    "GET /receipts/:id/escpos",
    "the same as bytes for a receipt printer: `?paper=58mm` or `80mm`, `&qr=command` or `raster`",
    TRUSTED,
  ),
  endpoint(
    "report",
    "GET /report",
    "the [day report](bookkeeping.md): `?from=&to=` days of the shop's calendar, such as `2026-11-21`, both included; without them today. With `language=` also its `lines` on paper",
    TRUSTED,
  ),
  endpoint("reportCsv", "GET /report.csv", "the same as CSV; `language=` and `decimal=comma` write it for people", {
    callers: "trusted",
    file: "text/csv",
  }),
  endpoint(
    "reportText",
    "GET /report.txt",
    "the same in the 40 columns of a receipt: `language=`, such as `sr-Latn-RS`",
    { callers: "trusted", file: "text/plain" },
  ),
  endpoint(
    "reports",
    "GET /reports",
    "sales in doubt, and [reports](tax-authority.md#reports) that wait to be confirmed",
    TRUSTED,
  ),
  endpoint("confirmReports", "POST /reports/confirm", 'confirm these reports: `{"ids": [1, 2], "pin": "..."}`', {
    callers: "permitted",
    body: bodyOf({ ids: IDS }),
  }),
  endpoint(
    "decideSale",
    "POST /reports/decide",
    'decide whether the card has signed a sale in doubt: `{"id": 7, "signed": true, "pin": "..."}`',
    { callers: "permitted", body: bodyOf({ id: ID, signed: { type: "boolean" } }) },
  ),
  endpoint(
    "settleByTraining",
    "POST /reports/training",
    'sign one Training receipt, whose counter settles a sale in doubt: `{"id": 7}`',
    { callers: "trusted", body: bodyOf({ id: ID }) },
  ),
  endpoint(
    "audit",
    "GET /audit",
    "state of the tax authority's audits of each card: sales without a proof, the open audit, packages",
    TRUSTED,
  ),
  endpoint(
    "keyPin",
    "POST /pki-pin",
    'the PIN of the [key in the card](tax-authority.md#the-key-in-the-card): `{"keyPin": "..."}`, or `{"cardPin": true}`, which tries the card\'s own PIN, once for each card. With a real card also `pin`, the card\'s PIN, unless the token or a command of this machine calls',
    { callers: "permitted in a shop", body: KEY_PIN },
  ),
  endpoint(
    "startAudit",
    "POST /audit/start",
    'start an audit of the card in the reader; an open audit continues. Without a connection to the authority only with `{"forStick": true}`',
    { callers: "trusted", body: bodyOf({ forStick: { type: "boolean" } }, []), bodyOptional: true },
  ),
  endpoint(
    "auditFiles",
    "GET /audit/files",
    'files for a stick, one JSON line per file with `name` and `base64`; the last line is `{"end":true,"entry":7}`: `?uid=` of a card',
    TRUSTED,
  ),
  endpoint(
    "carried",
    "POST /audit/carried",
    'a stick has these files, written and read back, so no finding counts the age of their sales: `{"uid": "...", "entry": 7, "pin": "..."}` with the `entry` of the last line',
    { callers: "permitted", body: bodyOf({ uid: TEXT, entry: ID }) },
  ),
  endpoint(
    "sticks",
    "GET /sticks",
    "sticks that were put into this machine since the start, for the question whether to carry sales to one",
    TRUSTED,
  ),
  endpoint(
    "auditCommands",
    "POST /audit/commands",
    'execute the commands of a stick: `{"uid": "...", "commands": "text of the file", "pin": "..."}`; the answer has results',
    { callers: "permitted", body: bodyOf({ uid: TEXT, commands: TEXT }) },
  ),
  endpoint(
    "toRead",
    "GET /audit/changes",
    "changes of rates, parameters and addresses, old beside new: commands of a file that wait for a yes, and changes that no person has seen",
    TRUSTED,
  ),
  endpoint(
    "confirmCommands",
    "POST /audit/confirm",
    'say yes to commands that wait: `{"uid": "...", "ids": [1, 2], "pin": "..."}`, with the card\'s PIN unless the token or a command of this machine calls; `"twice": true` is the second yes, where the list has `asksTwice`',
    { callers: "permitted", body: bodyOf({ uid: TEXT, ids: IDS, twice: { type: "boolean" } }, ["uid", "ids"]) },
  ),
  endpoint(
    "refuseCommands",
    "POST /audit/refuse",
    "refuse commands that wait, with the same fields: the authority gets them as failed",
    { callers: "permitted", body: bodyOf({ uid: TEXT, ids: IDS }) },
  ),
  endpoint(
    "seenChanges",
    "POST /audit/seen",
    'confirm that a person has seen changes: `{"ids": [1, 2], "pin": "..."}`',
    { callers: "permitted", body: bodyOf({ ids: IDS }) },
  ),
  endpoint(
    "changes",
    "GET /changes",
    "the newest rows of [the record of changes](years.md#the-record-of-changes), newest first",
    TRUSTED,
  ),
  endpoint(
    "erasable",
    "GET /data/erasable",
    "how many receipts are older than a time, and how many of them can be erased: `?before=`",
    { callers: "trusted", query: bodyOf({ before: TIME_SCHEMA }) },
  ),
  endpoint(
    "eraseData",
    "POST /data/erase",
    'erase them permanently; answers when it is done: `{"before": "2016-01-01T00:00:00Z"}`. With a real card, it needs the card\'s PIN or the token',
    { callers: "permitted in a shop", body: bodyOf({ before: TIME_SCHEMA }) },
  ),
  endpoint("doctor", "GET /doctor", "the doctor's lines about this service, with their findings", TRUSTED),
  endpoint("help", "GET /help", "which findings have which codes, for the pages that explain them"),
  endpoint(
    "space",
    "GET /space",
    "free bytes of the data folder's disk, and the old backups on it that can be deleted",
    TRUSTED,
  ),
  endpoint(
    "freeSpace",
    "POST /space/free",
    "delete these old backups; the newest good one stays. With a real card, it needs the card's PIN or the token",
    { callers: "permitted in a shop", body: bodyOf({}) },
  ),
  endpoint(
    "tryFolder",
    "POST /backups/try",
    'whether backups can be written to a folder: `{"folder": "/mnt/backup"}`; the answer says what to write where. It needs the same',
    { callers: "permitted in a shop", body: bodyOf({ folder: { type: "string", pattern: "\\S" } }) },
  ),
  endpoint(
    "traffic",
    "GET /traffic",
    "requests of tills with their answers, with a real card and the setting `trafficMinutes`; the oldest first: `?since=`, `?before=` an id, `?last=` so many, `?text=` words in method, path, code or RequestId, `?failed=true`",
    TRUSTED,
  ),
  endpoint("forgetTraffic", "POST /traffic/forget", "delete these requests", TRUSTED),
  endpoint(
    "settings",
    "GET /settings",
    "settings that can be changed, with their current values and the values in the file",
    TRUSTED,
  ),
  endpoint(
    "saveSettings",
    "PUT /settings",
    "check settings and write them to the file; null removes one. With a real card also `pin`, the card's PIN, unless the token or a command of this machine calls",
    { callers: "trusted", body: bodyOf({}) },
  ),
  endpoint(
    "restart",
    "POST /restart",
    "restart the service with the settings of the file; the answer has its address. With a real card, it needs the card's PIN or the token",
    { callers: "permitted in a shop", body: bodyOf({}), bodyOptional: true, status: 202 },
  ),
  endpoint(
    "stop",
    "POST /stop",
    "stop the service: `Authorization: Bearer` with the secret in `tillseal.running.json` of the data folder",
    { status: 202 },
  ),
];

export type ConsoleEndpointName = (typeof CONSOLE_ENDPOINTS)[number]["name"];
