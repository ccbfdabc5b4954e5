/** Whether the tax authority answers: 0210 and 0220 of status. */

/** How it ended when the authority was last asked; `not-asked` where no authority is configured, too. */
export type AuthorityContact = "not-asked" | "reachable" | "not-reachable";

export interface Contact {
  readonly contact: AuthorityContact;
  /** ms since the epoch; undefined where it is not known. */
  readonly since?: number | undefined;
  /** What does not work, for people; undefined where everything does. */
  readonly problem?: string | undefined;
}

export const NOT_ASKED: Contact = { contact: "not-asked" };
