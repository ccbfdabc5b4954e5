/** An application on a card. It answers commands after a program has selected it. */
import type { CommandApdu } from "../../src/secure-element/apdu/command.js";
import type { ResponseApdu } from "../../src/secure-element/apdu/response.js";
import { SW } from "../../src/secure-element/apdu/status-words.js";

export interface Applet {
  /** Identifiers (AIDs) with which programs can select the applet. */
  readonly aids: readonly Uint8Array[];
  /** Ends the PIN session. Called at a reset and when a program selects an applet. */
  reset(): void;
  process(command: CommandApdu): Promise<ResponseApdu>;
}

export function status(statusWord: number): ResponseApdu {
  return { data: new Uint8Array(), statusWord };
}

export const done = (data: Uint8Array): ResponseApdu => ({ data, statusWord: SW.DONE });
