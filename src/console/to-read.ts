/**
 * The console's requests about changes of rates and addresses: changes that wait for a person's confirmation, and
 * changes that no person has seen (docs/tax-authority.md#audits).
 */
import type { Commands, HeldCommands } from "../authority/commands.js";
import { toIso } from "../fiscal/time.js";
import type { EndpointCall } from "../http/endpoint-router.js";
import { HttpError } from "../http/errors.js";
import type { ConfirmedRecord, HeldRecord, ToReadRecord } from "./records/audits.js";

interface ReadCommands {
  readonly uid: string;
  readonly ids: readonly number[];
  readonly twice?: boolean;
}

/** @param wake starts a round with the authority now, because there are results to report */
export function toReadHandlers(
  commands: Pick<Commands, "held" | "toRead" | "confirm" | "refuse" | "seen">,
  wake: () => void,
) {
  return {
    toRead: async (): Promise<ToReadRecord> => {
      const { held, made } = commands.toRead;
      const uids = [...new Set(held.map(({ uid }) => uid))];
      const waiting = await Promise.all(uids.map((uid) => commands.held(uid)));
      return {
        held: waiting.filter((one) => one !== undefined).map(heldRecord),
        made: made.map(({ at, ...change }) => ({ ...change, at: toIso(at) })),
      };
    },
    confirmCommands: async ({ body }: EndpointCall): Promise<ConfirmedRecord> => {
      const { uid, ids, twice = false } = body as ReadCommands;
      const result = await commands.confirm(uid, ids, twice);
      if (result === "not-held") throw notHeld();
      wake();
      return { confirmed: result === "done" };
    },
    refuseCommands: async ({ body }: EndpointCall) => {
      const { uid, ids } = body as ReadCommands;
      if ((await commands.refuse(uid, ids)) === 0) throw notHeld();
      wake();
    },
    seenChanges: async ({ body }: EndpointCall) => {
      const { ids } = body as Pick<ReadCommands, "ids">;
      if ((await commands.seen(ids)) === 0) throw new HttpError(404, "ids", "These changes have been seen already");
    },
  };
}

function heldRecord({ uid, commands, changes, asksTwice }: HeldCommands): HeldRecord {
  return { uid, ids: commands.map(({ id }) => id), changes, asksTwice };
}

function notHeld(): HttpError {
  return new HttpError(404, "ids", "These commands are not the ones that wait for a yes now: read the list again");
}
