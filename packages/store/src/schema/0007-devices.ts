/**
 * Tables of devices: how they are invited (join_tokens), who they are and what they did (devices),
 * where they were (device_addresses) and every request they made (request_details). Tokens and
 * sessions are kept as SHA-256 only. Times are milliseconds since the Unix epoch.
 */
export const devices = {
  version: 7,
  name: 'devices',
  statements: [
    `CREATE TABLE join_tokens (
      hash TEXT PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      owner TEXT NOT NULL,
      is_reusable {{int}} NOT NULL,
      is_trusted {{int}} NOT NULL,
      created_at {{int}} NOT NULL,
      expires_at {{int}},
      used_at {{int}},
      used_by TEXT,
      revoked_at {{int}}
    )`,
    `CREATE INDEX join_tokens_of ON join_tokens (owner, created_at)`,

    // last_nonce is the number of the latest nonce that was answered: none is taken twice.
    // The counters are those of device_totals, and request_details can be recounted to them.
    `CREATE TABLE devices (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      name TEXT NOT NULL,
      public_key TEXT NOT NULL UNIQUE,
      state TEXT NOT NULL DEFAULT 'active',
      is_trusted {{int}} NOT NULL,
      enrolled_at {{int}} NOT NULL,
      seen_at {{int}} NOT NULL,
      last_nonce {{int}} NOT NULL DEFAULT 0,
      os TEXT NOT NULL,
      os_version TEXT NOT NULL,
      software TEXT NOT NULL,
      host_name TEXT NOT NULL,
      country TEXT,
      network TEXT,
      n_2xx {{int}} NOT NULL DEFAULT 0,
      n_3xx {{int}} NOT NULL DEFAULT 0,
      n_4xx {{int}} NOT NULL DEFAULT 0,
      n_5xx {{int}} NOT NULL DEFAULT 0,
      network_errors {{int}} NOT NULL DEFAULT 0,
      timeouts {{int}} NOT NULL DEFAULT 0,
      denied {{int}} NOT NULL DEFAULT 0,
      bytes {{int}} NOT NULL DEFAULT 0,
      elapsed_ms {{int}} NOT NULL DEFAULT 0
    )`,
    `CREATE INDEX devices_of ON devices (owner, enrolled_at)`,

    // Outlives the device: a key that was revoked does not come back as a new device.
    `CREATE TABLE revoked_keys (hash TEXT PRIMARY KEY, revoked_at {{int}} NOT NULL) {{without_rowid}}`,

    // One row: what deleted devices had counted, so that sums over the fleet stay what they were.
    `CREATE TABLE device_totals (
      name TEXT PRIMARY KEY,
      devices {{int}} NOT NULL DEFAULT 0,
      n_2xx {{int}} NOT NULL DEFAULT 0,
      n_3xx {{int}} NOT NULL DEFAULT 0,
      n_4xx {{int}} NOT NULL DEFAULT 0,
      n_5xx {{int}} NOT NULL DEFAULT 0,
      network_errors {{int}} NOT NULL DEFAULT 0,
      timeouts {{int}} NOT NULL DEFAULT 0,
      denied {{int}} NOT NULL DEFAULT 0,
      bytes {{int}} NOT NULL DEFAULT 0,
      elapsed_ms {{int}} NOT NULL DEFAULT 0
    ) {{without_rowid}}`,
    `INSERT INTO device_totals (name) VALUES ('deleted')`,

    // Minimised: the network of an address, never the address.
    `CREATE TABLE device_addresses (
      device TEXT NOT NULL,
      network_prefix TEXT NOT NULL,
      first_seen_at {{int}} NOT NULL,
      last_seen_at {{int}} NOT NULL,
      expires_at {{int}} NOT NULL,
      PRIMARY KEY (device, network_prefix)
    ) {{without_rowid}}`,
    `CREATE INDEX device_addresses_expiring ON device_addresses (expires_at)`,

    // url is NULL for a robots.txt that was given back undialled.
    `CREATE TABLE request_details (
      id {{id}},
      at {{int}} NOT NULL,
      device TEXT NOT NULL,
      collection_id {{int}} NOT NULL,
      url TEXT,
      outcome TEXT NOT NULL,
      status {{int}},
      response_bytes {{int}} NOT NULL,
      elapsed_ms {{int}} NOT NULL,
      encoding TEXT,
      code TEXT
    )`,
    `CREATE INDEX request_details_of ON request_details (device, id)`,

    // The sha256 of the token that this boot shows; it lives as long as the boot.
    `ALTER TABLE agents ADD COLUMN session TEXT`,
    `CREATE UNIQUE INDEX agents_by_session ON agents (session)`,
  ],
}
