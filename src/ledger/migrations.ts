/** The schema: one step for each release that changed it. Steps are never edited, only added. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE invoices (
    id INTEGER PRIMARY KEY,
    -- What the caller sent as RequestId; fiscalized at most once (design, "never", 2).
    request_id TEXT UNIQUE,
    -- SHA-256 of the normalised request: tells a repeat from another body under the same id.
    request_hash TEXT NOT NULL,
    -- The card that was or will be asked.
    uid TEXT NOT NULL,
    -- intent: the card may have been asked. complete: signed and stored. lost: the card may have
    -- counted it, but its signature cannot be had any more.
    state TEXT NOT NULL CHECK (state IN ('intent', 'complete', 'lost')),
    -- Everything the answer needs besides the signature, JSON.
    intent TEXT NOT NULL,
    total_counter INTEGER,
    number TEXT,
    -- The card's words: header, counters, internal data, signature.
    signature BLOB,
    -- The answer without the QR code, which follows from its verificationUrl.
    answer TEXT,
    CHECK (state <> 'complete' OR (total_counter IS NOT NULL AND number IS NOT NULL AND signature IS NOT NULL))
  ) STRICT;
  CREATE INDEX invoices_by_counter ON invoices (uid, total_counter);
  CREATE INDEX invoices_by_number ON invoices (number);
  CREATE INDEX invoices_open ON invoices (uid) WHERE state = 'intent';
  `,
  `
  -- What people look for. From the answer, so that it is said once.
  ALTER TABLE invoices ADD COLUMN time TEXT GENERATED ALWAYS AS (answer ->> '$.sdcDateTime') VIRTUAL;
  ALTER TABLE invoices ADD COLUMN total_amount TEXT GENERATED ALWAYS AS (answer -> '$.totalAmount') VIRTUAL;
  CREATE INDEX invoices_by_time ON invoices (time);
  CREATE INDEX invoices_by_amount ON invoices (total_amount);
  -- Status counts the lost ones, and must not read a million others for it.
  CREATE INDEX invoices_by_state ON invoices (state);
  CREATE INDEX invoices_by_total_counter ON invoices (total_counter);
  `,
  `
  -- A CHECK cannot be changed: the table is made anew.
  CREATE TABLE entries (
    -- Chosen by the ledger, which gives none twice while it runs.
    id INTEGER PRIMARY KEY,
    -- What the POS sent as RequestId; fiscalized at most once (design, "never", 2).
    request_id TEXT UNIQUE,
    -- SHA-256 of the normalised request: a repeat differs from another body under the same id. '' where adopted.
    request_hash TEXT NOT NULL,
    -- The card that was or will be asked.
    uid TEXT NOT NULL,
    -- EntryState in ledger.ts says what each means.
    state TEXT NOT NULL CHECK (state IN ('intent', 'complete', 'lost', 'unproven', 'adopted')),
    -- Everything the answer needs besides the signature, JSON.
    intent TEXT CHECK ((intent IS NULL) = (state = 'adopted')),
    total_counter INTEGER,
    number TEXT,
    -- The card's words: header, counters, internal data, signature.
    signature BLOB,
    -- The answer without the QR code, which follows from its verificationUrl.
    answer TEXT,
    -- SHA-256 over all of the above but the id; '' where what stood here before was damaged.
    checksum BLOB NOT NULL,
    -- What people look for. From the answer, so that it is said once; a damaged answer must not stop a list.
    time TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(answer) THEN answer ->> '$.sdcDateTime' END) VIRTUAL,
    total_amount TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(answer) THEN answer -> '$.totalAmount' END) VIRTUAL,
    CHECK (state NOT IN ('complete', 'unproven', 'adopted')
      OR (total_counter IS NOT NULL AND number IS NOT NULL AND signature IS NOT NULL))
  ) STRICT;
  -- checksum() is this program's: database.ts.
  INSERT INTO entries
    (id, request_id, request_hash, uid, state, intent, total_counter, number, signature, answer, checksum)
    SELECT id, request_id, request_hash, uid, state, intent, total_counter, number, signature, answer,
      checksum(request_id, request_hash, uid, state, intent, total_counter, number, signature, answer) FROM invoices;
  DROP TABLE invoices;
  ALTER TABLE entries RENAME TO invoices;
  CREATE INDEX invoices_numbered ON invoices (uid) WHERE number IS NOT NULL;
  CREATE INDEX invoices_by_number ON invoices (number);
  CREATE INDEX invoices_open ON invoices (uid) WHERE state = 'intent';
  CREATE INDEX invoices_by_time ON invoices (time);
  CREATE INDEX invoices_by_amount ON invoices (total_amount);
  CREATE INDEX invoices_by_state ON invoices (state);
  CREATE INDEX invoices_by_total_counter ON invoices (total_counter);

  CREATE TABLE cards (
    uid TEXT PRIMARY KEY,
    -- The total counter that the card is known to have reached.
    last_counter INTEGER NOT NULL,
    -- JSON: invoice types that were seen to add to the card's sum.
    counting TEXT NOT NULL,
    -- X.509 DER; its key proves the card's signatures.
    certificate BLOB
  ) STRICT;
  INSERT INTO cards (uid, last_counter, counting)
    SELECT uid, max(total_counter), '[]' FROM invoices WHERE total_counter IS NOT NULL GROUP BY uid;

  CREATE TABLE reports (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    -- ReportKind in ledger.ts says what each means.
    kind TEXT NOT NULL CHECK (kind IN ('behind', 'back', 'lost', 'unproven', 'decided')),
    from_counter INTEGER,
    to_counter INTEGER,
    -- ms since the epoch.
    at INTEGER NOT NULL,
    request_id TEXT,
    -- ms since the epoch; null until a person has confirmed it.
    confirmed_at INTEGER
  ) STRICT;
  CREATE INDEX reports_open ON reports (id) WHERE confirmed_at IS NULL;
  -- Status has warned of them until now, and goes on until somebody confirms it.
  INSERT INTO reports (uid, kind, from_counter, at, request_id)
    SELECT uid, 'lost', total_counter,
      coalesce(CASE WHEN json_valid(intent) THEN CAST(intent ->> '$.sdcTime' AS INTEGER) END, 0), request_id
    FROM invoices WHERE state = 'lost' ORDER BY id;

  -- Counts those who have opened the store to write: the last one has it.
  CREATE TABLE holder (generation INTEGER NOT NULL) STRICT;
  INSERT INTO holder VALUES (0);
  `,
  `
  -- What the tax authority sent for a card. An id is the place in the order of sending.
  CREATE TABLE authority_state (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    -- SentName in authority-ledger.ts says what each means.
    name TEXT NOT NULL CHECK (name IN ('rates', 'parameters', 'timeServer', 'verificationRoot')),
    -- The groupId of rates; '' for what there is one of.
    key TEXT NOT NULL,
    -- JSON.
    value TEXT NOT NULL,
    -- ms since the epoch.
    received_at INTEGER NOT NULL,
    -- SHA-256 over all of the above but the id.
    checksum BLOB NOT NULL,
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
    UNIQUE (uid, command_id),
    CHECK ((outcome IS NULL) = (executed_at IS NULL)),
    CHECK (reported_at IS NULL OR outcome IS NOT NULL)
  ) STRICT;
  CREATE INDEX authority_commands_open ON authority_commands (uid, id) WHERE reported_at IS NULL;

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
    -- Up to which entry of the table invoices it reaches: its id.
    covers INTEGER NOT NULL,
    -- When the authority got the request.
    requested_at INTEGER,
    -- Whether a proof was put to the card whose answer is not known.
    asked INTEGER NOT NULL DEFAULT 0,
    ended_at INTEGER,
    outcome TEXT CHECK (outcome IN ('ended', 'void', 'superseded')),
    CHECK ((outcome IS NULL) = (ended_at IS NULL))
  ) STRICT;
  CREATE INDEX audits_of_card ON audits (uid, id);
  CREATE UNIQUE INDEX audits_open ON audits (uid) WHERE outcome IS NULL;

  CREATE TABLE audit_progress (
    uid TEXT PRIMARY KEY,
    -- Ids of the table invoices: up to which entry a card's packages were sent, and are proven.
    sent_to INTEGER NOT NULL DEFAULT 0,
    proven_to INTEGER NOT NULL DEFAULT 0,
    -- JSON: Verdict in audit-ledger.ts. Of the package that was sent last, and of the last one that was found wrong.
    last TEXT,
    wrong INTEGER NOT NULL DEFAULT 0,
    last_wrong TEXT,
    -- The tax authority's key as the card exports it.
    authority_key BLOB
  ) STRICT;
  CREATE INDEX invoices_complete ON invoices (uid, id) WHERE state = 'complete';
  `,
  `
  -- A CHECK cannot be changed: the table is made anew.
  CREATE TABLE reported (
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
    confirmed_at INTEGER
  ) STRICT;
  INSERT INTO reported SELECT id, uid, kind, from_counter, to_counter, at, request_id, confirmed_at FROM reports;
  DROP TABLE reports;
  ALTER TABLE reported RENAME TO reports;
  CREATE INDEX reports_open ON reports (id) WHERE confirmed_at IS NULL;

  -- X.509 DER, of cards that had a UID before the one that has it now: their keys still prove what they have signed.
  CREATE TABLE earlier_certificates (uid TEXT NOT NULL, certificate BLOB NOT NULL, PRIMARY KEY (uid, certificate)) STRICT;
  `,
  `
  -- The store's name in the names of its backups: several tills may back up into one folder.
  CREATE TABLE store_name (name TEXT NOT NULL) STRICT;
  INSERT INTO store_name VALUES (lower(hex(randomblob(4))));

  -- What has changed beside the sales: ChangeKind in change-log.ts. Each row's hash covers the row before it.
  CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    -- ms since the epoch.
    at INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('program', 'settings', 'rates', 'parameters', 'clock', 'erased')),
    -- JSON.
    what TEXT NOT NULL,
    -- Id of the newest entry of the table invoices by then.
    entry INTEGER NOT NULL,
    -- SHA-256 over the hash before it and all of the above.
    hash BLOB NOT NULL
  ) STRICT;

  -- What stays of an erased entry of the table invoices, under its id.
  CREATE TABLE erased (
    id INTEGER PRIMARY KEY,
    -- SHA-256 of the RequestId; null where there was none.
    request_id_hash BLOB,
    request_hash TEXT NOT NULL,
    uid TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('complete', 'lost', 'unproven', 'adopted')),
    total_counter INTEGER,
    -- SHA-256 of what the card said: header, counters, internal data, signature. Null where there was nothing.
    receipt_hash BLOB,
    -- ms since the epoch.
    erased_at INTEGER NOT NULL,
    -- SHA-256 over all of the above.
    checksum BLOB NOT NULL
  ) STRICT;
  CREATE INDEX erased_by_request_id ON erased (request_id_hash) WHERE request_id_hash IS NOT NULL;
  CREATE INDEX erased_by_counter ON erased (uid, total_counter);

  -- JSON: a list of Refusal in audit-ledger.ts. Packages up to sent_to that the authority does not have.
  ALTER TABLE audit_progress ADD COLUMN refused TEXT NOT NULL DEFAULT '[]';
  `,
];
