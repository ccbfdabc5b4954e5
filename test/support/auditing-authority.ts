/** A tax authority in memory that opens packages and proves audits, with the key that emulated cards know. */
import { createDecipheriv } from "node:crypto";
import { proofOfAudit } from "../../emulator/pki/audit.js";
import { decryptBlock } from "../../emulator/pki/rsa-block.js";
import {
  type AuditPackage,
  AuthorityError,
  COMMAND_TYPE,
  type PackageAnswer,
  type ProofRequest,
} from "../../src/authority/tax-authority.js";
import { KEYS } from "./emulated-card.js";
import { FakeAuthority } from "./fake-authority.js";

/** Moments at which a test can act. */
export type AuthorityMoment = "before submit" | "after submit" | "before request" | "after request" | "before report";

interface Payload {
  readonly request: { readonly items: readonly unknown[] };
  readonly result: { readonly invoiceNumber: string; readonly totalCounter: number };
}

export class AuditingAuthority extends FakeAuthority {
  /** Every package that came, in the order of arrival. */
  readonly packages: Payload[] = [];
  readonly requests: ProofRequest[] = [];
  status = 4;
  /** Total counters of the packages that are refused, with the HTTP status for them. */
  readonly refuses = new Map<number, number>();
  /** This many proofs are made for another card's request. */
  wrongProofs = 0;
  /** Proofs wait for {@link prove}. */
  holds = false;
  /** Runs at a moment; the service gets what it throws. */
  at: (moment: AuthorityMoment) => void = () => undefined;

  constructor(readonly uid = "TESTCARD") {
    super();
  }

  get counters(): number[] {
    return this.packages.map(({ result }) => result.totalCounter);
  }

  override async submit(sent: AuditPackage): Promise<PackageAnswer> {
    this.at("before submit");
    const answer = await super.submit(sent);
    const payload = JSON.parse(openPackage(sent)) as Payload;
    const refusal = this.refuses.get(payload.result.totalCounter);
    if (refusal !== undefined) throw new AuthorityError("refused", `it says HTTP ${refusal}`, refusal);
    this.packages.push(payload);
    this.at("after submit");
    return { ...answer, status: this.status };
  }

  override async requestProof(request: ProofRequest) {
    this.at("before request");
    const answer = await super.requestProof(request);
    this.requests.push(request);
    if (!this.holds) this.prove();
    this.at("after request");
    return this.holds ? answer : [...this.waiting];
  }

  override async report(commandId: string, success: boolean) {
    this.at("before report");
    return super.report(commandId, success);
  }

  /** Queues the proof for the newest request as a command. */
  prove(): void {
    const request = this.requests.at(-1);
    if (!request) throw new Error("no proof was asked for");
    const proof = proofOfAudit(request.auditRequestPayload, KEYS.authorityPrivateKey);
    if (!proof) throw new Error("this is no request of a card");
    const sent = this.wrongProofs > 0 ? Buffer.from(proof).reverse() : Buffer.from(proof);
    if (this.wrongProofs > 0) this.wrongProofs--;
    this.command(COMMAND_TYPE.proofOfAudit, sent.toString("base64"), {
      uid: this.uid,
      commandId: `proof-${this.requests.length}-${this.waiting.length + this.reports.length}`,
    });
  }
}

export function openPackage({ key, iv, payload }: AuditPackage): string {
  const block = (base64: string): Uint8Array => {
    const plain = decryptBlock(Buffer.from(base64, "base64"), KEYS.authorityPrivateKey);
    if (!plain) throw new Error("the package is not for this authority");
    return plain;
  };
  const cipher = createDecipheriv("aes-256-cbc", block(key), block(iv));
  return Buffer.concat([cipher.update(payload, "base64"), cipher.final()]).toString("utf8");
}
