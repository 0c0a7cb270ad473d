/**
 * Tables of what was taken down: which captures may not be kept any more, how far that is, and what
 * is refused if it comes again. Times are milliseconds since the Unix epoch.
 */
export const takedown = {
  version: 28,
  name: 'takedown',
  statements: [
    // One row for each capture, first what is to be done, afterwards the tombstone. state: asked
    // (its records have not been looked for), placed ('places' names them, JSON), done.
    `CREATE TABLE takedowns (
      id {{id}},
      capture_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      url TEXT NOT NULL,
      captured_at {{int}} NOT NULL,
      kind TEXT NOT NULL,
      digest TEXT NOT NULL,
      file TEXT NOT NULL,
      offset_bytes {{int}} NOT NULL,
      length_bytes {{int}} NOT NULL,
      places TEXT,
      reason TEXT NOT NULL,
      by_whom TEXT NOT NULL,
      is_blocked {{int}} NOT NULL DEFAULT 0,
      state TEXT NOT NULL,
      asked_at {{int}} NOT NULL,
      done_at {{int}}
    )`,
    // A record is taken down once, however often it is asked for.
    `CREATE UNIQUE INDEX takedowns_once ON takedowns (file, offset_bytes)`,
    `CREATE INDEX takedowns_of ON takedowns (host_id, hash, captured_at)`,
    `CREATE INDEX takedowns_open ON takedowns (id) WHERE state <> 'done'`,
    // The same bytes from the same address are not kept again.
    `CREATE TABLE blocked_payloads (
      digest TEXT NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      PRIMARY KEY (digest, host_id, hash)
    ) {{without_rowid}}`,
    // What refers to a payload goes with it.
    `CREATE INDEX captures_referring ON captures (digest) WHERE kind = 'revisit'`,
  ],
}
