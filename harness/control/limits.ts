/** All limits of the emulator, for the code, the description of the control interface and the documentation. */
import { MOST_SCENARIO_BYTES } from "../../emulator/world/given-file.js";
import { EMULATOR_LIMITS } from "../../emulator/world/limits.js";
import { LIMITS, refused, withoutError } from "../../src/http/limits.js";
import { TRAFFIC_BOUNDS } from "../../src/http/traffic/traffic-log.js";
import { REHEARSAL_LIMITS } from "../rehearse/rehearsal.js";

const MIB = 1024 * 1024;
const { depth } = LIMITS;

export const CONTROL_LIMITS = {
  ...EMULATOR_LIMITS,
  depth: refused(depth.value, depth.shown, "nesting of a body of the control interface", depth.sentence),
  details: withoutError(100, "100", "wrong fields that one refusal names", "The refusal names the first 100"),
  logEntries: withoutError(TRAFFIC_BOUNDS.entries, "1,000", "requests in the traffic log", "The oldest are dropped"),
  ...REHEARSAL_LIMITS,
  logCharacters: withoutError(
    TRAFFIC_BOUNDS.characters,
    "64 Mi characters",
    "the traffic log",
    "The oldest requests are dropped",
  ),
  logRefused: withoutError(
    TRAFFIC_BOUNDS.refused,
    "100",
    "requests in the traffic log that the guard has refused (403)",
    "The oldest of them are dropped, so that a web page cannot push out POS requests",
  ),
  logAnswer: withoutError(
    TRAFFIC_BOUNDS.answer,
    "4 Mi characters",
    "one answer of GET /control/traffic",
    "It has the newest requests that fit, at least one; `?before=ID` gets earlier ones",
  ),
  recordingSteps: withoutError(
    1000,
    "1,000",
    "steps of the recording in memory",
    "It restarts from the current state of the world",
  ),
  recordingCharacters: withoutError(
    8 * MIB,
    "8 Mi characters",
    "requests and answers of the recording in memory",
    "It restarts from the current state of the world",
  ),
  recordingFile: withoutError(
    MOST_SCENARIO_BYTES,
    "64 MiB",
    "a file that --record writes",
    "The recording has reached its limit of 64 MiB",
  ),
};
