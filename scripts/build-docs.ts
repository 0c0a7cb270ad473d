/** `npm run build:docs`: docs/ as a static site in docs-site/. */
import { join } from 'node:path'
import { buildDocsSite } from './docs/docs-site.ts'

const ROOT = join(import.meta.dirname, '..')

const { pages, images } = await buildDocsSite(join(ROOT, 'docs'), join(ROOT, 'docs-site'))
process.stderr.write(`docs-site/index.html: ${pages} pages, ${images} images\n`)
