/**
 * What happened at the station, for its operators, and what sessions show of themselves to their owners. Times are
 * milliseconds since the Unix epoch.
 */
export const eventLog = {
  version: 35,
  name: 'event-log',
  statements: [
    // 'level' from 0 (info) to 3 (error); 'text' is code, subject and sentence in lower case, to be searched.
    `CREATE TABLE event_log (
      id {{id}},
      at {{int}} NOT NULL,
      level {{int}} NOT NULL,
      context TEXT NOT NULL,
      code TEXT NOT NULL,
      subject TEXT NOT NULL,
      sentence TEXT NOT NULL,
      text TEXT NOT NULL,
      device TEXT,
      by_account TEXT,
      times {{int}} NOT NULL
    )`,
    `CREATE INDEX event_log_at ON event_log (at, id)`,
    `CREATE INDEX event_log_of ON event_log (context, subject, id)`,
    `CREATE INDEX event_log_grave ON event_log (level, id)`,

    // The browser as it names itself, and when it last called.
    `ALTER TABLE account_sessions ADD COLUMN client TEXT`,
    `ALTER TABLE account_sessions ADD COLUMN seen_at {{int}}`,
  ],
}
