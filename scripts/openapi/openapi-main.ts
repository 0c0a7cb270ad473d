/**
 * Writes what is made from the sources of the API.
 *   npm run build:api
 *   in:  apps/coordinator/src, as the compiler sees it
 *   out: apps/coordinator/openapi.json, apps/dashboard/src/api/station-api.ts, docs/reference/api.md
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiFiles } from './api-files.ts'
import { makeDocument, ROOT } from './make-document.ts'

for (const [file, text] of Object.entries(apiFiles(makeDocument()))) {
  writeFileSync(join(ROOT, file), text)
}
