/** Reader and card, as far as they tell without a PIN. */
import { toDecimalText } from "../fiscal/money.js";
import { toIso } from "../fiscal/time.js";
import type { CardIdentity, SecureElement } from "../secure-element/secure-element.js";
import { type Finding, fail, ok, warn } from "./finding.js";

const DAY = 24 * 3600 * 1000;
/** A new card takes weeks to get. */
const RENEWAL_DAYS = 60;

/** Everything that the card says, or why it says nothing. */
export async function checkCard(secureElement: SecureElement, now: number): Promise<Finding[]> {
  const state = await secureElement.refresh();
  if (state.state !== "ready") return [fail("card", state.reason)];
  const { identity, pin } = state;
  const who = `${identity.uid} of ${identity.taxpayer.businessName}, TIN ${identity.taxpayer.tin}, applet ${identity.appletVersion}`;
  return [
    pin === "locked" ? fail("card", `${who}: locked, the PIN tries are used up; ask for a new card`) : ok("card", who),
    checkIssuer(identity),
    checkCertificate(identity, now),
    await checkTries(secureElement),
    await checkLimit(secureElement),
  ];
}

function checkIssuer({ issuer, isTest }: CardIdentity): Finding {
  return isTest
    ? warn("issuer", `${issuer}: a test card, its receipts are not valid; put in the card of your tax authority`)
    : ok("issuer", issuer);
}

function checkCertificate({ validFrom, validTo }: CardIdentity, now: number): Finding {
  const dates = `${toIso(validFrom).slice(0, 10)} to ${toIso(validTo).slice(0, 10)}`;
  if (now < validFrom) return fail("certificate", `valid ${dates}, and the clock says ${toIso(now)}: set the clock`);
  if (now > validTo) return fail("certificate", `was valid ${dates}: the card signs nothing more; ask for a new one`);
  const days = Math.floor((validTo - now) / DAY);
  return days < RENEWAL_DAYS
    ? warn("certificate", `valid ${dates}, ${days} days left: ask for a new card now`)
    : ok("certificate", `valid ${dates}, the clock is inside`);
}

async function checkTries(secureElement: SecureElement): Promise<Finding> {
  const tries = await secureElement.pinTriesLeft();
  if (tries.outcome === "not-told") return ok("PIN tries", "the card does not tell");
  if (tries.outcome !== "told") return fail("PIN tries", tries.reason);
  if (tries.triesLeft === 0) return fail("PIN tries", "0 left: the card is locked");
  return tries.triesLeft === 1
    ? warn("PIN tries", "1 left: one more wrong PIN locks the card for good")
    : ok("PIN tries", `${tries.triesLeft} left`);
}

async function checkLimit(secureElement: SecureElement): Promise<Finding> {
  const amount = await secureElement.amountStatus();
  if (amount.outcome !== "told") return fail("limit", amount.reason);
  const { sum, limit } = amount;
  const said = `${toDecimalText(sum)} of ${toDecimalText(limit)} signed since the last audit`;
  if (sum >= limit) return fail("limit", `${said}: an audit is needed before the next sale`);
  // An audit is recommended from 75 % on (protocol facts, section 1).
  return sum * 4n >= limit * 3n ? warn("limit", `${said}: an audit is due`) : ok("limit", said);
}
