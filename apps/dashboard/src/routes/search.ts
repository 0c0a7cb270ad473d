/** What stands behind the question mark, as people write it: `?sort=-askedAt&q=5`, without quotes. */

export function searchIn(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

export function searchText(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    const isWord = typeof value === 'string' || typeof value === 'number' || value === true
    if (isWord && value !== '') query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}
