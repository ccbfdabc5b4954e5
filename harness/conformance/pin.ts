/**
 * Sends the PIN in each form that clients use. A form that a service does not know may cost an attempt, so the order protects the
 * card. The text comes first. JSON follows only if the service accepted the text, or did not read it. After each refused form the
 * suite sends an accepted form again, because a right PIN gives the attempt back.
 */

import { PROFILE_SCHEMA } from "../../emulator/card/profile.js";
import type { HttpAnswer } from "../scenario/http-call.js";
import { fieldsOf } from "../scenario/json.js";
import { NotApplicable } from "../scenario/stage.js";
import { codesOf } from "./answer-form.js";
import { isPinNeeded, statusOf } from "./service.js";
import { type CaseTools, post, type Session } from "./session.js";

/** The stage replaces this PIN by the card's PIN. */
const PIN = PROFILE_SCHEMA.properties.pin.default;
const TEXT = { "Content-Type": "text/plain" };

interface PinForm {
  readonly name: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isSpecified: boolean;
}

const AS_TEXT: PinForm = { name: "as text", body: PIN, headers: TEXT, isSpecified: true };
const IN_JSON: readonly PinForm[] = [
  { name: "in an object", body: JSON.stringify({ pin: PIN }), headers: {}, isSpecified: true },
  { name: "as a JSON text", body: JSON.stringify(PIN), headers: {}, isSpecified: false },
];

export async function sendPin(tools: CaseTools): Promise<HttpAnswer> {
  return tools.call(post("/pin", AS_TEXT.body, AS_TEXT.headers));
}

export async function pin(session: Session, wrongPin: string): Promise<void> {
  await session.case("PIN", "a wrong PIN is 2100", ["STATE-014"], async (tools) => {
    const answer = await tools.call(post("/pin", wrongPin, TEXT));
    stopIfLocked(session, answer);
    expectCode(tools, "2100", answer);
  });
  const first = await rightPin(session, AS_TEXT);
  let accepted = first === "accepted" ? AS_TEXT : undefined;
  // A service that did not read the body used no attempt.
  if (first === "accepted" || first === "not read") {
    for (const form of IN_JSON) {
      const outcome = await rightPin(session, form);
      if (outcome === "accepted") accepted ??= form;
      if (outcome !== "refused") continue;
      if (!accepted || (await rightPin(session, accepted, `, after it was refused ${form.name},`)) !== "accepted")
        break;
    }
  }
  await session.case("PIN", "status after the PIN has 0100", ["STATE-016"], async (tools) => {
    const status = await statusOf(tools);
    if (!accepted && isPinNeeded(status)) {
      const unsent = session.cases.find(({ text }) => text.startsWith("the right PIN"))?.why.reason;
      session.stopped ??= unsent ?? "the service did not accept the PIN; look at --pin";
      throw new NotApplicable(session.stopped);
    }
    tools.expect({ isPinRequired: false, gsc: { $not: { $contains: "1500" } } }, status);
    const { gsc } = fieldsOf(status);
    if (Array.isArray(gsc) && !gsc.includes("0100")) throw new NotApplicable("only deployed services have 0100 in gsc");
  });
}

/** What the service did with a PIN. `not read` means that the service refused the media type. */
type PinFormOutcome = "accepted" | "refused" | "not read" | "not sent";

async function rightPin(session: Session, form: PinForm, again = ""): Promise<PinFormOutcome> {
  let outcome: PinFormOutcome = "not sent";
  await session.case("PIN", `the right PIN ${form.name}${again} is 0100`, ["STATE-015"], async (tools) => {
    const answer = await tools.call(post("/pin", form.body, form.headers));
    stopIfLocked(session, answer);
    const isAccepted = codesOf(answer)[0] === "0100";
    outcome = isAccepted ? "accepted" : answer.status === UNSUPPORTED_MEDIA_TYPE ? "not read" : "refused";
    if (!isAccepted && !form.isSpecified) {
      throw new NotApplicable("the service does not take this form, which the specification does not ask for");
    }
    expectCode(tools, "0100", answer);
  });
  return outcome;
}

const UNSUPPORTED_MEDIA_TYPE = 415;

function stopIfLocked(session: Session, answer: HttpAnswer): void {
  if (codesOf(answer).includes("2110")) session.stopped = "the card is locked";
}

/** Compares the code, bare or in JSON: the specification does not show which form is right. */
function expectCode(tools: CaseTools, code: string, answer: HttpAnswer): void {
  tools.expect({ code }, { code: codesOf(answer)[0] ?? answer.text });
}
