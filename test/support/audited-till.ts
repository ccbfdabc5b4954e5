/** A till whose card is registered at an emulated authority, and packages of its sales. */
import { onTestFinished } from "vitest";
import { CardAtAuthority } from "../../emulator/card/card-at-authority.js";
import { type TaxAuthorityOptions, TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";
import { auditPackage } from "../../src/authority/audit-package.js";
import { systemRandom } from "../../src/base/random.js";
import { type AuthorityClient, authorityClient } from "./authority-client.js";
import { KEYS } from "./emulated-card.js";
import { openTill, sale, type Till, type TillOptions } from "./till.js";

/** `{"request", "result"}`, which tests may change before sending. */
export interface SoldPackage {
  readonly request: Record<string, unknown>;
  readonly result: Record<string, unknown> & { readonly totalCounter: number; readonly invoiceNumber: string };
}

export interface AuditedTill {
  readonly till: Till;
  readonly authority: TaxAuthorityServer;
  readonly client: AuthorityClient;
  sell(invoice?: object): Promise<SoldPackage>;
  /** Sends a package. @returns its status */
  submit(content: unknown): Promise<number>;
  /** Starts an audit on the card and asks for its proof. */
  requestProof(): Promise<AuthorityCommands>;
}

export type AuthorityCommands = readonly { commandId: string; type: number; payload: string; uid: string }[];

export function packaged(content: unknown) {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return auditPackage(text, KEYS.authorityPublicKey, systemRandom);
}

export async function openAuthority(options: TaxAuthorityOptions = {}): Promise<TaxAuthorityServer> {
  const server = await TaxAuthorityServer.open({ keys: KEYS, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** The card's answer to Start Audit, with its amounts. */
export async function startAudit({ card }: Till) {
  const started = await new CardAtAuthority(card).startAudit();
  if (started.kind !== "ok") throw new Error(`the card did not start an audit: ${started.kind}`);
  const { sum, limit } = card.memory.load();
  const block = Buffer.from(started.bytes.subarray(4));
  return { block, body: { auditRequestPayload: block.toString("base64"), sum: Number(sum), limit: Number(limit) } };
}

export async function openAuditedTill(
  options: TillOptions = {},
  authorityOptions: TaxAuthorityOptions = {},
): Promise<AuditedTill> {
  const [till, authority] = await Promise.all([openTill(options), openAuthority(authorityOptions)]);
  const { uid } = till.card.profile;
  authority.office.register({ certificate: till.card.certificate });
  const client = await authorityClient(authority, uid);
  return {
    till,
    authority,
    client,
    sell: async (invoice = sale()) => {
      const answer = await till.sell(invoice);
      return { request: { ...invoice }, result: { ...answer.json<SoldPackage["result"]>(), verificationQRCode: null } };
    },
    submit: async (content) => {
      const answer = await client.call("POST", "/audit", packaged(content));
      return answer.json<{ status: number }>().status;
    },
    requestProof: async () => {
      const { body } = await startAudit(till);
      return (await client.call("POST", "/audit-proof", body)).json<AuthorityCommands>();
    },
  };
}
