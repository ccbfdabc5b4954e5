/**
 * Every setting, once. Flags, environment variables, the file's schema, `tillseal config` and
 * docs/settings.md are derived from this list.
 */
import { HAS_EMULATOR } from "../edition.js";
import { JOURNAL_HEADERS, type JournalHeader } from "../fiscal/journal/journal.js";
import { LANGUAGES, type Language } from "../fiscal/language.js";
import { AUDIT_DUE_PERCENT } from "../fiscal/limit.js";
import { PCSC_MODULES, type PcscModule } from "../secure-element/pcsc/binding.js";

/** The package for shops knows real cards only. */
export const CARDS: readonly ("emulator" | "pcsc")[] = HAS_EMULATOR ? ["emulator", "pcsc"] : ["pcsc"];
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

export interface Settings {
  readonly port: number;
  readonly host: string;
  readonly card: (typeof CARDS)[number];
  readonly reader?: string;
  readonly pcscModule: PcscModule;
  readonly dataDir?: string;
  readonly environment?: string;
  readonly profile?: string;
  readonly scenario?: string;
  readonly record?: string;
  /** Absent in the package for shops. */
  readonly controlPort?: number;
  readonly controlHost?: string;
  /** Absent in the package for shops. */
  readonly authority?: boolean;
  /** Absent in the package for shops. */
  readonly authorityPort?: number;
  /** Absent in the package for shops. */
  readonly publicAddress?: string;
  readonly languages?: readonly Language[];
  readonly journalHeader: JournalHeader;
  readonly qrFormat: "png" | "gif";
  readonly pinFailureStatus: 200 | 423;
  readonly pinGuard?: boolean;
  readonly requestIdLength: 32 | 36;
  readonly queueLength: number;
  readonly pathSegment?: string;
  readonly negativeItems: boolean;
  readonly requireReferentTime: boolean;
  readonly clockDrift: number;
  readonly testInvoice?: boolean;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly consoleToken: boolean;
  readonly deviceMake: string;
  readonly deviceModel: string;
  readonly deviceSerialNumber?: string;
  readonly authorityUrl?: string;
  readonly authorityCertificate?: string;
  readonly authorityKey?: string;
  readonly authorityPassphraseFile?: string;
  readonly authorityCa?: string;
  readonly authorityProxy?: string;
  readonly unsentLimit: number;
  readonly auditShare: number;
  readonly auditAge: number;
  readonly backupFolder?: string;
  readonly backupHours: number;
  readonly backupKeep: number;
  readonly retentionYears?: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly logFile?: string;
  readonly logFileSize: number;
  readonly logFileCount: number;
  readonly trafficMinutes: number;
  readonly metrics: boolean;
}

export interface SettingSchema {
  readonly type: "integer" | "string" | "boolean" | "array";
  readonly description: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly items?: { readonly type: "string"; readonly minLength?: number; readonly enum?: readonly string[] };
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
}

const NAMES = { type: "string", minLength: 1 } as const;

