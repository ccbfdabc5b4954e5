/** Proves that a service is the emulator behind a control interface, before we send it a PIN. */
import { randomInt } from "node:crypto";
import { LATEST } from "../../emulator/faults/emulated-clock.js";
import { messageOf } from "../../src/base/thrown.js";
import { UserError } from "../../src/base/user-error.js";
import { toIso } from "../../src/fiscal/time.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import type { Control } from "./controlled-stage.js";
import { httpCall } from "./http-call.js";
import { fieldsOf, jsonIn } from "./json.js";

/**
 * Removes all faults, sets the emulator's clock to a random time, and reads the service's status. If the status shows
 * that time, the service is the emulator, because another service cannot know the time. The clock keeps the random
 * time.
 * @throws UserError if the service is not proven to be that emulator
 */
export async function requireProof(baseUrl: string, control: Control): Promise<void> {
  const time = toIso(randomInt(LATEST));
  await control("POST", "/do", { faults: "clear" });
  await control("POST", "/do", { clock: { at: time, ticking: false } });
  const answer = await httpCall(baseUrl, {
    method: "GET",
    path: `${API_PREFIX}/status`,
    headers: { Accept: "application/json" },
  }).catch((error: unknown) => {
    const reason = messageOf(error);
    throw new UserError(`no whole answer from the service at ${baseUrl}: ${reason}`);
  });
  if (fieldsOf(jsonIn(answer?.text ?? "")).sdcDateTime === time) return;
  throw new UserError(
    `the service at ${baseUrl} is not the emulator that --control-url drives: it does not show the time that was set there. ` +
      "No PIN and no invoice was sent; look at both addresses",
  );
}
