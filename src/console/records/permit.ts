/** The answer to a change without permission. Only types: the console's code imports this file too. */
import type { FiscalCode } from "../../fiscal/codes.js";

export interface PermitRefusal {
  /** 1500 if the request has no PIN; otherwise the code that `POST /api/v3/pin` answers. */
  readonly code: FiscalCode;
  /** In English. */
  readonly details: string;
  /** null if the card has not answered, or was not asked. */
  readonly pinTriesLeft: number | null;
}
