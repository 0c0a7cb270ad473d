/**
 * Tables of alerts: who receives what (alert_rules), what there is to report (alerts, one for each
 * rule and visit that it concerns) and what was sent (alert_deliveries). Times are milliseconds
 * since the Unix epoch.
 */
export const alerts = {
  version: 20,
  name: 'alerts',
  statements: [
    // collection_id NULL: all watches of the account. 'settings' is JSON (protocol/src/alert.ts).
    // Visits up to after_visit_id are not reported: they were there before the rule.
    `CREATE TABLE alert_rules (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL,
      collection_id {{int}},
      channel TEXT NOT NULL,
      target TEXT NOT NULL,
      settings TEXT NOT NULL,
      is_active {{int}} NOT NULL DEFAULT 1,
      unsubscribed_at {{int}},
      after_visit_id {{int}} NOT NULL,
      created_at {{int}} NOT NULL
    )`,
    `CREATE INDEX alert_rules_of ON alert_rules (account)`,
    `CREATE INDEX alert_rules_on ON alert_rules (collection_id)`,

    // 'facts' is JSON: what a message says of the visit, so that it can be said after the watch is
    // gone. excerpt NULL: the two captures have not been compared yet. due_at NULL: nothing is to be
    // sent (a feed is read).
    `CREATE TABLE alerts (
      id {{id}},
      rule_id TEXT NOT NULL,
      visit_id {{int}} NOT NULL,
      kind TEXT NOT NULL,
      collection_id {{int}} NOT NULL,
      at {{int}} NOT NULL,
      facts TEXT NOT NULL,
      excerpt TEXT,
      due_at {{int}},
      delivery_id TEXT,
      created_at {{int}} NOT NULL
    )`,
    // A visit that is read again is not reported twice.
    `CREATE UNIQUE INDEX alerts_once ON alerts (rule_id, visit_id, kind)`,
    `CREATE INDEX alerts_due ON alerts (due_at) WHERE delivery_id IS NULL AND due_at IS NOT NULL`,
    `CREATE INDEX alerts_bare ON alerts (id) WHERE excerpt IS NULL`,
    `CREATE INDEX alerts_sent ON alerts (delivery_id) WHERE delivery_id IS NOT NULL`,
    `CREATE INDEX alerts_by_time ON alerts (created_at)`,

    // state: waiting, sending, sent, failed. next_try_at NULL: nothing more is tried. 'fence' rises
    // with each claim: a sender that was too slow records nothing.
    `CREATE TABLE alert_deliveries (
      id TEXT PRIMARY KEY,
      rule_id TEXT NOT NULL,
      channel TEXT NOT NULL,
      kind TEXT NOT NULL,
      state TEXT NOT NULL,
      alerts {{int}} NOT NULL,
      tries {{int}} NOT NULL DEFAULT 0,
      fence {{int}} NOT NULL DEFAULT 0,
      next_try_at {{int}},
      problem TEXT,
      created_at {{int}} NOT NULL,
      sent_at {{int}}
    )`,
    `CREATE INDEX alert_deliveries_due ON alert_deliveries (next_try_at)
       WHERE next_try_at IS NOT NULL`,
    `CREATE INDEX alert_deliveries_of ON alert_deliveries (rule_id, created_at)`,
  ],
}
