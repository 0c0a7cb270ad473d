/** Names of things in wikis, as they are shown. */

/** The first namespace has no name of its own. */
export function namespaceName(
  { ns, name }: { ns: number; name: string },
  articles: string,
): string {
  if (ns === 0) return articles
  return name === '' ? String(ns) : name
}
