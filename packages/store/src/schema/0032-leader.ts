/**
 * The leader of all coordinators that share a database. A leader writes a later `until` again and
 * again; another that saw it unchanged for a whole time-out may take over, with the next fence.
 */
export const leader = {
  version: 32,
  name: 'leader',
  statements: [
    `CREATE TABLE leaders (
      name TEXT PRIMARY KEY,
      holder TEXT NOT NULL,
      fence {{int}} NOT NULL,
      until {{int}} NOT NULL
    ) {{without_rowid}}`,
  ],
}
