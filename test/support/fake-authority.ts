/** A tax authority in memory: its pending commands, the reports that it got, and its failures. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import {
  type AuditPackage,
  type AuthorityCommand,
  AuthorityError,
  COMMAND_TYPE,
  type PackageAnswer,
  type ProofRequest,
  type TaxAuthority,
} from "../../src/authority/tax-authority.js";
import type { EnvironmentFile } from "../../src/fiscal/environment.js";
import { environmentFile } from "./invoices.js";

export class FakeAuthority implements TaxAuthority {
  /** One that has rates, parameters and addresses for a card. */
  static configuring(uid: string): FakeAuthority {
    const authority = new FakeAuthority();
    authority.configure(uid);
    return authority;
  }

  /** Until they are reported. */
  waiting: AuthorityCommand[] = [];
  readonly reports: [commandId: string, success: boolean][] = [];
  readonly announced: boolean[] = [];
  closed = false;
  date: number | undefined;
  /** Every call rejects with this; undefined while the authority answers. */
  failure: AuthorityError | undefined;
  /** Number of calls of commands and announce. */
  asked = 0;

  /** @param payload text, or a value that is sent as JSON */
  command(type: number, payload: unknown, { uid, commandId = `${this.waiting.length + this.reports.length + 1}` }: Of) {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    this.waiting.push({ commandId, type, payload: text, uid });
    return this;
  }

  /** Rates, parameters and addresses of a fixture. */
  configure(uid: string, name = "specification"): EnvironmentFile {
    const { parameters, taxRates } = sentEnvironment(name);
    this.command(COMMAND_TYPE.taxRates, taxRates, { uid });
    this.command(COMMAND_TYPE.configuration, parameters, { uid });
    return { parameters, taxRates };
  }

  async commands() {
    this.asked++;
    return this.answer([...this.waiting]);
  }

  async announce(online: boolean) {
    this.asked++;
    const commands = this.answer([...this.waiting]);
    this.announced.push(online);
    return commands;
  }

  async report(commandId: string, success: boolean) {
    this.answer(undefined);
    this.reports.push([commandId, success]);
    this.waiting = this.waiting.filter((command) => command.commandId !== commandId);
  }

  async submit(_sent: AuditPackage): Promise<PackageAnswer> {
    return this.answer({ status: 4, commands: [] });
  }

  async requestProof(_request: ProofRequest): Promise<readonly AuthorityCommand[]> {
    return this.answer([]);
  }

  close() {
    this.closed = true;
  }

  private answer<T>(value: T): T {
    if (this.closed) throw new AuthorityError("unreachable", "it is closed");
    if (this.failure) throw this.failure;
    return value;
  }
}

interface Of {
  readonly uid: string;
  readonly commandId?: string;
}

/** An environment file in the form in which an authority sends it. */
export function sentEnvironment(name = "specification"): EnvironmentFile {
  return parse(readFileSync(environmentFile(name), "utf8")) as EnvironmentFile;
}
