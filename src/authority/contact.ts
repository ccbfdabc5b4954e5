/** Whether the tax authority answers. Status reports this with the codes 0210 and 0220. */
import type { EpochMs } from "../base/epoch-ms.js";

/**
 * Result of the last round with the authority: `reachable` if it accepted every call that is not about a single package
 * or command. `not-asked`: no round has ended yet, or no authority is configured.
 */
export type AuthorityContact = "not-asked" | "reachable" | "not-reachable";

export interface Contact {
  readonly contact: AuthorityContact;
  /** Time of the round that ended last; undefined before the first. */
  readonly at?: EpochMs | undefined;
  /** Time of the last change of `contact`; undefined if unknown. */
  readonly since?: EpochMs | undefined;
  /** What does not work, for people; undefined if everything works. */
  readonly problem?: string | undefined;
}

export const NOT_ASKED: Contact = { contact: "not-asked" };
