/** The SQL statements of the ledger. */
import { DAMAGED_ROWS, isIntactIn, sealIn, unsealedIn } from "./row-checksums.js";

/** Selects all entries; callers add a condition. */
export const ENTRIES = `SELECT id, request_id AS requestId, request_hash AS requestHash, uid, state, intent,
  total_counter AS totalCounter, number, signature, answer, checksum FROM invoices`;

const REPORTS = `SELECT id, uid, kind, from_counter AS "from", to_counter AS "to", at, request_id AS requestId,
  confirmed_at AS confirmedAt, kind = 'behind' AND EXISTS (SELECT 1 FROM invoices WHERE total_counter = to_counter
    AND invoices.uid = reports.uid AND state = 'adopted') AS adopted FROM reports`;

const ERASED = `SELECT id, request_id_hash AS requestIdHash, request_hash AS requestHash, uid, state,
  total_counter AS totalCounter, receipt_hash AS receiptHash, erased_at AS erasedAt, checksum FROM erased`;

export const SQL = {
  lastId: "SELECT max(coalesce((SELECT max(id) FROM invoices), 0), coalesce((SELECT max(id) FROM erased), 0))",
  hasErased: "SELECT EXISTS (SELECT 1 FROM erased)",
  byId: `${ENTRIES} WHERE id = ?`,
  byRequestId: `${ENTRIES} INDEXED BY sqlite_autoindex_invoices_1 WHERE request_id = @requestId`,
  // RequestIds that differ only in case are different ones.
  byRequestIdAgain: `${ENTRIES} INDEXED BY invoices_by_request_id_again
    WHERE request_id = @requestId COLLATE NOCASE AND request_id = @requestId`,
  erasedByRequestId: `${ERASED} INDEXED BY erased_by_request_id WHERE request_id_hash = ?`,
  erasedByRequestIdAgain: `${ERASED} INDEXED BY erased_by_request_id_again WHERE request_id_hash = ? COLLATE NOCASE`,
  byNumber: `${ENTRIES} WHERE number = ? ORDER BY id`,
  last: `${ENTRIES} WHERE uid = ? AND number IS NOT NULL ORDER BY id DESC LIMIT 1`,
  // Without the index by name, SQLite reads all receipts of the card.
  openIntents: `${ENTRIES} INDEXED BY invoices_open WHERE state = 'intent' AND uid = coalesce(?, uid) ORDER BY id`,
  insert: `INSERT INTO invoices
      (id, request_id, request_hash, uid, state, intent, total_counter, number, signature, answer, checksum)
    VALUES (@id, @requestId, @requestHash, @uid, @state, @intent, @totalCounter, @number, @signature, @answer, @checksum)`,
  settle: `UPDATE invoices SET state = @state, total_counter = @totalCounter, number = @number, signature = @signature,
      answer = @answer, checksum = @checksum WHERE id = @id AND state = 'intent'`,
  abandon: "DELETE FROM invoices WHERE id = ? AND state = 'intent'",
  // Counter of the card's first stored receipt. A store of an earlier version may have older receipts than the receipt
  // that is stored now.
  firstCounter: `SELECT min(total_counter) FROM (
    SELECT * FROM (SELECT total_counter FROM invoices WHERE uid = @uid AND number IS NOT NULL ORDER BY id LIMIT 1)
    UNION ALL SELECT min(total_counter) FROM erased WHERE uid = @uid)`,
  isRecorded: "SELECT 1 FROM changes WHERE kind = 'card' AND what ->> '$.uid' = ?",
  card: `SELECT last_counter AS lastCounter, counting, certificate, restored,
    refusal, refused_at AS refusedAt FROM cards WHERE uid = ?`,
  keepCertificate: `INSERT OR IGNORE INTO earlier_certificates
    SELECT uid, certificate, ${unsealedIn("cards")} FROM cards WHERE uid = @uid AND certificate <> @certificate`,
  sealCertificates: sealIn("earlier_certificates"),
  putCard: `INSERT INTO cards (uid, last_counter, counting, certificate)
      VALUES (@uid, @lastCounter, @counting, @certificate)
    ON CONFLICT (uid) DO UPDATE SET last_counter = @lastCounter, counting = @counting,
      certificate = coalesce(@certificate, certificate), restored = 0, refusal = NULL, refused_at = NULL,
      checksum = iif(@certificate IS NULL, ${unsealedIn("cards")}, x'')`,
  putRefusal: `INSERT INTO cards (uid, last_counter, counting, refusal, refused_at) VALUES (@uid, 0, '[]', @refusal, @at)
    ON CONFLICT (uid) DO UPDATE SET refusal = @refusal, refused_at = @at, checksum = ${unsealedIn("cards")}`,
  forgetRefusal: `UPDATE cards SET refusal = NULL, refused_at = NULL, checksum = ${unsealedIn("cards")}
    WHERE uid = ? AND refusal IS NOT NULL`,
  sealCards: sealIn("cards"),
  reports: `${REPORTS} WHERE confirmed_at IS NULL ORDER BY id`,
  report: `INSERT INTO reports (uid, kind, from_counter, to_counter, at, request_id, confirmed_at)
    VALUES (@uid, @kind, @from, @to, @at, @requestId, @confirmedAt)`,
  confirm: `UPDATE reports SET confirmed_at = ?, checksum = ${unsealedIn("reports")}
    WHERE id = ? AND confirmed_at IS NULL`,
  sealReports: sealIn("reports"),
  // All entries in order, for reading the whole store.
  all: `${ENTRIES} ORDER BY id`,
  count: "SELECT count(*) FROM invoices",
  newest: `${ENTRIES} ORDER BY id DESC LIMIT ?`,
  newestReceipt: `SELECT number, total_counter AS totalCounter, time AS signedAt FROM invoices
    WHERE number IS NOT NULL ORDER BY id DESC LIMIT 1`,
  receiptCount: "SELECT count(*) FROM invoices WHERE state = 'complete'",
  newestTime: "SELECT max(time) FROM invoices",
  // If an entry has no answer, its intent has the amount.
  amounts: `SELECT total_amount AS totalAmount, CASE WHEN total_amount IS NULL THEN intent END AS intent
    FROM invoices WHERE uid = ? ORDER BY id DESC`,
  // Selects the entries with a counter. Erased entries count too.
  counted: `SELECT id, uid, total_counter AS totalCounter FROM invoices WHERE total_counter IS NOT NULL
    UNION ALL SELECT id, uid, total_counter AS totalCounter FROM erased WHERE total_counter IS NOT NULL
    ORDER BY uid, total_counter, id`,
  uncounted: `SELECT id, uid FROM invoices WHERE state = 'lost' AND total_counter IS NULL
    UNION ALL SELECT id, uid FROM erased WHERE state = 'lost' AND total_counter IS NULL ORDER BY id`,
  salesBetween: `${ENTRIES} WHERE uid = ? AND state = 'complete' AND total_counter BETWEEN ? AND ? ORDER BY total_counter, id`,
  signedAfter: "SELECT signature FROM invoices WHERE uid = ? AND id > ? AND state = 'complete' ORDER BY id",
  allCards: "SELECT uid, last_counter AS lastCounter FROM cards ORDER BY uid",
  allCertificates: `SELECT uid, certificate FROM cards WHERE certificate IS NOT NULL
    UNION ALL SELECT uid, certificate FROM earlier_certificates`,
  allReports: `${REPORTS} ORDER BY id`,
  allErased: `${ERASED} ORDER BY id`,
  // What the authority sent, in the order of sending.
  allSent: `SELECT uid, name, key, value, received_at AS receivedAt, source, file_until AS fileUntil, ${isIntactIn("authority_state")} AS intact
    FROM authority_state ORDER BY id`,
  signed: "SELECT id, signature FROM invoices WHERE uid = ? AND signature IS NOT NULL ORDER BY id",
  signedAs: `SELECT signature FROM invoices WHERE id = @id AND uid = @uid
    UNION ALL SELECT receipt_hash FROM erased WHERE id = @id AND uid = @uid`,
  auditsTo: `SELECT hex(checksum) FROM audits WHERE uid = ? AND covers <= ? AND ${isIntactIn("audits")}`,
  allChanges: "SELECT id, at, kind, what, entry, checksum FROM changes ORDER BY id",
  damagedRows: DAMAGED_ROWS,
  storeName: "SELECT name FROM store_name",
  integrity: "PRAGMA integrity_check",
};
