/**
 * Tables of abuse control: what each client did day by day, what was noticed about it (flags), and
 * the operator's lists of hosts by category. What a list closes is in `host_rules`.
 */
export const abuse = {
  version: 11,
  name: 'abuse',
  statements: [
    // Days are days since the epoch. 'last_url' is the end of a row of numbered addresses that may
    // go on; 'samples' is JSON, a few addresses by what was noticed about them.
    `CREATE TABLE client_days (
      client TEXT NOT NULL,
      day {{int}} NOT NULL,
      submitted {{int}} NOT NULL DEFAULT 0,
      denied {{int}} NOT NULL DEFAULT 0,
      injections {{int}} NOT NULL DEFAULT 0,
      credentials {{int}} NOT NULL DEFAULT 0,
      effects {{int}} NOT NULL DEFAULT 0,
      probes {{int}} NOT NULL DEFAULT 0,
      numbered {{int}} NOT NULL DEFAULT 0,
      answered {{int}} NOT NULL DEFAULT 0,
      refused {{int}} NOT NULL DEFAULT 0,
      missing {{int}} NOT NULL DEFAULT 0,
      reasked {{int}} NOT NULL DEFAULT 0,
      last_url TEXT,
      samples TEXT NOT NULL DEFAULT '{}',
      changed_at {{int}} NOT NULL DEFAULT 0,
      PRIMARY KEY (client, day)
    ) {{without_rowid}}`,
    `CREATE INDEX client_days_changed ON client_days (changed_at)`,

    // Only hosts that are a good part of what a client sends at a time.
    `CREATE TABLE client_hosts (
      client TEXT NOT NULL,
      day {{int}} NOT NULL,
      host TEXT NOT NULL,
      submitted {{int}} NOT NULL,
      PRIMARY KEY (client, day, host)
    ) {{without_rowid}}`,

    // 'evidence' and 'samples' are JSON. 'notified_at' is NULL until the operator is notified.
    `CREATE TABLE abuse_flags (
      id TEXT PRIMARY KEY,
      client TEXT NOT NULL,
      kind TEXT NOT NULL,
      severity TEXT NOT NULL,
      evidence TEXT NOT NULL,
      samples TEXT NOT NULL,
      effect TEXT NOT NULL,
      day_max {{int}},
      state TEXT NOT NULL,
      opened_at {{int}} NOT NULL,
      changed_at {{int}} NOT NULL,
      note TEXT,
      decided_by TEXT,
      decided_at {{int}},
      notified_at {{int}}
    ) {{without_rowid}}`,
    `CREATE INDEX abuse_flags_of_client ON abuse_flags (client, kind, opened_at)`,
    `CREATE INDEX abuse_flags_newest ON abuse_flags (opened_at)`,
    `CREATE INDEX abuse_flags_untold ON abuse_flags (opened_at) WHERE notified_at IS NULL`,

    `CREATE TABLE host_categories (
      name TEXT PRIMARY KEY,
      is_denied {{int}} NOT NULL,
      reason TEXT NOT NULL,
      changed_by TEXT NOT NULL,
      changed_at {{int}} NOT NULL
    ) {{without_rowid}}`,
    `CREATE TABLE category_hosts (
      category TEXT NOT NULL,
      pattern TEXT NOT NULL,
      reason TEXT NOT NULL,
      added_by TEXT NOT NULL,
      added_at {{int}} NOT NULL,
      PRIMARY KEY (category, pattern)
    ) {{without_rowid}}`,
    `CREATE INDEX category_hosts_by_pattern ON category_hosts (pattern)`,
  ],
}
