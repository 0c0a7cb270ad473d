/**
 * Tables of watching: what is watched and how (watches), the belief about each watched URL and when
 * to come back (forecasts), what every visit found (visits), and whole-site harvests (versions).
 * A watch is a collection of kind `watch` with the same id; its due URLs are queued there like any
 * other work. Times are milliseconds since the Unix epoch.
 */
export const watches = {
  version: 17,
  name: 'watches',
  statements: [
    // 'settings' is what people may change (protocol/src/watch.ts), JSON; what is searched, sorted
    // or planned by stands in columns of its own.
    `CREATE TABLE watches (
      collection_id {{int}} PRIMARY KEY,
      subject TEXT NOT NULL,
      name TEXT NOT NULL,
      category {{int}},
      is_active {{int}} NOT NULL DEFAULT 1,
      importance {{real}} NOT NULL DEFAULT 1,
      settings TEXT NOT NULL,
      created_at {{int}} NOT NULL,
      updated_at {{int}} NOT NULL
    )`,

    // next_visit_at NULL: nothing is planned. out_since: a visit is queued or out since then and has
    // not been noted yet. 'plan' says why the next visit is when it is, 'policy_state' is the policy's own memory, both JSON. capture_id is the newest
    // capture whose content counts; a failure leaves it.
    `CREATE TABLE forecasts (
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      url TEXT NOT NULL,
      role TEXT NOT NULL,
      weight {{real}} NOT NULL DEFAULT 1,
      next_visit_at {{int}},
      out_since {{int}},
      first_visit_at {{int}},
      last_visit_at {{int}},
      last_change_at {{int}},
      visits {{int}} NOT NULL DEFAULT 0,
      changes {{int}} NOT NULL DEFAULT 0,
      failures {{int}} NOT NULL DEFAULT 0,
      magnitude {{real}} NOT NULL DEFAULT 0,
      rate {{real}} NOT NULL DEFAULT 0,
      belief {{bytes}},
      plan TEXT,
      policy_state TEXT,
      capture_id {{int}},
      PRIMARY KEY (collection_id, host_id, hash)
    ) {{without_rowid}}`,
    `CREATE INDEX forecasts_due ON forecasts (next_visit_at) WHERE next_visit_at IS NOT NULL`,
    `CREATE INDEX forecasts_out ON forecasts (out_since) WHERE out_since IS NOT NULL`,

    // Visits that wait for where they were redirected to: the place that is fetched for them, and
    // the places of the watched URLs themselves.
    `CREATE TABLE visit_chains (
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      root_host_id {{int}} NOT NULL,
      root_hash {{int}} NOT NULL,
      PRIMARY KEY (collection_id, host_id, hash, root_host_id, root_hash)
    ) {{without_rowid}}`,
    `CREATE INDEX visit_chains_of ON visit_chains (collection_id, root_host_id, root_hash)`,

    // What the detector remembers of the counted capture, of states before it, and of noise. Apart
    // from forecasts, which are read by the million.
    `CREATE TABLE sketches (
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      sketch {{bytes}} NOT NULL,
      states TEXT NOT NULL DEFAULT '[]',
      noise TEXT,
      twin_until {{int}},
      PRIMARY KEY (collection_id, host_id, hash)
    ) {{without_rowid}}`,

    // One row for every visit that ended. outcome: first, changed, unchanged, failed.
    `CREATE TABLE visits (
      id {{id}},
      collection_id {{int}} NOT NULL,
      host_id {{int}} NOT NULL,
      hash {{int}} NOT NULL,
      at {{int}} NOT NULL,
      since_ms {{int}},
      outcome TEXT NOT NULL,
      code TEXT,
      visual {{real}} NOT NULL DEFAULT 0,
      structural {{real}} NOT NULL DEFAULT 0,
      content {{real}} NOT NULL DEFAULT 0,
      magnitude {{real}} NOT NULL DEFAULT 0,
      is_important {{int}} NOT NULL DEFAULT 0,
      chance {{real}},
      bytes {{int}} NOT NULL DEFAULT 0,
      capture_id {{int}},
      before_id {{int}}
    )`,
    `CREATE INDEX visits_of ON visits (collection_id, host_id, hash, at)`,
    `CREATE INDEX visits_by_time ON visits (collection_id, at)`,

    // A harvest of a whole site: captures of its collection with ids after after_id, up to last_id
    // (times are those of devices, whose clocks may be wrong). state: waiting, running, paused, complete, truncated, cancelled.
    `CREATE TABLE versions (
      collection_id {{int}} NOT NULL,
      number {{int}} NOT NULL,
      state TEXT NOT NULL,
      reason TEXT,
      cause TEXT NOT NULL,
      started_at {{int}} NOT NULL,
      ended_at {{int}},
      after_id {{int}} NOT NULL DEFAULT 0,
      last_id {{int}},
      documents {{int}} NOT NULL DEFAULT 0,
      bytes {{int}} NOT NULL DEFAULT 0,
      failed {{int}} NOT NULL DEFAULT 0,
      files TEXT NOT NULL DEFAULT '[]',
      agents TEXT NOT NULL DEFAULT '[]',
      PRIMARY KEY (collection_id, number)
    ) {{without_rowid}}`,
    `CREATE INDEX versions_running ON versions (collection_id) WHERE ended_at IS NULL`,
  ],
}
