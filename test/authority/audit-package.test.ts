/** Audit packages: their content, and that the authority's key opens them (docs/protocol.md). */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse } from "lossless-json";
import { expect, it } from "vitest";
import { SeededRandom } from "../../emulator/pki/random.js";
import { decryptBlock } from "../../emulator/pki/rsa-block.js";
import { auditPackage, auditPayload, isAuditable, publicKeyOf } from "../../src/authority/audit-package.js";
import type { AuditPackage } from "../../src/authority/tax-authority.js";
import {
  INVOICE_TYPE_NAMES,
  PAYMENT_TYPES,
  type PaymentType,
  type SoldInvoice,
  TRANSACTION_TYPE_NAMES,
} from "../../src/fiscal/invoice.js";
import type { SoldTime } from "../../src/fiscal/pos-time.js";
import { toIso } from "../../src/fiscal/time.js";
import { invoiceReader } from "../../src/http/read-invoice.js";
import { encodeIntent, type Intent } from "../../src/ledger/intent.js";
import type { EntryState } from "../../src/ledger/ledger.js";
import { JsonNumber } from "../../src/schema/decimal.js";
import { KEYS } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { invoice } from "../support/invoices.js";

const CENTS = fc.bigInt({ min: 0n, max: 10n ** 14n - 1n }).map((cents) => cents * 100n);
const TEXT = fc.stringMatching(/^[A-Za-zА-Яа-я0-9"\\€:.-]([A-Za-zА-Яа-я0-9"\\€ :.-]{0,18}[A-Za-z0-9])?$/);
const GTIN = fc.stringMatching(/^\d{8,14}$/);
const TIME = fc.integer({ min: 0, max: 4_000_000_000_000 }).map((instant) => ({ printed: "", instant }));

const INVOICE: fc.Arbitrary<SoldInvoice> = fc.record(
  {
    invoiceType: fc.constantFrom(...INVOICE_TYPE_NAMES),
    transactionType: fc.constantFrom(...TRANSACTION_TYPE_NAMES),
    referentDocumentNumber: fc.stringMatching(/^[0-9A-Z]{8}-[0-9A-Z]{8}-\d{1,9}$/),
    dateAndTimeOfIssue: TIME,
    referentDocumentDT: TIME,
    cashier: TEXT,
    buyerId: fc.stringMatching(/^[0-9A-Za-z:]{1,20}$/),
    buyerCostCenterId: TEXT,
    invoiceNumber: TEXT,
    payment: fc.array(
      fc.record({ amount: CENTS, paymentType: fc.constantFrom(...(Object.keys(PAYMENT_TYPES) as PaymentType[])) }),
      { maxLength: 3 },
    ),
    items: fc.array(
      fc.record(
        {
          gtin: GTIN,
          name: TEXT,
          quantity: fc.bigInt({ min: 1n, max: 10n ** 12n }).map((thousandths) => thousandths * 10n),
          unitPrice: CENTS,
          totalAmount: CENTS,
          labels: fc.uniqueArray(fc.constantFrom("A", "B", "Ж", "Ђ"), { minLength: 1, maxLength: 3 }),
        },
        { requiredKeys: ["name", "quantity", "unitPrice", "totalAmount", "labels"] },
      ),
      { minLength: 1, maxLength: 4 },
    ),
    options: fc.record({ omitQRCodeGen: fc.boolean(), omitTextualRepresentation: fc.boolean() }),
  },
  {
    requiredKeys: [
      "invoiceType",
      "transactionType",
      "referentDocumentNumber",
      "payment",
      "items",
      "options",
      "buyerId",
    ],
  },
);

const KEY = publicKeyOf(exportedKey());

function exportedKey(): Uint8Array {
  const { n = "", e = "" } = KEYS.authorityPublicKey.export({ format: "jwk" });
  return Buffer.concat([Buffer.from(n, "base64url"), Buffer.from(e, "base64url")]);
}

function storedIntent(of: SoldInvoice): string {
  return encodeIntent({ invoice: of, sdcTime: 1_700_000_000_000 } as Intent);
}

function openssl(args: readonly string[]): Buffer {
  return execFileSync("openssl", args, { stdio: ["ignore", "pipe", "pipe"] });
}

