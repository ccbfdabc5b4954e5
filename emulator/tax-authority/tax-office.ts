/** The emulated authority without its network: register, commands, packages, proofs. */

import { type AuthorityCommand, COMMAND_TYPE, idOf, PACKAGE_STATUS } from "../../src/authority/tax-authority.js";
import type { Clock } from "../../src/base/clock.js";
import type { Random } from "../../src/base/random.js";
import { messageOf } from "../../src/base/thrown.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { CallError } from "../../src/http/call-errors.js";
import { type DirectiveAction, makeDirective } from "../pki/audit.js";
import type { EmulatedKeys } from "../pki/keys.js";
import { Audits, type SentProofRequest } from "./audits.js";
import { type AuthorityFaults, NO_FAULTS } from "./authority-faults.js";
import type { AuthorityFiles } from "./authority-files.js";
import type { QueuedCommand } from "./command-queue.js";
import { environmentCommands, groupsIn, type NewCommand } from "./environment-commands.js";
import { Examiner } from "./examiner.js";
import { isUnreadable, oddCommand } from "./odd-spellings.js";
import { OfficeState } from "./office-state.js";
import { type CounterRange, gapsIn, type PackageRecord, PackageStore } from "./package-store.js";
import {
  type Card,
  type ExplainedCounters,
  type Holder,
  holderOf,
  type NewCard,
  newCard,
  pemOf,
} from "./registered.js";
import { type Token, Tokens } from "./tokens.js";
import type { KnownReceipt } from "./verification.js";

export class TaxOffice {
  private readonly state: OfficeState;
  private readonly store: PackageStore;
  private readonly tokens: Tokens;
  private readonly audits: Audits;
  private readonly examiner: Examiner;
  private faultsSet = NO_FAULTS;

  /** @throws ConfigError if the register is damaged */
  constructor(
    private readonly keys: EmulatedKeys,
    private readonly clock: Clock,
    random: Random,
    files: AuthorityFiles,
  ) {
    this.state = new OfficeState(files, random);
    this.store = new PackageStore(files);
    this.tokens = new Tokens(clock, random);
    const known = [keys.authorityPrivateKey, this.state, this.store, () => this.faultsSet] as const;
    this.audits = new Audits(...known);
    this.examiner = new Examiner(...known);
  }

  // The register

  get cards(): readonly Card[] {
    return this.state.all;
  }

  /** Returns a card by its UID. @throws CallError 404 if the card is not registered */
  card(uid: string): Card {
    const card = this.state.card(uid);
    if (!card)
      throw new CallError(
        404,
        `The card ${uid} is not registered here; "tillseal authority client-certificate --card CERTIFICATE" registers it`,
      );
    return card;
  }

  /** Returns the holder of a card; undefined if the authority does not know the card's certificate. */
  holder(uid: string): Holder | undefined {
    const certificate = this.state.card(uid)?.certificate;
    return certificate === undefined ? undefined : holderOf(certificate);
  }

  /** A new card gets commands that configure it. @throws CallError if the certificate is not a card's */
  register({ certificate, start }: NewCard): string {
    const { uid } = readHolder(certificate);
    const known = this.state.card(uid);
    const card = { ...(known ?? newCard(uid, this.clock.now())), certificate: pemOf(certificate) };
    this.state.put(start ? { ...card, start } : card);
    if (!known) this.configure(uid);
    this.verifyAgain(uid);
    return uid;
  }

  /** Registers the card of a client that has presented a certificate with the card's UID. @param der X.509 DER */
  admit(uid: string, der: Uint8Array): void {
    if (isCard(der)) {
      if (this.state.card(uid)?.certificate === undefined) this.register({ certificate: der });
    } else if (!this.state.card(uid)) {
      this.state.put(newCard(uid, this.clock.now()));
      this.configure(uid);
    }
  }

  /** Revokes the card's certificate. Sales that the card signs from now on are not accepted. */
  revoke(uid: string): void {
    this.state.put({ ...this.card(uid), revokedAt: this.clock.now() });
  }