export const SETTINGS: { readonly [K in keyof Required<Settings>]: SettingSchema } = {
  port: {
    type: "integer",
    minimum: 0,
    maximum: 65_535,
    default: 8431,
    description: "TCP port of the service; 0 picks a free one",
  },
  host: {
    type: "string",
    minLength: 1,
    default: "localhost",
    description:
      "address to listen on; `localhost` is 127.0.0.1 and ::1, `0.0.0.0` every IPv4 address of this machine, `::` every one",
  },
  card: {
    type: "string",
    enum: CARDS,
    default: CARDS[0],
    description: "the emulated card, or a real one through PC/SC; the package for shops has only `pcsc`",
  },
  reader: {
    type: "string",
    minLength: 1,
    description: "name of the PC/SC reader or a part of it; default: the first reader with a fiscal card",
  },
  pcscModule: {
    type: "string",
    enum: PCSC_MODULES,
    default: PCSC_MODULES[0],
    description: "module that calls PC/SC: `koffi`, or `pcsclite` on a machine where npm has built that",
  },
  dataDir: {
    type: "string",
    minLength: 1,
    description:
      "folder of the store and of the emulated card's state; without it the emulator forgets everything at the end, and a real card's store is in ~/.tillseal, on Windows in %ProgramData%/tillseal",
  },
  environment: {
    type: "string",
    minLength: 1,
    description:
      "file with environment parameters and tax rates, or the name of one in fixtures/environments, or `none`; default `specification` with the emulator, `none` with a card",
  },
  profile: {
    type: "string",
    minLength: 1,
    description: "profile of the emulated card: a file, or the name of one in fixtures/profiles",
  },
  scenario: {
    type: "string",
    minLength: 1,
    description:
      "scenario whose `given` the emulator starts from: a file, or the name of a shipped one such as `pin/card-locked`; what it leaves out, the other settings say",
  },
  record: {
    type: "string",
    minLength: 1,
    description: "file into which the traffic is written as a scenario; an existing file is replaced",
  },
  controlPort: {
    type: "integer",
    minimum: 0,
    maximum: 65_535,
    default: 8432,
    description: "TCP port of the emulator's control interface; 0, or a busy default, picks a free port",
  },
  controlHost: {
    type: "string",
    minLength: 1,
    default: "localhost",
    description: "address on which the control interface listens, as `host`",
  },
  authority: {
    type: "boolean",
    default: true,
    description:
      "whether an emulated tax authority runs beside the emulated card and configures it; `--no-authority` leaves it out, and `environment` is the service's own file",
  },
  authorityPort: {
    type: "integer",
    minimum: 0,
    maximum: 65_535,
    default: 8434,
    description: "TCP port of the emulated tax authority; 0, or a busy default, picks a free port",
  },
  publicAddress: {
    type: "string",
    pattern: "^https?://(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:\\d{1,5})?(/[A-Za-z0-9._~/-]*)?$",
    description:
      "address under which customers reach the emulator, such as http://192.168.1.20:8431; QR codes lead there. Default: the address that the POS has called",
  },
  languages: {
    type: "array",
    items: { type: "string", enum: LANGUAGES },
    minItems: 1,
    uniqueItems: true,
    description: "languages of receipts, the first for a POS that asks for none; default: those of the environment",
  },
  journalHeader: {
    type: "string",
    enum: JOURNAL_HEADERS,
    default: "left",
    description:
      "form of the journal's header: `left` breaks no line; `centred` breaks between words; `labelled` names each field and has lines for cashier and change (seen on one receipt only)",
  },
  qrFormat: {
    type: "string",
    enum: ["png", "gif"],
    default: "png",
    description: "QR code as a PNG data URI, or as the bare base64 of a GIF",
  },
  pinFailureStatus: {
    type: "integer",
    enum: [200, 423],
    default: 200,
    description: "HTTP status of a wrong PIN or a locked card in the answer of pin",
  },
  pinGuard: {
    type: "boolean",
    description:
      "never send a PIN again that the card has refused, and send another one only after a wait of up to 4 s; default: on with a card, off with the emulator",
  },
  requestIdLength: {
    type: "integer",
    enum: [32, 36],
    default: 32,
    description: "longest RequestId; 36 lets a UUID with hyphens through",
  },
  queueLength: {
    type: "integer",
    minimum: 1,
    maximum: 300,
    default: 256,
    description: "how many sales may wait for the card; the next one gets 503 and 2220, and is not signed",
  },
  pathSegment: {
    type: "string",
    pattern: "^[A-Za-z0-9._~-]+$",
    description: "a path segment that a POS may put in front of /api/v3; hosted services have a token there",
  },
  negativeItems: {
    type: "boolean",
    default: false,
    description: "accept items with negative amounts, which some tills send as discounts",
  },
  requireReferentTime: {
    type: "boolean",
    default: false,
    description: "refuse a Copy or Refund without referentDocumentDT instead of looking the invoice up in the store",
  },
  clockDrift: {
    type: "integer",
    minimum: 0,
    maximum: 86_400,
    default: 300,
    description:
      "seconds that a till's clock may be ahead; a referentDocumentDT that is further in the future is refused. Status warns (9009) when this machine's clock differs by more from the time server",
  },
  testInvoice: {
    type: "boolean",
    description: "answer test-invoice; default on with the emulator, off with a card",
  },
  allowedHosts: {
    type: "array",
    items: NAMES,
    default: [],
    description: "host names, besides localhost and addresses, under which the service may be called; `*` for any",
  },
  allowedOrigins: {
    type: "array",
    items: NAMES,
    default: [],
    description:
      "origins of web pages that may call the service, such as https://pos.example; with the emulator, pages on http://localhost and its addresses may call the interface anyway",
  },
  consoleToken: {
    type: "boolean",
    default: false,
    description:
      "show receipts and settings in the console only to callers with the token in `tillseal.token` of the data folder, wherever they are; switch it on when a proxy on this machine passes requests on",
  },
  deviceMake: { type: "string", minLength: 1, default: "tillseal", description: "`make` of status" },
  deviceModel: { type: "string", minLength: 1, default: "tillseal", description: "`model` of status" },
  deviceSerialNumber: {
    type: "string",
    minLength: 1,
    description:
      "`deviceSerialNumber` of status, last part of `mrc`; default: a number that the first start makes and keeps in the data folder, or `TS-00000001` where data is temporary",
  },
  authorityUrl: {
    type: "string",
    pattern: "^https?://[^\\s@?#]+$",
    description:
      "address of the tax authority's API; default: the address in the card's certificate. `http://` only to a program on this machine that speaks TLS to the authority",
  },
  authorityCertificate: {
    type: "string",
    minLength: 1,
    description:
      "file with the certificate that proves to the tax authority who asks: PEM, or PFX with key and certificate; without it the service does not ask the authority",
  },
  authorityKey: {
    type: "string",
    minLength: 1,
    description: "PEM file with the key of `authorityCertificate`; default: the key is in the same file",
  },
  authorityPassphraseFile: {
    type: "string",
    minLength: 1,
    description:
      "file whose first line is the passphrase of the key or the PFX file; make it readable only for the user that runs the service",
  },
  authorityCa: {
    type: "string",
    minLength: 1,
    description:
      "PEM file with the certification authorities that the tax authority's server may have its certificate from, and no others; default: those that Node trusts",
  },
  authorityProxy: {
    type: "string",
    pattern: "^http://(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:\\d{1,5})?/?$",
    description:
      "HTTP proxy on the way to the tax authority, such as http://proxy.example:3128; it sees the name of the authority and nothing else. Proxies that want a password are not supported",
  },
  unsentLimit: {
    type: "integer",
    minimum: 1,
    maximum: 100_000_000,
    default: 100_000,
    description:
      "sales of a card that may wait for a proof of audit. From 90 % on, status has 1100; with this many, a service with `authorityCertificate` refuses sales with 1100",
  },
  auditShare: {
    type: "integer",
    minimum: 1,
    maximum: 100,
    default: AUDIT_DUE_PERCENT,
    description: "percent of the card's limit from which an audit starts without being asked for",
  },
  auditAge: {
    type: "integer",
    minimum: 0,
    maximum: 3_650,
    default: 30,
    description:
      "days after which a sale that no proof of audit covers starts an audit without being asked for; 0 for never",
  },
  backupFolder: {
    type: "string",
    minLength: 1,
    description:
      "folder into which the service copies its store from time to time, best on another disk; it must exist. Each copy is read back and checked. Without it the service makes no copies",
  },
  backupHours: {
    type: "integer",
    minimum: 1,
    maximum: 8_760,
    default: 24,
    description: "hours from one copy in `backupFolder` to the next",
  },
  backupKeep: {
    type: "integer",
    minimum: 1,
    maximum: 10_000,
    default: 30,
    description: "copies of this store that stay in `backupFolder`; the service deletes older ones after each new copy",
  },
  trafficMinutes: {
    type: "integer",
    minimum: 0,
    maximum: 10_080,
    default: 0,
    description:
      "with a card: minutes for which the console's page Traffic shows what tills have sent and got, in memory only and with PINs masked; 0 keeps nothing. The emulator keeps its traffic anyway",
  },
  metrics: {
    type: "boolean",
    default: false,
    description:
      "answer /metrics in Prometheus' text format: on the machine itself, or with `consoleToken` to who has the token (Authorization: Bearer)",
  },
  retentionYears: {
    type: "integer",
    minimum: 1,
    maximum: 100,
    description:
      "years after which the service erases receipts, once a proof of audit covers them; ask your bookkeeper how many the law wants. Default: it keeps them for ever",
  },
  logLevel: {
    type: "string",
    enum: LOG_LEVELS,
    default: "warn",
    description:
      "least severe line of the log, which is NDJSON on standard error; `info` has a line for each request, without bodies and PINs",
  },
  logFile: {
    type: "string",
    minLength: 1,
    description:
      "file for the log, instead of standard error; it is rotated. If it cannot be written, its lines go to standard error",
  },
  logFileSize: {
    type: "integer",
    minimum: 1,
    maximum: 1_024,
    default: 10,
    description: "MiB of `logFile` after which it becomes `.1`, `.1` becomes `.2`, and so on",
  },
  logFileCount: {
    type: "integer",
    minimum: 1,
    maximum: 100,
    default: 5,
    description: "how many files `logFile` may be, the one that is written included; the oldest is deleted",
  },
};

