/**
 * The console's requests about changes of rates and addresses: changes that wait for a person's confirmation, and
 * changes that no person has seen (docs/tax-authority.md#audits).
 */
import type { RequestHandler } from "express";
import type { Commands, HeldCommands } from "../authority/commands.js";
import { toIso } from "../fiscal/time.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { rawBody } from "../http/body.js";
import { HttpError } from "../http/errors.js";
import type { Permit } from "./permit.js";
import type { ConfirmedRecord, HeldRecord, ToReadRecord } from "./records/audits.js";
import { bodyFields } from "./reports.js";

export interface ToReadParts {
  readonly commands: Pick<Commands, "held" | "toRead" | "confirm" | "refuse" | "seen">;
  /** Starts a round with the authority now, because there are results to report. */
  readonly wake: () => void;
}

export function toReadHandlers(parts: ToReadParts, permit: Permit) {
  return {
    toRead: getToRead(parts),
    confirmCommands: [rawBody, confirm(parts, permit)],
    refuseCommands: [rawBody, refuse(parts, permit)],
    seenChanges: [rawBody, seen(parts, permit)],
  };
}

function getToRead({ commands }: ToReadParts): RequestHandler {
  return async (_request, response) => {
    const { held, made } = commands.toRead;
    const uids = [...new Set(held.map(({ uid }) => uid))];
    const waiting = await Promise.all(uids.map((uid) => commands.held(uid)));
    const record: ToReadRecord = {
      held: waiting.filter((one) => one !== undefined).map(heldRecord),
      made: made.map(({ at, ...change }) => ({ ...change, at: toIso(at) })),
    };
    response.json(record);
  };
}

function heldRecord({ uid, commands, changes, asksTwice }: HeldCommands): HeldRecord {
  return { uid, ids: commands.map(({ id }) => id), changes, asksTwice };
}

function confirm({ commands, wake }: ToReadParts, permit: Permit): RequestHandler {
  return async (request, response) => {
    const { pin, twice } = bodyFields(request);
    const { uid, ids } = commandsIn(bodyFields(request));
    if (!(await permit(request, response, pin))) return;
    const result = await commands.confirm(uid, ids, twice === true);
    if (result === "not-held") throw notHeld();
    wake();
    const record: ConfirmedRecord = { confirmed: result === "done" };
    response.json(record);
  };
}

function refuse({ commands, wake }: ToReadParts, permit: Permit): RequestHandler {
  return async (request, response) => {
    const { pin } = bodyFields(request);
    const { uid, ids } = commandsIn(bodyFields(request));
    if (!(await permit(request, response, pin))) return;
    if ((await commands.refuse(uid, ids)) === 0) throw notHeld();
    wake();
    response.status(204).end();
  };
}

function seen({ commands }: ToReadParts, permit: Permit): RequestHandler {
  return async (request, response) => {
    const fields = bodyFields(request);
    const ids = idsIn(fields);
    if (!(await permit(request, response, fields.pin))) return;
    if ((await commands.seen(ids)) === 0) throw new HttpError(404, "ids", "These changes have been seen already");
    response.status(204).end();
  };
}

function commandsIn(fields: Readonly<Record<string, unknown>>): { uid: string; ids: readonly number[] } {
  const { uid } = fields;
  if (typeof uid === "string") return { uid, ids: idsIn(fields) };
  throw FiscalError.of("2806", "uid", 'Expected a card and commands, such as {"uid": "...", "ids": [1, 2]}');
}

function idsIn({ ids }: Readonly<Record<string, unknown>>): readonly number[] {
  if (Array.isArray(ids) && ids.length > 0 && ids.every((id) => Number.isSafeInteger(id))) return ids as number[];
  throw FiscalError.of("2806", "ids", 'Expected ids, such as {"ids": [1, 2]}');
}

function notHeld(): HttpError {
  return new HttpError(404, "ids", "These commands are not the ones that wait for a yes now: read the list again");
}
