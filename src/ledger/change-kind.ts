/** The kinds of changes in the record of changes. Types alone: the console's own code reads them too. */

/**
 * - `program`: the version of tillseal that runs.
 * - `settings`, `rates`, `parameters`: what is in force from now on, all of it.
 * - `clock`: it was set, or it differs from the time server's.
 * - `erased`: receipts were erased.
 */
export type ChangeKind = "program" | "settings" | "rates" | "parameters" | "clock" | "erased";

/** Names and values, for people: never a PIN, a passphrase or a token. */
export type ChangeFacts = Readonly<Record<string, string>>;
