/**
 * How a collection went and what became of it: its counts over its whole life, what was captured by type, status and
 * depth, the newest example of each error, and what people changed of it while it ran.
 */
export const collectionSamples = {
  version: 33,
  name: 'collection-samples',
  statements: [
    // One row every ten seconds while it runs, fewer the older they are.
    `CREATE TABLE collection_samples (
      collection_id {{int}} NOT NULL,
      at {{int}} NOT NULL,
      found {{int}} NOT NULL,
      queued {{int}} NOT NULL,
      pages {{int}} NOT NULL,
      bytes {{int}} NOT NULL,
      failed {{int}} NOT NULL,
      PRIMARY KEY (collection_id, at)
    ) {{without_rowid}}`,
    // Of all collections together, once a minute, for a day.
    `CREATE TABLE station_samples (
      at {{int}} PRIMARY KEY,
      done {{int}} NOT NULL,
      bytes {{int}} NOT NULL
    )`,

    // facet: 'type' (a family of media types), 'status', 'depth'. Counted with the captures themselves.
    `CREATE TABLE collection_facets (
      collection_id {{int}} NOT NULL,
      facet TEXT NOT NULL,
      value TEXT NOT NULL,
      count {{int}} NOT NULL,
      bytes {{int}} NOT NULL,
      PRIMARY KEY (collection_id, facet, value)
    ) {{without_rowid}}`,
    `INSERT INTO collection_facets (collection_id, facet, value, count, bytes)
     SELECT collection_id, 'status', CAST(status AS TEXT), COUNT(*), SUM(payload_bytes)
     FROM captures WHERE collection_id > 0 GROUP BY collection_id, status`,
    `INSERT INTO collection_facets (collection_id, facet, value, count, bytes)
     SELECT collection_id, 'type', family, COUNT(*), SUM(payload_bytes) FROM (
       SELECT collection_id, payload_bytes, CASE
         WHEN mime IN ('text/html', 'application/xhtml+xml') THEN 'html'
         WHEN mime = 'text/css' THEN 'style'
         WHEN mime LIKE '%javascript%' THEN 'script'
         WHEN mime LIKE '%json%' THEN 'json'
         WHEN mime LIKE 'image/%' THEN 'image'
         WHEN mime LIKE 'video/%' THEN 'video'
         WHEN mime LIKE 'audio/%' THEN 'audio'
         WHEN mime LIKE 'font/%' OR mime LIKE '%font%' THEN 'font'
         WHEN mime = 'application/pdf' THEN 'pdf'
         WHEN mime LIKE '%xml%' THEN 'xml'
         WHEN mime LIKE 'text/%' THEN 'text'
         ELSE 'other' END AS family
       FROM captures WHERE collection_id > 0) AS typed
     GROUP BY collection_id, family`,
    `INSERT INTO collection_facets (collection_id, facet, value, count, bytes)
     SELECT collection_id, 'depth', CAST(depth AS TEXT), COUNT(*), 0
     FROM urls WHERE outcome = 'captured' AND depth <= 100 GROUP BY collection_id, depth`,

    `ALTER TABLE collection_errors ADD COLUMN last_url TEXT`,
    `ALTER TABLE collection_errors ADD COLUMN last_at {{int}}`,
    `CREATE INDEX collection_errors_newest ON collection_errors (last_at) WHERE last_at IS NOT NULL`,

    // What people changed, with who and when; undoable.
    `CREATE TABLE collection_trail (
      id {{id}},
      collection_id {{int}} NOT NULL,
      at {{int}} NOT NULL,
      by_account TEXT NOT NULL,
      before_json TEXT NOT NULL,
      after_json TEXT NOT NULL,
      undone_at {{int}},
      undone_by TEXT
    )`,
    `CREATE INDEX collection_trail_of ON collection_trail (collection_id, id)`,

    // 1 from the first change of its scope on: what is queued is checked again before it goes out.
    `ALTER TABLE collections ADD COLUMN rescoped {{int}} NOT NULL DEFAULT 0`,
    // Queues that are being gone through after a change, and how far. step: 'back', then 'out'.
    `CREATE TABLE collection_sweeps (
      collection_id {{int}} PRIMARY KEY,
      step TEXT NOT NULL,
      host_id {{int}} NOT NULL,
      priority {{int}} NOT NULL,
      hash {{int}} NOT NULL
    )`,
    `CREATE INDEX urls_out_of_scope ON urls (collection_id, host_id, hash) WHERE code = 'MINGA_OUT_OF_SCOPE'`,
  ],
}
