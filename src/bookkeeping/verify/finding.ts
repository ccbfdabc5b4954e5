/** A problem that `tillseal verify` finds, and its place in the store. */
export interface Finding {
  /** Id of the entry; undefined if the finding concerns the whole store. */
  readonly id: number | undefined;
  readonly number: string | undefined;
  readonly problem: string;
}
