/** The answer to a change without permission. Only types: the console's code imports this file too. */
import type { FiscalCode } from "../../fiscal/codes.js";

export interface PermitRefusal {
  /** 1500 if the request has no PIN; otherwise as `POST /api/v3/pin`. */
  readonly code: FiscalCode;
  /** In English. */
  readonly details: string;
  /** null if the card does not say. */
  readonly pinTriesLeft: number | null;
}
