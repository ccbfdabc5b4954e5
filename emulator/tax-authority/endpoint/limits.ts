/** All limits of the emulator, for the code, the description of the control interface and the documentation. */
import type { Limit } from "../../../src/http/limits.js";
import { TRAFFIC_BOUNDS } from "../../../src/http/traffic/traffic-log.js";

const MIB = 1024 * 1024;

export const EMULATOR_LIMITS = {
  faults: {
    value: 100,
    shown: "100",
    subject: "faults that are set",
    status: 400,
    code: null,
    sentence: "There are 100 faults already; remove them with DELETE /control/faults",
  },
  cards: {
    value: 16,
    shown: "16",
    subject: "other cards of a `given`",
    status: 400,
    code: null,
    sentence: "otherCards must NOT have more than 16 properties",
  },
  worlds: {
    value: 16,
    shown: "16",
    subject: "separate worlds",
    status: 400,
    code: null,
    sentence: "There are 16 worlds already; remove one with DELETE /control/worlds/NAME",
  },
  snapshots: {
    value: 20,
    shown: "20",
    subject: "snapshots",
    status: 400,
    code: null,
    sentence: "There are 20 snapshots already; use an existing name to replace that snapshot",
  },
  snapshotBytes: {
    value: 256 * MIB,
    shown: "256 MiB",
    subject: "stores in all snapshots",
    status: 400,
    code: null,
    sentence: "The stores of all snapshots would be larger than 256 MiB; use an existing name to replace that snapshot",
  },
  snapshotFile: {
    value: 64 * MIB,
    shown: "64 MiB",
    subject: "the file of a snapshot",
    status: 400,
    code: null,
    sentence: "The file of a snapshot has at most 64 MiB",
  },
  snapshotUnpacked: {
    value: 128 * MIB,
    shown: "128 MiB",
    subject: "the file of a snapshot, unpacked",
    status: 400,
    code: null,
    sentence: "The file of a snapshot has at most 128 MiB when it is unpacked",
  },
  depth: {
    value: 32,
    shown: "32 levels",
    subject: "nesting of a body of the control interface",
    status: 400,
    code: null,
    sentence: "The body is nested deeper than 32 levels",
  },
  details: {
    value: 100,
    shown: "100",
    subject: "wrong fields that one refusal names",
    status: null,
    code: null,
    sentence: "The refusal names the first 100",
  },
  logEntries: {
    value: TRAFFIC_BOUNDS.entries,
    shown: "1,000",
    subject: "requests in the traffic log",
    status: null,
    code: null,
    sentence: "The oldest are dropped",
  },
  rehearsal: {
    value: 10_000,
    shown: "10,000",
    subject: "requests that a rehearsal judges",
    status: null,
    code: null,
    sentence: "The oldest are dropped",
  },
  rehearsalCharacters: {
    value: 32 * MIB,
    shown: "32 Mi characters",
    subject: "the requests that a rehearsal judges",
    status: null,
    code: null,
    sentence: "The oldest are dropped",
  },
  logCharacters: {
    value: TRAFFIC_BOUNDS.characters,
    shown: "64 Mi characters",
    subject: "the traffic log",
    status: null,
    code: null,
    sentence: "The oldest requests are dropped",
  },
  logRefused: {
    value: TRAFFIC_BOUNDS.refused,
    shown: "100",
    subject: "requests in the traffic log that the guard has refused (403)",
    status: null,
    code: null,
    sentence: "The oldest of them are dropped, so that a web page cannot push out POS requests",
  },
  logAnswer: {
    value: TRAFFIC_BOUNDS.answer,
    shown: "4 Mi characters",
    subject: "one answer of GET /control/traffic",
    status: null,
    code: null,
    sentence: "It has the newest requests that fit, at least one; `?before=ID` gets earlier ones",
  },
  recordingSteps: {
    value: 1000,
    shown: "1,000",
    subject: "steps of the recording in memory",
    status: null,
    code: null,
    sentence: "It restarts from the current state of the world",
  },
  recordingCharacters: {
    value: 8 * MIB,
    shown: "8 Mi characters",
    subject: "requests and answers of the recording in memory",
    status: null,
    code: null,
    sentence: "It restarts from the current state of the world",
  },
  recordingFile: {
    value: 64 * MIB,
    shown: "64 MiB",
    subject: "a file that --record writes",
    status: null,
    code: null,
    sentence: "The recording has reached its limit of 64 MiB",
  },
} as const satisfies Record<string, Limit>;

/** An error of a caller who exceeds a limit of the emulator. */
export class LimitError extends Error {
  override readonly name = "LimitError";
  constructor({ sentence }: Limit) {
    super(sentence);
  }
}
