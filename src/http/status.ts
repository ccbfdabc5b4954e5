/** GET /api/v3/status and GET /api/v3/environment-parameters (specification, "Resources"). */
import type { RequestHandler } from "express";
import { LosslessNumber, stringify } from "lossless-json";
import type { Clock } from "../clock.js";
import type { FiscalEnvironment } from "../config/environment.js";
import type { FiscalCode } from "../fiscal/codes.js";
import { LANGUAGES } from "../fiscal/language.js";
import { toDecimalText } from "../fiscal/money.js";
import { rateGroupAt, type TaxRateGroup } from "../fiscal/tax.js";
import { toIso } from "../fiscal/time.js";
import type { Fiscalizer } from "../fiscalizer/fiscalizer.js";
import { requireCard, requireEnvironment } from "../fiscalizer/gates.js";
import { PACKAGE_VERSION } from "../package-root.js";
import type { AmountStatus, SecureElement, SecureElementState } from "../secure-element/secure-element.js";
import type { InvoiceStore } from "../store/invoice-store.js";
import { sendJsonText } from "./respond.js";

const PROTOCOL_VERSION = "3.0.0";
const HARDWARE_VERSION = "1.0.0";

/** The maker's own codes in `mssc` (specification, "Status record"). */
export const MAKER_CODES = {
  /** The card has counted an invoice whose signature was lost. */
  signatureLost: "9001",
} as const;

export interface StatusSources {
  readonly secureElement: SecureElement;
  readonly fiscalizer: Fiscalizer;
  readonly store: InvoiceStore;
  readonly clock: Clock;
  readonly authorityReachable: () => boolean;
  readonly device: { readonly make: string; readonly model: string; readonly serialNumber: string };
}

export function getStatus(sources: StatusSources): RequestHandler {
  return async (_request, response) => {
    const { secureElement, fiscalizer, store, clock, device } = sources;
    const now = clock.now();
    const amount = await secureElement.amountStatus();
    // Read after the card was asked, so that a card that has just gone is told as gone.
    const { state } = secureElement;
    const told = amount.outcome === "told" ? amount : undefined;
    const ready = state.state === "ready" ? state : undefined;
    const environment = fiscalizer.currentEnvironment();
    const mssc = store.count("lost") > 0 ? [MAKER_CODES.signatureLost] : [];
    const authority = ready?.identity.taxAuthorityApi ?? environment?.parameters.endpoints.taxAuthorityApi ?? "";
    const current = environment && rateGroupAt(environment.taxRates, now);
    const record = {
      isPinRequired: ready?.pin !== "verified",
      auditRequired: told !== undefined && isAuditRequired(told),
      sdcDateTime: toIso(now),
      lastInvoiceNumber: (ready && store.last(ready.identity.uid)?.number) ?? "",
      protocolVersion: PROTOCOL_VERSION,
      secureElementVersion: ready?.identity.appletVersion ?? "",
      hardwareVersion: HARDWARE_VERSION,
      softwareVersion: PACKAGE_VERSION,
      deviceSerialNumber: device.serialNumber,
      make: device.make,
      model: device.model,
      mssc,
      gsc: generalCodes(state, told, environment, mssc.length > 0, sources.authorityReachable()),
      supportedLanguages: environment?.parameters.supportedLanguages ?? LANGUAGES,
      uid: ready?.identity.uid ?? "",
      taxAuthorityApi: authority,
      taxCoreApi: authority,
      currentTaxRates: current ? rateGroupRecord(current) : null,
      allTaxRates: environment?.taxRates.map(rateGroupRecord) ?? [],
    };
    sendJsonText(response, stringify(record) ?? "null");
  };
}

/** An audit is recommended from 75 % of the limit on (protocol facts, section 1). */
function isAuditRequired({ sum, limit }: AmountStatus): boolean {
  return sum * 4n >= limit * 3n;
}

function generalCodes(
  state: SecureElementState,
  amount: AmountStatus | undefined,
  environment: FiscalEnvironment | undefined,
  warning: boolean,
  reachable: boolean,
): FiscalCode[] {
  const codes: FiscalCode[] = [cardCode(state), reachable ? "0210" : "0220"];
  if (!environment) codes.push("2400");
  if (amount && amount.sum >= amount.limit) codes.push("2210");
  if (amount && isAuditRequired(amount)) codes.push("1400");
  if (warning) codes.push("1999");
  return codes;
}

const PIN_CODES = { required: "1500", verified: "0100", locked: "2110" } as const;
const CARD_CODES = { "no-card": "1300", unreachable: "2220", unsupported: "2230" } as const;

function cardCode(state: SecureElementState): FiscalCode {
  return state.state === "ready" ? PIN_CODES[state.pin] : CARD_CODES[state.state];
}

function rateGroupRecord({ validFrom, groupId, taxCategories }: TaxRateGroup) {
  return {
    validFrom: toIso(validFrom),
    groupId,
    taxCategories: taxCategories.map(({ name, categoryType, taxRates, orderId }) => ({
      name,
      categoryType,
      taxRates: taxRates.map(({ rate, label }) => ({ rate: new LosslessNumber(toDecimalText(rate)), label })),
      orderId,
    })),
  };
}

export function getEnvironmentParameters(secureElement: SecureElement, fiscalizer: Fiscalizer): RequestHandler {
  return async (_request, response) => {
    await requireCard(secureElement);
    const { parameters } = requireEnvironment(fiscalizer.currentEnvironment());
    const { endpoints, ...rest } = parameters;
    response.json({ ...rest, endpoints: { ...endpoints, taxCoreApi: endpoints.taxAuthorityApi } });
  };
}
