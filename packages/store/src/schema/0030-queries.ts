/**
 * Tables of queries: the queries to the lake, their stages, their tasks and what these wrote. An
 * operation that changes anything of a query holds its row in 'lake_queries' until the commit; only
 * heartbeats touch tasks without it. Times are milliseconds since the Unix epoch.
 */
export const queries = {
  version: 30,
  name: 'queries',
  statements: [
    // Fences of tasks: each lease has a higher one, over all queries and for ever.
    `INSERT INTO sequences (name, value) VALUES ('task', 0)`,

    // state: running, done, failed, cancelled; 'why' says who cancelled: asked, abandoned. 'ask', 'terms' and
    // 'error' are JSON. 'engine': the version of DuckDB that all its workers must have. 'outputs' numbers what
    // its tasks wrote. 'turn': how often it was served among the queries of its owner. 'files' on the disk:
    // all, results, nothing; from 'collect_at' on some may go.
    `CREATE TABLE lake_queries (
      number {{id}},
      id TEXT NOT NULL UNIQUE,
      owner TEXT NOT NULL,
      kind TEXT NOT NULL,
      ask TEXT NOT NULL,
      terms TEXT NOT NULL,
      weight {{real}} NOT NULL,
      turn {{real}} NOT NULL,
      state TEXT NOT NULL,
      why TEXT,
      error TEXT,
      engine TEXT,
      stages_left {{int}} NOT NULL,
      total {{int}} NOT NULL,
      ready {{int}} NOT NULL DEFAULT 0,
      running {{int}} NOT NULL DEFAULT 0,
      done {{int}} NOT NULL DEFAULT 0,
      outputs {{int}} NOT NULL DEFAULT 0,
      rows_read {{int}} NOT NULL DEFAULT 0,
      bytes_read {{int}} NOT NULL DEFAULT 0,
      bytes_total {{int}} NOT NULL,
      spent_ms {{int}} NOT NULL DEFAULT 0,
      made_at {{int}} NOT NULL,
      started_at {{int}},
      ended_at {{int}},
      seen_at {{int}} NOT NULL,
      abandon_at {{int}},
      deadline_at {{int}},
      files TEXT NOT NULL,
      collect_at {{int}}
    )`,
    `CREATE INDEX lake_queries_running ON lake_queries (number) WHERE state = 'running'`,
    `CREATE INDEX lake_queries_by_owner ON lake_queries (owner, number)`,
    `CREATE INDEX lake_queries_to_collect ON lake_queries (collect_at) WHERE collect_at IS NOT NULL`,
    `CREATE INDEX lake_queries_ended ON lake_queries (ended_at) WHERE ended_at IS NOT NULL`,

    // Large and seldom read: apart from the row that every lease reads.
    `CREATE TABLE lake_plans (
      query {{int}} PRIMARY KEY,
      plan TEXT NOT NULL
    )`,

    // How often owners were served, so that submitting again gains no priority.
    `CREATE TABLE lake_owners (
      owner TEXT PRIMARY KEY,
      turn {{real}} NOT NULL
    ) {{without_rowid}}`,

    // state: waiting (for 'waits' other stages), open, done. 'follows' are the stages that wait for it, 'reads'
    // what its tasks read of others, 'shows' the outputs that are rows of results: all JSON.
    `CREATE TABLE lake_stages (
      query {{int}} NOT NULL,
      stage {{int}} NOT NULL,
      id TEXT NOT NULL,
      about TEXT NOT NULL,
      state TEXT NOT NULL,
      waits {{int}} NOT NULL,
      follows TEXT NOT NULL,
      reads TEXT NOT NULL,
      shows TEXT NOT NULL,
      total {{int}} NOT NULL,
      ready {{int}} NOT NULL DEFAULT 0,
      running {{int}} NOT NULL DEFAULT 0,
      done {{int}} NOT NULL DEFAULT 0,
      rows_written {{int}} NOT NULL DEFAULT 0,
      rows_read {{int}} NOT NULL DEFAULT 0,
      spent_ms {{int}} NOT NULL DEFAULT 0,
      PRIMARY KEY (query, stage)
    ) {{without_rowid}}`,

    // A task is made when its stage opens. state: ready, resting (until 'ready_at'), leased, done,
    // void. 'attempts' are failures that it reported, 'deaths' leases that ended without a message.
    `CREATE TABLE lake_tasks (
      query {{int}} NOT NULL,
      stage {{int}} NOT NULL,
      task {{int}} NOT NULL,
      state TEXT NOT NULL,
      fence {{int}} NOT NULL DEFAULT 0,
      worker TEXT,
      boot TEXT,
      leased_at {{int}},
      until {{int}},
      ready_at {{int}},
      attempts {{int}} NOT NULL DEFAULT 0,
      deaths {{int}} NOT NULL DEFAULT 0,
      progress {{int}} NOT NULL DEFAULT 0,
      PRIMARY KEY (query, stage, task)
    ) {{without_rowid}}`,
    // The state comes first although it is always the same: only then SQLite prefers them to the primary key,
    // in which it would look at every task that is done.
    `CREATE INDEX lake_tasks_ready ON lake_tasks (state, query, stage, task) WHERE state = 'ready'`,
    `CREATE INDEX lake_tasks_leased ON lake_tasks (state, query, until) WHERE state = 'leased'`,
    `CREATE UNIQUE INDEX lake_tasks_by_fence ON lake_tasks (fence) WHERE state = 'leased'`,
    `CREATE INDEX lake_tasks_resting ON lake_tasks (state, ready_at) WHERE state = 'resting'`,

    // What committed tasks wrote, each once. 'number' is the order of appearance within the query; 'part' is -1
    // where an output has no partitions.
    `CREATE TABLE lake_outputs (
      query {{int}} NOT NULL,
      stage {{int}} NOT NULL,
      output TEXT NOT NULL,
      part {{int}} NOT NULL,
      task {{int}} NOT NULL,
      number {{int}} NOT NULL,
      file TEXT NOT NULL,
      rows_written {{int}} NOT NULL,
      bytes {{int}} NOT NULL,
      is_shown {{int}} NOT NULL,
      PRIMARY KEY (query, stage, output, part, task)
    ) {{without_rowid}}`,
    `CREATE INDEX lake_outputs_shown ON lake_outputs (is_shown, query, number) WHERE is_shown = 1`,

    `CREATE TABLE lake_rejects (
      query {{int}} NOT NULL,
      reason TEXT NOT NULL,
      count {{int}} NOT NULL,
      PRIMARY KEY (query, reason)
    ) {{without_rowid}}`,
  ],
}
