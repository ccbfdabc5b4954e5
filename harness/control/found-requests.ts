/** Answers the endpoint `findRequests` of the control interface, with which a test checks what a POS has sent. */

import { ControlError } from "../../emulator/tax-authority/endpoint/errors.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { findRequests, NotSentError, newestThatFit, waitForRequest } from "../scenario/find-requests.js";
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
): Promise<{ count: number; requests: readonly SentRequest[] }> {
  try {
    if (nth !== undefined || within !== undefined) {
      await waitForRequest(log, where, { ...(nth ? { nth } : {}), ...(within ? { within } : {}) });
    }
    const all = findRequests(log, where);
    return { count: all.length, requests: newestThatFit(all, (request) => JSON.stringify(request).length) };
  } catch (error) {
    if (error instanceof NotSentError) throw new ControlError(404, error.message, error.came);
    if (error instanceof RangeError || error instanceof PatternError) throw new ControlError(400, error.message);
    throw error;
  }
}
