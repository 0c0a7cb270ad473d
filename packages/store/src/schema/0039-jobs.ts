/**
 * Details of events in addition to their sentence, for translation, and the orders in which all
 * background work is listed together: the newest first, of any kind.
 */
export const jobs = {
  version: 39,
  name: 'jobs',
  statements: [
    // JSON of names and values; NULL in lines from before.
    `ALTER TABLE event_log ADD COLUMN details TEXT`,

    `CREATE INDEX jobs_of_lake_queries ON lake_queries (made_at, id)`,
    `CREATE INDEX jobs_of_wiki_tasks ON wiki_tasks (created_at, id)`,
    `CREATE INDEX jobs_of_load_tests ON load_tests (created_at, id)`,
    `CREATE INDEX jobs_of_versions ON versions (started_at)`,
    `CREATE INDEX jobs_of_batches ON batches (created_at, id)`,
    `CREATE INDEX jobs_of_takedowns ON takedowns (asked_at, id)`,
    `CREATE INDEX jobs_of_neutrality_runs ON neutrality_runs (started_at)`,
    `CREATE INDEX jobs_of_alert_deliveries ON alert_deliveries (created_at, id)`,
    `CREATE INDEX jobs_of_collections ON collections (created_at, id)`,
  ],
}
