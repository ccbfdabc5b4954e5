/**
 * The tax authority's API for services such as this one (protocol facts, section 8). Authentication (certificate,
 * token) is up to the implementation.
 */
import type { Scaled } from "../fiscal/money.js";

/** Types of commands that the service executes; others may arrive. */
export const COMMAND_TYPE = {
  taxRates: 0,
  timeServer: 1,
  verificationUrl: 2,
  proofOfAudit: 5,
  configuration: 7,
  directive: 8,
} as const;

/** Type of a command that cannot be read: it is reported as failed. No authority sends it. */
export const UNREADABLE = -1;

export interface AuthorityCommand {
  /** A GUID, as sent. Its case has no meaning. */
  readonly commandId: string;
  /** One of {@link COMMAND_TYPE}, a type that is not known yet, or {@link UNREADABLE}. */
  readonly type: number;
  /** The text as sent; of an unreadable command, the names of the wrong fields. */
  readonly payload: string;
  /** UID of the card that the command is for; "" if an unreadable command does not say it. */
  readonly uid: string;
}

/** Whether two ids are the same GUID. */
export function isSameCommand(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** An encrypted sale; every field is base64. */
export interface AuditPackage {
  /** The AES key, encrypted for the authority. */
  readonly key: string;
  /** The initialization vector, encrypted for the authority. */
  readonly iv: string;
  readonly payload: string;
}

/** Status values of a package; all except `verified` are known from one program's source only. */
export const PACKAGE_STATUS = {
  notVerifiedYet: 0,
  signatureValid: 1,
  signatureInvalid: 2,
  internalDataWrong: 3,
  verified: 4,
  rateGroupUnknown: 5,
  certificateRevoked: 6,
} as const;

export interface PackageAnswer {
  /** One of {@link PACKAGE_STATUS}, or a value that is not known yet. */
  readonly status: number;
  readonly commands: readonly AuthorityCommand[];
}

export interface ProofRequest {
  /** The 256 bytes after `01000000` in the card's answer to Start Audit. Sent as base64. */
  readonly auditRequestPayload: Uint8Array;
  /** The card's value, scaled by 10,000. Sent as a JSON integer. */
  readonly sum: Scaled;
  /** Same unit as `sum`. */
  readonly limit: Scaled;
}

/** Methods reject with {@link AuthorityError} only. */
export interface TaxAuthority {
  /** The authority's time in its last answer over TLS, ms since the epoch; undefined if there was none. */
  readonly date?: number | undefined;
  /** Commands that wait for this card. GET /api/v3/sdc/commands */
  commands(): Promise<readonly AuthorityCommand[]>;
  /** Reports whether the service is online; returns the commands that wait for this card. PUT /api/v3/sdc/status */
  announce(online: boolean): Promise<readonly AuthorityCommand[]>;
  /** Reports whether a command was executed. PUT /api/v3/sdc/commands/{commandId} */
  report(commandId: string, success: boolean): Promise<void>;
  /** POST /api/v3/sdc/audit */
  submit(auditPackage: AuditPackage): Promise<PackageAnswer>;
  /** Requests a proof of audit, which arrives later as a command. POST /api/v3/sdc/audit-proof */
  requestProof(request: ProofRequest): Promise<readonly AuthorityCommand[]>;
  /** Aborts open requests; later calls are `unreachable`. */
  close(): void;
}

/**
 * `unreachable`: nothing answered in time: no network, no such host, the authority is down (also HTTP 502 to 504).
 * `not-trusted`: the other end's certificate is not trusted or has another name, or our own certificate is not accepted.
 * `refused`: the authority answered with an error; `status` is its HTTP status.
 * `odd-answer`: the answer does not fit the authority's API.
 */
export type AuthorityFault = "unreachable" | "not-trusted" | "refused" | "odd-answer";

export class AuthorityError extends Error {
  override readonly name = "AuthorityError";

  /**
   * @param message what is wrong, where, and what to do; contains no secret
   * @param status HTTP status, if there was an answer
   */
  constructor(
    readonly fault: AuthorityFault,
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}
