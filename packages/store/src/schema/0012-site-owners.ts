/**
 * Tables of site owners: who proved to control a host (site_proofs) and what is decided about hosts
 * (host_rules, by owners and by the station's operator). The sum of all rules that match a host
 * stands in its own row, so that a lease obeys them without another look. Devices' signing keys are
 * public halves only.
 */
export const siteOwners = {
  version: 12,
  name: 'site-owners',
  statements: [
    // pattern: `host`, `host:port` or `*.domain`. One rule per pattern and source.
    `CREATE TABLE host_rules (
      pattern TEXT NOT NULL,
      source TEXT NOT NULL,
      effect TEXT NOT NULL,
      code TEXT NOT NULL,
      delay_ms {{int}} NOT NULL DEFAULT 0,
      reason TEXT NOT NULL,
      made_by TEXT NOT NULL,
      since {{int}} NOT NULL,
      PRIMARY KEY (pattern, source)
    ) {{without_rowid}}`,
    `ALTER TABLE hosts ADD COLUMN closed_code TEXT`,
    `ALTER TABLE hosts ADD COLUMN slow_ms {{int}} NOT NULL DEFAULT 0`,
    `CREATE INDEX hosts_closed ON hosts (id) WHERE closed_code IS NOT NULL`,
    // The code of a closing that does not hold for it: an owner's proof is fetched all the same.
    `ALTER TABLE reserved_urls ADD COLUMN despite TEXT`,

    // The token is public once it is proven; only the sha256 of the owner's secret is kept.
    `CREATE TABLE site_proofs (
      id TEXT PRIMARY KEY,
      host TEXT NOT NULL,
      purpose TEXT NOT NULL,
      token TEXT NOT NULL,
      secret_hash TEXT NOT NULL,
      opened_at {{int}} NOT NULL,
      expires_at {{int}} NOT NULL,
      proven_at {{int}},
      proven_by TEXT,
      checked_at {{int}},
      file_wanted_at {{int}},
      file_out_until {{int}} NOT NULL DEFAULT 0,
      file_left {{int}} NOT NULL DEFAULT 0,
      file_note TEXT,
      dns_note TEXT
    )`,
    `CREATE INDEX site_proofs_of ON site_proofs (host, purpose)`,
    `CREATE INDEX site_proofs_wanted ON site_proofs (file_wanted_at) WHERE file_wanted_at IS NOT NULL`,

    // With what a device signs its requests to sites (RFC 9421): base64url of an Ed25519 key.
    // The proof is what the device signed of the key directory (JSON).
    `ALTER TABLE devices ADD COLUMN signing_key TEXT`,
    `ALTER TABLE devices ADD COLUMN signing_proof TEXT`,
  ],
}
