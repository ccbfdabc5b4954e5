/** An application on a card: answers commands once it is selected. */
import type { CommandApdu } from "../../src/secure-element/apdu/command.js";
import type { ResponseApdu } from "../../src/secure-element/apdu/response.js";

export interface Applet {
  /** Names under which it is selected. */
  readonly aids: readonly Uint8Array[];
  /** Forgets what does not survive a reset or another selection: the PIN session. */
  reset(): void;
  process(command: CommandApdu): Promise<ResponseApdu>;
}

const NO_DATA = new Uint8Array();

export function status(statusWord: number): ResponseApdu {
  return { data: NO_DATA, statusWord };
}
