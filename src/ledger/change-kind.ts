/** The kinds of changes in the record of changes. Only types: the console's code imports this file too. */

/**
 * - `program`: the version of tillseal.
 * - `settings`, `rates`, `parameters`: the complete new state.
 * - `clock`: it was set, or it differs from the time server's.
 * - `erased`: receipts were erased.
 * - `card`: the first receipt of a card was stored; from its counter on, the store must have every counter.
 */
export type ChangeKind = "program" | "settings" | "rates" | "parameters" | "clock" | "erased" | "card";

/** Names and values, for people: never a PIN, a passphrase or a token. */
export type ChangeFacts = Readonly<Record<string, string>>;
