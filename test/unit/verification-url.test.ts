import fc from "fast-check";
import { expect, it } from "vitest";
import {
  INVOICE_TYPE_NAMES,
  INVOICE_TYPES,
  TRANSACTION_TYPE_NAMES,
  TRANSACTION_TYPES,
} from "../../src/fiscal/invoice.js";
import { toFixed } from "../../src/fiscal/money.js";
import {
  decodeVerificationUrl,
  encodeVerificationData,
  VerificationUrlError,
  verificationUrl,
} from "../../src/fiscal/verification-url.js";
import { RECORDED_URLS } from "../support/recorded.js";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const uid = fc.stringMatching(/^[0-9A-Z]{8}$/);

const data = fc.record({
  requestedBy: uid,
  signedBy: uid,
  totalCounter: fc.nat(0xffffffff),
  transactionTypeCounter: fc.nat(0xffffffff),
  totalAmount: fc.bigInt({ min: 0n, max: 2n ** 56n - 1n }),
  time: fc.nat(8_640_000_000_000_000),
  invoiceType: fc.constantFrom(...INVOICE_TYPE_NAMES),
  transactionType: fc.constantFrom(...TRANSACTION_TYPE_NAMES),
  buyerId: fc.stringMatching(/^[\x20-\x7e]{0,20}$/),
  encryptedInternalData: fc.oneof(bytes(256), bytes(512)),
  signature: bytes(256),
});

/** MD5 at the end of version 3. */
const HASH_BYTES = 16;

it.each(RECORDED_URLS)("verification URL of a real receipt is decoded: $about", (vector) => {
  const decoded = decodeVerificationUrl(vector.url);
  expect(decoded).toMatchObject({
    version: vector.version,
    requestedBy: vector.requestedBy,
    signedBy: vector.signedBy,
    totalCounter: vector.totalCounter,
    transactionTypeCounter: vector.transactionTypeCounter,
    time: vector.dateTimeMs,
    buyerId: vector.buyerId,
    hashValid: vector.md5Ok,
  });
  expect(toFixed(decoded.totalAmount, 4)).toBe(vector.totalAmount);
  expect(INVOICE_TYPES[decoded.invoiceType]).toBe(vector.invoiceType);
  expect(TRANSACTION_TYPES[decoded.transactionType]).toBe(vector.transactionType);
});

it.each(RECORDED_URLS.filter(({ version }) => version === 3))(
  "verification URL of a real receipt, of a card and of an online service, is built again from its fields byte by byte: $about",
  ({ url, md5Ok }) => {
    const { version: _, hashValid: __, ...fields } = decodeVerificationUrl(url);
    const real = Buffer.from(decodeURIComponent(url.split("vl=")[1] ?? ""), "base64");
    const end = md5Ok === true ? real.length : real.length - HASH_BYTES;
    expect(Buffer.from(encodeVerificationData(fields)).subarray(0, end)).toEqual(real.subarray(0, end));
  },
);

it("verification URL is decoded to what was encoded", () => {
  fc.assert(
    fc.property(data, (input) => {
      const url = verificationUrl("https://verify.test/v/?vl=", input);
      expect(url).toMatch(/^https:\/\/verify\.test\/v\/\?vl=[A-Za-z0-9%]+$/);
      const decoded = decodeVerificationUrl(url);
      expect({
        ...decoded,
        encryptedInternalData: Uint8Array.from(decoded.encryptedInternalData),
        signature: Uint8Array.from(decoded.signature),
      }).toEqual({ ...input, version: 3, hashValid: true });
    }),
  );
});

it("verification URL is decoded equally percent-encoded and raw: a plus never becomes a space", () => {
  const [{ url }] = RECORDED_URLS;
  const raw = decodeURIComponent(url);
  expect(raw).toContain("+");
  expect(decodeVerificationUrl(raw)).toEqual(decodeVerificationUrl(url));
  expect(decodeVerificationUrl(raw.split("vl=")[1] ?? "")).toEqual(decodeVerificationUrl(url));
  // A program that reads the address as a query makes a blank of it.
  expect(decodeVerificationUrl(raw.replaceAll("+", " "))).toEqual(decodeVerificationUrl(url));
});

it("verification URL with any bit flipped is never accepted as the same receipt", () => {
  const original = Buffer.from(decodeURIComponent(RECORDED_URLS[0].url.split("vl=")[1] ?? ""), "base64");
  fc.assert(
    fc.property(fc.nat(original.length * 8 - 1), (bit) => {
      const damaged = Buffer.from(original);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      try {
        expect(decodeVerificationUrl(damaged.toString("base64")).hashValid).not.toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(VerificationUrlError);
      }
    }),
  );
});

it("verification URL is refused when it is not a verification URL", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => decodeVerificationUrl(text)).toThrow(VerificationUrlError);
    }),
  );
  expect(() => decodeVerificationUrl("https://verify.test/v/?vl=%E0%A4%A")).toThrow(/percent-encoding/);
  expect(() => decodeVerificationUrl(RECORDED_URLS[0].url.slice(0, -40))).toThrow(/cut short|damaged|base64/);
  const late = Buffer.from(decodeURIComponent(RECORDED_URLS[0].url.split("vl=")[1] ?? ""), "base64");
  late[33] = 1;
  expect(() => decodeVerificationUrl(late.toString("base64"))).toThrow(/a time beyond the calendar/);
});
