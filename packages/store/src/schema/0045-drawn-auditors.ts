/**
 * Audits whose auditor is drawn by the station, and complaints with a deposit. Audits that were open before have
 * no drawn auditor: the next sweep draws one. Complaints that were made before have no deposit.
 */
export const drawnAuditors = {
  version: 45,
  name: 'drawn-auditors',
  statements: [
    // drawn: the device that is to audit; it has until drawn_until to accept, then another is drawn. draws counts.
    `ALTER TABLE audits ADD COLUMN drawn TEXT`,
    `ALTER TABLE audits ADD COLUMN drawn_until {{int}} NOT NULL DEFAULT 0`,
    `ALTER TABLE audits ADD COLUMN draws {{int}} NOT NULL DEFAULT 0`,
    // client: the account that complained; complaint: the name of its deposit's reserve in the ledger.
    `ALTER TABLE audits ADD COLUMN client TEXT`,
    `ALTER TABLE audits ADD COLUMN complaint TEXT`,
    `ALTER TABLE audits ADD COLUMN deposit_micros {{int}} NOT NULL DEFAULT 0`,
    // The collection as whose request a second opinion looks; null: as one of the station's own.
    `ALTER TABLE reserved_urls ADD COLUMN like_collection_id {{int}}`,
    `CREATE INDEX audits_complained ON audits (capture_id) WHERE kind = 'complaint'`,
    `CREATE INDEX audits_of_client ON audits (client, opened_at) WHERE kind = 'complaint'`,
    `CREATE INDEX audits_agreed ON audits (device, host_id, hash) WHERE verdict = 'agree'`,
    `CREATE INDEX audits_undrawn ON audits (drawn_until) WHERE state = 'wanted'`,
    `CREATE INDEX device_trust_of_owner ON device_trust (owner)`,
  ],
}
