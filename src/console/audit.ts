/**
 * The console's requests about audits: they read the state of the audits, start an audit, and exchange files with a
 * stick.
 */
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { Request } from "express";
import type { Audits } from "../authority/audit.js";
import type { CardTlsKey, CardTlsKeyFacts } from "../authority/card-tls-key.js";
import type { Commands } from "../authority/commands.js";
import type { AuthorityContact } from "../authority/contact.js";
import { CommandsError, stickFiles, takeCommands } from "../authority/local-audit.js";
import type { Packages } from "../authority/packages.js";
import type { StickEnd } from "../authority/stick-files.js";
import type { StickWatch } from "../authority/sticks.js";
import type { Clock } from "../base/clock.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { obstacleIn, obstacleText } from "../fiscalizer/protocol/audit-obstacles.js";
import type { EndpointCall } from "../http/endpoint-router.js";
import { HttpError } from "../http/errors.js";
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { AuthorityLedger } from "../ledger/authority-ledger.js";
import { keptStores } from "../ledger/store-folder.js";
import { type CardIdentity, readyUid, type SecureElement } from "../secure-element/secure-element.js";
import { auditsRecord } from "./audit-record.js";
import type { AuditBegunRecord, CardKeyRecord, KeyPinRecord } from "./records/audits.js";

export interface AuditParts {
  readonly secureElement: Pick<SecureElement, "state">;
  readonly audits: AuditLedger;
  readonly authority: Pick<AuthorityLedger, "failedCommands">;
  readonly auditing: Pick<Audits, "now">;
  /** The data folder. It also contains the old stores that a restore kept. */
  readonly dataDir: string;
  readonly packages: Pick<Packages, "packageOf">;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly unsentLimit: number;
  readonly sticks: Pick<StickWatch, "sticks">;
  /** Whether the service has a connection to the authority. */
  readonly isConnected: () => boolean;
  /** Whether the authority answered when it was last asked. */
  readonly contact: () => AuthorityContact;
  /** The key in the card; undefined if another key is configured. */
  readonly cardKey: Pick<CardTlsKey, "facts" | "tryOwnPin" | "enterPin"> | undefined;
  /** Returns the address of the authority that a card belongs to, to show to people. */
  readonly address: (identity: CardIdentity) => string | undefined;
  /** Starts a round with the authority now, because there is something to send or to fetch. */
  readonly wake: () => void;
}

export function auditHandlers(parts: AuditParts) {
  const { audits, authority, auditing, dataDir, packages, commands, clock, unsentLimit } = parts;
  const { secureElement, isConnected, contact, cardKey, address, wake } = parts;
  return {
    audit: async () => {
      const { state } = secureElement;
      const identity = state.kind === "ready" ? state.identity : undefined;
      const configured = isConnected();
      const place = configured && identity ? address(identity) : undefined;
      const circumstances = { inReader: identity?.uid, unsentLimit, configured, address: place };
      return { ...(await auditsRecord(audits, authority, circumstances)), cardKey: keyRecord(cardKey?.facts) };
    },
    startAudit: async ({ body }: EndpointCall): Promise<AuditBegunRecord> => {
      const uid = readyUid(secureElement.state);
      if (uid === undefined) throw FiscalError.of("1300", "", "There is no card in the reader");
      const { forStick = false } = body as { readonly forStick?: boolean };
      if (!forStick && (!isConnected() || contact() === "not-reachable")) {
        // The connection may work again. This round tries the connection, so that the person's next attempt knows the
        // result.
        wake();
        return { begun: false, reason: obstacleText("no-connection"), obstacle: "no-connection" };
      }
      const reply = await auditing.now(uid);
      wake();
      if (reply.kind === "audited") return { begun: true, reason: null, obstacle: null };
      return { begun: false, reason: reply.reason, obstacle: obstacleIn(reply.reason) };
    },
    /** Sends the files for a stick, one JSON line for each file, in the order in which the files must be written. */
    auditFiles: async ({ query: { uid = "" }, request, response }: EndpointCall) => {
      const missing = await audits.missing();
      const uids = [...(await audits.cards()), ...missing.map((sales) => sales.uid)];
      if (!uids.includes(uid)) {
        throw new HttpError(404, "uid", "The store has no complete sales of this card");
      }
      response.type("application/x-ndjson");
      const newest = await audits.newest(uid);
      let isWhole = true;
      for await (const file of stickFiles(uid, audits, packages, keptStores(dataDir))) {
        if (response.closed) return;
        isWhole &&= file.base64 !== null;
        if (!response.write(`${JSON.stringify(file)}\n`)) await Promise.race([once(response, "drain"), gone(request)]);
        // Let sales run between two files. Otherwise a client that reads fast would block the sales.
        await setImmediate();
      }
      const end: StickEnd = { end: true, entry: isWhole ? newest : null };
      response.end(`${JSON.stringify(end)}\n`);
    },
    /**
     * Records that a stick has the sales. They are on their way to the authority, so the service no longer warns of their
     * age.
     */
    carried: async ({ body }: EndpointCall) => {
      const { uid, entry } = body as { readonly uid: string; readonly entry: number };
      if (entry > (await audits.newest(uid)))
        throw FiscalError.of("2806", "entry", "Expected entry as the last line of /console/audit/files has it");
      await audits.commit([{ kind: "on-stick", uid, entry }]);
    },
    sticks: () => parts.sticks.sticks,
    auditCommands: async ({ body }: EndpointCall) => {
      const { uid, commands: text } = body as { readonly uid: string; readonly commands: string };
      try {
        const results = await takeCommands(uid, text, commands, clock.now());
        wake();
        return results;
      } catch (error) {
        throw error instanceof CommandsError ? FiscalError.of("2806", "commands", error.message) : error;
      }
    },
    /** Sends a PIN to the key in the card: a PIN that a person entered, or the card's own PIN, which is tried only once. */
    keyPin: async ({ body }: EndpointCall): Promise<KeyPinRecord> => {
      if (!cardKey)
        throw new HttpError(404, "keyPin", "Another key is configured: authorityCertificate or a TLS helper");
      const { keyPin } = body as { readonly keyPin?: string };
      const answer = keyPin === undefined ? await cardKey.tryOwnPin() : await cardKey.enterPin(keyPin);
      wake();
      return answer;
    },
  };
}

function keyRecord(facts: CardTlsKeyFacts | undefined): CardKeyRecord | null {
  if (!facts) return null;
  const { state, problem } = facts;
  return {
    state: state.kind,
    attemptsLeft: "attempts" in state ? state.attempts.left : null,
    triesCardPin: state.kind === "pin-needed" && state.ownPin === "untried",
    problem: state.kind === "no-key" ? state.reason : (problem?.message ?? null),
  };
}

function gone(request: Request): Promise<void> {
  return new Promise((resolve) => request.socket.once("close", () => resolve()));
}
