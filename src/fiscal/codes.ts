/**
 * The one catalogue of status and error codes (docs/interface.md, "Errors"; protocol facts, section 4).
 * The HTTP layer, docs/codes.md, the API description and the console all read this list;
 * an error that is not in this list cannot be sent, because {@link FiscalCode} is derived from the list.
 */

interface CatalogueEntry {
  readonly type: "Info" | "Warning" | "Error";
  readonly meaning: string;
  /** HTTP status of an error record with this code; null if no error record has this code. */
  readonly httpStatus: 400 | 401 | 500 | null;
  /** Where in the interface a caller gets the code. */
  readonly seenIn: string;
  /** Set if no request to this version of tillseal can get the code; `seenIn` says why. */
  readonly unreachable?: true;
}

const AUTHORITY_ASKED = "gsc of status, after the authority was contacted";

const CATALOGUE = {
  "0000": {
    type: "Info",
    meaning: "All OK",
    httpStatus: null,
    seenIn: "no answer; the log and the metrics use it for a signed sale",
    unreachable: true,
  },
  "0100": { type: "Info", meaning: "PIN verified", httpStatus: null, seenIn: "answer of pin; gsc of status" },
  "0210": { type: "Info", meaning: "Tax authority reachable", httpStatus: null, seenIn: AUTHORITY_ASKED },
  "0220": { type: "Info", meaning: "Tax authority not reachable", httpStatus: null, seenIn: AUTHORITY_ASKED },
  "1100": {
    type: "Warning",
    meaning: "Store of unsent audit packages is 90 % full",
    httpStatus: 400,
    seenIn: "gsc of status; invoices if the store is full and the service has a connection to the tax authority",
  },
  "1300": {
    type: "Warning",
    meaning: "Smart card is not present",
    httpStatus: 400,
    seenIn: "every endpoint except attention; gsc of status",
  },
  "1400": { type: "Warning", meaning: "Audit required", httpStatus: null, seenIn: "gsc of status, with auditRequired" },
  "1500": { type: "Warning", meaning: "PIN required", httpStatus: 401, seenIn: "invoices; gsc of status" },
  "1999": {
    type: "Warning",
    meaning: "Other warning, see mssc or details",
    httpStatus: 500,
    seenIn: "gsc of status; internal failures such as a full disk; with HTTP 503 if too many requests come at once",
  },
  "2100": { type: "Error", meaning: "Incorrect PIN", httpStatus: null, seenIn: "answer of pin" },
  "2110": {
    type: "Error",
    meaning: "Card locked: no PIN attempts are left",
    httpStatus: 400,
    seenIn: "answer of pin; invoices; gsc of status",
  },
  "2210": {
    type: "Error",
    meaning:
      "Secure Element locked: amount limit reached, signing disabled by the tax authority, or invoice counter of the card used up",
    httpStatus: 400,
    seenIn: "invoices; gsc of status",
  },
  "2220": {
    type: "Error",
    meaning: "Cannot connect to the Secure Element",
    httpStatus: 500,
    seenIn: "pin; invoices; gsc of status",
  },
  "2230": {
    type: "Error",
    meaning: "Card protocol is not supported",
    httpStatus: 500,
    seenIn: "pin; invoices; gsc of status",
  },
  "2310": {
    type: "Error",
    meaning: "Invalid tax labels",
    httpStatus: 400,
    seenIn: "invoices, at items[i].labels[j]",
  },
  "2400": {
    type: "Error",
    meaning: "Not configured",
    httpStatus: 400,
    seenIn: "invoices, environment-parameters; test-invoice if it is off",
  },
  "2800": { type: "Error", meaning: "Required field is missing", httpStatus: 400, seenIn: "invoices, pin" },
  "2801": {
    type: "Error",
    meaning: "Value is too long",
    httpStatus: 400,
    seenIn: "invoices; any body over 1 MiB",
  },
  "2802": { type: "Error", meaning: "Value is too short", httpStatus: 400, seenIn: "invoices" },
  "2803": { type: "Error", meaning: "Value has the wrong length", httpStatus: 400, seenIn: "invoices, RequestId" },
  "2804": { type: "Error", meaning: "Value is out of range", httpStatus: 400, seenIn: "invoices" },
  "2805": {
    type: "Error",
    meaning: "Invalid value",
    httpStatus: 400,
    seenIn: "invoices; unknown path, method, host, origin, language or RequestId",
  },
  "2806": { type: "Error", meaning: "Invalid format", httpStatus: 400, seenIn: "invoices; a body that is not JSON" },
  "2807": { type: "Error", meaning: "List has too few entries", httpStatus: 400, seenIn: "invoices" },
  "2808": { type: "Error", meaning: "List has too many entries", httpStatus: 400, seenIn: "invoices" },
  "2809": {
    type: "Error",
    meaning: "Invoice time is outside the validity of the card's certificate",
    httpStatus: 400,
    seenIn: "invoices; gsc of status",
  },
} as const satisfies Record<string, CatalogueEntry>;

export type FiscalCode = keyof typeof CATALOGUE;

export type ErrorCode = {
  [C in FiscalCode]: (typeof CATALOGUE)[C]["httpStatus"] extends null ? never : C;
}[FiscalCode];

export const FISCAL_CODES = Object.keys(CATALOGUE) as FiscalCode[];

/** The codes of all error records. An invoice can get each of them. */
export const ERROR_CODES = FISCAL_CODES.filter((code) => CATALOGUE[code].httpStatus !== null) as ErrorCode[];

export function describeCode(code: FiscalCode): CatalogueEntry {
  return CATALOGUE[code];
}

/** Returns the HTTP status that belongs to an error code (docs/interface.md, "Errors": 400, 401 or 500). */
export function httpStatusOf(code: ErrorCode): 400 | 401 | 500 {
  return CATALOGUE[code].httpStatus;
}
