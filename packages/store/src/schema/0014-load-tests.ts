/**
 * Tables of verified load tests. A test that runs is held by the coordinator that started it; its
 * row says how far it came, and by `beat_at` that it is held. `result` is what was measured (JSON).
 */
export const loadTests = {
  version: 14,
  name: 'load-tests',
  statements: [
    `CREATE TABLE load_tests (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL,
      host TEXT NOT NULL,
      proof TEXT NOT NULL,
      plan TEXT NOT NULL,
      state TEXT NOT NULL,
      reason TEXT,
      address TEXT,
      result TEXT,
      created_at {{int}} NOT NULL,
      started_at {{int}},
      ended_at {{int}},
      beat_at {{int}} NOT NULL DEFAULT 0,
      abort_asked_at {{int}}
    )`,
    `CREATE INDEX load_tests_of ON load_tests (account, created_at)`,
    // One test of a host at a time, whichever coordinator starts it.
    `CREATE UNIQUE INDEX load_tests_active ON load_tests (host) WHERE state IN ('preparing', 'running')`,

    // Whether a volunteer lends this device for tests, too.
    `ALTER TABLE devices ADD COLUMN load_tests {{int}} NOT NULL DEFAULT 0`,
  ],
}
