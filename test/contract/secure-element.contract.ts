/**
 * What every SecureElement does, whatever card and reader are below it. The same file runs against the emulated card
 * in process, through a real PC/SC stack, and against a real card.
 */
import { verify, X509Certificate } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { INVOICE_TYPE_NAMES, TRANSACTION_TYPE_NAMES } from "../../src/fiscal/invoice.js";
import type { CardSignature } from "../../src/fiscal/sign-answer.js";
import { encodeSignedHeader, type SignedHeader } from "../../src/fiscal/signing-header.js";
import type { SecureElement, SignOutcome, SignRequest } from "../../src/secure-element/secure-element.js";

export interface ContractWorld {
  readonly secureElement: SecureElement;
  readonly pin: string;
  /** Pulls the card out and waits until the secure element has noticed. */
  remove(): Promise<void>;
  /** Inserts the same card again and waits until the secure element has noticed. */
  insert(): Promise<void>;
}

export function signRequest(overrides: Partial<SignedHeader & Pick<SignRequest, "categories">> = {}): SignRequest {
  const { categories, ...header } = {
    time: Date.UTC(2026, 0, 1),
    tin: "100000001",
    buyerId: "",
    invoiceType: "Normal" as const,
    transactionType: "Sale" as const,
    totalAmount: 1_200_000n,
    categories: [{ orderId: 1, amount: 200_000n }],
    ...overrides,
  };
  return { header: encodeSignedHeader(header), categories };
}

export function sign(secureElement: SecureElement, request = signRequest()): Promise<SignOutcome> {
  return secureElement.sign(uidOf(secureElement), request);
}

function uidOf({ state }: SecureElement): string {
  return state.kind === "ready" ? state.identity.uid : "";
}

export async function signed(secureElement: SecureElement, request = signRequest()): Promise<CardSignature> {
  const outcome = await sign(secureElement, request);
  if (outcome.kind !== "signed") throw new Error(`expected a signature, got ${JSON.stringify(outcome)}`);
  return outcome.signature;
}

