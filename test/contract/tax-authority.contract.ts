/** What every TaxAuthority does, whatever it talks to. */
import { describe, expect, it } from "vitest";
import {
  type AuditPackage,
  COMMAND_TYPE,
  type ProofRequest,
  type TaxAuthority,
} from "../../src/authority/tax-authority.js";

export interface AuthorityUnderTest {
  readonly authority: TaxAuthority;
  readonly uid: string;
  /** The authority issues a command for the card. @returns the command's id */
  queue(type: number, payload: string): string;
  /** The authority no longer accepts a token that it gave. */
  expireTokens(): void;
  /** A package that the authority accepts as complete. */
  auditPackage(): Promise<AuditPackage>;
  /** A request that the authority does not answer at once with a proof. */
  proofRequest(): Promise<ProofRequest>;
}

const PAYLOAD = JSON.stringify([
  { groupId: 1, validFrom: "2026-01-01T00:00:00Z", taxCategories: [{ name: 'ПДВ \\ "A"\n' }] },
]);

/** @param open an authority without commands for the card */
export function taxAuthorityContract(name: string, open: () => Promise<AuthorityUnderTest>): void {
  describe(`the tax authority ${name}`, () => {
    it("returns no commands until there are some", async () => {
      const { authority } = await open();
      expect(await authority.commands()).toEqual([]);
      expect(await authority.announce(true)).toEqual([]);
    });

    it("returns commands in order and unchanged, until they are reported", async () => {
      const { authority, uid, queue } = await open();
      const first = queue(COMMAND_TYPE.taxRates, PAYLOAD);
      const second = queue(COMMAND_TYPE.timeServer, "ntp://time.example");
      const waiting = [
        { commandId: first, type: 0, payload: PAYLOAD, uid },
        { commandId: second, type: 1, payload: "ntp://time.example", uid },
      ];
      expect(await authority.commands()).toEqual(waiting);
      expect(await authority.announce(true)).toEqual(waiting);
      await authority.report(first, true);
      expect(await authority.announce(false)).toEqual(waiting.slice(1));
      await authority.report(second, false);
      expect(await authority.commands()).toEqual([]);
    });

    it("refuses the report of a command that it never sent", async () => {
      const { authority } = await open();
      await expect(authority.report("a/b c?d", true)).rejects.toMatchObject({ fault: "refused", status: 404 });
    });

    it("answers a package with its status and the pending commands", async () => {
      const { authority, uid, queue, auditPackage } = await open();
      const commandId = queue(COMMAND_TYPE.verificationUrl, "https://verify.example/v/?vl=");
      const { status, commands } = await authority.submit(await auditPackage());
      expect(status).toBeTypeOf("number");
      expect(commands).toEqual([{ commandId, type: 2, payload: "https://verify.example/v/?vl=", uid }]);
    });

    it("accepts a request for a proof of audit", async () => {
      const { authority, proofRequest } = await open();
      expect(await authority.requestProof(await proofRequest())).toEqual([]);
    });

    it("continues when a token ends early", async () => {
      const { authority, queue, expireTokens } = await open();
      expect(await authority.commands()).toEqual([]);
      expireTokens();
      queue(COMMAND_TYPE.timeServer, "ntp://time.example");
      expect(await authority.commands()).toHaveLength(1);
    });

    it("answers many requests at the same time", async () => {
      const { authority, queue } = await open();
      queue(COMMAND_TYPE.timeServer, "ntp://time.example");
      const answers = await Promise.all(Array.from({ length: 20 }, () => authority.commands()));
      expect(answers.map(({ length }) => length)).toEqual(Array.from({ length: 20 }, () => 1));
    });

    it("sends nothing after it is closed", async () => {
      const { authority } = await open();
      await authority.commands();
      authority.close();
      await expect(authority.commands()).rejects.toMatchObject({ fault: "unreachable" });
    });
  });
}