/** The package as another program decrypts it. */
function decrypted({ key, iv, payload }: AuditPackage): string {
  const folder = temporaryFolder();
  const file = (name: string, content: Buffer | string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const pem = file("authority.pem", KEYS.authorityPrivateKey.export({ format: "pem", type: "pkcs8" }));
  const block = (name: string, base64: string) =>
    openssl([
      ...["pkeyutl", "-decrypt", "-inkey", pem, "-pkeyopt", "rsa_padding_mode:pkcs1"],
      ...["-in", file(name, Buffer.from(base64, "base64"))],
    ]).toString("hex");
  const encrypted = file("payload", Buffer.from(payload, "base64"));
  return openssl([
    ...["enc", "-d", "-aes-256-cbc", "-K", block("key", key), "-iv", block("iv", iv), "-in", encrypted],
  ]).toString("utf8");
}

it("the payload of an audit package contains the exact invoice that was sold: posting it again gives the same", () => {
  const read = invoiceReader({ negativeItems: false });
  fc.assert(
    fc.property(INVOICE, (sold) => {
      const payload = auditPayload({ intent: storedIntent(sold), answer: '{"totalAmount":1.10}' });
      const sent = parse(payload, null, (number) => new JsonNumber(number)) as { request: unknown };
      const written = (time: SoldTime | undefined) => time && toIso(time.instant);
      const [dateAndTimeOfIssue, referentDocumentDT] = [sold.dateAndTimeOfIssue, sold.referentDocumentDT].map(written);
      expect(read(sent.request)).toEqual({ ...sold, dateAndTimeOfIssue, referentDocumentDT });
    }),
  );
});

it("the payload of an audit package uses the field formats of the specification", () => {
  const sold = invoice<SoldTime>({
    dateAndTimeOfIssue: { printed: "2023-11-14T23:13:20", instant: 1_700_000_000_123 },
    payment: [{ amount: 1_000_000n, paymentType: "WireTransfer" }],
    items: [{ name: "Tea", quantity: 15_000n, unitPrice: 666_700n, totalAmount: 1_000_000n, labels: ["A"] }],
  });
  const answer = '{"sdcDateTime":"2023-11-14T23:13:20.000+01:00","totalAmount":100.00}';
  const payload = auditPayload({ intent: storedIntent(sold), answer });
  expect(payload).toBe(
    '{"request":{"dateAndTimeOfIssue":"2023-11-14T22:13:20.123Z","invoiceType":"Normal","transactionType":"Sale",' +
      '"payment":[{"amount":100,"paymentType":"WireTransfer"}],' +
      '"options":{"omitQRCodeGen":"0","omitTextualRepresentation":"0"},' +
      '"items":[{"name":"Tea","labels":["A"],"quantity":1.5,"unitPrice":66.67,"totalAmount":100}]},' +
      '"result":{"sdcDateTime":"2023-11-14T22:13:20.000Z","totalAmount":100.00}}',
  );
});

it("an audit package can be opened with the authority's key", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), fc.string(), (payload, seed) => {
      const made = auditPackage(payload, KEY, new SeededRandom(seed));
      expect(decrypted(made)).toBe(Buffer.from(payload, "utf8").toString("utf8"));
      const sizes = [made.key, made.iv].map(
        (block) => decryptBlock(Buffer.from(block, "base64"), KEYS.authorityPrivateKey)?.length,
      );
      expect(sizes).toEqual([32, 16]);
    }),
    { numRuns: 5 },
  );
});

it("an audit package has a new key and vector each time", () => {
  const random = new SeededRandom("packages");
  const [one, two] = [auditPackage("{}", KEY, random), auditPackage("{}", KEY, random)];
  expect(one.payload).not.toBe(two.payload);
});

it("an audit package is encrypted under the key that the card exports", () => {
  const exported = exportedKey();
  expect(publicKeyOf(exported).equals(KEYS.authorityPublicKey)).toBe(true);
  expect(() => publicKeyOf(exported.subarray(0, 200))).toThrow(RangeError);
});

it("an audit package is made only for complete sales", () => {
  const states: EntryState[] = ["intent", "complete", "lost", "unproven", "adopted"];
  const entry = {
    id: 1,
    requestId: null,
    requestHash: "",
    uid: "TESTCARD",
    totalCounter: 1,
    number: "n",
    intact: true,
  };
  const made = states.filter((state) => isAuditable({ ...entry, state, intent: "{}", answer: "{}", signature: null }));
  expect(made).toEqual(["complete"]);
});