  /** Undoes {@link revoke}. */
  restore(uid: string): void {
    const { revokedAt: _, ...card } = this.card(uid);
    this.state.put(card);
  }

  /** Accepts counters for which there will never be a package. */
  explain(uid: string, counters: ExplainedCounters): void {
    const card = this.card(uid);
    this.state.put({ ...card, explained: [...card.explained, counters] });
    this.audits.proveWaiting(uid);
  }

  // Commands

  /** Queues a command. @returns the command's id */
  command(uid: string, type: number, payload: string): string {
    const { commandId } = this.state.queue.add(uid, type, payload);
    this.state.save();
    return commandId;
  }

  direct(uid: string, action: DirectiveAction): string {
    const directive = makeDirective(action, uid, this.keys.authorityPrivateKey);
    return this.command(uid, COMMAND_TYPE.directive, Buffer.from(directive).toString("base64"));
  }

  /** Returns every command of a card, oldest first. */
  commandsOf(uid: string): readonly QueuedCommand[] {
    return this.state.queue.all.filter((command) => command.uid === uid);
  }

  get environment(): FiscalEnvironment | undefined {
    return this.state.environment;
  }

  /** Changes the environment. Every registered card gets commands with the changes. */
  setEnvironment(environment: FiscalEnvironment): void {
    const key = ({ type, payload }: NewCommand) => `${type} ${payload}`;
    const before = new Set(this.environment ? environmentCommands(this.environment).map(key) : []);
    this.state.setEnvironment(environment);
    const changed = environmentCommands(environment).filter((command) => !before.has(key(command)));
    for (const { uid } of this.cards) for (const { type, payload } of changed) this.state.queue.add(uid, type, payload);
    this.state.save();
  }

  // Faults

  get faults(): AuthorityFaults {
    return this.faultsSet;
  }

  setFaults(faults: Partial<AuthorityFaults>): void {
    this.faultsSet = { ...this.faultsSet, ...faults };
    for (const { uid } of this.cards) this.audits.proveWaiting(uid);
  }

  clearFaults(): void {
    this.setFaults(NO_FAULTS);
  }

  expireTokens(): void {
    this.tokens.expireAll();
  }

  // Packages

  /** Returns the packages of a card, ordered by counter. */
  packages(uid: string): readonly PackageRecord[] {
    return this.store.of(uid);
  }

  /** Returns the ranges of missing packages below the last package that was received. */
  gaps(uid: string): readonly CounterRange[] {
    const { start, explained } = this.card(uid);
    const counters = this.store.of(uid).map(({ counter }) => counter);
    const last = counters.at(-1) ?? 0;
    return gapsIn(counters, start.counter + 1, explained).filter(({ from }) => from <= last);
  }

  missing(uid: string): string | undefined {
    return this.audits.missing(this.card(uid));
  }

  /** Repeats the check of each package of a card that is not verified. */
  verifyAgain(uid: string): void {
    for (const record of this.store.of(uid)) {
      if (record.status === PACKAGE_STATUS.verified) continue;
      const sale = this.examiner.saleOf(record);
      if (sale) this.store.judge(record, this.examiner.judge(sale));
    }
    this.audits.proveWaiting(uid);
  }

  /** Returns the text of a receipt; undefined if the invoice is not verified or its package has no journal. */
  receipt(invoiceNumber: string): KnownReceipt | undefined {
    const record = this.examiner.recordOf(invoiceNumber);
    return record?.status === PACKAGE_STATUS.verified ? this.examiner.saleOf(record) : undefined;
  }

  // What services call

  token(uid: string): Token {
    if (this.faultsSet.refuseTokens) throw new CallError(403, `The client certificate of ${uid} was revoked`);
    return this.tokens.issue(uid);
  }

  tokenHolder(token: string): string | undefined {
    return this.faultsSet.expiredTokens ? undefined : this.tokens.uidOf(token);
  }

