/**
 * Tables of a federation: which station owns a host, what is on its way to other stations, and what
 * is kept for them. Empty at a station that collects alone.
 *
 * `urls.outcome` has one more value, 'elsewhere': the row stands for a URL that another station has.
 * Without a code it was sent to the station whose number is in `status`; with the code 'done'
 * it is known to have been fetched there. No count has it among what was found, queued or ended.
 */
export const federation = {
  version: 22,
  name: 'federation',
  statements: [
    // Rows that go to one station are numbered in the order of their transactions, for ever.
    `INSERT INTO sequences (name, value) VALUES ('outbox', 0)`,

    // 'station': the owner by the map, NULL while undecided. 'held': it may not be leased.
    `ALTER TABLE hosts ADD COLUMN station TEXT`,
    `ALTER TABLE hosts ADD COLUMN held {{int}} NOT NULL DEFAULT 0`,

    // 'arrived' counts what came from others; 'version' orders changes of state and limits, and
    // 'version_by' decides between two of the same number. 'shares' is JSON: how limits of pages and
    // bytes are divided among the stations; the last two are this station's own.
    `ALTER TABLE collections ADD COLUMN federated {{int}} NOT NULL DEFAULT 0`,
    `ALTER TABLE collections ADD COLUMN arrived {{int}} NOT NULL DEFAULT 0`,
    `ALTER TABLE collections ADD COLUMN home TEXT`,
    `ALTER TABLE collections ADD COLUMN version {{int}} NOT NULL DEFAULT 0`,
    `ALTER TABLE collections ADD COLUMN version_by TEXT`,
    `ALTER TABLE collections ADD COLUMN shares TEXT`,
    `ALTER TABLE collections ADD COLUMN pages_share {{int}}`,
    `ALTER TABLE collections ADD COLUMN bytes_share {{int}}`,

    // 'branch': the federations around it inside the federation, from the outermost in: 'pt/lisbon'.
    `CREATE TABLE federation_stations (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      url TEXT NOT NULL,
      public_key TEXT NOT NULL,
      ca TEXT,
      branch TEXT NOT NULL DEFAULT '',
      capacity {{real}} NOT NULL DEFAULT 1,
      state TEXT NOT NULL,
      keeper TEXT,
      joined_at {{int}} NOT NULL,
      heard_at {{int}},
      lease_until {{int}},
      lost_at {{int}}
    ) {{without_rowid}}`,
    // Small numbers for stations, for the rows of URLs that were sent to them.
    `CREATE TABLE station_numbers (
      station TEXT PRIMARY KEY,
      number {{int}} NOT NULL UNIQUE
    ) {{without_rowid}}`,
    // URLs by the number of the station that they were sent to. A table of its own: an index would cost
    // something for every URL of a station that collects alone.
    `CREATE TABLE sent_urls (
      number {{int}} NOT NULL,
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      PRIMARY KEY (number, collection_id, host_id, hash)
    ) {{without_rowid}}`,

    // The map. 'awaits': whose handover the owner waits for. 'applied' is the last epoch that took
    // effect in this station's own tables; at the registrar it may be behind 'epoch' for a moment.
    `CREATE TABLE placement_hosts (
      host TEXT PRIMARY KEY,
      station TEXT NOT NULL,
      awaits TEXT,
      address TEXT,
      epoch {{int}} NOT NULL,
      applied {{int}} NOT NULL DEFAULT 0,
      pages {{int}} NOT NULL DEFAULT 0
    ) {{without_rowid}}`,
    `CREATE INDEX placement_hosts_by_epoch ON placement_hosts (epoch)`,
    `CREATE INDEX placement_hosts_by_station ON placement_hosts (station)`,
    `CREATE INDEX placement_hosts_by_address ON placement_hosts (address) WHERE address IS NOT NULL`,
    `CREATE TABLE placement_addresses (
      address TEXT PRIMARY KEY,
      station TEXT NOT NULL,
      domains {{int}} NOT NULL DEFAULT 0
    ) {{without_rowid}}`,

    // 'entries': how many URLs or hosts the payload speaks of. The payload is the last column, so
    // that counting rows does not read it.
    `CREATE TABLE federation_outbox (
      seq {{int}} PRIMARY KEY,
      station TEXT NOT NULL,
      kind TEXT NOT NULL,
      collection_id {{int}},
      entries {{int}} NOT NULL,
      payload TEXT NOT NULL
    )`,
    `CREATE INDEX federation_outbox_by_station ON federation_outbox (station, seq)`,
    // The journal has time, and no collection waits for it.
    `CREATE INDEX federation_outbox_urgent ON federation_outbox (station) WHERE kind <> 'journal'`,
    `CREATE INDEX federation_outbox_by_collection ON federation_outbox (collection_id)
       WHERE kind <> 'journal'`,
    `CREATE TABLE federation_inbox (
      station TEXT PRIMARY KEY,
      seq {{int}} NOT NULL
    ) {{without_rowid}}`,

    // The journals of others, as they came.
    `CREATE TABLE kept_batches (
      station TEXT NOT NULL,
      seq {{int}} NOT NULL,
      collection_id {{int}} NOT NULL,
      payload {{bytes}} NOT NULL,
      PRIMARY KEY (station, seq)
    )`,
    `CREATE INDEX kept_batches_by_collection ON kept_batches (collection_id)`,

    // Hosts that are to be sent to their new owner. 'source': the lost station whose journal has to
    // be sent before. The cursor says how far it came.
    `CREATE TABLE federation_handovers (
      host TEXT PRIMARY KEY,
      to_station TEXT NOT NULL,
      epoch {{int}} NOT NULL,
      source TEXT,
      cursor_collection {{int}} NOT NULL DEFAULT 0,
      cursor_hash {{int}} NOT NULL DEFAULT -1
    ) {{without_rowid}}`,
    // Handovers that ended before this station heard that the host is its own; 'clock' is JSON.
    `CREATE TABLE federation_early (
      host TEXT PRIMARY KEY,
      station TEXT NOT NULL,
      epoch {{int}} NOT NULL,
      clock TEXT NOT NULL
    ) {{without_rowid}}`,
    // Hosts whose handover has arrived here; the registrar is to hear of it.
    `CREATE TABLE federation_settled (host TEXT PRIMARY KEY) {{without_rowid}}`,
    // Stations that were lost or left, while what was meant for them is given to others.
    `CREATE TABLE federation_releases (station TEXT PRIMARY KEY) {{without_rowid}}`,
    // Hosts whose owner the registrar is to decide.
    `CREATE TABLE host_claims (
      host_id {{int}} PRIMARY KEY,
      asked_at {{int}} NOT NULL DEFAULT 0
    )`,
  ],
}
