/**
 * Checksums of rows, other than those of receipts. One flipped bit could change rates, prevent sales from being sent, or
 * allow unsent sales to be erased. A damaged row of audits or progress does not count, and its values are derived from
 * the intact rows.
 */
import { checksumOf } from "./checksum.js";
import { NO_END } from "./sent.js";
import type { Db } from "./sqlite.js";

/** All columns of each table but its checksum. */
const COLUMNS = {
  cards: "uid, last_counter, counting, certificate, restored, refusal, refused_at",
  earlier_certificates: "uid, certificate",
  reports: "id, uid, kind, from_counter, to_counter, at, request_id, confirmed_at",
  authority_state: "id, uid, name, key, value, received_at, source, file_until",
  authority_commands: `id, uid, command_id, type, payload, received_at, executed_at, outcome, reason, reported_at,
    from_file, needs_yes`,
  made_changes: "id, uid, at, what, seen_at",
  audits: `id, uid, started_at, request, sum, "limit", covers, requested_at, asked, ended_at, outcome`,
  audit_progress: "uid, sent_to, proven_to, last, wrong, last_wrong, authority_key, refused, on_stick",
  unverified_packages: "uid, entry, number, status, tries, at",
  key_pins: "uid, own_pin, at",
} as const;

type SealedTable = keyof typeof COLUMNS;

/** SQL for the checksum of a row. This program defines the SQL function row_checksum(). */
export const checksumIn = (table: SealedTable) =>
  `row_checksum(${COLUMNS[table].replaceAll(/"?\w+"?/g, (column) => `${table}.${column}`)})`;

/** Times that this program writes: only rates of a file end. Other times are damage, also with a right checksum. */
const WRITTEN_TIMES = `received_at BETWEEN 0 AND ${NO_END} AND (file_until IS NULL OR file_until = ${NO_END}
  OR (name = 'rates' AND file_until BETWEEN 0 AND ${NO_END}))`;

/** SQL condition for rows that count. A new row of progress counts while nothing was sent and nothing is proven. */
export function isIntactIn(table: SealedTable): string {
  const isSealed = `${table}.checksum = ${checksumIn(table)}`;
  if (table === "authority_state") return `(${isSealed} AND ${WRITTEN_TIMES})`;
  if (table !== "audit_progress") return isSealed;
  return `(${isSealed} OR (checksum = x'' AND sent_to = 0 AND proven_to = 0))`;
}

/**
 * The checksum in a statement that changes a row: empty until {@link sealIn} computes it. A damaged row keeps its
 * checksum, because a new one would hide the damage.
 */
export const unsealedIn = (table: SealedTable) => `iif(${isIntactIn(table)}, x'', ${table}.checksum)`;

/** A statement that computes the checksums of new and changed rows. It runs in the transaction that writes the rows. */
export const sealIn = (table: SealedTable) =>
  `UPDATE ${table} SET checksum = ${checksumIn(table)} WHERE checksum = x''`;

export function addRowChecksum(db: Db): void {
  db.function("row_checksum", { deterministic: true, varargs: true }, (...columns) => checksumOf(columns));
}

export const INTACT_AUDIT = isIntactIn("audits");
export const INTACT_PROGRESS = isIntactIn("audit_progress");

/**
 * Makes the row of progress for a card that has no usable row. Sales that an accepted proof covers count as sent; all
 * other sales are sent again.
 */
const MEND = `INSERT INTO audit_progress (uid, sent_to, proven_to)
    SELECT @uid, coalesce(max(covers), 0), coalesce(max(covers), 0) FROM audits
    WHERE uid = @uid AND outcome = 'ended' AND ${INTACT_AUDIT}`;

export const PROGRESS_SQL = {
  remove: `DELETE FROM audit_progress WHERE uid = @uid AND NOT ${INTACT_PROGRESS}`,
  mend: `${MEND} ON CONFLICT (uid) DO NOTHING`,
  seal: `UPDATE audit_progress SET checksum = ${checksumIn("audit_progress")} WHERE uid = @uid`,
  sealAudit: `UPDATE audits SET checksum = ${checksumIn("audits")} WHERE id = @id`,
  /** Id of the newest entry that a proof covers; 0 if no proof covers an entry. */
  provenTo: `SELECT coalesce(
    (SELECT proven_to FROM audit_progress WHERE uid = @uid AND ${INTACT_PROGRESS}),
    (SELECT max(covers) FROM audits WHERE uid = @uid AND outcome = 'ended' AND ${INTACT_AUDIT}), 0)`,
};

export const DAMAGED_ROWS = (Object.keys(COLUMNS) as SealedTable[])
  .map((table) => `SELECT '${table}' AS "table", rowid AS row FROM ${table} WHERE NOT (${isIntactIn(table)})`)
  .join(" UNION ALL ");
