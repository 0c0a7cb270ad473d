/**
 * Tables of collecting: what is wanted (collections, urls), when a machine may be contacted
 * (hosts, address_groups), who is at work (agents, leases, host_leases) and what was gathered
 * (captures, payloads). Times are milliseconds since the Unix epoch.
 */
export const collect = {
  version: 1,
  name: 'collect',
  statements: [
    // Counters that hand out ids and fences: a fence must grow over every restart.
    `CREATE TABLE sequences (name TEXT PRIMARY KEY, value {{int}} NOT NULL) {{without_rowid}}`,
    `INSERT INTO sequences (name, value) VALUES ('collection', 0), ('host', 0), ('fence', 0)`,

    // One row of facts about the station itself, such as the latest time it has seen.
    `CREATE TABLE station_facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) {{without_rowid}}`,

    // 'queued' counts URLs without an outcome, those out with agents ('leased') included.
    `CREATE TABLE collections (
      id {{int}} PRIMARY KEY,
      identity TEXT NOT NULL UNIQUE,
      spec TEXT NOT NULL,
      state TEXT NOT NULL,
      reason TEXT,
      created_at {{int}} NOT NULL,
      ended_at {{int}},
      leased_at {{int}} NOT NULL DEFAULT 0,
      active_ms {{int}} NOT NULL DEFAULT 0,
      queued {{int}} NOT NULL DEFAULT 0,
      leased {{int}} NOT NULL DEFAULT 0,
      found {{int}} NOT NULL DEFAULT 0,
      pages {{int}} NOT NULL DEFAULT 0,
      captures {{int}} NOT NULL DEFAULT 0,
      bytes {{int}} NOT NULL DEFAULT 0,
      failed {{int}} NOT NULL DEFAULT 0,
      denied {{int}} NOT NULL DEFAULT 0,
      cancelled {{int}} NOT NULL DEFAULT 0,
      duplicates {{int}} NOT NULL DEFAULT 0
    )`,
    `CREATE TABLE collection_errors (
      collection_id {{int}} NOT NULL,
      code TEXT NOT NULL,
      count {{int}} NOT NULL,
      PRIMARY KEY (collection_id, code)
    ) {{without_rowid}}`,

    // The host clock: next_allowed_at moves in the same transaction as the lease.
    `CREATE TABLE hosts (
      id {{int}} PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      fence {{int}} NOT NULL DEFAULT 0,
      next_allowed_at {{int}} NOT NULL DEFAULT 0,
      address TEXT,
      address_until {{int}} NOT NULL DEFAULT 0,
      crawl_delay_ms {{int}} NOT NULL DEFAULT 0,
      backoff_ms {{int}} NOT NULL DEFAULT 0,
      latency_ms {{int}} NOT NULL DEFAULT 0,
      lookups_failed {{int}} NOT NULL DEFAULT 0
    )`,
    `CREATE TABLE address_groups (
      address TEXT PRIMARY KEY,
      next_allowed_at {{int}} NOT NULL DEFAULT 0,
      in_flight {{int}} NOT NULL DEFAULT 0,
      domains {{int}} NOT NULL DEFAULT 0
    ) {{without_rowid}}`,
    `CREATE TABLE address_domains (
      address TEXT NOT NULL,
      domain TEXT NOT NULL,
      PRIMARY KEY (address, domain)
    ) {{without_rowid}}`,
    `CREATE TABLE robots (
      host_id {{int}} NOT NULL,
      scheme TEXT NOT NULL,
      verdict TEXT NOT NULL,
      rules TEXT,
      fetched_at {{int}} NOT NULL,
      expires_at {{int}} NOT NULL,
      attempts {{int}} NOT NULL DEFAULT 0,
      code TEXT,
      PRIMARY KEY (host_id, scheme)
    ) {{without_rowid}}`,

    // A host's place in a collection. turn_at is a hint for the scheduler (never later than the
    // moment the host could be leased again); the host's own clock decides.
    `CREATE TABLE collection_hosts (
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      turn_at {{int}} NOT NULL DEFAULT 0,
      started_at {{int}} NOT NULL DEFAULT 0,
      queued {{int}} NOT NULL DEFAULT 0,
      found {{int}} NOT NULL DEFAULT 0,
      pages {{int}} NOT NULL DEFAULT 0,
      bytes {{int}} NOT NULL DEFAULT 0,
      PRIMARY KEY (collection_id, host_id)
    ) {{without_rowid}}`,
    `CREATE INDEX collection_hosts_by_host ON collection_hosts (host_id)`,
    `CREATE INDEX collection_hosts_by_turn ON collection_hosts (collection_id, turn_at) WHERE queued > 0`,

    // The seen-set and the queue in one: clustered by host, so that the URLs of a page land on
    // few database pages. outcome NULL means queued; the hash is probed upwards on collision.
    `CREATE TABLE urls (
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      url TEXT NOT NULL,
      kind TEXT NOT NULL,
      priority {{int}} NOT NULL,
      depth {{int}} NOT NULL,
      hops {{int}} NOT NULL,
      via TEXT,
      attempts {{int}} NOT NULL DEFAULT 0,
      not_before {{int}} NOT NULL DEFAULT 0,
      outcome TEXT,
      status {{int}},
      code TEXT,
      PRIMARY KEY (collection_id, host_id, hash)
    ) {{without_rowid}}`,
    `CREATE INDEX urls_queue ON urls (collection_id, host_id, priority) WHERE outcome IS NULL`,
    // Trap budget: which directories and query shapes of a large host were met already.
    `CREATE TABLE trap_places (
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      place TEXT NOT NULL,
      members {{int}} NOT NULL,
      PRIMARY KEY (collection_id, host_id, place)
    ) {{without_rowid}}`,

    `CREATE TABLE agents (
      boot TEXT PRIMARY KEY,
      device TEXT NOT NULL,
      joined_at {{int}} NOT NULL,
      last_beat_at {{int}} NOT NULL,
      progress {{int}} NOT NULL DEFAULT 0,
      progress_at {{int}} NOT NULL
    ) {{without_rowid}}`,
    `CREATE TABLE leases (
      fence {{int}} PRIMARY KEY,
      boot TEXT NOT NULL,
      opened_at {{int}} NOT NULL,
      deadline {{int}} NOT NULL
    )`,
    `CREATE INDEX leases_by_boot ON leases (boot)`,
    // The URLs of one host that are out under one lease; items is a JSON list of url hashes.
    `CREATE TABLE host_leases (
      host_id {{int}} PRIMARY KEY,
      fence {{int}} NOT NULL,
      collection_id {{int}} NOT NULL,
      address TEXT NOT NULL,
      delay_ms {{int}} NOT NULL,
      last_end_at {{int}} NOT NULL DEFAULT 0,
      items TEXT NOT NULL
    )`,
    `CREATE INDEX host_leases_by_fence ON host_leases (fence)`,

    `CREATE TABLE captures (
      id {{id}},
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      url TEXT NOT NULL,
      captured_at {{int}} NOT NULL,
      kind TEXT NOT NULL,
      status {{int}} NOT NULL,
      mime TEXT NOT NULL,
      digest TEXT NOT NULL,
      payload_bytes {{int}} NOT NULL,
      file TEXT NOT NULL,
      offset_bytes {{int}} NOT NULL,
      length_bytes {{int}} NOT NULL,
      title TEXT,
      etag TEXT,
      last_modified TEXT
    )`,
    `CREATE INDEX captures_by_url ON captures (host_id, hash, captured_at)`,
    `CREATE TABLE payloads (
      digest TEXT PRIMARY KEY,
      url TEXT NOT NULL,
      captured_at {{int}} NOT NULL
    ) {{without_rowid}}`,
  ],
}
