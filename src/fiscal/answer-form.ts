/** How a service answers: as the specification says, or as deployed devices do (protocol facts, section 4, "Errors"). */
import type { QrFormat } from "./qr.js";

export const ANSWER_FORMS = ["specification", "device"] as const;
export type AnswerForm = (typeof ANSWER_FORMS)[number];

/** The errors that a device answers with the bare code, and their HTTP status. */
const BARE: Readonly<Record<string, number>> = { "1300": 400, "1500": 401, "1999": 400, "2400": 400 };

/** Returns the HTTP status of an error whose body is the bare code; undefined if its body is the error record. */
export function bareStatus(form: AnswerForm, code: string): number | undefined {
  return form === "device" ? BARE[code] : undefined;
}

export function refusedPinStatus(form: AnswerForm): 200 | 423 {
  return form === "device" ? 423 : 200;
}

export function qrFormatOf(form: AnswerForm): QrFormat {
  return form === "device" ? "gif" : "png";
}
