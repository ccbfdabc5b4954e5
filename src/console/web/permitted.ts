/** Runs actions that need the card's PIN, and turns a refusal into a text in the reader's language. */
import type { PermitRefusal } from "../records/permit.js";
import { Refused } from "./api.js";
import { pinAnswerText } from "./pin-entry.js";
import type { Speech } from "./texts.js";

/** Runs an action. @throws Error with a text for people if the PIN is missing or wrong; any other error of `action` */
export async function permitted<T>(speech: Speech, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Refused) || !isRefusal(error.body)) throw error;
    const { code, pinTriesLeft } = error.body;
    if (code === "1500") throw new Error(speech.say("changesNeedPin"));
    const tries = pinTriesLeft === null ? "" : ` ${speech.say("triesLeft", { n: pinTriesLeft })}`;
    throw new Error(`${pinAnswerText(speech, code)}${tries}`);
  }
}

/** Whether the service refused an action because it came without the PIN. */
export function needsPin(error: unknown): boolean {
  return error instanceof Refused && isRefusal(error.body) && error.body.code === "1500";
}

function isRefusal(body: unknown): body is PermitRefusal {
  return typeof body === "object" && body !== null && "pinTriesLeft" in body;
}
