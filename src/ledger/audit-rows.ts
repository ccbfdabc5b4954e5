/**
 * Checksums of the rows about audits. One flipped bit in such a row could prevent sales from being sent, or allow
 * unsent sales to be erased. A damaged row does not count, and its values are derived from the intact rows.
 */
import { checksumOf } from "./checksum.js";
import type { Db } from "./sqlite.js";

const AUDIT = `id, uid, started_at, request, sum, "limit", covers, requested_at, asked, ended_at, outcome`;
const PROGRESS = "uid, sent_to, proven_to, last, wrong, last_wrong, authority_key, refused, on_stick";

/** SQL for the checksum of a row. This program defines the SQL function row_checksum(). */
export const AUDIT_CHECKSUM = `row_checksum(${AUDIT})`;
export const PROGRESS_CHECKSUM = `row_checksum(${PROGRESS})`;

/** Defines the SQL function row_checksum() on a connection. */
export function addRowChecksum(db: Db): void {
  db.function("row_checksum", { deterministic: true, varargs: true }, (...columns) => checksumOf(columns));
}

/**
 * SQL conditions for rows that count. A new row of progress has no checksum; it counts while nothing was sent and
 * nothing is proven.
 */
export const INTACT_AUDIT = `checksum = ${AUDIT_CHECKSUM}`;
export const INTACT_PROGRESS = `(checksum = ${PROGRESS_CHECKSUM} OR (checksum = x'' AND sent_to = 0 AND proven_to = 0))`;

/**
 * Makes the row of progress for a card that has no usable row. Sales that an accepted proof covers count as sent; all
 * other sales are sent again.
 */
const MEND = `INSERT INTO audit_progress (uid, sent_to, proven_to)
    SELECT @uid, coalesce(max(covers), 0), coalesce(max(covers), 0) FROM audits
    WHERE uid = @uid AND outcome = 'ended' AND ${INTACT_AUDIT}`;

export const PROGRESS_SQL = {
  remove: `DELETE FROM audit_progress WHERE uid = @uid AND NOT (${INTACT_PROGRESS})`,
  mend: `${MEND} ON CONFLICT (uid) DO NOTHING`,
  seal: `UPDATE audit_progress SET checksum = ${PROGRESS_CHECKSUM} WHERE uid = @uid`,
  sealAudit: `UPDATE audits SET checksum = ${AUDIT_CHECKSUM} WHERE id = @id`,
  /** Id of the newest entry that a proof covers; 0 if no proof covers an entry. */
  provenTo: `SELECT coalesce(
    (SELECT proven_to FROM audit_progress WHERE uid = @uid AND ${INTACT_PROGRESS}),
    (SELECT max(covers) FROM audits WHERE uid = @uid AND outcome = 'ended' AND ${INTACT_AUDIT}), 0)`,
};

/** Selects the UIDs of cards whose rows about audits are damaged. */
export const DAMAGED_AUDIT_ROWS = `SELECT uid FROM audits WHERE NOT (${INTACT_AUDIT})
  UNION SELECT uid FROM audit_progress WHERE NOT (${INTACT_PROGRESS})`;
