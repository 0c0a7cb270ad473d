/** The document of the station's API, made from its sources. */
import { join } from 'node:path'
import { PERMISSIONS } from '@minga/fleet'
import { API } from 'typescript/unstable/sync'
import type { OpenApiDocument } from './document.ts'
import { readRoutes } from './read-routes.ts'
import { TypeSchemas } from './type-schemas.ts'
import { writeDocument } from './write-document.ts'

export const ROOT = join(import.meta.dirname, '../..')
const ENTRY = { file: join(ROOT, 'apps/coordinator/src/api-routes.ts'), name: 'apiRoutes' }

export function makeDocument(): OpenApiDocument {
  const api = new API({ cwd: ROOT })
  try {
    const config = join(ROOT, 'tsconfig.json')
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)!
    const { checker } = project
    const schemas = new TypeSchemas(checker, (path) => !path.includes('node_modules'))
    return writeDocument(readRoutes(project, ENTRY), { checker, schemas, wordsOf })
  } finally {
    api.close()
  }
}

function wordsOf(action: string): string {
  if (action === 'public') return 'Anybody may ask.'
  const known = (PERMISSIONS as Record<string, { what: string }>)[action]
  return known === undefined ? 'For any identified caller.' : `${known.what}.`
}
