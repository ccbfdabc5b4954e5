/**
 * The tax authority and the person with the stick as scenarios and the control interface drive them. If the world has an
 * authority, audits and directives pass through the service, as in a shop. Otherwise they go to the card directly.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportTo, importFrom, requireWhole } from "../../src/authority/audit-stick.js";
import { stickNames } from "../../src/authority/stick-files.js";
import { PACKAGE_STATUS } from "../../src/authority/tax-authority.js";
import { UserError } from "../../src/base/user-error.js";
import { auditSource } from "../../src/client/audit-source.js";
import { bearer } from "../../src/client/find-running.js";
import { at, ConfigError } from "../../src/config/config-error.js";
import { rateGroupAt } from "../../src/fiscal/tax.js";
import { readOwner } from "../../src/ledger/owner.js";
import type { BytesOutcome } from "../../src/secure-element/secure-element.js";
import type { DirectiveAction } from "../pki/audit.js";
import { type AuditOutcome, DirectAudits } from "../tax-authority/direct-audits.js";
import { carryCard } from "../tax-authority/run-authority.js";
import type { TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import type { TaxOffice } from "../tax-authority/tax-office.js";
import { environmentOf, WORLD_KEYS } from "./parts.js";
import type { World } from "./world.js";

const DONE: BytesOutcome = { kind: "ok", bytes: new Uint8Array() };

export class AuthorityActions {
  /** Folder of the emulated stick; undefined before the first use of the stick. */
  private folder: string | undefined;
  readonly direct: DirectAudits;

  constructor(private readonly world: World) {
    const uid = () => world.card?.profile.uid;
    this.direct = new DirectAudits(() => world.service.secureElement, uid, WORLD_KEYS.authorityPrivateKey);
  }

  status() {
    const { taxAuthority, uid } = this.world;
    if (!taxAuthority) return undefined;
    const { office } = taxAuthority;
    const packages = office.packages(uid);
    const { proofs } = office.card(uid);
    return {
      packages: packages.length,
      verified: packages.filter(({ status }) => status === PACKAGE_STATUS.verified).length,
      gaps: office.gaps(uid).length,
      proofs: {
        taken: proofs.filter(({ accepted }) => accepted === true).length,
        refused: proofs.filter(({ accepted }) => accepted === false).length,
      },
      waiting: office.commandsOf(uid).filter(({ success }) => success === undefined).length,
      failed: office.commandsOf(uid).filter(({ success }) => success === false).length,
      stick: this.stickFiles(),
    };
  }

  async audit(): Promise<AuditOutcome> {
    if (!this.world.taxAuthority) return this.direct.audit();
    await this.begin();
    return this.prove();
  }

  /** Starts an audit. Sales may continue until {@link end}: until then, the authority holds its proof back. */
  async start(): Promise<BytesOutcome> {
    if (!this.world.taxAuthority) return this.direct.start();
    this.office.setFaults({ holdProofs: true });
    await this.begin();
    return DONE;
  }

  /** Ends the audit that {@link start} began, with the authority's proof. */
  end(): Promise<AuditOutcome> {
    return this.world.taxAuthority ? this.prove() : this.direct.end();
  }

  async directive(action: DirectiveAction): Promise<BytesOutcome> {
    if (!this.world.taxAuthority) return this.direct.directive(action);
    this.office.direct(this.world.uid, action);
    await this.talk();
    return DONE;
  }

  /** Deletes the files on the stick. */
  close(): void {
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
    this.folder = undefined;
  }

  private async begin(): Promise<void> {
    await this.auditNow();
    await this.talk();
  }

  private async prove(): Promise<AuditOutcome> {
    this.office.setFaults({ holdProofs: false });
    await this.talk();
    return { kind: this.office.card(this.world.uid).proofs.at(-1)?.accepted === true ? "accepted" : "no-audit-open" };
  }

  talk(): Promise<void> {
    return this.world.service.talkToAuthority();
  }

  async auditNow(): Promise<void> {
    const { begun, reason } = await this.service.start(false);
    if (!begun) throw new UserError(`the audit has not started: ${reason}`);
  }

  async exportStick(): Promise<void> {
    const { uid } = this.world;
    const open = (await this.service.read()).cards.find((card) => card.uid === uid)?.audit;
    if (!open) await this.service.start(true);
    const { missing } = await exportTo(this.stick, uid, this.service.files(uid));
    await this.service.carried(uid);
    if (missing.length > 0) throw new UserError(`these files could not be made: ${missing.join(", ")}`);
  }

  async carryStick(): Promise<void> {
    const folder = join(this.stick, this.world.uid);
    await requireWhole(folder);
    const carried = await carryCard({ url: this.server.url, ca: this.server.caCertificate }, folder);
    const refused = carried.filter(({ outcome }) => outcome.startsWith("refused"));
    if (refused.length > 0) throw new UserError(refused.map(({ name, outcome }) => `${name}: ${outcome}`).join("; "));
  }

  async confirm(): Promise<void> {
    const { held, made } = await this.service.toRead();
    for (const one of held) await this.service.confirm(one);
    // Import again, because this writes the results of the executed commands to the stick.
    if (held.length > 0 && this.stickFiles().includes(stickNames(this.world.uid).commands)) await this.importStick();
    if (made.length > 0) await this.service.seen(made);
  }

  async importStick(): Promise<void> {
    const { uid } = this.world;
    await importFrom(this.stick, uid, (commands) => this.service.take(uid, commands));
  }

  /** @throws ConfigError if the environment cannot be used */
  configure(environment: string | object): void {
    const server = this.server;
    const read = at("configure", () => environmentOf(environment));
    if (!read) throw new ConfigError("configure: expected an environment; none is not allowed here");
    server.office.setEnvironment(server.reachable(read));
  }

  /** Adds rates that begin now, under labels that no group has had. The earlier groups stay, for refunds of their sales. */
  newLabels(): Promise<void> {
    const { environment } = this.office;
    const validFrom = this.world.clock.now();
    const { taxRates = [] } = environment ?? {};
    const group = rateGroupAt(taxRates, validFrom);
    if (!environment || !group) throw new ConfigError("new-labels: the authority sends no tax rates");
    const had = taxRates.flatMap((one) => one.taxCategories).flatMap((one) => one.taxRates.map(({ label }) => label));
    const free = [..."FGHIJKLMNOPQRSTUVWXYZ"].filter((letter) => !had.includes(letter));
    const taxCategories = group.taxCategories.map((category) => ({
      ...category,
      taxRates: category.taxRates.map((one) => ({ ...one, label: free.shift() ?? one.label })),
    }));
    const groupId = Math.max(...taxRates.map((one) => one.groupId)) + 1;
    this.office.setEnvironment({ ...environment, taxRates: [...taxRates, { groupId, validFrom, taxCategories }] });
    return this.talk();
  }

  /** The same client of the service that the commands `tillseal audit` use. */
  private get service() {
    const { url, folder } = this.world;
    return auditSource({ url, headers: bearer(readOwner(folder)?.secret ?? "") });
  }

  private get server(): TaxAuthorityServer {
    const { taxAuthority } = this.world;
    if (!taxAuthority) throw new UserError("there is no tax authority in this world; add authority to given");
    return taxAuthority;
  }

  /** @throws UserError if the world has no authority */
  get office(): TaxOffice {
    return this.server.office;
  }

  private get stick(): string {
    this.folder ??= mkdtempSync(join(tmpdir(), "tillseal-stick-"));
    return this.folder;
  }

  private stickFiles(): readonly string[] {
    const folder = this.folder === undefined ? "" : join(this.folder, this.world.uid);
    return existsSync(folder) ? readdirSync(folder).toSorted() : [];
  }
}
