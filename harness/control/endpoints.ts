/** All endpoints of the control interface. The router, the OpenAPI document and the documentation use this list. */

import { FAULT_SCHEMA } from "../../emulator/faults/fault-schema.js";
import type { Endpoint } from "../../emulator/tax-authority/endpoint/endpoint-router.js";
import { EMULATOR_LIMITS } from "../../emulator/tax-authority/endpoint/limits.js";
import { GIVEN_SCHEMA } from "../../emulator/world/given.js";
import * as schemas from "../../emulator/world/schemas.js";
import { REHEARSAL, SITUATION } from "../rehearse/schemas.js";
import { CONTROL_PREFIX } from "../scenario/remote.js";

/** An endpoint of the control interface. Its path is below {@link CONTROL_PREFIX}. */
export type ControlEndpoint = Endpoint;

/** Schemas of a command that has no body. */
const COMMAND = { body: schemas.NO_BODY, bodyOptional: true } as const;
const CARD_COMMAND = { ...COMMAND, answer: schemas.CARD } as const;

export const CONTROL_ENDPOINTS = [
  {
    name: "card",
    method: "GET",
    path: "/card",
    purpose: "the state of the card in the reader, or of the last one that was in it",
    answer: schemas.CARD,
  },
  {
    name: "patchCard",
    method: "PATCH",
    path: "/card",
    purpose: "change PIN attempts, lock, signing, sum, limit, counters; locking and unlocking end the PIN session",
    body: schemas.CARD_PATCH,
    answer: schemas.CARD,
  },
  {
    name: "insertCard",
    method: "POST",
    path: "/card/insert",
    purpose: "insert the card that was in last",
    ...CARD_COMMAND,
    body: schemas.INSERT,
  },
  { name: "removeCard", method: "POST", path: "/card/remove", purpose: "pull the card out", ...CARD_COMMAND },
  {
    name: "resetCard",
    method: "POST",
    path: "/card/reset",
    purpose: "reset the card as another program would; its PIN session ends",
    ...CARD_COMMAND,
  },
  {
    name: "swapCard",
    method: "POST",
    path: "/card/swap",
    purpose: "insert another card, by name",
    body: schemas.SWAP,
    answer: schemas.CARD,
  },
  {
    name: "auditCard",
    method: "POST",
    path: "/card/audit",
    purpose: "let the emulated authority audit the card: the sum becomes 0",
    ...CARD_COMMAND,
    body: schemas.AUDIT,
  },
  {
    name: "directCard",
    method: "POST",
    path: "/card/directive",
    purpose: "send the card a directive of the emulated authority",
    body: schemas.DIRECTIVE,
    answer: schemas.CARD,
  },
  {
    name: "authority",
    method: "GET",
    path: "/authority",
    purpose: "address of the emulated tax authority, and what it has from the card in the reader",
    answer: schemas.AUTHORITY,
  },
  {
    name: "actAuthority",
    method: "POST",
    path: "/authority",
    purpose: "an action of the emulated tax authority, or of a person who runs an audit at the till",
    body: schemas.AUTHORITY_ACT,
  },
  {
    name: "vsdc",
    method: "GET",
    path: "/vsdc",
    purpose: "the online service: its address, what a POS needs to call it, and its faults",
    answer: schemas.VSDC,
  },
  {
    name: "patchVsdc",
    method: "PATCH",
    path: "/vsdc",
    purpose: "change the faults of the online service",
    body: schemas.VSDC_PATCH,
    answer: schemas.VSDC,
  },
  {
    name: "vsdcPfx",
    method: "GET",
    path: "/vsdc/client.pfx",
    purpose: "client certificate and key for the online service, PFX",
    file: "application/x-pkcs12",
  },
  {
    name: "vsdcPem",
    method: "GET",
    path: "/vsdc/client.pem",
    purpose: "client certificate and key for the online service, PEM",
    file: "application/x-pem-file",
  },
  {
    name: "vsdcCa",
    method: "GET",
    path: "/vsdc/ca.pem",
    purpose: "the certificate with which a POS trusts the online service, PEM",
    file: "application/x-pem-file",
  },
  { name: "unplugReader", method: "POST", path: "/reader/unplug", purpose: "unplug the reader", ...CARD_COMMAND },
  {
    name: "plugReader",
    method: "POST",
    path: "/reader/plug",
    purpose: "plug the reader in, with the card in it",
    ...CARD_COMMAND,
  },
  {
    name: "faults",
    method: "GET",
    path: "/faults",
    purpose: "the faults that are set, and how often each has struck",
    answer: schemas.FAULT_SETS,
  },
  {
    name: "addFault",
    method: "POST",
    path: "/faults",
    purpose: "set a fault",
    body: FAULT_SCHEMA,
    answer: schemas.FAULT_SET,
    status: 201,
  },
  { name: "clearFaults", method: "DELETE", path: "/faults", purpose: "remove all faults" },
  {
    name: "removeFault",
    method: "DELETE",
    path: "/faults/:id",
    purpose: "remove one fault",
    params: schemas.FAULT_ID,
  },
  { name: "clock", method: "GET", path: "/clock", purpose: "the time of service and card", answer: schemas.CLOCK },
  {
    name: "patchClock",
    method: "PATCH",
    path: "/clock",
    purpose: "set, advance or freeze the clock",
    body: schemas.CLOCK_PATCH,
    answer: schemas.CLOCK,
  },
  {
    name: "store",
    method: "GET",
    path: "/store",
    purpose: "how many invoices the service's store holds, by state",
    answer: schemas.STORE,
  },
  {
    name: "restart",
    method: "POST",
    path: "/service/restart",
    purpose: "stop the service as SIGTERM does, and start it again on the same card and store",
    ...COMMAND,
    body: schemas.RESTART,
  },
  {
    name: "kill",
    method: "POST",
    path: "/service/kill",
    purpose: "end the service as SIGKILL does, and start it again on the same card and store",
    ...COMMAND,
  },
  {
    name: "reset",
    method: "POST",
    path: "/reset",
    purpose: "go back to the start or to the last `given`: card, store, clock, faults, traffic",
    ...COMMAND,
    body: schemas.RESET,
  },
  {
    name: "given",
    method: "POST",
    path: "/given",
    purpose: "start from the `given` of a scenario; this erases the current state",
    body: GIVEN_SCHEMA,
  },
  {
    name: "worlds",
    method: "GET",
    path: "/worlds",
    purpose: "separate worlds beside this one, each with its own service, card, clock, store and traffic",
    answer: schemas.WORLDS,
  },
  {
    name: "makeWorld",
    method: "PUT",
    path: "/worlds/:name",
    purpose:
      "make a separate world, or start it again: from a `given`, or without a body from the start of this emulator",
    params: schemas.WORLD_NAME,
    body: GIVEN_SCHEMA,
    bodyOptional: true,
    answer: schemas.WORLD,
  },
  {
    name: "removeWorld",
    method: "DELETE",
    path: "/worlds/:name",
    purpose: "end a separate world and delete it",
    params: schemas.WORLD_NAME,
  },
  {
    name: "snapshots",
    method: "GET",
    path: "/snapshots",
    purpose: "names of the snapshots",
    answer: schemas.SNAPSHOT_NAMES,
  },
  {
    name: "takeSnapshot",
    method: "PUT",
    path: "/snapshots/:name",
    purpose: "save the current state under a name",
    params: schemas.SNAPSHOT_NAME,
    ...COMMAND,
  },
  {
    name: "restoreSnapshot",
    method: "POST",
    path: "/snapshots/:name/restore",
    purpose: "go back to a snapshot",
    params: schemas.SNAPSHOT_NAME,
    ...COMMAND,
  },
  {
    name: "saveSnapshot",
    method: "GET",
    path: "/snapshots/:name/file",
    purpose: "a snapshot as a file, which another emulator of this version can load",
    params: schemas.SNAPSHOT_NAME,
    file: "application/gzip",
  },
  {
    name: "loadSnapshot",
    method: "PUT",
    path: "/snapshots/:name/file",
    purpose:
      "load a snapshot from such a file and keep it under a name; a new world, which ends at once, tests that it works",
    params: schemas.SNAPSHOT_NAME,
    upload: EMULATOR_LIMITS.snapshotFile,
  },
  {
    name: "traffic",
    method: "GET",
    path: "/traffic",
    purpose:
      "requests and answers with the APDUs that each caused, PINs masked: the newest, 4 Mi characters at a time; `?since=ID` only later ones, `?before=ID` only earlier ones, `?last=N` at most so many, `?text=WORDS` with all of these words, `?failed=true` refused or broken off",
    query: schemas.TRAFFIC_PART,
    answer: schemas.TRAFFIC,
  },
  {
    name: "findRequests",
    method: "POST",
    path: "/traffic/find",
    purpose: "find and count requests by their content; with `nth`, wait for the n-th of them",
    body: schemas.FIND_REQUESTS,
    answer: schemas.FOUND_REQUESTS,
  },
  { name: "clearTraffic", method: "DELETE", path: "/traffic", purpose: "delete the traffic" },
  {
    name: "rehearsal",
    method: "GET",
    path: "/rehearsal",
    purpose: "the rehearsal of an approval: each row of the list with its result since the start or the last reset",
    answer: REHEARSAL,
  },
  {
    name: "newRehearsal",
    method: "DELETE",
    path: "/rehearsal",
    purpose: "begin the rehearsal again: forget what the POS has sent",
  },
  {
    name: "putSituation",
    method: "POST",
    path: "/rehearsal/situation",
    purpose: "put a situation that a POS must survive, such as a card that is pulled out",
    body: SITUATION,
  },
  {
    name: "scenarios",
    method: "GET",
    path: "/scenarios",
    purpose: "situations of the shipped scenarios, each with its `given`",
    answer: schemas.SCENARIOS,
  },
  {
    name: "recording",
    method: "GET",
    path: "/recording",
    purpose: "everything since the start, or since the recording began again, as a scenario",
    answer: schemas.RECORDING,
  },
  {
    name: "newRecording",
    method: "DELETE",
    path: "/recording",
    purpose: "restart the recording from the current state of the world",
  },
  {
    name: "openapi",
    method: "GET",
    path: "/openapi.json",
    purpose: "this interface as an OpenAPI 3.1 document",
    answer: schemas.DOCUMENT,
  },
] as const satisfies readonly ControlEndpoint[];

export type ControlEndpointName = (typeof CONTROL_ENDPOINTS)[number]["name"];

/** Returns the path of an endpoint as OpenAPI writes it, such as `/control/faults/{id}`. */
export function controlPath({ path }: Pick<ControlEndpoint, "path">): string {
  return CONTROL_PREFIX + path.replaceAll(/:(\w+)/g, "{$1}");
}
