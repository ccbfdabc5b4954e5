/** The answer to a change that the caller may not make. */
import type { FiscalCode } from "../../fiscal/codes.js";

export interface PermitRefusal {
  /** Code of the refusal: 1500 if the request has no PIN; otherwise the code that `POST /api/v3/pin` answers. */
  readonly code: FiscalCode;
  /** Explanation of the refusal in English. */
  readonly message: string;
  /** Number of PIN attempts that are left; null if the card has not answered, or was not asked. */
  readonly pinTriesLeft: number | null;
}