  commands(uid: string): readonly AuthorityCommand[] {
    const { duplicateCommands, reversedCommands, foreignCommands } = this.faultsSet;
    const { queue } = this.state;
    const uids = foreignCommands ? [...new Set(queue.all.map((command) => command.uid))] : [uid];
    const waiting = uids.flatMap((one) => queue.waiting(one));
    const sent = duplicateCommands ? waiting.flatMap((command) => [command, command]) : waiting;
    const ordered = reversedCommands ? sent.toReversed() : sent;
    return ordered.map((command) => oddCommand(command, this.faultsSet.oddConfiguration));
  }

  announce(uid: string, online: boolean): void {
    this.state.put({ ...this.card(uid), contact: { online, at: this.clock.now() } });
  }

  knows(uid: string, commandId: string): boolean {
    return this.commandsOf(uid).some((command) => idOf(command) === idOf({ commandId }));
  }

  report(uid: string, commandId: string, success: boolean): void {
    if (this.faultsSet.unreadableCommands && isUnreadable(commandId)) return;
    const { strict } = this.faultsSet;
    if (strict && !this.commandsOf(uid).some((command) => command.commandId === commandId)) {
      throw new CallError(404, `There is no command ${commandId} for ${uid}; the fault strict compares each letter`);
    }
    const command = this.state.queue.report(uid, commandId, success);
    if (!command) throw new CallError(404, `There is no command ${commandId} for ${uid}`);
    if (command.type === COMMAND_TYPE.proofOfAudit) this.audits.reported(command);
    if (command.type === COMMAND_TYPE.taxRates && command.success) this.ratesKnown(command);
    this.state.save();
  }

  /** @throws CallError 400 if it cannot be opened or a fault refuses it, 403 for another taxpayer's card */
  submit(uid: string, sent: unknown): number {
    const { auditPackage, text, sale } = this.examiner.open(sent);
    this.requireSameTaxpayer(uid, sale.signedBy);
    if (sale.totalCounter === this.faultsSet.refusedCounter) {
      throw new CallError(400, "The fault refusedCounter refuses this package");
    }
    const record = this.store.keep(auditPackage, text, sale, this.examiner.judge(sale), this.clock.now());
    this.audits.proveWaiting(record.uid);
    return record.status;
  }

  requestProof(uid: string, request: SentProofRequest): void {
    this.audits.request(this.card(uid), request, this.clock.now());
  }

  private ratesKnown({ uid, payload }: QueuedCommand): void {
    const card = this.card(uid);
    const now = this.clock.now();
    const groupsKnownAt = { ...Object.fromEntries(groupsIn(payload).map((id) => [id, now])), ...card.groupsKnownAt };
    this.state.put({ ...card, groupsKnownAt });
  }

  /**
   * Refuses a package that another taxpayer's card signed. Another card of the same taxpayer is allowed, because a
   * service may send the sales of its old card after a new card has replaced the old one.
   */
  private requireSameTaxpayer(uid: string, signedBy: string): void {
    if (uid === signedBy) return;
    const [own, other] = [uid, signedBy].map((one) => this.holder(one)?.tin);
    if (own === undefined || other === undefined || own !== other) {
      throw new CallError(403, `${signedBy} signed the package, and ${uid} is not a card of the same taxpayer`);
    }
  }

  private configure(uid: string): void {
    if (!this.environment) return;
    for (const { type, payload } of environmentCommands(this.environment)) this.state.queue.add(uid, type, payload);
    this.state.save();
  }
}

function isCard(der: Uint8Array): boolean {
  try {
    holderOf(der);
    return true;
  } catch {
    return false;
  }
}

function readHolder(certificate: string | Uint8Array): Holder {
  try {
    return holderOf(certificate);
  } catch (error) {
    const reason = messageOf(error);
    throw new CallError(400, `This is not the certificate of a card: ${reason}`);
  }
}
