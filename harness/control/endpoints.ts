/** All endpoints of the control interface. The router, the OpenAPI document and the documentation use this list. */

import { CARD_ROWS } from "../../emulator/world/do-step.js";
import { GIVEN_SCHEMA } from "../../emulator/world/given.js";
import * as schemas from "../../emulator/world/schemas.js";
import { stepSchema } from "../../emulator/world/steps.js";
import { endpoint } from "../../src/http/endpoint.js";
import { REHEARSAL, SITUATION } from "../rehearse/schemas.js";
import { CONTROL_LIMITS } from "./limits.js";

const COMMAND = { body: schemas.NO_BODY, bodyOptional: true } as const;

export const CONTROL_ENDPOINTS = [
  endpoint(
    "do",
    "POST /do",
    "do a step, as a scenario file has it; the answer is the record that shows what has changed",
    {
      body: stepSchema(),
      answer: {
        anyOf: [schemas.CARD, schemas.CLOCK, schemas.STORE, schemas.AUTHORITY, schemas.FAULT_SETS, schemas.VSDC],
      },
    },
  ),
  endpoint("card", "GET /card", "the state of the card in the reader, or of the last one that was in it", {
    answer: schemas.CARD,
  }),
  endpoint("store", "GET /store", "how many invoices the service's store holds, by state", { answer: schemas.STORE }),
  endpoint(
    "authority",
    "GET /authority",
    "address of the emulated tax authority, and what it has from the card in the reader",
    { answer: schemas.AUTHORITY },
  ),
  endpoint("clock", "GET /clock", "the time of service and card", { answer: schemas.CLOCK }),
  endpoint("faults", "GET /faults", "the faults that are set, and how often each has struck", {
    answer: schemas.FAULT_SETS,
  }),
  endpoint("removeFault", "DELETE /faults/:id", "remove one fault", { params: schemas.FAULT_ID }),
  endpoint("vsdc", "GET /vsdc", "the online service: its address, what a POS needs to call it, and its faults", {
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
    { params: schemas.NAME, upload: CONTROL_LIMITS.snapshotFile },
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
    "the rehearsal of an approval: each row of the list with its result; `?since=ID` judges only later requests",
    { query: schemas.REHEARSAL_PART, answer: REHEARSAL },
  ),
  endpoint("newRehearsal", "DELETE /rehearsal", "begin the rehearsal again: forget what the POS has sent"),
  endpoint(
    "putSituation",
    "POST /rehearsal/situation",
    "put the running world into a situation that a POS must survive, such as `pos/lost-answer`",
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

/** Endpoints of published cards. Clock, store and requests belong to another process. */
const OF_CARDS: readonly string[] = ["card", "faults", "removeFault", "reset", "given", "openapi"];
const CARD_STEPS = Object.fromEntries(Object.entries(CARD_ROWS).map(([kind, rows]) => [kind, Object.keys(rows)]));
export const PUBLISHED_ENDPOINTS = CONTROL_ENDPOINTS.flatMap((one) => {
  if (one.name === "do") return endpoint(one.name, "POST /do", one.purpose, { ...one, body: stepSchema(CARD_STEPS) });
  return OF_CARDS.includes(one.name) ? one : [];
});

export type ControlEndpointName = (typeof CONTROL_ENDPOINTS)[number]["name"];
