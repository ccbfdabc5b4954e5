/** Something in a store, and where. */
export interface Finding {
  /** Of the entry; undefined where it is about the store as a whole. */
  readonly id: number | undefined;
  readonly number: string | undefined;
  readonly problem: string;
}
