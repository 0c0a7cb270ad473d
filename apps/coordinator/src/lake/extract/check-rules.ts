/** Rejects selectors and paths that can never match when a user submits them, not page by page. */
import { checkSelectors } from '@minga/forecast'
import { BadExtract, type ExtractSpec } from '@minga/protocol'
import { isJsonPath } from './json-path.ts'

export function checkRules({ rules }: ExtractSpec): void {
  for (const { field, from, select } of rules) {
    if (from === 'css') checkSelectors({ include: [select], exclude: [] })
    if (from === 'json' && !isJsonPath(select)) throw new BadExtract(field, NO_PATH(select))
  }
}

const NO_PATH = (text: string): string =>
  `${text} is no path in JSON, as $.items[0].name and $.items[*].name are`
