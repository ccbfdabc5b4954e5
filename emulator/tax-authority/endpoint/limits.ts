/** All limits of the emulator, for the code, the description of the control interface and the documentation. */
import { type Limit, limitWith } from "../../../src/http/limits.js";
import { TRAFFIC_BOUNDS } from "../../../src/http/traffic/traffic-log.js";
import { tooManyValues } from "../../../src/schema/validator.js";
import { ControlError } from "./errors.js";

const MIB = 1024 * 1024;

/** For a request beyond the limit. */
const refused = limitWith(400, null);
/** For a limit of what an answer or a log has. */
const dropped = limitWith(null, null);

export const EMULATOR_LIMITS = {
  faults: refused(
    100,
    "100",
    "faults that are set",
    "There are 100 faults already; remove one with DELETE /control/faults/ID",
  ),
  cards: refused(16, "16", "other cards of a `given`", "otherCards must NOT have more than 16 properties"),
  snapshots: refused(
    20,
    "20",
    "snapshots",
    "There are 20 snapshots already; use an existing name to replace that snapshot",
  ),
  snapshotBytes: refused(
    256 * MIB,
    "256 MiB",
    "stores in all snapshots",
    "The stores of all snapshots would be larger than 256 MiB; use an existing name to replace that snapshot",
  ),
  snapshotFile: refused(64 * MIB, "64 MiB", "the file of a snapshot", "The file of a snapshot has at most 64 MiB"),
  snapshotUnpacked: refused(
    128 * MIB,
    "128 MiB",
    "the file of a snapshot, unpacked",
    "The file of a snapshot has at most 128 MiB when it is unpacked",
  ),
  depth: refused(
    32,
    "32 levels",
    "nesting of a body of the control interface",
    "The body is nested deeper than 32 levels",
  ),
  details: dropped(100, "100", "wrong fields that one refusal names", "The refusal names the first 100"),
  logEntries: dropped(TRAFFIC_BOUNDS.entries, "1,000", "requests in the traffic log", "The oldest are dropped"),
  rehearsal: dropped(10_000, "10,000", "requests that a rehearsal judges", "The oldest are dropped"),
  rehearsalCharacters: dropped(
    32 * MIB,
    "32 Mi characters",
    "the requests that a rehearsal judges",
    "The oldest are dropped",
  ),
  logCharacters: dropped(
    TRAFFIC_BOUNDS.characters,
    "64 Mi characters",
    "the traffic log",
    "The oldest requests are dropped",
  ),
  logRefused: dropped(
    TRAFFIC_BOUNDS.refused,
    "100",
    "requests in the traffic log that the guard has refused (403)",
    "The oldest of them are dropped, so that a web page cannot push out POS requests",
  ),
  logAnswer: dropped(
    TRAFFIC_BOUNDS.answer,
    "4 Mi characters",
    "one answer of GET /control/traffic",
    "It has the newest requests that fit, at least one; `?before=ID` gets earlier ones",
  ),
  scenarioValues: refused(200_000, "200,000", "values of a scenario in all its cases", `it ${tooManyValues(200_000)}`),
  snapshotValues: refused(200_000, "200,000", "values of a snapshot", `The snapshot ${tooManyValues(200_000)}`),
  recordingSteps: dropped(
    1000,
    "1,000",
    "steps of the recording in memory",
    "It restarts from the current state of the world",
  ),
  recordingCharacters: dropped(
    8 * MIB,
    "8 Mi characters",
    "requests and answers of the recording in memory",
    "It restarts from the current state of the world",
  ),
  recordingFile: dropped(
    64 * MIB,
    "64 MiB",
    "a file that --record writes",
    "The recording has reached its limit of 64 MiB",
  ),
};

/** An error of a caller who exceeds a limit of the emulator. */
export class LimitError extends ControlError {
  constructor({ sentence }: Limit) {
    super(400, sentence);
  }
}
