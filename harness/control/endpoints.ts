/** All endpoints of the control interface. The router, the OpenAPI document and the documentation use this list. */

import { FAULT_SCHEMA } from "../../emulator/faults/fault-schema.js";
import { endpoint } from "../../emulator/tax-authority/endpoint/endpoint-router.js";
import { EMULATOR_LIMITS } from "../../emulator/tax-authority/endpoint/limits.js";
import { GIVEN_SCHEMA } from "../../emulator/world/given.js";
import * as schemas from "../../emulator/world/schemas.js";
import { actionSchema } from "../../emulator/world/steps.js";
import { objectSchema } from "../../src/schema/json-schema.js";
import { REHEARSAL, SITUATION } from "../rehearse/schemas.js";

/** Schemas of a command that has no body. */
const COMMAND = { body: schemas.NO_BODY, bodyOptional: true } as const;
const CARD_COMMAND = { ...COMMAND, answer: schemas.CARD } as const;

export const CONTROL_ENDPOINTS = [
  endpoint("card", "GET /card", "the state of the card in the reader, or of the last one that was in it", {
    answer: schemas.CARD,
  }),
  endpoint(
    "patchCard",
    "PATCH /card",
    "change PIN attempts, lock, signing, sum, limit, counters; locking and unlocking end the PIN session",
    { body: schemas.CARD_PATCH, answer: schemas.CARD },
  ),
  endpoint("insertCard", "POST /card/insert", "insert the card that was in last", CARD_COMMAND),
  endpoint("removeCard", "POST /card/remove", "pull the card out", CARD_COMMAND),
  endpoint(
    "resetCard",
    "POST /card/reset",
    "reset the card as another program would; its PIN session ends",
    CARD_COMMAND,
  ),
  endpoint("swapCard", "POST /card/swap", "insert another card, by name", { body: schemas.SWAP, answer: schemas.CARD }),
  endpoint("auditCard", "POST /card/audit", "let the emulated authority audit the card: the sum becomes 0", {
    ...CARD_COMMAND,
    body: schemas.AUDIT,
  }),
  endpoint("directCard", "POST /card/directive", "send the card a directive of the emulated authority", {
    body: schemas.DIRECTIVE,
    answer: schemas.CARD,
  }),
  endpoint(
    "authority",
    "GET /authority",
    "address of the emulated tax authority, and what it has from the card in the reader",
    { answer: schemas.AUTHORITY },
  ),
  endpoint(
    "actAuthority",
    "POST /authority",
    "an action of the emulated tax authority, or of a person who runs an audit at the till",
    { body: objectSchema({ act: actionSchema("authority") }) },
  ),
  endpoint("vsdc", "GET /vsdc", "the online service: its address, what a POS needs to call it, and its faults", {
    answer: schemas.VSDC,
  }),
  endpoint("patchVsdc", "PATCH /vsdc", "change the faults of the online service", {
    body: schemas.VSDC_PATCH,
    answer: schemas.VSDC,
  }),
  endpoint("vsdcPfx", "GET /vsdc/client.pfx", "client certificate and key for the online service, PFX", {
    file: "application/x-pkcs12",
  }),
  endpoint("vsdcPem", "GET /vsdc/client.pem", "client certificate and key for the online service, PEM", {
    file: "application/x-pem-file",
  }),
  endpoint("vsdcCa", "GET /vsdc/ca.pem", "the certificate with which a POS trusts the online service, PEM", {
    file: "application/x-pem-file",
  }),
  endpoint("unplugReader", "POST /reader/unplug", "unplug the reader", CARD_COMMAND),
  endpoint("plugReader", "POST /reader/plug", "plug the reader in, with the card in it", CARD_COMMAND),
  endpoint("faults", "GET /faults", "the faults that are set, and how often each has struck", {
    answer: schemas.FAULT_SETS,
  }),
  endpoint("addFault", "POST /faults", "set a fault", { body: FAULT_SCHEMA, answer: schemas.FAULT_SET, status: 201 }),
  endpoint("clearFaults", "DELETE /faults", "remove all faults"),
  endpoint("removeFault", "DELETE /faults/:id", "remove one fault", { params: schemas.FAULT_ID }),
  endpoint("clock", "GET /clock", "the time of service and card", { answer: schemas.CLOCK }),
  endpoint("patchClock", "PATCH /clock", "set, advance or freeze the clock", {
    body: schemas.CLOCK_PATCH,
    answer: schemas.CLOCK,
  }),
  endpoint("store", "GET /store", "how many invoices the service's store holds, by state", { answer: schemas.STORE }),
  endpoint(
    "restart",
    "POST /service/restart",
    "stop the service as SIGTERM does, and start it again on the same card and store",
    COMMAND,
  ),
  endpoint(
    "kill",
    "POST /service/kill",
    "end the service as SIGKILL does, and start it again on the same card and store",
    COMMAND,
  ),
  endpoint("reset", "POST /reset", "go back to the start or to the last `given`: card, store, clock, faults, traffic", {
    ...COMMAND,
    body: schemas.RESET,
  }),
  endpoint("given", "POST /given", "start from the `given` of a scenario; this erases the current state", {
    body: GIVEN_SCHEMA,
  }),
  endpoint("snapshots", "GET /snapshots", "names of the snapshots", { answer: schemas.SNAPSHOT_NAMES }),
  endpoint("takeSnapshot", "PUT /snapshots/:name", "save the current state under a name", {
    params: schemas.NAME,
    ...COMMAND,
  }),
  endpoint("restoreSnapshot", "POST /snapshots/:name/restore", "go back to a snapshot", {
    params: schemas.NAME,
    ...COMMAND,
  }),
  endpoint(
    "saveSnapshot",
    "GET /snapshots/:name/file",
    "a snapshot as a file, which another emulator of this version can load",
    { params: schemas.NAME, file: "application/gzip" },
  ),
  endpoint(
    "loadSnapshot",
    "PUT /snapshots/:name/file",
    "load a snapshot from such a file and keep it under a name; a new world, which ends at once, tests that it works",
    { params: schemas.NAME, upload: EMULATOR_LIMITS.snapshotFile },
  ),
  endpoint(
    "traffic",
    "GET /traffic",
    "requests and answers with the APDUs that each caused, PINs masked: the newest, 4 Mi characters at a time; `?since=ID` only later ones, `?before=ID` only earlier ones, `?last=N` at most so many, `?text=WORDS` with all of these words, `?failed=true` refused or broken off",
    { query: schemas.TRAFFIC_PART, answer: schemas.TRAFFIC },
  ),
  endpoint(
    "findRequests",
    "POST /traffic/find",
    "find and count requests by their content; with `nth`, wait for the n-th of them",
    { body: schemas.FIND_REQUESTS, answer: schemas.FOUND_REQUESTS },
  ),
  endpoint("clearTraffic", "DELETE /traffic", "delete the traffic"),
  endpoint(
    "rehearsal",
    "GET /rehearsal",
    "the rehearsal of an approval: each row of the list with its result since the start or the last reset",
    { answer: REHEARSAL },
  ),
  endpoint("newRehearsal", "DELETE /rehearsal", "begin the rehearsal again: forget what the POS has sent"),
  endpoint(
    "putSituation",
    "POST /rehearsal/situation",
    "put a situation that a POS must survive, such as a card that is pulled out",
    { body: SITUATION },
  ),
  endpoint("scenarios", "GET /scenarios", "situations of the shipped scenarios, each with its `given`", {
    answer: schemas.SCENARIOS,
  }),
  endpoint(
    "recording",
    "GET /recording",
    "everything since the start, or since the recording began again, as a scenario",
    { answer: schemas.RECORDING },
  ),
  endpoint("newRecording", "DELETE /recording", "restart the recording from the current state of the world"),
  endpoint("openapi", "GET /openapi.json", "this interface as an OpenAPI 3.1 document", { answer: schemas.DOCUMENT }),
];

export type ControlEndpointName = (typeof CONTROL_ENDPOINTS)[number]["name"];
