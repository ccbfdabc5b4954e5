/** An application on a card. It answers commands after a program has selected it. */
import type { CommandApdu } from "../../src/secure-element/apdu/command.js";
import type { ResponseApdu } from "../../src/secure-element/apdu/response.js";

export interface Applet {
  /** Names under which programs can select it. */
  readonly aids: readonly Uint8Array[];
  /** Ends the PIN session, as a reset or the selection of another applet does. */
  reset(): void;
  process(command: CommandApdu): Promise<ResponseApdu>;
}

const NO_DATA = new Uint8Array();

export function status(statusWord: number): ResponseApdu {
  return { data: NO_DATA, statusWord };
}
