/** The files that are made from the document, by their paths. */
import { clientTypes } from './client-types.ts'
import type { OpenApiDocument } from './document.ts'
import { apiPage } from './api-page.ts'

export function apiFiles(document: OpenApiDocument): Record<string, string> {
  return {
    'apps/coordinator/openapi.json': `${JSON.stringify(document, null, 1)}\n`,
    'apps/dashboard/src/api/station-api.ts': clientTypes(document),
    'docs/reference/api.md': apiPage(document),
  }
}
