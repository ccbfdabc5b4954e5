/** The schema, one step a release that changed it. Steps are never edited, only added. */
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
];
