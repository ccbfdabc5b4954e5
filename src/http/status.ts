/** Handles GET /api/v3/status and GET /api/v3/environment-parameters (docs/interface.md, "Resources"). */
import type { RequestHandler, Response } from "express";
import { LosslessNumber, stringify } from "lossless-json";
import { SOFTWARE_VERSION } from "../base/package-root.js";
import { describeSource } from "../config/environment-in-force.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { RECEIPT_LANGUAGES } from "../fiscal/language.js";
import { toDecimalText } from "../fiscal/money.js";
import { chosenFrom, rateGroupAt, type TaxRateGroup } from "../fiscal/tax.js";
import { toIso } from "../fiscal/time.js";
import { requireCard, requireEnvironment } from "../fiscalizer/gates.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { type ServiceStateSources, serviceState } from "../state/service-state.js";
import type { RootOf } from "./invoices.js";
import { sendJsonText } from "./respond.js";

const PROTOCOL_VERSION = "3.0.0";
const HARDWARE_VERSION = "1.0.0";

/** @param authorityAddress returns the address of the authority of a card; undefined without a connection to it */
export function getStatus(
  sources: ServiceStateSources,
  device: { readonly make: string; readonly model: string; readonly serialNumber: string },
  authorityAddress?: (identity: CardIdentity) => string | undefined,
): RequestHandler {
  return async (request, response) => {
    const service = await serviceState(sources, request);
    const { now, state, environment, environmentSource, contact, clockCheck } = service;
    const ready = state.kind === "ready" ? state : undefined;
    const authority =
      (ready && (authorityAddress?.(ready.identity) ?? ready.identity.taxAuthorityApi)) ??
      environment?.parameters.endpoints.taxAuthorityApi ??
      "";
    const record = JSON.stringify({
      isPinRequired: ready?.pin !== "verified",
      auditRequired: service.auditRequired,
      sdcDateTime: toIso(now),
      // Empty if nothing was signed yet, or if the store cannot be read; in that case `mssc` has a code.
      lastInvoiceNumber: service.lastNumber,
      protocolVersion: PROTOCOL_VERSION,
      secureElementVersion: ready?.identity.appletVersion ?? "",
      hardwareVersion: HARDWARE_VERSION,
      softwareVersion: SOFTWARE_VERSION,
      deviceSerialNumber: device.serialNumber,
      make: device.make,
      model: device.model,
      mssc: service.makerCodes,
      gsc: service.codes,
      supportedLanguages: environment?.parameters.supportedLanguages ?? RECEIPT_LANGUAGES,
      uid: ready?.identity.uid ?? "",
      taxAuthorityApi: authority,
      taxCoreApi: authority,
    });
    const rest = JSON.stringify({
      environmentSource: describeSource(environmentSource, now),
      taxAuthoritySince: contact.since === undefined ? null : toIso(contact.since),
      clockDrift: clockCheck?.ahead === undefined ? null : clockCheck.ahead / 1000,
    });
    if (ready) response.setHeader("Age", service.age);
    sendJsonText(response, `${record.slice(0, -1)},${taxRatesJson(environment, now)},${rest.slice(1)}`);
  };
}

/** Keeps the JSON of each group, because a POS asks for the status often and a group never changes. */
const known = new WeakMap<TaxRateGroup, string>();

function ratesJson(group: TaxRateGroup): string {
  const json = known.get(group) ?? stringify(rateGroupRecord(group)) ?? "null";
  known.set(group, json);
  return json;
}

/** Sends the rates as the authority's public path does: the group that is valid now, and all groups. */
export function sendTaxRates(response: Response, environment: FiscalEnvironment | undefined, now: number): void {
  sendJsonText(response, `{${taxRatesJson(environment, now)}}`);
}

function taxRatesJson(environment: FiscalEnvironment | undefined, now: number): string {
  const current = environment && rateGroupAt(environment.taxRates, now);
  const all = chosenFrom(environment?.taxRates ?? [], now).map(ratesJson);
  return `"currentTaxRates":${current ? ratesJson(current) : "null"},"allTaxRates":[${all.join(",")}]`;
}

export function rateGroupRecord({ validFrom, groupId, taxCategories }: TaxRateGroup) {
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

export function getEnvironmentParameters(sources: ServiceStateSources, root: RootOf | undefined): RequestHandler {
  return async (request, response) => {
    await requireCard(sources.secureElement, request);
    const now = sources.inForce();
    const { endpoints, ...rest } = requireEnvironment(now).parameters;
    const own = { taxCoreApi: endpoints.taxAuthorityApi, root: root?.(request) ?? endpoints.root };
    const environmentSource = describeSource(now.source, sources.clock.now());
    response.json({ ...rest, endpoints: { ...endpoints, ...own }, environmentSource });
  };
}
