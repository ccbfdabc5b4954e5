/** A card profile: the file that describes an emulated card. */
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { at, wrongContent } from "../../src/config/config-error.js";
import { namedFile, readYaml } from "../../src/config/read-file.js";
import { INVOICE_TYPE_NAMES, type InvoiceType } from "../../src/fiscal/invoice.js";
import { parseScaled, type Scaled } from "../../src/fiscal/money.js";
import { textLike } from "../../src/schema/json-schema.js";
import { compileSchema, MOST_FILE_VALUES, wrongIn } from "../../src/schema/validator.js";
import type { CardSubject } from "../pki/certificates.js";
import { PAIR_LETTERS, type PairLetters } from "./pair-letters.js";

/**
 * Ways in which a card can send an answer that does not fit a short Le. Captures of real cards have the whole answer.
 * The other two ways are from ISO 7816-4: 61xx announces the rest of a longer answer, and 6Cxx names the right Le.
 */
const LONG_ANSWERS = ["whole", "61xx", "6Cxx"] as const;
/** Ways in which a card can refuse a PIN. A card's PKI applet refuses its own PIN as ISO 7816-4 says. */
const PIN_ANSWERS = ["documented", "iso"] as const;

interface ProfileFile {
  readonly uid: string;
  readonly pin: string;
  readonly pinTries: number;
  readonly pinTriesLeft?: number;
  readonly pkiPin?: string;
  readonly pkiPinTries: number;
  readonly pkiAids: readonly string[];
  readonly taxpayer: Omit<CardSubject, "uid" | "taxAuthorityApi">;
  readonly taxAuthorityApi: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly appletVersion: string;
  readonly sum: string;
  readonly limit: string;
  readonly counters: { readonly total: number } & { readonly [P in PairLetters]?: number };
  readonly disabled: boolean;
  readonly lastSignedInvoice: boolean;
  readonly pinTriesLeftCommand: boolean;
  readonly pinAnswers: (typeof PIN_ANSWERS)[number];
  readonly internalDataBytes: 256 | 512;
  readonly longAnswers: (typeof LONG_ANSWERS)[number];
  readonly zeroP1P2: boolean;
  readonly eightByteAmounts: boolean;
  readonly addsToSum: readonly InvoiceType[];
  readonly key?: string;
}

/** The profile with exact amounts, and times as dates. */
export type CardProfile = Omit<ProfileFile, "sum" | "limit" | "validFrom" | "validTo"> & {
  readonly sum: Scaled;
  readonly limit: Scaled;
  readonly validFrom: Date;
  readonly validTo: Date;
};

/** An answer of 65,536 bytes has room for four such texts of 4 bytes a character, and for the rest. */
const TEXT = { type: "string", minLength: 1, maxLength: 3900 };
const PIN = textLike("^\\d{4}$", '4 digits as text, such as "1234"');
const AMOUNT = textLike("^\\d{1,12}(\\.\\d{1,4})?$", 'an amount as text, such as "1500.5"');
const TIME = { type: "string", format: "date-time", "x-expected": "a time such as 2026-11-21T10:00:00Z" };
const COUNTER = { type: "integer", minimum: 0, maximum: 0xffffffff };

