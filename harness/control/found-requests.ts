/** Answers the endpoint `findRequests` of the control interface, with which a test checks what a POS has sent. */

import { ControlError } from "../../emulator/tax-authority/endpoint/errors.js";
import { TRAFFIC_BOUNDS, type TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { findRequests, NotSentError, waitForRequest } from "../scenario/find-requests.js";
import { PatternError } from "../scenario/pattern.js";
import type { RequestFilter, SentRequest, Wait } from "../scenario/request-types.js";

export interface FindRequests extends Wait {
  readonly where?: RequestFilter;
}

/**
 * Finds requests, or waits for the n-th of them first.
 * @throws ControlError 404 if the n-th request did not come in time, 400 if the requested wait is too long or a pattern
 * is wrong
 */
export async function foundRequests(
  log: TrafficLog,
  { where = {}, nth, within }: FindRequests,
): Promise<{ count: number; requests: SentRequest[] }> {
  try {
    if (nth !== undefined || within !== undefined) {
      await waitForRequest(log, where, { ...(nth ? { nth } : {}), ...(within ? { within } : {}) });
    }
    const all = findRequests(log, where);
    return { count: all.length, requests: newestThatFit(all) };
  } catch (error) {
    return refused(error);
  }
}

function refused(error: unknown): never {
  if (error instanceof NotSentError) throw new ControlError(404, error.message, error.came);
  if (error instanceof RangeError || error instanceof PatternError) throw new ControlError(400, error.message);
  throw error;
}

/** Returns the newest requests that fit into one answer of `GET /control/traffic`, at least the newest request. */
function newestThatFit(all: readonly SentRequest[]): SentRequest[] {
  let room = TRAFFIC_BOUNDS.answer;
  const first = all.findLastIndex((request) => {
    room -= JSON.stringify(request).length;
    return room < 0;
  });
  return all.slice(Math.min(first + 1, Math.max(all.length - 1, 0)));
}
