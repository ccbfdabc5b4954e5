/**
 * The admin interface: everything that a person at the authority does, and the authority's faults. The interface shares
 * the server's port, because the server also runs alone, without an emulator and its control interface.
 */
import type { Router } from "express";
import { systemRandom } from "../../src/base/random.js";
import { at } from "../../src/config/config-error.js";
import { parseEnvironment } from "../../src/config/environment.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { parseScaled, toDecimalText } from "../../src/fiscal/money.js";
import { toIso } from "../../src/fiscal/time.js";
import type { Endpoint } from "../../src/http/endpoint.js";
import { type CallHandler, endpointRouter } from "../../src/http/endpoint-router.js";
import type { DirectiveAction } from "../pki/audit.js";
import { PFX_PASSPHRASE, pfxFile } from "../pki/pfx-file.js";
import { ADMIN_ENDPOINTS, type AdminEndpointName } from "./admin-endpoints.js";
import type { AuthorityFaults } from "./authority-faults.js";
import type { PackageRecord } from "./package-store.js";
import type { Card, ExplainedCounters } from "./registered.js";
import type { TaxOffice } from "./tax-office.js";
import type { TlsMaker } from "./tls-identity.js";

export interface Administered {
  readonly office: TaxOffice;
  readonly tls: TlsMaker;
  /** Returns the environment with this server's address in place of addresses that never resolve. */
  reachable(environment: FiscalEnvironment): FiscalEnvironment;
}

export function adminRouter(administered: Administered): Router {
  const handlers = adminHandlers(administered);
  return endpointRouter<Endpoint & { readonly name: AdminEndpointName }>(ADMIN_ENDPOINTS, ({ name }) => handlers[name]);
}

function adminHandlers(administered: Administered): Readonly<Record<AdminEndpointName, CallHandler>> {
  const { office } = administered;
  const uidOf = ({ uid = "" }: Readonly<Record<string, string>>) => office.card(uid).uid;
  const record = (uid: string) => cardRecord(office, office.card(uid));
  return {
    cards: () => office.cards.map(({ uid }) => record(uid)),
    register: ({ body }) => {
      const { certificate, start } = body as { certificate: string; start?: { counter: number; sum: string } };
      const from = start && { counter: start.counter, sum: parseScaled(start.sum) };
      return record(office.register({ certificate, ...(from ? { start: from } : {}) }));
    },
    card: ({ params }) => record(uidOf(params)),
    packages: ({ params }) => office.packages(uidOf(params)).map(packageRecord),
    patchCard: ({ params, body }) => {
      const { revoked } = body as { revoked: boolean };
      if (revoked) office.revoke(uidOf(params));
      else office.restore(uidOf(params));
      return record(uidOf(params));
    },
    explain: ({ params, body }) => {
      office.explain(uidOf(params), body as ExplainedCounters);
      return record(uidOf(params));
    },
    command: ({ params, body }) => {
      const { type, payload } = body as { type: number; payload: string };
      return { commandId: office.command(uidOf(params), type, payload) };
    },
    direct: ({ params, body }) => ({
      commandId: office.direct(uidOf(params), (body as { action: DirectiveAction }).action),
    }),
    verifyAgain: ({ params }) => {
      office.verifyAgain(uidOf(params));
      return record(uidOf(params));
    },
    clientCertificate: async ({ body }) => {
      const { uid } = body as { uid: string };
      const identity = await administered.tls.rsaClient({ uid });
      const pfx = Buffer.from(pfxFile(identity, uid, systemRandom)).toString("base64");
      return { ...identity, pfx, passphrase: PFX_PASSPHRASE };
    },
    environment: ({ body }) => {
      office.setEnvironment(administered.reachable(at("the body", () => parseEnvironment(body))));
    },
    faults: () => office.faults,
    setFaults: ({ body }) => {
      office.setFaults(body as Partial<AuthorityFaults>);
      return office.faults;
    },
    clearFaults: () => office.clearFaults(),
    expireTokens: () => office.expireTokens(),
  };
}

function cardRecord(office: TaxOffice, card: Card): object {
  const { uid, registeredAt, revokedAt, start, explained, contact, claim, limit, proofs } = card;
  const { tin = null, businessName = null } = office.holder(uid) ?? {};
  const packages = office.packages(uid);
  return {
    uid,
    tin,
    businessName,
    registeredAt: toIso(registeredAt),
    revokedAt: revokedAt === undefined ? null : toIso(revokedAt),
    start: { counter: start.counter, sum: toDecimalText(start.sum) },
    online: contact?.online ?? null,
    lastContact: contact ? toIso(contact.at) : null,
    limit: limit === undefined ? null : toDecimalText(limit),
    packages: packages.length,
    lastCounter: packages.at(-1)?.counter ?? null,
    gaps: office.gaps(uid),
    explained,
    waitingProof: claim ? { sum: toDecimalText(claim.sum), missing: office.missing(uid) ?? null } : null,
    proofs: proofs.map(({ sum, upTo, commandId, accepted = null }) => ({
      sum: toDecimalText(sum),
      upTo,
      commandId,
      accepted,
    })),
    commands: office.commandsOf(uid).map(({ success = null, ...command }) => ({ ...command, success })),
  };
}

function packageRecord(record: PackageRecord): object {
  const { counter, number, time, receivedAt, totalAmount, sum, status, findings } = record;
  return {
    counter,
    number,
    time: toIso(time),
    receivedAt: toIso(receivedAt),
    totalAmount: toDecimalText(totalAmount),
    sum: sum === undefined ? null : toDecimalText(sum),
    status,
    findings,
  };
}
