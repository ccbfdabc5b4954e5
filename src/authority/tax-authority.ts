/** The tax authority's API for services such as this one, without authentication (protocol facts, section 8). */
import type { EpochMs } from "../base/epoch-ms.js";
import type { Scaled } from "../fiscal/money.js";
import type { NewCommand } from "../ledger/sent.js";

/** Types of commands that the service executes. Commands of other types may arrive. */
export const COMMAND_TYPE = {
  taxRates: 0,
  timeServer: 1,
  verificationUrl: 2,
  proofOfAudit: 5,
  configuration: 7,
  directive: 8,
} as const;

/** Type of a command that cannot be read; the command is reported as failed. No authority sends this type. */
export const UNREADABLE = -1;

/** Type of a command that a restore has made of rates of a file that apply to sales of some time only. */
export const PAST_RATES = -2;

/** `type` is one of {@link COMMAND_TYPE}, a type that is not known yet, or {@link UNREADABLE}. */
export type AuthorityCommand = Pick<NewCommand, "commandId" | "type" | "payload" | "uid">;

/** The id of a command in the one form in which ids are compared. */
export function idOf({ commandId }: Pick<AuthorityCommand, "commandId">): string {
  return commandId.toLowerCase();
}

/** An encrypted sale; every field is base64. */
export interface AuditPackage {
  /** The AES key, encrypted for the authority. */
  readonly key: string;
  /** The initialization vector, encrypted for the authority. */
  readonly iv: string;
  readonly payload: string;
}

/** Status values of a package; all values except `verified` are known only from the source of one program. */
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
  /** The 256 bytes after `01000000` in the card's answer to Start Audit. They are sent as base64. */
  readonly auditRequestPayload: Uint8Array;
  /** The card's sum, scaled by 10,000. It is sent as a JSON integer. */
  readonly sum: Scaled;
  /** The card's limit, in the same unit as `sum`. */
  readonly limit: Scaled;
}

/** The authority's API. Its methods reject with {@link AuthorityError} only. */
export interface TaxAuthority {
  /** The authority's time in its last answer over TLS; undefined if no answer had a time. */
  readonly date?: EpochMs | undefined;
  /** Returns the commands that wait for this card. GET /api/v3/sdc/commands */
  commands(): Promise<readonly AuthorityCommand[]>;
  /** Reports whether the service is online, and returns the commands that wait for this card. PUT /api/v3/sdc/status */
  announce(online: boolean): Promise<readonly AuthorityCommand[]>;
  /** Reports whether a command was executed. PUT /api/v3/sdc/commands/{commandId} */
  report(commandId: string, success: boolean): Promise<void>;
  /** Sends the package of a sale. POST /api/v3/sdc/audit */
  submit(auditPackage: AuditPackage): Promise<PackageAnswer>;
  /** Requests a proof of audit, which arrives later as a command. POST /api/v3/sdc/audit-proof */
  requestProof(request: ProofRequest): Promise<readonly AuthorityCommand[]>;
  /** Aborts open requests. Later calls fail as `unreachable`. */
  close(): void;
}

/**
 * `unreachable`: no answer came in time, because there is no network or no such host, or because the authority is down
 * (also HTTP 502 to 504). `not-trusted`: the other end's certificate is not trusted or has another name, or our own
 * certificate is not accepted. `refused`: the authority answered with an error; `status` is the HTTP status of the
 * answer. `odd-answer`: the answer does not fit the authority's API.
 */
export type AuthorityFault = "unreachable" | "not-trusted" | "refused" | "odd-answer";

export class AuthorityError extends Error {
  override readonly name = "AuthorityError";

  /** @param message contains no secret @param status HTTP status, if there was an answer */
  constructor(
    readonly fault: AuthorityFault,
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}
