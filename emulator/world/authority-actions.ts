/**
 * The tax authority and the person with the stick as scenarios and the control interface drive them. If the world has an
 * authority, audits and directives pass through the service, as in a shop. Otherwise they go to the card directly.
 */
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
import { type JsonSchema, objectSchema } from "../../src/schema/json-schema.js";
import type { BytesOutcome, EndAuditOutcome } from "../../src/secure-element/secure-element.js";
import type { DirectiveAction } from "../pki/audit.js";
import { FIXTURE_KEYS, loadKeys } from "../pki/keys.js";
import { AUTHORITY_FAULTS_SCHEMA, type AuthorityFaults } from "../tax-authority/authority-faults.js";
import { type AuditOutcome, DirectAudits } from "../tax-authority/direct-audits.js";
import { filesToDeliver, writeCommands } from "../tax-authority/stick.js";
import type { TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";
import type { TaxOffice } from "../tax-authority/tax-office.js";
import { downloadCommands, uploadStick } from "./portal.js";
import type { World } from "./world.js";

const WORDS = {
  talk: "the service talks to the authority now instead of within a minute",
  "audit-now": "as `tillseal audit now`",
  "expire-tokens": "every token expires now",
  "stick-export": "as `tillseal audit export`",
  "stick-carry":
    "a person uploads the stick's files on the page of the authority, and downloads its commands to the stick",
  "stick-import": "as `tillseal audit import` without a yes: commands that change rates or addresses wait",
  confirm:
    "as `tillseal audit confirm --yes`: a person says yes to the commands that wait, and has seen the changes that were made",
} as const;

export type AuthorityWord = keyof typeof WORDS;

export type AuthorityAct =
  | AuthorityWord
  /** Queues a command for a card. Default of `uid`: the UID of the card in the reader. */
  | { readonly command: { readonly type: number; readonly payload: string; readonly uid?: string } }
  /** Environment that cards get from now on: a name in fixtures/environments, or the content of such a file. */
  | { readonly configure: string | object }
  | { readonly faults: Partial<AuthorityFaults> | "clear" };

export const AUTHORITY_WORDS = Object.keys(WORDS) as AuthorityWord[];

const QUEUED = objectSchema(
  {
    type: { type: "integer", minimum: 0 },
    payload: { type: "string" },
    uid: { type: "string", description: "UID of the card; default: the card in the reader" },
  },
  ["type", "payload"],
);

/** JSON Schemas of the acts that have fields. */
export const AUTHORITY_ACT_SCHEMAS: readonly JsonSchema[] = [
  objectSchema({ command: { ...QUEUED, description: "queue any command" } }),
  objectSchema({
    configure: {
      type: ["string", "object"],
      description:
        "environment and tax rates that it sends from now on: a name in fixtures/environments, or the content of such a file",
    },
  }),
  objectSchema({
    faults: {
      anyOf: [{ const: "clear" }, AUTHORITY_FAULTS_SCHEMA],
      description: "faults that the authority has from now on, or clear",
    },
  }),
];

export const AUTHORITY_WORDS_TEXT = AUTHORITY_WORDS.map((word) => `${word}: ${WORDS[word]}`).join("; ");

/** The authority's data about the card in the reader. */
export interface AuthorityStatus {
  readonly packages: number;
  readonly verified: number;
  readonly gaps: number;
  readonly proofs: { readonly taken: number; readonly refused: number };
  readonly waiting: number;
  readonly failed: number;
  readonly stick: readonly string[];
}

type Outcome = (BytesOutcome | EndAuditOutcome)["kind"];

export const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  ok: "done",
  accepted: "the card has accepted the proof",
  refused: "the card refuses it",
  "bad-proof": "the proof is for another audit of the card",
  "no-audit-open": "no audit is open",
  "pin-required": "the PIN is not verified",
  "no-card": "there is no card in the reader",
  unreachable: "the card does not answer",
  unsupported: "the card is of a kind that the service does not know",
};

export function isDone(outcome: Outcome): boolean {
  return outcome === "ok" || outcome === "accepted";
}

const { authorityPrivateKey } = loadKeys(FIXTURE_KEYS);
const DONE: BytesOutcome = { kind: "ok", bytes: new Uint8Array() };

export class AuthorityActions {
  /** Folder of the emulated stick; undefined before the first use of the stick. */
  private folder: string | undefined;
  private readonly direct: DirectAudits;

  constructor(private readonly world: World) {
    const uid = () => world.card?.profile.uid;
    this.direct = new DirectAudits({ element: () => world.service.secureElement, uid, authorityPrivateKey });
  }

  /** @throws UserError if the act is not possible, ConfigError if its environment cannot be used */
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
    await this.words.talk();
    return DONE;
  }

  /** The card's answer at the start of a direct audit that may still be open. */
  get request(): Uint8Array | undefined {
    return this.direct.request;
  }

  /**
   * Prepares for a world that has begun again: deletes the files on the stick, and replaces the open direct audit.
   * @param request the card's answer at the start of the direct audit that is open in the new world; undefined if no
   * audit is open
   */
  renew(request?: Uint8Array): void {
    this.close();
    this.direct.request = request;
  }

  close(): void {
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
    this.folder = undefined;
  }

  private async begin(): Promise<void> {
    await this.words["audit-now"]();
    await this.words.talk();
  }

  private async prove(): Promise<AuditOutcome> {
    this.office.setFaults({ holdProofs: false });
    await this.words.talk();
    return { kind: this.office.card(this.world.uid).proofs.at(-1)?.accepted === true ? "accepted" : "no-audit-open" };
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
    const read =
      typeof environment === "string" ? loadNamedEnvironment(environment) : parseEnvironment(environment, "configure");
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
