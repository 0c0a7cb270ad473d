/**
 * Settings that operators change while the station runs (the table `settings` of step 5 holds
 * those that were changed): who changed what, when, from what to what and why.
 */
export const settings = {
  version: 10,
  name: 'settings',
  statements: [
    // 'before' and 'after' are JSON, with the values at the time of the change.
    `CREATE TABLE setting_changes (
      no {{id}},
      name TEXT NOT NULL,
      before TEXT NOT NULL,
      after TEXT NOT NULL,
      changed_by TEXT,
      at {{int}} NOT NULL,
      note TEXT
    )`,

    // Who has a quota of their own; others have the station's.
    `ALTER TABLE clients ADD COLUMN has_quota {{int}} NOT NULL DEFAULT 0`,
    `UPDATE clients SET has_quota = 1 WHERE open_max IS NOT NULL OR day_max IS NOT NULL`,

    // How long a place is kept is a setting: it is decided when old ones are swept.
    `DROP INDEX device_addresses_expiring`,
    `ALTER TABLE device_addresses DROP COLUMN expires_at`,
    `CREATE INDEX device_addresses_by_sight ON device_addresses (last_seen_at)`,

    // Overdue requests are searched every second.
    `CREATE INDEX batches_by_age ON batches (state, created_at) WHERE closed_at IS NULL`,
  ],
}
