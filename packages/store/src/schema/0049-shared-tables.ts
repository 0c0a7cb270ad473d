/** Tables and saved questions that others than their owners read. */
export const sharedTables = {
  version: 49,
  name: 'shared-tables',
  statements: [
    `ALTER TABLE lake_tables ADD COLUMN visibility TEXT NOT NULL DEFAULT 'private'`,
    `ALTER TABLE saved_queries ADD COLUMN visibility TEXT NOT NULL DEFAULT 'private'`,
    // Callers without a log-in ask whether there are any; a station has few tables and questions otherwise.
    `CREATE INDEX lake_tables_public ON lake_tables (id) WHERE visibility = 'public'`,
    `CREATE INDEX saved_queries_public ON saved_queries (id) WHERE visibility = 'public'`,
  ],
}
