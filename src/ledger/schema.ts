/** The schema of the store: the schema of 1.0.0, and the steps that have changed it since. */

/** Number of {@link SCHEMA} in the store's `user_version`. Until 1.0.0 is published, each change of it adds 1. */
const FIRST = 16;

/** Bytes 3 to 8 of the card's answer, which are the time of the signed header. SQLite reads no number from a blob. */
const SIGNED_TIME = Array.from(
  { length: 12 },
  (_, digit) =>
    `((instr('0123456789ABCDEF', substr(hex(substr(signature, 3, 6)), ${digit + 1}, 1)) - 1) << ${44 - 4 * digit})`,
).join(" | ");

/** The schema of 1.0.0. Once that is published, do not edit it, not even a comment: own-schema.ts compares the text. */
export const SCHEMA = `
  CREATE TABLE invoices (
    -- Chosen by the ledger, which gives none twice while it runs.
    id INTEGER PRIMARY KEY,
    -- What the POS sent as RequestId; fiscalized at most once (docs/architecture.md, "What must never happen").
    request_id TEXT UNIQUE,
    -- SHA-256 of the normalised request: tells a repeat from another body under the same RequestId. '' if adopted.
    request_hash TEXT NOT NULL,
    -- The card that was or will be asked.
    uid TEXT NOT NULL,
    -- EntryState in ledger.ts says what each means.
    state TEXT NOT NULL CHECK (state IN ('intent', 'complete', 'lost', 'unproven', 'adopted')),
    -- Everything the answer needs besides the signature, JSON.
    intent TEXT CHECK ((intent IS NULL) = (state = 'adopted')),
    total_counter INTEGER,
    number TEXT,
    -- What the card returned: header, counters, internal data, signature.
    signature BLOB,
    -- The answer without the QR code, which follows from its verificationUrl.
    answer TEXT,
    -- SHA-256 over all of the above; '' if the row was damaged before it was settled.
    checksum BLOB NOT NULL,
    -- When the card signed: ms since the epoch, from the signed header. NULL if there is no receipt.
    time INTEGER GENERATED ALWAYS AS (CASE WHEN state IN ('complete', 'adopted') AND length(signature) >= 8
      AND hex(substr(signature, 1, 2)) = '0000' THEN ${SIGNED_TIME} END) VIRTUAL,
    -- What people search for, derived from the answer. A damaged answer must not stop a list.
    total_amount TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(answer) THEN answer -> '$.totalAmount' END) VIRTUAL,
    CHECK (state NOT IN ('complete', 'unproven', 'adopted')
      OR (total_counter IS NOT NULL AND number IS NOT NULL AND signature IS NOT NULL))
  ) STRICT;
  -- A second B-tree over the RequestIds, which differs from the first in its collation only so that a query can name
  -- either. A RequestId is new if neither has it: one flipped bit makes no sale unknown.
  CREATE INDEX invoices_by_request_id_again ON invoices (request_id COLLATE NOCASE);
  CREATE INDEX invoices_numbered ON invoices (uid) WHERE number IS NOT NULL;
  CREATE INDEX invoices_by_number ON invoices (number);
  CREATE INDEX invoices_open ON invoices (uid) WHERE state = 'intent';
  CREATE INDEX invoices_by_time ON invoices (time);
  CREATE INDEX invoices_by_amount ON invoices (total_amount);
  CREATE INDEX invoices_unsigned ON invoices (state) WHERE state IN ('lost', 'unproven');
  CREATE INDEX invoices_by_total_counter ON invoices (total_counter);
  CREATE INDEX invoices_complete ON invoices (uid, id) WHERE state = 'complete';

  CREATE TABLE cards (
    uid TEXT PRIMARY KEY,
    -- The total counter that the card is known to have reached.
    last_counter INTEGER NOT NULL,
    -- JSON: invoice types that were seen to add to the card's sum.
    counting TEXT NOT NULL,
    -- X.509 DER; its key proves the card's signatures.
    certificate BLOB,
    -- 1 from a restore until the card has said its counter: the card may have signed more than the store has.
    restored INTEGER NOT NULL DEFAULT 0 CHECK (restored IN (0, 1)),
    -- SigningRefusal in secure-element.ts, if the card has refused the last sale, and when: ms since the epoch.
    refusal TEXT CHECK (refusal IN ('disabled', 'counter-at-end')),
    refused_at INTEGER,
    -- SHA-256 over all other columns: row-checksums.ts.
    checksum BLOB NOT NULL DEFAULT x''
  ) STRICT;

  CREATE TABLE reports (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    -- ReportKind in ledger.ts says what each means.
    kind TEXT NOT NULL CHECK (kind IN ('behind', 'back', 'swapped', 'lost', 'unproven', 'decided')),
    from_counter INTEGER,
    to_counter INTEGER,
    -- ms since the epoch.
    at INTEGER NOT NULL,
    request_id TEXT,
    -- ms since the epoch; null until a person has confirmed it.
    confirmed_at INTEGER,
    -- SHA-256 over all other columns: row-checksums.ts.
    checksum BLOB NOT NULL DEFAULT x''
  ) STRICT;
  CREATE INDEX reports_open ON reports (id) WHERE confirmed_at IS NULL;

  -- X.509 DER. Earlier cards with the same UID: their keys still prove what they signed.
  CREATE TABLE earlier_certificates (
    uid TEXT NOT NULL,
    certificate BLOB NOT NULL,
    -- SHA-256 over all other columns: row-checksums.ts.
    checksum BLOB NOT NULL DEFAULT x'',
    PRIMARY KEY (uid, certificate)
  ) STRICT;

  -- How often the store was opened for writing. Only the service that opened it last may write.
  CREATE TABLE holder (generation INTEGER NOT NULL) STRICT;
  INSERT INTO holder VALUES (0);

  -- What the tax authority, a file or a backup set for a card. An id is the place in the order of sending.
  CREATE TABLE authority_state (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    -- SentName in authority-ledger.ts says what each means.
    name TEXT NOT NULL CHECK (name IN ('rates', 'parameters', 'timeServer', 'verificationRoot')),
    -- The groupId of rates; '' for the other names, which have one row each.
    key TEXT NOT NULL,
    -- JSON.
    value TEXT NOT NULL,
    -- ms since the epoch.
    received_at INTEGER NOT NULL,
    -- NewSent in authority-ledger.ts says what both mean.
    source TEXT NOT NULL CHECK (source IN ('authority', 'file', 'backup')),
    file_until INTEGER CHECK ((file_until IS NULL) = (source = 'authority')),
    -- SHA-256 over all other columns: row-checksums.ts.
    checksum BLOB NOT NULL DEFAULT x'',
    UNIQUE (uid, name, key)
  ) STRICT;

  CREATE TABLE authority_commands (
    -- The place in the order of arrival.
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    command_id TEXT NOT NULL,
    type INTEGER NOT NULL,
    -- The text as sent.
    payload TEXT NOT NULL,
    -- All times are ms since the epoch.
    received_at INTEGER NOT NULL,
    executed_at INTEGER,
    outcome TEXT CHECK (outcome IN ('done', 'failed')),
    -- Why it failed, for people.
    reason TEXT,
    reported_at INTEGER,
    -- A command from a file is not signed: it changes nothing before a person has said yes.
    from_file INTEGER NOT NULL CHECK (from_file IN (0, 1)),
    needs_yes INTEGER NOT NULL CHECK (needs_yes IN (0, 1)),
    -- SHA-256 over all other columns: row-checksums.ts.
    checksum BLOB NOT NULL DEFAULT x'',
    UNIQUE (uid, command_id),
    CHECK ((outcome IS NULL) = (executed_at IS NULL)),
    CHECK (reported_at IS NULL OR outcome IS NOT NULL)
  ) STRICT;
  CREATE INDEX authority_commands_open ON authority_commands (uid, id) WHERE reported_at IS NULL;
  -- Ids of commands are GUIDs: an authority may spell them in another case the next time.
  CREATE INDEX authority_commands_by_guid ON authority_commands (uid, lower(command_id));
  CREATE INDEX authority_commands_held ON authority_commands (id) WHERE needs_yes = 1 AND outcome IS NULL;
  CREATE INDEX authority_commands_unsealed ON authority_commands (id) WHERE checksum = x'';

  -- Changes of rates and parameters that were in force: MadeChange in authority-ledger.ts.
  CREATE TABLE made_changes (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    -- ms since the epoch.
    at INTEGER NOT NULL,
    -- JSON.
    what TEXT NOT NULL,
    -- ms since the epoch; null until a person has seen it.
    seen_at INTEGER,
    -- SHA-256 over all other columns: row-checksums.ts.
    checksum BLOB NOT NULL DEFAULT x''
  ) STRICT;

  CREATE TABLE audits (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    -- All times are ms since the epoch.
    started_at INTEGER NOT NULL,
    -- What the card answered to Start Audit.
    request BLOB NOT NULL,
    -- Whole numbers as texts, scaled by 10,000: a sum may have 56 bits.
    sum TEXT NOT NULL,
    "limit" TEXT NOT NULL,
    -- Id of the last entry of the table invoices that it covers.
    covers INTEGER NOT NULL,
    -- When the authority got the request.
    requested_at INTEGER,
    -- Whether we sent the card a proof and do not know its answer.
    asked INTEGER NOT NULL DEFAULT 0,
    ended_at INTEGER,
    outcome TEXT CHECK (outcome IN ('ended', 'void', 'superseded')),
    -- SHA-256 over all other columns: row-checksums.ts.
    checksum BLOB NOT NULL DEFAULT x'',
    CHECK ((outcome IS NULL) = (ended_at IS NULL))
  ) STRICT;
  CREATE INDEX audits_of_card ON audits (uid, id);
  CREATE UNIQUE INDEX audits_open ON audits (uid) WHERE outcome IS NULL;

  CREATE TABLE audit_progress (
    uid TEXT PRIMARY KEY,
    -- Ids of the table invoices: the last entry that was sent, and the last that is proven.
    sent_to INTEGER NOT NULL DEFAULT 0,
    proven_to INTEGER NOT NULL DEFAULT 0,
    -- JSON: PackageVerdict in audit-ledger.ts. "last" is of the package that was sent last, last_wrong of the last wrong one.
    last TEXT,
    wrong INTEGER NOT NULL DEFAULT 0,
    last_wrong TEXT,
    -- The tax authority's key as the card exports it.
    authority_key BLOB,
    -- JSON: a list of Refusal in audit-ledger.ts. Packages up to sent_to that the authority does not have.
    refused TEXT NOT NULL DEFAULT '[]',
    -- Id in the table invoices: up to which entry the packages were written to a stick.
    on_stick INTEGER NOT NULL DEFAULT 0,
    -- SHA-256 over all other columns: row-checksums.ts.
    checksum BLOB NOT NULL DEFAULT x''
  ) STRICT;

  -- Packages that the authority has and did not verify: UnverifiedPackage in audit-ledger.ts.
  CREATE TABLE unverified_packages (
    uid TEXT NOT NULL,
    -- Id in the table invoices.
    entry INTEGER NOT NULL,
    number TEXT NOT NULL,
    -- PACKAGE_STATUS in tax-authority.ts; null if no package could be made of the stored sale.
    status INTEGER,
    -- How often the package was sent.
    tries INTEGER NOT NULL,
    -- ms since the epoch, of the last time.
    at INTEGER NOT NULL,
    -- SHA-256 over all other columns: row-checksums.ts.
    checksum BLOB NOT NULL DEFAULT x'',
    PRIMARY KEY (uid, entry)
  ) STRICT;
  CREATE INDEX unverified_packages_to_repeat ON unverified_packages (uid, at) WHERE status IN (0, 1);
  CREATE INDEX unverified_packages_unsealed ON unverified_packages (entry) WHERE checksum = x'';

  -- The store's name in the names of its backups: several tills may back up into one folder.
  CREATE TABLE store_name (name TEXT NOT NULL) STRICT;
  INSERT INTO store_name VALUES (lower(hex(randomblob(4))));

  -- Written after a failed write, to see whether the store can be written again (SqliteAccess.tryWrite).
  CREATE TABLE trial (content BLOB NOT NULL) STRICT;
  INSERT INTO trial VALUES (x'');

  -- Changes other than sales: ChangeKind in change-log.ts.
  CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    -- ms since the epoch.
    at INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('program', 'settings', 'rates', 'parameters', 'clock', 'erased', 'card', 'lost')),
    -- JSON.
    what TEXT NOT NULL,
    -- Id of the newest entry of the table invoices at that time.
    entry INTEGER NOT NULL,
    -- SHA-256 over all of the above.
    checksum BLOB NOT NULL
  ) STRICT;

  -- What remains of an erased entry of the table invoices, under its id.
  CREATE TABLE erased (
    id INTEGER PRIMARY KEY,
    -- SHA-256 of the RequestId; null if there was none.
    request_id_hash BLOB,
    request_hash TEXT NOT NULL,
    uid TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('complete', 'lost', 'unproven', 'adopted')),
    total_counter INTEGER,
    -- SHA-256 of what the card returned: header, counters, internal data, signature. Null if it returned nothing.
    receipt_hash BLOB,
    -- ms since the epoch.
    erased_at INTEGER NOT NULL,
    -- SHA-256 over all of the above.
    checksum BLOB NOT NULL
  ) STRICT;
  CREATE INDEX erased_by_request_id ON erased (request_id_hash) WHERE request_id_hash IS NOT NULL;
  -- As for invoices: a second B-tree.
  CREATE INDEX erased_by_request_id_again ON erased (request_id_hash COLLATE NOCASE)
    WHERE request_id_hash IS NOT NULL;
  CREATE INDEX erased_by_counter ON erased (uid, total_counter);

  -- Whether a card's own PIN opens the key in its PKI applet (OwnPin in authority-ledger.ts). It never has the PIN.
  CREATE TABLE key_pins (
    uid TEXT PRIMARY KEY,
    own_pin TEXT NOT NULL CHECK (own_pin IN ('asked', 'accepted', 'refused')),
    -- ms since the epoch.
    at INTEGER NOT NULL,
    -- SHA-256 over all other columns: row-checksums.ts.
    checksum BLOB NOT NULL DEFAULT x''
  ) STRICT;
`;

/** One step for each change since 1.0.0. Do not edit the step of a published version; add a new step. */
const MIGRATIONS: readonly string[] = [];

export const SCHEMA_VERSION = FIRST + MIGRATIONS.length;

/**
 * The SQL texts that bring a store to this version's schema.
 * @param version schema of the store; 0 for an empty file
 * @returns undefined if this version does not know the store's schema
 */
export function stepsFrom(version: number): readonly string[] | undefined {
  if (version === 0) return [SCHEMA, ...MIGRATIONS];
  return version < FIRST || version > SCHEMA_VERSION ? undefined : MIGRATIONS.slice(version - FIRST);
}
