/** Sum, limit, audits and directives of the emulated card. */
import { expect, it } from "vitest";
import { makeDirective, proofOfAudit } from "../../emulator/pki/audit.js";
import { Effects } from "../../src/fiscalizer/effects.js";
import type { FiscalizerParts } from "../../src/fiscalizer/parts.js";
import { SaleSteps } from "../../src/fiscalizer/sale-steps.js";
import { sign, signed, signRequest } from "../contract/secure-element.contract.js";
import { KEYS, verifiedElement } from "../support/emulated-card.js";

it("emulated card signs the invoice that crosses the limit, refuses the next one, and sells again after a proof of audit", async () => {
  const { secureElement } = await verifiedElement({ limit: "200" });
  await signed(secureElement);
  await signed(secureElement);
  expect(await sign(secureElement)).toEqual({ kind: "limit-reached" });
  const audit = await secureElement.startAudit();
  if (audit.kind !== "ok") throw new Error(audit.kind);
  const proof = proofOfAudit(audit.bytes.subarray(4), KEYS.authorityPrivateKey);
  if (!proof) throw new Error("the authority did not understand the request");
  // A card that was put in meanwhile does not get the proof.
  expect(await secureElement.endAudit(proof, "CARDBBBB")).toMatchObject({ kind: "no-card" });
  expect(await secureElement.endAudit(proof, "TESTCARD")).toEqual({ kind: "accepted" });
  expect(await secureElement.amountStatus()).toMatchObject({ sum: 0n });
  expect(await secureElement.endAudit(proof)).toEqual({ kind: "no-audit-open" });
  await signed(secureElement);
});

it("emulated card adds to the sum what its profile says", async () => {
  const sumAfter = async (profile: Record<string, unknown>) => {
    const { secureElement } = await verifiedElement(profile);
    await signed(secureElement, signRequest({ invoiceType: "Training", totalAmount: 70_000n }));
    await signed(secureElement, signRequest({ invoiceType: "Advance", totalAmount: 1_000_000n }));
    return secureElement.amountStatus();
  };
  expect(await sumAfter({})).toMatchObject({ sum: 1_000_000n });
  expect(await sumAfter({ addsToSum: ["Training"] })).toMatchObject({ sum: 70_000n });
});

it("emulated card refuses a proof of an earlier audit", async () => {
  const { secureElement } = await verifiedElement({});
  const first = await secureElement.startAudit();
  await secureElement.startAudit();
  if (first.kind !== "ok") throw new Error(first.kind);
  const stale = proofOfAudit(first.bytes.subarray(4), KEYS.authorityPrivateKey);
  expect(await secureElement.endAudit(stale ?? new Uint8Array(256))).toEqual({ kind: "bad-proof" });
});

it("emulated card stops signing on a directive of the authority only", async () => {
  const { secureElement } = await verifiedElement({});
  const directive = (action: "disable" | "enable", uid = "TESTCARD") =>
    secureElement.directive(makeDirective(action, uid, KEYS.authorityPrivateKey));
  expect((await directive("disable", "OTHERONE")).kind).toBe("refused");
  expect((await secureElement.directive(new Uint8Array(256))).kind).toBe("refused");
  await signed(secureElement);
  expect((await directive("disable")).kind).toBe("ok");
  expect(await sign(secureElement)).toEqual({ kind: "disabled" });
  await directive("enable");
  await signed(secureElement);
});

it("a proof of audit reaches the card only in the session in which the audit began its turn", async () => {
  const { secureElement } = await verifiedElement({});
  const parts: FiscalizerParts = Object.assign({ secureElement } as never);
  const effects = new Effects(parts, new SaleSteps(parts));
  const proof = new Uint8Array(256);
  const { state } = secureElement;
  if (state.kind !== "ready") throw new Error(state.reason);
  const answer = (uid: string, session: number) =>
    effects.perform({ kind: "end-audit", proof, uid, session }, undefined);
  expect(await answer("TESTCARD", state.session)).toMatchObject({ answer: { kind: "no-audit-open" } });
  expect(await answer("TESTCARD", state.session - 1)).toMatchObject({ answer: { kind: "not-sent" } });
  expect(await answer("CARDBBBB", state.session)).toMatchObject({ answer: { kind: "not-sent" } });
});
