/**
 * Tables of client requests: who may ask for how much (clients), what was asked together
 * (batches) and what became of each request. The fetching itself is ordinary frontier work in a
 * collection of its own, so agents see URLs and never whose they are.
 */
export const requests = {
  version: 2,
  name: 'requests',
  statements: [
    `INSERT INTO sequences (name, value) VALUES ('request', 0)`,

    // Who fetched a capture, and whether it may be served as verified (see trust).
    `ALTER TABLE captures ADD COLUMN device TEXT`,
    `ALTER TABLE captures ADD COLUMN verified {{int}} NOT NULL DEFAULT 1`,

    // What a client has open and used today; NULL means no limit.
    `CREATE TABLE clients (
      client TEXT PRIMARY KEY,
      open {{int}} NOT NULL DEFAULT 0,
      open_max {{int}},
      day {{int}} NOT NULL DEFAULT 0,
      used {{int}} NOT NULL DEFAULT 0,
      day_max {{int}}
    ) {{without_rowid}}`,

    // A batch is 'filling' until its last request is in, so that an interrupted submission can
    // go on. 'ended_no' numbers its results in the order they came; 'terms' is what the client
    // agreed to pay, kept as it was said.
    `CREATE TABLE batches (
      id TEXT PRIMARY KEY,
      client TEXT NOT NULL,
      idempotency_key TEXT,
      fingerprint TEXT NOT NULL,
      state TEXT NOT NULL,
      priority {{int}} NOT NULL,
      max_age_ms {{int}} NOT NULL,
      webhook TEXT,
      terms TEXT NOT NULL,
      total {{int}} NOT NULL,
      received {{int}} NOT NULL DEFAULT 0,
      open {{int}} NOT NULL DEFAULT 0,
      captured {{int}} NOT NULL DEFAULT 0,
      failed {{int}} NOT NULL DEFAULT 0,
      denied {{int}} NOT NULL DEFAULT 0,
      cancelled {{int}} NOT NULL DEFAULT 0,
      from_cache {{int}} NOT NULL DEFAULT 0,
      bytes {{int}} NOT NULL DEFAULT 0,
      ended_no {{int}} NOT NULL DEFAULT 0,
      created_at {{int}} NOT NULL,
      ended_at {{int}},
      closed_at {{int}},
      UNIQUE (client, idempotency_key)
    )`,
    `CREATE INDEX batches_by_client ON batches (client, created_at)`,
    `CREATE INDEX batches_to_close ON batches (state) WHERE closed_at IS NULL`,

    // 'url' is what is waited for now: after a redirect its target, with the way there in 'chain'.
    `CREATE TABLE requests (
      batch_id TEXT NOT NULL,
      seq {{int}} NOT NULL,
      url TEXT NOT NULL,
      asked TEXT,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      chain TEXT,
      outcome TEXT,
      status {{int}},
      code TEXT,
      bytes {{int}},
      digest TEXT,
      captured_at {{int}},
      device TEXT,
      verified {{int}},
      from_cache {{int}} NOT NULL DEFAULT 0,
      ended_no {{int}},
      ended_at {{int}},
      PRIMARY KEY (batch_id, seq)
    ) {{without_rowid}}`,
    `CREATE INDEX requests_open ON requests (hash, host_id) WHERE outcome IS NULL`,
    `CREATE INDEX requests_ended ON requests (batch_id, ended_no) WHERE outcome IS NOT NULL`,
  ],
}
