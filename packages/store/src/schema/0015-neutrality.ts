/**
 * Tables of the neutrality monitor: what is watched (monitors), each round of fetching (runs), who
 * took part from where (places), and what each saw of each address (observations).
 */
export const neutrality = {
  version: 15,
  name: 'neutrality',
  statements: [
    // urls is a JSON list; next_run_at is NULL when no further run is wanted.
    `CREATE TABLE neutrality_monitors (
      id TEXT PRIMARY KEY,
      account TEXT NOT NULL,
      name TEXT NOT NULL,
      urls TEXT NOT NULL,
      place_kind TEXT NOT NULL,
      devices_per_place {{int}} NOT NULL,
      every_ms {{int}},
      run_ms {{int}} NOT NULL,
      created_at {{int}} NOT NULL,
      next_run_at {{int}},
      runs {{int}} NOT NULL DEFAULT 0
    )`,
    `CREATE INDEX neutrality_monitors_of ON neutrality_monitors (account, created_at)`,
    `CREATE INDEX neutrality_monitors_due ON neutrality_monitors (next_run_at) WHERE next_run_at IS NOT NULL`,

    `CREATE TABLE neutrality_runs (
      monitor TEXT NOT NULL,
      no {{int}} NOT NULL,
      started_at {{int}} NOT NULL,
      until {{int}} NOT NULL,
      ended_at {{int}},
      findings TEXT,
      PRIMARY KEY (monitor, no)
    ) {{without_rowid}}`,
    `CREATE INDEX neutrality_runs_open ON neutrality_runs (until) WHERE ended_at IS NULL`,

    // place is a country or a network; device_no stands for the device in reports; given says that
    // its requests are reserved for it.
    `CREATE TABLE neutrality_places (
      monitor TEXT NOT NULL,
      run_no {{int}} NOT NULL,
      device TEXT NOT NULL,
      place TEXT NOT NULL,
      device_no {{int}} NOT NULL,
      given {{int}} NOT NULL DEFAULT 0,
      PRIMARY KEY (monitor, run_no, device)
    ) {{without_rowid}}`,
    `CREATE INDEX neutrality_places_to_give ON neutrality_places (device) WHERE given = 0`,

    // facts is NULL until the answer came (JSON of what was seen).
    `CREATE TABLE neutrality_observations (
      monitor TEXT NOT NULL,
      run_no {{int}} NOT NULL,
      url_no {{int}} NOT NULL,
      device_no {{int}} NOT NULL,
      place TEXT NOT NULL,
      facts TEXT,
      PRIMARY KEY (monitor, run_no, url_no, device_no)
    ) {{without_rowid}}`,
  ],
}
