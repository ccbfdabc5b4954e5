/** Performs each {@link AuthorityAct}: through the service, with the stick, or at the authority. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportTo, folderAt, importFrom, requireWhole } from "../../src/authority/audit-stick.js";
import { stickNames } from "../../src/authority/stick-files.js";
import { PACKAGE_STATUS } from "../../src/authority/tax-authority.js";
import { UserError } from "../../src/base/user-error.js";
import { auditSource } from "../../src/client/audit-source.js";
import { bearer } from "../../src/client/find-running.js";
import { ConfigError } from "../../src/config/config-error.js";
import { loadNamedEnvironment, parseEnvironment } from "../../src/config/environment.js";
import { readOwner } from "../../src/ledger/owner.js";
import type { Service } from "../../src/service/service.js";
import { filesToDeliver, writeCommands } from "../tax-authority/stick.js";
import type { TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import type { TaxOffice } from "../tax-authority/tax-office.js";
import type { AuthorityAct, AuthorityStatus, AuthorityWord } from "./authority-act.js";
import { downloadCommands, uploadStick } from "./portal.js";

export interface AuthorityWorld {
  readonly url: string;
  /** The service's data folder. */
  readonly folder: string;
  readonly taxAuthority: TaxAuthorityServer | undefined;
  /** UID of the card in the reader, or of the last card that was in it. */
  readonly uid: string;
  /** The current service. Each restart replaces it. */
  readonly service: Service;
}

export class AuthorityActions {
  /** Folder of the emulated stick; undefined before the first use of the stick. */
  private folder: string | undefined;

  constructor(private readonly world: AuthorityWorld) {}

  /**
   * Performs an act.
   * @throws UserError with the reason if the act is not possible, ConfigError if its environment cannot be used
   */
  async act(act: AuthorityAct): Promise<void> {
    if (typeof act === "string") await this.words[act]();
    else if ("faults" in act) {
      if (act.faults === "clear") this.office.clearFaults();
      else this.office.setFaults(act.faults);
    } else if ("command" in act) {
      const { type, payload, uid = this.world.uid } = act.command;
      this.office.command(uid, type, payload);
    } else this.configure(act.configure);
  }

  status(): AuthorityStatus | undefined {
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

  /**
   * Starts an audit.
   * @param proves whether the authority sends its proof; otherwise the authority holds the proof back
   */
  async audit(proves: boolean): Promise<void> {
    if (!proves) this.office.setFaults({ holdProofs: true });
    await this.words["audit-now"]();
    await this.world.service.talkToAuthority();
  }

  /** Sends the proof for the audit that {@link audit} started. @returns whether the card accepted it */
  async prove(): Promise<boolean> {
    this.office.setFaults({ holdProofs: false });
    await this.world.service.talkToAuthority();
    return this.office.card(this.world.uid).proofs.at(-1)?.accepted === true;
  }

  close(): void {
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
    this.folder = undefined;
  }

  private readonly words: Readonly<Record<AuthorityWord, () => Promise<void>>> = {
    talk: () => this.world.service.talkToAuthority(),
    "audit-now": async () => {
      const { begun, reason } = await this.service.start(false);
      if (!begun) throw new UserError(`the audit has not started: ${reason}`);
    },
    "expire-tokens": async () => this.office.expireTokens(),
    "stick-export": async () => {
      const { uid } = this.world;
      const open = (await this.service.read()).cards.find((card) => card.uid === uid)?.audit;
      if (!open) await this.service.start(true);
      const { missing } = await exportTo(this.stick, uid, this.service.files(uid));
      await this.service.carried(uid);
      if (missing.length > 0) throw new UserError(`these files could not be made: ${missing.join(", ")}`);
    },
    "stick-carry": async () => {
      const folder = join(this.stick, this.world.uid);
      await requireWhole(folder);
      const page = await uploadStick(this.server, await filesToDeliver(folderAt(folder)));
      const commands = await downloadCommands(this.server, page, this.world.uid);
      await writeCommands(folderAt(folder), this.world.uid, commands);
    },
    "stick-import": () => this.importStick(),
    confirm: async () => {
      const { held, made } = await this.service.toRead();
      for (const one of held) await this.service.confirm(one);
      // Import again, because this writes the results of the executed commands to the stick.
      if (held.length > 0 && this.stickFiles().includes(stickNames(this.world.uid).commands)) await this.importStick();
      if (made.length > 0) await this.service.seen(made);
    },
  };

  private async importStick(): Promise<void> {
    const { uid } = this.world;
    await importFrom(this.stick, uid, (commands) => this.service.take(uid, commands));
  }

  private configure(environment: string | object): void {
    const server = this.server;
    const read = typeof environment === "string" ? loadNamedEnvironment(environment) : parsed(environment);
    if (!read) throw new ConfigError("configure: expected an environment; none is not allowed here");
    server.office.setEnvironment(server.reachable(read));
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

  private get office(): TaxOffice {
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

function parsed(environment: object) {
  return parseEnvironment(environment, "configure");
}
