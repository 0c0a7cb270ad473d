/**
 * Tables of trust: what audits showed of every device, the audits themselves, what was put in
 * quarantine, and who decided what. Times are milliseconds since the Unix epoch.
 */
export const trust = {
  version: 4,
  name: 'trust',
  statements: [
    // agreements count since the last proven lie; the window counts recent service.
    `CREATE TABLE device_trust (
      device TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      network TEXT,
      is_trusted {{int}} NOT NULL,
      agreements {{int}} NOT NULL DEFAULT 0,
      lies {{int}} NOT NULL DEFAULT 0,
      lied_host_id {{int}},
      state TEXT NOT NULL DEFAULT 'active',
      reason TEXT,
      blocked_until {{int}},
      blocks {{int}} NOT NULL DEFAULT 0,
      released_at {{int}} NOT NULL DEFAULT 0,
      complaints {{int}} NOT NULL DEFAULT 0,
      seen_at {{int}} NOT NULL,
      window_started_at {{int}} NOT NULL DEFAULT 0,
      served {{int}} NOT NULL DEFAULT 0,
      failed {{int}} NOT NULL DEFAULT 0,
      timed_out {{int}} NOT NULL DEFAULT 0,
      slow {{int}} NOT NULL DEFAULT 0
    ) {{without_rowid}}`,
    `CREATE INDEX device_trust_by_sight ON device_trust (state, seen_at)`,
    `CREATE INDEX device_trust_blocked ON device_trust (blocked_until) WHERE state = 'blocked'`,

    // The pages are JSON (PageFacts). Open states say whose fetch is missing; out_to has it now.
    // is_waiting: a delivery waits for the verdict until wait_until.
    `CREATE TABLE audits (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      priority {{int}} NOT NULL,
      device TEXT NOT NULL,
      owner TEXT NOT NULL,
      network TEXT,
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      url TEXT NOT NULL,
      capture_id {{int}},
      received_at {{int}} NOT NULL,
      opened_at {{int}} NOT NULL,
      subject TEXT,
      earlier TEXT,
      auditor TEXT,
      auditor_page TEXT,
      judge TEXT,
      judge_page TEXT,
      again_page TEXT,
      state TEXT NOT NULL,
      out_to TEXT,
      out_until {{int}} NOT NULL DEFAULT 0,
      attempts {{int}} NOT NULL DEFAULT 0,
      is_waiting {{int}} NOT NULL,
      wait_until {{int}} NOT NULL,
      expires_at {{int}} NOT NULL,
      verdict TEXT,
      reason TEXT,
      closed_at {{int}}
    ) {{without_rowid}}`,
    `CREATE INDEX audits_open ON audits (state, priority, opened_at) WHERE closed_at IS NULL`,
    `CREATE INDEX audits_expiring ON audits (expires_at) WHERE closed_at IS NULL`,
    `CREATE INDEX audits_waiting ON audits (wait_until) WHERE is_waiting = 1`,
    `CREATE INDEX audits_of_device ON audits (device, verdict, received_at)`,

    // Shapes of addresses whose pages differ on every fetch: nothing there can be verified.
    `CREATE TABLE audit_patterns (
      host_id {{int}} NOT NULL,
      pattern TEXT NOT NULL,
      agreed {{int}} NOT NULL,
      dynamic {{int}} NOT NULL,
      noted_at {{int}} NOT NULL,
      PRIMARY KEY (host_id, pattern)
    ) {{without_rowid}}`,

    // What the device sent after since_at (and after since_capture_id) is not to be believed.
    `CREATE TABLE quarantines (
      id TEXT PRIMARY KEY,
      device TEXT NOT NULL,
      since_at {{int}} NOT NULL,
      since_capture_id {{int}} NOT NULL,
      until_at {{int}} NOT NULL,
      reason TEXT NOT NULL,
      released_at {{int}}
    ) {{without_rowid}}`,
    `CREATE INDEX quarantines_of_device ON quarantines (device, until_at)`,

    `CREATE TABLE trust_log (
      id {{id}},
      at {{int}} NOT NULL,
      device TEXT NOT NULL,
      who TEXT NOT NULL,
      action TEXT NOT NULL,
      reason TEXT,
      note TEXT
    )`,
    `CREATE INDEX trust_log_of_device ON trust_log (device, id)`,
  ],
}
