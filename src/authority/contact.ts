/** Whether the tax authority answers: 0210 and 0220 of status. */

/**
 * Result of the last round with the authority: `reachable` if it accepted every call that is not about a single package or
 * command. `not-asked` also if no authority is configured.
 */
export type AuthorityContact = "not-asked" | "reachable" | "not-reachable";

export interface Contact {
  readonly contact: AuthorityContact;
  /** ms since the epoch; undefined if unknown. */
  readonly since?: number | undefined;
  /** What does not work, for people; undefined if everything does. */
  readonly problem?: string | undefined;
}

export const NOT_ASKED: Contact = { contact: "not-asked" };
