/** Cases of attention, status and environment parameters, before the PIN and after the PIN. */

import { messageOf } from "../../src/base/thrown.js";
import { parseTime } from "../../src/fiscal/time.js";
import { fieldsOf, jsonIn } from "../scenario/json.js";
import { NotApplicable } from "../scenario/stage.js";
import { codesOf } from "./answer-form.js";
import { samplesFor } from "./invoices.js";
import { knownFrom } from "./known.js";
import { type CaseTools, get, post, type Session } from "./session.js";

export async function service(session: Session): Promise<void> {
  let attention: number | undefined;
  await session.case("Service", "attention", ["STATE-004"], async (tools) => {
    const answer = await tools.call(get("/attention")).catch((error: unknown) => {
      session.stopped = `no answer came: ${messageOf(error)}`;
      throw error;
    });
    attention = answer.status;
    tools.expect({ status: 200 }, answer);
  });
  const status = await learn(session, "");
  if (attention !== undefined && !isSuccess(attention)) {
    session.stopped = `attention was answered with ${attention}: the service does not say that it is ready, so no PIN was sent`;
  }
  if (session.options.online) return;
  await session.case("PIN", "status without the PIN has 1500", ["STATE-012"], (tools) => {
    requirePinNeeded(status);
    tools.expect({ isPinRequired: true, gsc: { $contains: "1500" } }, status);
  });
  const samples = samplesFor(session.known.rates, session.now);
  await session.case("PIN", "an invoice without the PIN is refused with 401 and 1500", ["STATE-013"], async (tools) => {
    requirePinNeeded(status);
    if (!samples) throw new NotApplicable("status shows no tax rates");
    const answer = await tools.call(post("/invoices", samples.plain));
    tools.expect({ status: 401, text: { $contains: "1500" } }, answer);
  });
}

const isSuccess = (status: number) => status >= 200 && status < 300;

/** The fields without which a POS cannot use an answer. */
const STATUS = { isPinRequired: { $type: "boolean" }, gsc: { $type: "array" }, sdcDateTime: { $time: true } };
const PARAMETERS = { organizationName: { $type: "string" }, country: { $type: "string" } };

/** Reads status and parameters into the session. @returns the body of status */
export async function learn(session: Session, when: "" | " after the PIN"): Promise<unknown> {
  let status: unknown;
  await session.case("Service", `status${when}`, ["STATE-003"], async (tools) => {
    status = await statusOf(tools);
    if (!session.options.online) tools.expect(STATUS, status);
  });
  let environment: unknown;
  await session.case("Service", `environment parameters${when}`, [], async (tools) => {
    const answer = await tools.call(get("/environment-parameters"));
    if (when === "" && !isSuccess(answer.status) && codesOf(answer).includes("1500")) {
      throw new NotApplicable("the service shows them only after the PIN");
    }
    tools.expect({ status: 200 }, answer);
    environment = jsonIn(answer.text);
    tools.expect(PARAMETERS, environment);
  });
  session.known = knownFrom(status, environment);
  session.now = parseTime(String(fieldsOf(status).sdcDateTime)) ?? 0;
  return status;
}

export async function statusOf(tools: CaseTools): Promise<unknown> {
  const answer = await tools.call(get("/status"));
  tools.expect({ status: 200 }, answer);
  return jsonIn(answer.text);
}

/** Whether status asks for the PIN, by the code 1500 or by the flag `isPinRequired` alone. */
export function isPinNeeded(status: unknown): boolean {
  const { gsc, isPinRequired } = fieldsOf(status);
  return isPinRequired === true || (Array.isArray(gsc) && gsc.includes("1500"));
}

/** Skips a case that needs a card without PIN session. @throws NotApplicable if status does not ask for the PIN */
function requirePinNeeded(status: unknown): void {
  if (isPinNeeded(status)) return;
  const isVerified = fieldsOf(status).isPinRequired === false;
  throw new NotApplicable(
    isVerified
      ? "the service did not ask for the PIN: it was verified before"
      : "status does not say whether the PIN is needed",
  );
}
