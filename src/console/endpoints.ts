/** The console's endpoints; the router and the documentation read this list. */

export interface ConsoleEndpoint {
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly purpose: string;
  /** Whether only trusted callers get an answer. `trustOf` decides which callers are trusted. */
  readonly trusted: boolean;
}

export const CONSOLE_ENDPOINTS = [
  {
    name: "info",
    method: "GET",
    path: "/info",
    trusted: false,
    purpose:
      "which service this is: version, process, card; with `?nonce=` also a `proof`: HMAC-SHA256 with the secret in `tillseal.running.json` over `tillseal`, the port and the nonce",
  },
  {
    name: "token",
    method: "POST",
    path: "/token",
    trusted: false,
    purpose: 'a cookie for the token, with the setting `consoleToken`: `{"token":"..."}`',
  },
  {
    name: "events",
    method: "GET",
    path: "/events",
    trusted: false,
    purpose: "Server-Sent Events: `changed` if something that the console shows has changed",
  },
  {
    name: "till",
    method: "GET",
    path: "/till",
    trusted: false,
    purpose: "state of the till: codes, card, taxpayer, PIN, audit, environment, tax rates",
  },
  {
    name: "receipts",
    method: "GET",
    path: "/receipts",
    trusted: true,
    purpose:
      "receipts, newest first: `?search=` number, counter, amount, RequestId, article, cashier or buyer; `from=` and `to=` times; `limit=`; filters `kind=` (such as `Normal Refund`), `label=`, `payment=`",
  },
  {
    name: "receiptsCsv",
    method: "GET",
    path: "/receipts.csv",
    trusted: true,
    purpose:
      "signed receipts of a period as CSV, oldest first: `?from=&to=`; `&decimal=comma` writes 1,50 and separates with `;`",
  },
  {
    name: "itemsCsv",
    method: "GET",
    path: "/items.csv",
    trusted: true,
    purpose: "their items as CSV, one line per item, with the same parameters",
  },
  {
    name: "tables",
    method: "GET",
    path: "/tables",
    trusted: true,
    purpose: "both as JSON, one line per receipt: the console makes a workbook (XLSX) of them",
  },
  {
    name: "receiptsNdjson",
    method: "GET",
    path: "/receipts.ndjson",
    trusted: true,
    purpose: "the receipts with requests and answers, one JSON line per receipt",
  },
  {
    name: "receipt",
    method: "GET",
    path: "/receipts/:id",
    trusted: true,
    purpose:
      "one receipt, by the id in the list or by its number: text, QR code, request, answer, whether hash and signature are valid, its original, its refunds and copies",
  },
  {
    name: "receiptEscPos",
    method: "GET",
    path: "/receipts/:id/escpos",
    trusted: true,
    purpose: "the same as bytes for a receipt printer: `?paper=58mm` or `80mm`, `&qr=command` or `raster`",
  },
  {
    name: "report",
    method: "GET",
    path: "/report",
    trusted: true,
    purpose:
      "the [day report](bookkeeping.md): `?from=&to=` days of the shop's calendar, such as `2026-11-21`, both included; without them today. With `language=` also its `lines` on paper",
  },
  {
    name: "reportCsv",
    method: "GET",
    path: "/report.csv",
    trusted: true,
    purpose: "the same as CSV; `language=` and `decimal=comma` write it for people",
  },
  {
    name: "reportText",
    method: "GET",
    path: "/report.txt",
    trusted: true,
    purpose: "the same in the 40 columns of a receipt: `language=`, such as `sr-Latn-RS`",
  },
  {
    name: "reports",
    method: "GET",
    path: "/reports",
    trusted: true,
    purpose: "sales in doubt, and [reports](tax-authority.md#reports) that wait to be confirmed",
  },
  {
    name: "confirmReports",
    method: "POST",
    path: "/reports/confirm",
    trusted: true,
    purpose: 'confirm these reports: `{"ids": [1, 2], "pin": "..."}`',
  },
  {
    name: "decideSale",
    method: "POST",
    path: "/reports/decide",
    trusted: true,
    purpose: 'decide whether the card has signed a sale in doubt: `{"id": 7, "signed": true, "pin": "..."}`',
  },
  {
    name: "settleByTraining",
    method: "POST",
    path: "/reports/training",
    trusted: true,
    purpose: 'sign one Training receipt, whose counter settles a sale in doubt: `{"id": 7}`',
  },
  {
    name: "audit",
    method: "GET",
    path: "/audit",
    trusted: true,
    purpose: "state of the tax authority's audits of each card: sales without a proof, the open audit, packages",
  },
  {
    name: "keyPin",
    method: "POST",
    path: "/pki-pin",
    trusted: true,
    purpose:
      'the PIN of the [key in the card](tax-authority.md#the-key-in-the-card): `{"keyPin": "..."}`, or `{"cardPin": true}`, which tries the card\'s own PIN, once for each card. With a real card also `pin`, the card\'s PIN, unless the token or a command of this machine calls',
  },
  {
    name: "startAudit",
    method: "POST",
    path: "/audit/start",
    trusted: true,
    purpose:
      'start an audit of the card in the reader; an open audit continues. Without a connection to the authority only with `{"forStick": true}`',
  },
  {
    name: "auditFiles",
    method: "GET",
    path: "/audit/files",
    trusted: true,
    purpose:
      'files for a stick, one JSON line per file with `name` and `base64`; the last line is `{"end":true,"entry":7}`: `?uid=` of a card',
  },
  {
    name: "carried",
    method: "POST",
    path: "/audit/carried",
    trusted: true,
    purpose:
      'a stick has these files, written and read back, so no finding counts the age of their sales: `{"uid": "...", "entry": 7, "pin": "..."}` with the `entry` of the last line',
  },
  {
    name: "sticks",
    method: "GET",
    path: "/sticks",
    trusted: true,
    purpose: "sticks that were put into this machine since the start, for the question whether to carry sales to one",
  },
  {
    name: "auditCommands",
    method: "POST",
    path: "/audit/commands",
    trusted: true,
    purpose:
      'execute the commands of a stick: `{"uid": "...", "commands": "text of the file", "pin": "..."}`; the answer has results',
  },
  {
    name: "toRead",
    method: "GET",
    path: "/audit/changes",
    trusted: true,
    purpose:
      "changes of rates, parameters and addresses, old beside new: commands of a file that wait for a yes, and changes that no person has seen",
  },
  {
    name: "confirmCommands",
    method: "POST",
    path: "/audit/confirm",
    trusted: true,
    purpose:
      'say yes to commands that wait: `{"uid": "...", "ids": [1, 2], "pin": "..."}`, with the card\'s PIN unless the token or a command of this machine calls; `"twice": true` is the second yes, where the list has `asksTwice`',
  },
  {
    name: "refuseCommands",
    method: "POST",
    path: "/audit/refuse",
    trusted: true,
    purpose: "refuse commands that wait, with the same fields: the authority gets them as failed",
  },
  {
    name: "seenChanges",
    method: "POST",
    path: "/audit/seen",
    trusted: true,
    purpose: 'confirm that a person has seen changes: `{"ids": [1, 2], "pin": "..."}`',
  },
  {
    name: "changes",
    method: "GET",
    path: "/changes",
    trusted: true,
    purpose: "the newest rows of [the record of changes](years.md#the-record-of-changes), newest first",
  },
  {
    name: "erasable",
    method: "GET",
    path: "/data/erasable",
    trusted: true,
    purpose: "how many receipts are older than a time, and how many of them can be erased: `?before=`",
  },
  {
    name: "eraseData",
    method: "POST",
    path: "/data/erase",
    trusted: true,
    purpose:
      'erase them permanently; answers when it is done: `{"before": "2016-01-01T00:00:00Z"}`. With a real card, it needs the card\'s PIN or the token',
  },
  {
    name: "doctor",
    method: "GET",
    path: "/doctor",
    trusted: true,
    purpose: "the doctor's lines about this service, with their findings",
  },
  {
    name: "help",
    method: "GET",
    path: "/help",
    trusted: false,
    purpose: "which findings have which codes, for the pages that explain them",
  },
  {
    name: "space",
    method: "GET",
    path: "/space",
    trusted: true,
    purpose: "free bytes of the data folder's disk, and the old backups on it that can be deleted",
  },
  {
    name: "freeSpace",
    method: "POST",
    path: "/space/free",
    trusted: true,
    purpose:
      "delete these old backups; the newest good one stays. With a real card, it needs the card's PIN or the token",
  },
  {
    name: "tryFolder",
    method: "POST",
    path: "/backups/try",
    trusted: true,
    purpose:
      'whether backups can be written to a folder: `{"folder": "/mnt/backup"}`; the answer says what to write where. It needs the same',
  },
  {
    name: "traffic",
    method: "GET",
    path: "/traffic",
    trusted: true,
    purpose:
      "requests of tills with their answers, with a real card and the setting `trafficMinutes`; the oldest first: `?since=`, `?before=` an id, `?last=` so many, `?text=` words in method, path, code or RequestId, `?failed=true`",
  },
  {
    name: "forgetTraffic",
    method: "POST",
    path: "/traffic/forget",
    trusted: true,
    purpose: "delete these requests",
  },
  {
    name: "settings",
    method: "GET",
    path: "/settings",
    trusted: true,
    purpose: "settings that can be changed, with their current values and the values in the file",
  },
  {
    name: "saveSettings",
    method: "PUT",
    path: "/settings",
    trusted: true,
    purpose:
      "check settings and write them to the file; null removes one. With a real card also `pin`, the card's PIN, unless the token or a command of this machine calls",
  },
  {
    name: "restart",
    method: "POST",
    path: "/restart",
    trusted: true,
    purpose:
      "restart the service with the settings of the file; the answer has its address. With a real card, it needs the card's PIN or the token",
  },
  {
    name: "stop",
    method: "POST",
    path: "/stop",
    trusted: false,
    purpose: "stop the service: `Authorization: Bearer` with the secret in `tillseal.running.json` of the data folder",
  },
] as const satisfies readonly ConsoleEndpoint[];

export type ConsoleEndpointName = (typeof CONSOLE_ENDPOINTS)[number]["name"];