/** @param open a new world: a card in the reader, its PIN not verified and its limit far away */
export function secureElementContract(name: string, open: () => Promise<ContractWorld>): void {
  describe(`secure element: ${name}`, () => {
    let world: ContractWorld;
    let secureElement: SecureElement;

    beforeEach(async () => {
      world = await open();
      secureElement = world.secureElement;
    });

    const ready = () => {
      if (secureElement.state.kind !== "ready") throw new Error(`the card is ${secureElement.state.kind}`);
      return secureElement.state;
    };

    it("reads the card's identity from its certificate", () => {
      const { identity, pin } = ready();
      expect(pin).toBe("required");
      expect(identity.uid).toMatch(/^[0-9A-Z]{8}$/);
      expect(identity.taxpayer.tin).not.toBe("");
      expect(identity.appletVersion).toMatch(/^\d+\.\d+\.\d+$/);
      expect(new X509Certificate(identity.certificate).subject).toContain(`serialNumber=${identity.uid}`);
      expect(identity.validFrom).toBeLessThan(identity.validTo);
    });

    it("signs nothing before the PIN is verified", async () => {
      expect(await sign(secureElement)).toEqual({ kind: "pin-required" });
    });

    it("verifies the PIN, counts a wrong one, and resets the count after a right one", async () => {
      const before = await secureElement.pinTriesLeft();
      const wrong = await secureElement.verifyPin(world.pin === "0000" ? "0001" : "0000");
      expect(wrong.kind).toBe("wrong-pin");
      if (before.kind === "ok") expect(wrong).toEqual({ kind: "wrong-pin", pinTriesLeft: before.pinTriesLeft - 1 });
      expect(await secureElement.verifyPin(world.pin)).toEqual({ kind: "verified" });
      expect(ready().pin).toBe("verified");
      expect(await secureElement.pinTriesLeft()).toEqual(before);
    });

    it("accepts the right PIN again in an open session and changes nothing", async () => {
      await secureElement.verifyPin(world.pin);
      const { totalCounter } = await signed(secureElement);
      expect(await secureElement.verifyPin(world.pin)).toEqual({ kind: "verified" });
      expect((await signed(secureElement)).totalCounter).toBe(totalCounter + 1);
    });

    it("spends no attempt on a malformed PIN", async () => {
      const before = await secureElement.pinTriesLeft();
      for (const pin of ["", "12a4", "12345678", "1", "١٢٣٤", "1".repeat(100_000)]) {
        expect((await secureElement.verifyPin(pin)).kind, pin).toBe("wrong-pin");
      }
      expect(await secureElement.pinTriesLeft()).toEqual(before);
    });

    it("signs the given data, verifiable with the certificate's key", async () => {
      await secureElement.verifyPin(world.pin);
      const signature = await signed(secureElement, signRequest({ buyerId: "RS34564565" }));
      const counters = Buffer.alloc(8);
      counters.writeUInt32BE(signature.transactionTypeCounter, 0);
      counters.writeUInt32BE(signature.totalCounter, 4);
      const bytes = Buffer.concat([signature.header, counters, signature.encryptedInternalData]);
      const { publicKey } = new X509Certificate(ready().identity.certificate);
      expect(verify("RSA-SHA1", bytes, publicKey, signature.signature)).toBe(true);
      expect(Buffer.from(signature.header).toString("latin1", 28, 48)).toBe("RS34564565".padStart(20, "\0"));
    });

    it("counts all invoices, and each of the ten pairs of types separately", async () => {
      await secureElement.verifyPin(world.pin);
      const { totalCounter } = await signed(secureElement);
      let expected = totalCounter;
      for (const invoiceType of INVOICE_TYPE_NAMES) {
        for (const transactionType of TRANSACTION_TYPE_NAMES) {
          const types = signRequest({ invoiceType, transactionType });
          const first = await signed(secureElement, types);
          const second = await signed(secureElement, types);
          expect(first.totalCounter).toBe(++expected);
          expect(second.totalCounter).toBe(++expected);
          expect(second.transactionTypeCounter).toBe(first.transactionTypeCounter + 1);
        }
      }
    });

    it("adds Normal and Advance to the sum, and nothing else", async () => {
      await secureElement.verifyPin(world.pin);
      for (const invoiceType of INVOICE_TYPE_NAMES) {
        const before = await secureElement.amountStatus();
        await signed(secureElement, signRequest({ invoiceType }));
        const after = await secureElement.amountStatus();
        if (before.kind !== "ok" || after.kind !== "ok") throw new Error("no amount status");
        const added = invoiceType === "Normal" || invoiceType === "Advance" ? 1_200_000n : 0n;
        expect(after.sum - before.sum).toBe(added);
        expect(after.limit).toBe(before.limit);
      }
    });

    it("returns the last invoice again, when the card supports that", async () => {
      await secureElement.verifyPin(world.pin);
      const signature = await signed(secureElement);
      const last = await secureElement.lastSigned(uidOf(secureElement));
      if (last.kind !== "no-command") expect(last).toEqual({ kind: "signed", signature });
    });

    it("keeps the order of simultaneous requests", async () => {
      await secureElement.verifyPin(world.pin);
      const signatures = await Promise.all(Array.from({ length: 20 }, () => signed(secureElement)));
      const counters = signatures.map(({ totalCounter }) => totalCounter);
      expect(counters).toEqual(counters.map((_, i) => (counters[0] ?? 0) + i));
    });

    it("reports no card when it is pulled out, and needs the PIN again when it is back", async () => {
      await secureElement.verifyPin(world.pin);
      const { totalCounter } = await signed(secureElement);
      await world.remove();
      expect(secureElement.state.kind).toBe("no-card");
      expect((await sign(secureElement)).kind).toBe("no-card");
      expect((await secureElement.verifyPin(world.pin)).kind).toBe("no-card");
      await world.insert();
      expect(ready().pin).toBe("required");
      expect(await sign(secureElement)).toEqual({ kind: "pin-required" });
      await secureElement.verifyPin(world.pin);
      expect((await signed(secureElement)).totalCounter).toBe(totalCounter + 1);
    });

    it("returns the tax authority's key and opens an audit", async () => {
      await secureElement.verifyPin(world.pin);
      const key = await secureElement.taxAuthorityKey();
      if (key.kind !== "ok") throw new Error(`no key: ${key.kind}`);
      expect(key.bytes).toHaveLength(259);
      expect(Buffer.from(key.bytes).toString("hex", 256)).toBe("010001");
      const audit = await secureElement.startAudit();
      if (audit.kind !== "ok") throw new Error(`no audit: ${audit.kind}`);
      expect(audit.bytes).toHaveLength(260);
      expect(Buffer.from(audit.bytes).toString("hex", 0, 4)).toBe("01000000");
      expect(await secureElement.endAudit(new Uint8Array(256))).toEqual({ kind: "bad-proof" });
      expect(await secureElement.endAudit(new Uint8Array(3))).toEqual({ kind: "bad-proof" });
      // An open audit does not stop sales.
      await signed(secureElement);
    });
  });
}
