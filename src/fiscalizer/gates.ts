/**
 * Makes the checks before an invoice, in this order: the card 1300, 2220 or 2230, tax rates 2400, PIN 1500 or 2110
 * (protocol facts, section 4, "Gate order"), then the certificate's dates 2809.
 */

import type { Clock } from "../base/clock.js";
import type { EnvironmentInForce, InForce } from "../config/environment-in-force.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { rateGroupAt } from "../fiscal/tax.js";
import { toIso } from "../fiscal/time.js";
import type { Caller, SecureElement, SecureElementState } from "../secure-element/secure-element.js";
import { FiscalError } from "./fiscal-error.js";

export type ReadyState = Extract<SecureElementState, { kind: "ready" }>;

/** @throws FiscalError 1300, 2220 or 2230 */
export async function requireCard(secureElement: SecureElement, by?: Caller): Promise<ReadyState> {
  let { state } = secureElement;
  if (state.kind !== "ready") state = await secureElement.refresh(by);
  switch (state.kind) {
    case "ready":
      return state;
    case "no-card":
      throw FiscalError.of("1300", "", `Smart card is not present: ${state.reason}`);
    case "unsupported":
      throw FiscalError.of("2230", "", state.reason);
    case "unreachable":
      throw FiscalError.of("2220", "", `Cannot connect to the Secure Element: ${state.reason}`);
  }
}

/** @throws FiscalError 2400 */
export function requireEnvironment({ environment, source }: InForce): FiscalEnvironment {
  if (environment) return environment;
  const isDamaged = source.kind === "nothing" && source.damaged;
  throw FiscalError.of("2400", "", `Not configured: ${isDamaged ? DAMAGED_RATES : NO_RATES_YET}`);
}

const NO_RATES_YET = "there are no tax rates and no environment yet";
const DAMAGED_RATES =
  "the stored tax rates are damaged. Restore a backup of the store, or ask the tax authority to send them again";

export function noRatesNow(): FiscalError {
  return FiscalError.of("2400", "", "Not configured: no tax rates are valid now");
}

/** Maximum number of sales that may wait for a proof of audit; undefined if there is none. The authority's link sets it. */
export interface UnsentLimit {
  most: number | undefined;
}

/** Returns the refusal of a sale when the maximum number of sales waits for a proof of audit. */
export function packagesFull(unsent: number): FiscalError {
  const advice = "let the tax authority audit the card: tillseal audit now, or tillseal audit export without internet";
  return FiscalError.of("1100", "", `${unsent} sales wait for a proof of audit, which is the limit: ${advice}`);
}

/** @returns the refusal of a sale whose card has no verified PIN (1500) or a locked PIN (2110) */
export function pinRefusal(pin: "required" | "locked"): FiscalError {
  return pin === "locked" ? FiscalError.of("2110") : FiscalError.of("1500", "", "Verify it at /api/v3/pin first");
}

/** @throws FiscalError 1500 or 2110 */
export function requirePin({ pin }: ReadyState): void {
  if (pin !== "verified") throw pinRefusal(pin);
}

/** Makes the checks after {@link requireCard}. @throws FiscalError 2400, 1500, 2110 or 2809 */
export function requireReadyToSign(
  card: ReadyState,
  { environment, clock }: { readonly environment: Pick<EnvironmentInForce, "now">; readonly clock: Clock },
): FiscalEnvironment {
  const now = clock.now();
  const inForce = requireEnvironment(environment.now(card));
  if (!rateGroupAt(inForce.taxRates, now)) throw noRatesNow();
  requirePin(card);
  // Check the certificate's dates before each signature: some cards sign at any time.
  const { validFrom, validTo } = card.identity;
  if (now >= validFrom && now <= validTo) return inForce;
  const message = "The card's certificate is valid from {from} to {to}, but the clock says {now}";
  throw FiscalError.of("2809", "", message, { from: toIso(validFrom), to: toIso(validTo), now: toIso(now) });
}
