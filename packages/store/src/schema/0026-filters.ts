/** What filters of a station or a collection decide by, and how much they left out. */
export const filters = {
  version: 26,
  name: 'filters',
  statements: [
    // Links that a filter of the station or of the collection left out: they are never queued.
    `ALTER TABLE collections ADD COLUMN filtered {{int}} NOT NULL DEFAULT 0`,
    // Where a host is: all its addresses, their country and place, as JSON. Only of hosts for which a
    // filter asked, and only as long as its addresses hold.
    `CREATE TABLE host_facts (
       host_id {{int}} PRIMARY KEY,
       facts TEXT NOT NULL,
       until {{int}} NOT NULL
     )`,
  ],
}
