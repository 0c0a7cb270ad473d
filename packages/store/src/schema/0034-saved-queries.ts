/**
 * What people keep of their questions, what is remembered of tasks when they are over, and which workers are to take
 * no more. Times are milliseconds since the Unix epoch.
 */
export const savedQueries = {
  version: 34,
  name: 'saved-queries',
  statements: [
    // kind: query (a whole one as JSON), sql. What was removed stays a while, so that it can be brought back.
    `CREATE TABLE saved_queries (
      id {{id}},
      owner TEXT NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      text TEXT NOT NULL,
      made_at {{int}} NOT NULL,
      edited_at {{int}} NOT NULL,
      removed_at {{int}}
    )`,
    `CREATE INDEX saved_queries_of ON saved_queries (owner, id)`,

    // Who did it, or tried last, and when that was over; 'error' is JSON: what was wrong the last time.
    `ALTER TABLE lake_tasks ADD COLUMN last_worker TEXT`,
    `ALTER TABLE lake_tasks ADD COLUMN ended_at {{int}}`,
    `ALTER TABLE lake_tasks ADD COLUMN error TEXT`,

    // Processes of workers that finish what they have and are given nothing more.
    `CREATE TABLE lake_drained (
      boot TEXT PRIMARY KEY,
      at {{int}} NOT NULL
    ) {{without_rowid}}`,
  ],
}