/** What can be changed from the console: where the service listens, and how it behaves towards tills. */
export const CONSOLE_SETTINGS = [
  ...(["port", "host", "languages", "journalHeader", "qrFormat", "pinFailureStatus", "requestIdLength"] as const),
  ...(["pathSegment", "negativeItems", "requireReferentTime", "clockDrift", "testInvoice"] as const),
] as const satisfies readonly (keyof Settings)[];

/** What a text that has to match a pattern looks like, in words. */
export const SETTING_FORMS: Readonly<Partial<Record<keyof Settings, string>>> = {
  publicAddress: "an address such as http://192.168.1.20:8431",
  pathSegment: "letters, digits and the characters . _ ~ - only",
  authorityUrl: "an address such as https://authority.example/, without a user, a password, ? and #",
  authorityProxy: "an address such as http://proxy.example:3128",
};

/** Not offered where there is no emulator. */
const EMULATOR_SETTINGS: readonly (keyof Settings)[] = [
  "profile",
  "scenario",
  "record",
  "controlPort",
  "controlHost",
  "authority",
  "authorityPort",
  "publicAddress",
];

export const SETTING_NAMES = (Object.keys(SETTINGS) as (keyof Settings)[]).filter(
  (name) => HAS_EMULATOR || !EMULATOR_SETTINGS.includes(name),
);

export const SETTINGS_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(SETTING_NAMES.map((name) => [name, SETTINGS[name]])),
};

/** `dataDir` is TILLSEAL_DATA_DIR. */
export function environmentVariable(setting: keyof Settings): string {
  return `TILLSEAL_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** `dataDir` is --data-dir. */
export function flag(setting: keyof Settings): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
