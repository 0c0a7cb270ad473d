/** The files that are made from the document, by their paths. */
import { clientTypes } from './client-types.ts'
import type { OpenApiDocument } from './document.ts'

export function apiFiles(document: OpenApiDocument): Record<string, string> {
  return {
    'apps/coordinator/openapi.json': `${JSON.stringify(document, null, 1)}\n`,
    'apps/dashboard/src/api/station-api.ts': clientTypes(document),
    'docs/reference/api.md': apiPage(document),
  }
}

const HEAD = `# The API of a station

Everything the page and the command line do goes through this API: JSON over HTTP, below \`/api\`. Programs show a key
(\`authorization: Bearer …\`, made on the page under _Keys_ or with \`minga\`), which says what it may do. The whole of it,
with every field, is at \`/api/openapi.json\` of each station (OpenAPI 3.1). Times are milliseconds since 1970 in UTC.
A refusal is \`{"error": {"code", "message"}}\` with a code of [errors](errors.md).

Histories of wikis have an interface of their own for other programs, with its own document: [wiki API](wiki-api.md).
The [query API](query-api.md) describes queries in full. \`npm run build:api\` writes this page.
`

/** The document as a page for people: every address on a line. */
function apiPage({ paths }: OpenApiDocument): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      area: operation.tags[0]!,
      method: method.toUpperCase(),
      path,
      action: operation['x-action'],
    })),
  )
  const areas = [...new Set(rows.map(({ area }) => area))]
  const parts = areas.map((area) => {
    const lines = rows
      .filter((row) => row.area === area)
      .map(({ method, path, action }) => `- \`${method} ${path}\` (${rightText(action)})`)
    return `## ${area}\n\n${lines.join('\n')}\n`
  })
  return `${HEAD}\n${parts.join('\n')}`
}

function rightText(action: string): string {
  if (action === 'public') return 'anybody'
  return action === 'known' ? 'any identified caller' : `\`${action}\``
}
