/** Reader and card, as far as they can be read without a PIN. */
import { isAuditDue, isLimitReached } from "../fiscal/limit.js";
import { toDecimalText } from "../fiscal/money.js";
import { toIso } from "../fiscal/time.js";
import type { CardIdentity, SecureElement } from "../secure-element/secure-element.js";
import { certificateState } from "../state/rules.js";
import { type Finding, fail, ok, warn } from "./finding.js";

/** Everything that can be read from the card, or why it cannot be read. */
export async function checkCard(secureElement: SecureElement, now: number): Promise<Finding[]> {
  const state = await secureElement.refresh();
  if (state.card !== "ready") return [fail("card", state.reason)];
  const { identity, pin } = state;
  const who = `${identity.uid} of ${identity.taxpayer.businessName}, TIN ${identity.taxpayer.tin}, applet ${identity.appletVersion}`;
  return [
    pin === "locked" ? fail("card", `${who}: locked, no PIN attempts are left; ask for a new card`) : ok("card", who),
    checkIssuer(identity),
    checkCertificate(identity, now),
    await checkTries(secureElement),
    await checkLimit(secureElement),
  ];
}

function checkIssuer({ issuer, isTest }: CardIdentity): Finding {
  return isTest
    ? warn("issuer", `${issuer}: a test card, its receipts are not valid; insert the card from your tax authority`)
    : ok("issuer", issuer);
}

function checkCertificate(identity: CardIdentity, now: number): Finding {
  const { validFrom, validTo } = identity;
  const dates = `${toIso(validFrom).slice(0, 10)} to ${toIso(validTo).slice(0, 10)}`;
  const { state, daysLeft } = certificateState(identity, now);
  switch (state) {
    case "not-yet":
      return fail("certificate", `valid ${dates}, but the clock says ${toIso(now)}: set the clock`);
    case "ended":
      return fail("certificate", `was valid ${dates}: the card no longer signs; ask for a new card`);
    case "ends-soon":
      return warn("certificate", `valid ${dates}, ${daysLeft} days left: ask for a new card now`);
    case "valid":
      return ok("certificate", `valid ${dates}`);
  }
}

async function checkTries(secureElement: SecureElement): Promise<Finding> {
  const tries = await secureElement.pinTriesLeft();
  if (tries.outcome === "no-command") return ok("PIN attempts", "this card cannot report them");
  if (tries.outcome !== "ok") return fail("PIN attempts", tries.reason);
  if (tries.pinTriesLeft === 0) return fail("PIN attempts", "0 left: the card is locked");
  return tries.pinTriesLeft === 1
    ? warn("PIN attempts", "1 left: one more wrong PIN locks the card for good")
    : ok("PIN attempts", `${tries.pinTriesLeft} left`);
}

async function checkLimit(secureElement: SecureElement): Promise<Finding> {
  const amount = await secureElement.amountStatus();
  if (amount.outcome !== "ok") return fail("limit", amount.reason);
  const { sum, limit } = amount;
  const said = `${toDecimalText(sum)} of ${toDecimalText(limit)} signed since the last audit`;
  if (isLimitReached(amount)) return fail("limit", `${said}: an audit is needed before the next sale`);
  return isAuditDue(amount) ? warn("limit", `${said}: an audit is due`) : ok("limit", said);
}
