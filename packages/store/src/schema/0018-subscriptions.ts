/**
 * Tables of subscriptions: topics (watch_categories), what people changed manually (watch_trail),
 * who may say that a watched page has changed (watch_hooks, websub_subscriptions) and what they
 * said (notices). Times are milliseconds since the Unix epoch.
 */
export const subscriptions = {
  version: 18,
  name: 'subscriptions',
  statements: [
    `CREATE TABLE watch_categories (
      code {{int}} PRIMARY KEY,
      name TEXT NOT NULL UNIQUE
    )`,
    `INSERT INTO watch_categories (code, name) VALUES
      (300, 'art'), (301, 'science'), (302, 'architecture'), (303, 'sport'), (304, 'humour'),
      (305, 'fashion'), (306, 'news'), (307, 'politics'), (308, 'file sharing'),
      (309, 'intelligence'), (310, 'board games'), (311, 'environment'), (312, 'translation'),
      (313, 'travel'), (314, 'video games')`,

    // kind: created, edited, urls. before and after are JSON: only what changed. Those edited can be
    // undone, the newest first; the row stays and says by whom.
    `CREATE TABLE watch_trail (
      id {{id}},
      collection_id {{int}} NOT NULL,
      at {{int}} NOT NULL,
      by_account TEXT NOT NULL,
      kind TEXT NOT NULL,
      before_json TEXT NOT NULL,
      after_json TEXT NOT NULL,
      undone_at {{int}},
      undone_by TEXT
    )`,
    `CREATE INDEX watch_trail_of ON watch_trail (collection_id, id)`,
    `CREATE INDEX watches_by_category ON watches (category)`,

    // The secret of a watch's own notification hook, as SHA-256.
    `CREATE TABLE watch_hooks (
      collection_id {{int}} PRIMARY KEY,
      hash TEXT NOT NULL,
      made_at {{int}} NOT NULL,
      made_by TEXT NOT NULL
    )`,

    // A report that a page has changed. outcome NULL: the visit that verifies it is still to come.
    // is_early: it made the page due at once; the rest came too soon after another.
    `CREATE TABLE notices (
      id {{id}},
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      url TEXT NOT NULL,
      source TEXT NOT NULL,
      at {{int}} NOT NULL,
      is_early {{int}} NOT NULL,
      outcome TEXT,
      settled_at {{int}}
    )`,
    `CREATE INDEX notices_of ON notices (collection_id, at)`,
    `CREATE INDEX notices_open ON notices (collection_id, host_id, hash) WHERE outcome IS NULL`,

    // Feeds and sitemaps as they were read last. 'seen' is a JSON list of numbers: what was in it.
    `CREATE TABLE watch_sources (
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      digest TEXT NOT NULL,
      seen TEXT NOT NULL,
      items {{int}} NOT NULL,
      problems TEXT NOT NULL,
      read_at {{int}} NOT NULL,
      PRIMARY KEY (collection_id, host_id, hash)
    ) {{without_rowid}}`,

    // One row for each topic of a watch. state: wanted, asked, active, refused, ended. 'token' is the
    // unguessable part of the callback's address, 'secret' signs what the hub sends.
    `CREATE TABLE websub_subscriptions (
      token TEXT PRIMARY KEY,
      collection_id {{int}} NOT NULL,
      topic TEXT NOT NULL,
      hub TEXT NOT NULL,
      secret TEXT NOT NULL,
      state TEXT NOT NULL,
      tries {{int}} NOT NULL DEFAULT 0,
      next_try_at {{int}},
      asked_at {{int}},
      lease_until {{int}},
      problem TEXT,
      created_at {{int}} NOT NULL
    ) {{without_rowid}}`,
    `CREATE UNIQUE INDEX websub_topics ON websub_subscriptions (collection_id, topic)`,
    `CREATE INDEX websub_due ON websub_subscriptions (next_try_at) WHERE next_try_at IS NOT NULL`,
  ],
}
