/**
 * Wikis that are read with a token or a bot password are for those who had them extracted. 'owner' is the first who did.
 */
export const closedWikis = {
  version: 48,
  name: 'closed-wikis',
  statements: [
    `ALTER TABLE wikis ADD COLUMN visibility TEXT NOT NULL DEFAULT 'shared'`,
    `ALTER TABLE wikis ADD COLUMN owner TEXT`,
    // Names of these facts end in the address of api.php, or in its origin.
    `UPDATE wikis SET visibility = 'private' WHERE api_url IS NOT NULL AND EXISTS (
       SELECT 1 FROM station_facts f WHERE f.name = 'wiki-log-in ' || wikis.api_url
         OR (substr(f.name, 1, 11) = 'wiki-token '
           AND substr(wikis.api_url, 1, length(f.name) - 10) = substr(f.name, 12) || '/'))`,
    `UPDATE wikis SET owner = (SELECT c.owner FROM wiki_tasks t JOIN collections c
         ON c.id = t.collection_id WHERE t.wiki_id = wikis.id AND c.owner IS NOT NULL
         ORDER BY t.id LIMIT 1) WHERE visibility = 'private'`,
    `UPDATE collections SET visibility = 'private' WHERE id IN (SELECT t.collection_id
         FROM wiki_tasks t JOIN wikis w ON w.id = t.wiki_id
         WHERE w.visibility = 'private' AND t.collection_id IS NOT NULL)
       OR identity IN (SELECT 'wiki feed ' || CAST(w.id AS TEXT) FROM wikis w
         WHERE w.visibility = 'private')`,
    `CREATE INDEX wikis_private ON wikis (id) WHERE visibility = 'private'`,
  ],
}
