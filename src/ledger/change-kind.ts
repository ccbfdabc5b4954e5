/** The kinds of changes in the record of changes. */

/**
 * - `program`: the version of tillseal.
 * - `settings`, `rates`, `parameters`: the complete new settings, rates or parameters.
 * - `clock`: the clock was set, or it differs from the time server's clock.
 * - `erased`: receipts were erased.
 * - `card`: the first receipt of a card was stored. The store must have every counter of the card from that receipt on.
 * - `lost`: the store before this one was lost, and a person began this one (`tillseal restore --none`).
 */
export type ChangeKind = "program" | "settings" | "rates" | "parameters" | "clock" | "erased" | "card" | "lost";

/** Names and values of a change, for people. They never contain a PIN, a passphrase or a token. */
export type ChangeFacts = Readonly<Record<string, string>>;