export const PROFILE_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    uid: {
      ...textLike("^[0-9A-Z]{8}$", "8 digits and capital letters"),
      default: "TESTCARD",
      description: "UID, 8 characters",
    },
    pin: { ...PIN, default: "1234", description: "PIN of the secure element applet" },
    pinTries: {
      type: "integer",
      minimum: 1,
      maximum: 255,
      default: 5,
      description: "number of wrong PINs that lock the card",
    },
    pinTriesLeft: { type: "integer", minimum: 0, maximum: 255, description: "attempts left now; default: pinTries" },
    pkiPin: { ...PIN, description: "PIN of the PKI applet; default: the same PIN" },
    pkiPinTries: {
      type: "integer",
      minimum: 1,
      maximum: 15,
      default: 5,
      description: "wrong PINs that lock the PKI applet",
    },
    pkiAids: {
      type: "array",
      items: textLike("^([0-9A-F]{2}){5,16}$", "5 to 16 bytes in hexadecimal"),
      minItems: 1,
      uniqueItems: true,
      // The second AID was seen from applet version 3.1.1 on. It is not certain which cards have this AID.
      default: ["A000000397425446590201", "A000000397425446590009"],
      description: "AIDs of the PKI applet, hexadecimal; it also answers to their first five bytes or more",
    },
    taxpayer: {
      type: "object",
      description: "owner of the card; the certificate names it",
      additionalProperties: false,
      default: {},
      properties: {
        tin: { ...textLike("^[\\x20-\\x7e]{1,20}$", "a text of 1 to 20 characters of ASCII"), default: "100000001" },
        businessName: { ...TEXT, default: "Tillseal Test d.o.o." },
        locationName: { ...TEXT, default: "1234567-Test Shop 1" },
        address: { ...TEXT, default: "Test Street 1" },
        district: { ...TEXT, default: "Test-District" },
        country: { ...textLike("^[A-Z]{2}$", "two capital letters, such as RS"), default: "RS" },
      },
    },
    taxAuthorityApi: {
      ...textLike("^[\\x21-\\x7e]+$", "an address without spaces"),
      default: "https://tax-authority.test",
      description: "address in the certificate's extension; real ones have no slash at the end",
    },
    validFrom: { ...TIME, default: "2015-01-01T00:00:00Z" },
    validTo: { ...TIME, default: "2049-12-31T23:59:59Z" },
    appletVersion: {
      ...textLike("^\\d{1,5}\\.\\d{1,5}\\.\\d{1,5}$", "three numbers, such as 3.1.1"),
      default: "3.1.1",
      description: "decides the form of the PIN, P1P2 and CRC",
    },
    sum: { ...AMOUNT, default: "0", description: "signed since the last audit" },
    limit: { ...AMOUNT, default: "10000000", description: "the sum at which the card needs an audit" },
    counters: {
      type: "object",
      description: "counters at the start: total, and each pair of types by its letters",
      additionalProperties: false,
      default: {},
      properties: {
        total: { ...COUNTER, default: 0 },
        ...Object.fromEntries(PAIR_LETTERS.map((letters) => [letters, COUNTER])),
      },
    },
    disabled: { type: "boolean", default: false, description: "signing disabled by a directive" },
    lastSignedInvoice: { type: "boolean", default: true, description: "whether the card knows INS 15" },
    pinTriesLeftCommand: { type: "boolean", default: true, description: "whether the card knows INS 16" },
    pinAnswers: {
      enum: PIN_ANSWERS,
      default: "documented",
      description: "how to refuse a PIN: with 6302 and 6310, or with 63Cx (x attempts left) and 6983 of ISO 7816-4",
    },
    internalDataBytes: { enum: [256, 512], default: 256, description: "length of the encrypted internal data" },
    longAnswers: {
      enum: LONG_ANSWERS,
      default: "whole",
      description:
        "how to send an answer that does not fit a short Le: in one piece; with 61xx and GET RESPONSE if over 256 bytes; or after 6Cxx with the right Le",
    },
    zeroP1P2: {
      type: "boolean",
      default: true,
      description: "also accept P1P2 0000 in every command of the secure element applet",
    },
    eightByteAmounts: {
      type: "boolean",
      default: false,
      description: "also accept the form of 2017 in Sign Invoice, with amounts of 8 bytes",
    },
    addsToSum: {
      type: "array",
      // The type keeps ajv from comparing objects, which fails for an object with a key `toString`.
      items: { type: "string", enum: INVOICE_TYPE_NAMES },
      uniqueItems: true,
      default: ["Normal", "Advance"],
      description: "invoice types whose amounts count for the limit; for real cards this is not certain",
    },
    key: { type: "string", description: "PEM file of the card's private key, RSA-2048; default: the fixture key" },
  },
} as const;

const validate = compileSchema<ProfileFile>(PROFILE_SCHEMA, MOST_FILE_VALUES);

/** @throws ConfigError that names every wrong field */
export function parseProfile(content: unknown): CardProfile {
  const profile = structuredClone(content ?? {});
  if (!validate(profile)) throw wrongContent(wrongIn(validate.errors, undefined, "names"));
  return {
    ...profile,
    sum: parseScaled(profile.sum),
    limit: parseScaled(profile.limit),
    validFrom: new Date(profile.validFrom),
    validTo: new Date(profile.validTo),
  };
}

/** @param name a file, or a name in fixtures/profiles @throws ConfigError that lists the names */
export function profileFile(name: string): string {
  return namedFile("profile", name, join(PACKAGE_ROOT, "fixtures", "profiles"));
}

/** Adds no defaults for missing fields. @throws ConfigError that names every wrong field */
export function readProfile(file: string): Readonly<Record<string, unknown>> {
  const content = readYaml(file) ?? {};
  at(file, () => parseProfile(content));
  return content as Record<string, unknown>;
}
